package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// live is a session in memory. All its fields but the first group belong to the
// goroutine that runs it.
type live struct {
	e     *Engine
	id    string
	inbox chan func()
	poke  chan struct{} // text is pending, or something else is to be looked at
	ready chan struct{} // closed when the session is open, or has failed to
	done  chan struct{} // closed when the goroutine has ended
	pins  int           // who needs it in memory; guarded by Engine.mu
	crowd atomic.Int64  // how many subscribers get what comes as it comes

	absent atomic.Bool // there is no such session, yet

	failed   error // why it could not be opened; set before ready is closed
	state    *session.State
	subs     []*Subscription // those that get what comes, as it comes
	attached map[*Subscription]struct{}
	tail     tail
	open     []*openText
	left     []string       // open messages that are lost but for some parts; the next append removes those
	unkept   []journal.Part // parts that the disk refused
	steps    map[string]*running
	leaving  map[*running]struct{} // steps that are not wanted any more and have not ended
	memos    map[string]any        // what runners keep from one step of a turn to the next, by agent
	halted   bool                  // steps are being stopped: none is started
	kept     uint64                // sequence of the newest snapshot
	used     time.Time
	flushAt  time.Time // when text that was not flushed must be
	// restoreAt is when files that were to go back, which could not be recorded, are
	// looked after again.
	restoreAt time.Time
	ended     bool
	fenced    bool // it ended because what is stored is not what it knows
}

func newLive(e *Engine, id string) *live {
	return &live{
		e: e, id: id,
		inbox: make(chan func(), 8), poke: make(chan struct{}, 1),
		ready: make(chan struct{}), done: make(chan struct{}),
		attached: map[*Subscription]struct{}{}, steps: map[string]*running{}, leaving: map[*running]struct{}{},
		used: time.Now(),
	}
}

// nudge makes the goroutine look around. It never blocks.
func (l *live) nudge() {
	select {
	case l.poke <- struct{}{}:
	default:
	}
}

// call runs f on the session's goroutine and waits for it.
func (l *live) call(ctx context.Context, f func()) error {
	ran := make(chan struct{})
	wrapped := func() { defer close(ran); f() }
	select {
	case l.inbox <- wrapped:
	case <-l.done:
		return errStopping
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-ran:
		return nil
	case <-l.done:
		select {
		case <-ran:
			return nil
		default:
			return errStopping
		}
	}
}

func (l *live) run() {
	defer close(l.done)
	if err := l.begin(); err != nil {
		if l.failed = storeError(err); l.e.Stopping() {
			l.failed = errStopping
		}
		l.e.forget(l, true)
		close(l.ready)
		return
	}
	close(l.ready)
	due := time.Now().Add(l.e.IdleAfter)
	timer := time.NewTimer(l.e.IdleAfter)
	defer timer.Stop()
	for !l.ended {
		rang := false
		select {
		case f := <-l.inbox:
			l.used = time.Now()
			f()
		case <-l.poke:
			l.pump()
		case <-timer.C:
			rang = true
		case <-l.e.ctx.Done():
			l.shutdown()
			return
		}
		if l.ended {
			break
		}
		// A timer that rings early does no harm; setting it each time would.
		if next := l.tick(); rang || next.Before(due) {
			due = next
			timer.Reset(time.Until(due))
		}
	}
	if l.fenced {
		l.e.miss(l.id)
	}
}

// begin folds the session and takes up what was interrupted.
func (l *live) begin() error {
	ctx := l.e.ctx
	state, kept, err := l.e.load(ctx, l.id)
	if err != nil {
		return err
	}
	l.state, l.kept = state, kept
	if !state.Exists() {
		l.absent.Store(true)
		return nil
	}
	l.e.Stats.Opened.Add(1)
	open, err := l.reopen(ctx)
	if err != nil {
		return err
	}
	l.settleFiles()
	if len(open) > 0 || l.state.InFlight() {
		if _, err := l.decide(session.Command{Type: session.Suspend, Open: open}); err != nil {
			return err
		}
	}
	l.reconcile()
	return nil
}

// tick does what time asks for, and says when it wants to be called again.
func (l *live) tick() time.Time {
	now := time.Now()
	next := now.Add(l.e.IdleAfter)
	if !l.flushAt.IsZero() {
		if !now.Before(l.flushAt) {
			l.flush()
		} else {
			next = earlier(next, l.flushAt)
		}
	}
	if at, any := l.startDue(now); any {
		next = earlier(next, at)
	}
	if l.state.Ledger.Restoring != nil && !l.halted {
		if !now.Before(l.restoreAt) {
			l.finishRestore()
			l.reconcile()
		}
		next = earlier(next, l.restoreAt)
	}
	if l.evictable(now) {
		if idle := l.used.Add(l.e.IdleAfter); now.Before(idle) && l.state.Exists() {
			next = earlier(next, idle)
		} else if l.e.forget(l, false) {
			l.evict()
		}
	}
	if soon := now.Add(time.Millisecond); next.Before(soon) {
		return soon
	}
	return next
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func (l *live) evictable(now time.Time) bool {
	if len(l.attached) > 0 || len(l.open) > 0 || len(l.inbox) > 0 || len(l.leaving) > 0 {
		return false
	}
	for _, r := range l.steps {
		// One that is not due for long is in the journal as the session's wake
		// time, and needs nobody to wait for it.
		if r.cancel != nil || !r.step.NotBefore.After(now.Add(l.e.IdleAfter)) {
			return false
		}
	}
	return true
}

func (l *live) evict() {
	l.ended = true
	if !l.state.Exists() {
		return
	}
	l.e.Stats.Evicted.Add(1)
	l.keep(l.e.ctx)
	if !l.state.Wake().IsZero() {
		l.e.replan()
	}
}

// shutdown records how far the work has come and sends the subscribers away.
func (l *live) shutdown() {
	l.e.forget(l, true)
	l.stopSteps(errStopping)
	for drained := false; !drained; {
		select {
		case f := <-l.inbox:
			f()
		default:
			drained = true
		}
	}
	l.pump()
	l.ended = true
	if l.state.Exists() && (len(l.open) > 0 || l.state.InFlight()) {
		if _, err := l.decide(session.Command{Type: session.Suspend}); err != nil {
			l.e.Logger.Error("work in progress was not recorded; it will be taken up as after a crash", "session_id", l.id, "err", err)
			l.flush()
		}
	}
	l.keep(context.Background())
	l.dismiss(protocol.CloseStopping, "the server is stopping")
}

// decide treats one command: decide, append, apply, send.
func (l *live) decide(c session.Command) ([]protocol.Record, error) {
	l.pump()
	if c.Open == nil {
		c.Open = l.texts()
	}
	d, err := l.weigh(c)
	if err != nil || len(d.Records) == 0 {
		return nil, err
	}
	if err := l.commit(d); err != nil {
		return nil, err
	}
	l.reconcile()
	return d.Records, nil
}

// weigh decides on a command. If the head moves, the session is folded as it
// was at the record where the head is then.
func (l *live) weigh(c session.Command) (session.Decision, error) {
	d, err := l.state.Weigh(c, time.Now())
	if err != nil {
		return d, err
	}
	head, moves := d.Head()
	if !moves {
		return d, nil
	}
	at, _, err := l.e.at(l.e.ctx, l.id, head)
	if err != nil {
		return session.Decision{}, storeError(err)
	}
	return d.Land(at), nil
}

// commit appends records, and once they are on disk applies and sends them.
func (l *live) commit(d session.Decision) error {
	records := d.Records
	// An append is not abandoned half way: whoever asked may be gone, the
	// session is not.
	ctx := context.WithoutCancel(l.e.ctx)
	hidden := l.e.hideLong(records)
	spilled, err := l.e.spill(ctx, records)
	if err != nil {
		return err
	}
	a, redacted, err := l.e.encode(records)
	if err != nil {
		return err
	}
	a.Session, a.Expect, a.Wake = l.id, l.state.Ledger.Last, d.Wake()
	a.Closes = append(a.Closes, l.left...)
	if err := l.e.Store.Append(ctx, a); err != nil {
		l.e.Stats.AppendFails.Add(1)
		l.appendFailed(err)
		return storeError(err)
	}
	l.left = nil
	l.e.Stats.Appends.Add(1)
	l.e.Stats.Records.Add(int64(len(records)))
	l.closeTexts(a.Closes)
	l.follow(ctx, d, spilled, redacted || hidden)
	if d.Moved() || l.state.Turns.Current == nil {
		l.memos = nil
	}
	if records[0].Seq == 1 {
		l.absent.Store(false)
	}
	l.tell(records, a.Records)
	l.e.Appended()
	if d.Moved() || l.state.Ledger.Last >= l.kept+snapshotEvery {
		l.keep(l.e.ctx)
	}
	return nil
}

// follow brings the state to where the stored records lead. Where they are not
// word for word what was decided, neither is the state.
func (l *live) follow(ctx context.Context, d session.Decision, spilled, redacted bool) {
	if redacted && !d.Moved() {
		for _, r := range d.Records {
			l.state.Ledger.Apply(r)
			l.state.Apply(r)
		}
		return
	}
	l.state = d.State()
	if redacted {
		if state, _, err := l.e.load(ctx, l.id); err == nil {
			l.state = state
		}
	}
	if spilled {
		l.state.Queue.Shorten(d.Records)
	}
}

// encode makes an append of records. No frame leaves it with a secret in it; a
// record that had one is changed to what is stored.
func (e *Engine) encode(records []protocol.Record) (a journal.Append, redacted bool, err error) {
	a = journal.Append{Records: make([]journal.Record, len(records))}
	for i, r := range records {
		frame, err := r.Encode()
		if err != nil { // it never will: whoever asks need not try again
			return a, false, protocol.Errorf(protocol.CodeInvalidMessage, "%s", err)
		}
		if clean, changed := e.redact(frame); changed {
			if records[i], err = protocol.DecodeRecord(clean); err != nil {
				// Nor will this: it must not be tried for ever.
				return a, false, protocol.Errorf(protocol.CodeInvalidMessage, "a secret of this server looks like a part of %s, which cannot be stored without it (%s); choose another value for that secret", r.Type, err)
			}
			frame, redacted = clean, true
		}
		a.Records[i] = journal.Record{Seq: r.Seq, Frame: frame}
		a.Blobs = append(a.Blobs, r.Blobs()...)
		if m, ok := r.Data.(*protocol.MessageRecord); ok && m.OpenID != "" {
			a.Closes = append(a.Closes, m.OpenID)
		}
	}
	return a, redacted, nil
}

// tell sends what was stored to all who are here. Without anyone, nothing is
// built: whoever comes later reads the journal.
func (l *live) tell(records []protocol.Record, stored []journal.Record) {
	if len(l.attached) == 0 {
		l.tail = tail{}
		return
	}
	moves := false
	for i, r := range records {
		l.send(recordFrame(l.id, r.Seq, stored[i].Frame))
		l.warn(r)
		moves = moves || r.Type == protocol.TypeRewound
	}
	if moves { // nobody is asked to work out what a session is after that
		l.send(l.stateFrame(false))
	}
}

// appendFailed gives the session up if it is not ours any more.
func (l *live) appendFailed(err error) {
	switch {
	case errors.Is(err, journal.ErrConflict):
		l.e.Logger.Warn("session taken over by another writer", "session_id", l.id)
		l.fenced = true
		l.giveUp(protocol.CloseStopping, "another server has taken over this session")
	case errors.Is(err, journal.ErrDeleted):
		l.giveUp(protocol.CloseDeleted, "the session was deleted")
	}
}

// giveUp ends the session as it is. It does not wait for what runs: it may be
// called on behalf of a step, which waits for it.
func (l *live) giveUp(code protocol.CloseCode, reason string) {
	l.ended = true
	l.open = nil // what is written from here on is for the next owner to tell
	l.e.forget(l, true)
	l.reconcile()
	l.dismiss(code, reason)
}

// warn tells clients of a request that nobody answered in time.
func (l *live) warn(r protocol.Record) {
	d, ok := r.Data.(*protocol.HitlResolved)
	if !ok || d.By != session.Timeout {
		return
	}
	e := protocol.Errorf(protocol.CodeRequestTimeout, "nobody answered request %s in time: %s", d.RequestID, d.Action).With("request_id", d.RequestID)
	if f, err := NewSignal(l.id, protocol.TypeError, r.AgentID, r.MonitorID, e); err == nil {
		l.send(f)
	}
}

// keep stores a snapshot. Losing one costs time, never data: the next will do.
func (l *live) keep(ctx context.Context) {
	if !l.state.Exists() || l.kept == l.state.Ledger.Last {
		return
	}
	s, err := l.state.Snapshot()
	if err == nil {
		err = l.e.Store.PutSnapshot(ctx, l.id, journal.Snapshot{
			Seq: s.Seq, Version: session.FoldVersion, Path: s.Path, State: s.State,
		})
	}
	if err != nil {
		l.e.Logger.Warn("no snapshot was kept", "session_id", l.id, "err", err)
	}
	l.kept = l.state.Ledger.Last
}
