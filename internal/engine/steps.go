package engine

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"time"

	"github.com/parley-dev/parley/internal/branch"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// running is a step that is being carried out, or waits for its time.
type running struct {
	step    session.Step
	cancel  context.CancelCauseFunc // nil: not started
	done    chan struct{}
	startAt time.Time
	failed  int // how often it came back without having recorded anything
}

var errNotWanted = errors.New("the session does not want this any more")

// reconcile makes what runs equal to what the session lists. Nothing starts while
// files are still to go back.
func (l *live) reconcile() {
	if l.halted || l.state.Ledger.Restoring != nil && !l.ended {
		return
	}
	var next []session.Step
	if !l.ended {
		next = l.state.Next()
	}
	if len(next) == 0 && len(l.steps) == 0 {
		return
	}
	want := make(map[string]session.Step, len(next))
	for _, s := range next {
		want[s.ID] = s
	}
	why := errNotWanted
	if l.fenced { // whoever has the session now may want it
		why = errStopping
	}
	for id, r := range l.steps {
		if _, ok := want[id]; ok {
			continue
		}
		if r.cancel != nil {
			r.cancel(why)
			l.leaving[r] = struct{}{}
		}
		delete(l.steps, id)
	}
	for id, s := range want {
		if _, ok := l.steps[id]; !ok {
			l.steps[id] = &running{step: s, startAt: s.NotBefore}
		}
	}
	l.startDue(time.Now())
}

// startDue starts the steps whose time has come, and says when the next one is.
func (l *live) startDue(now time.Time) (next time.Time, any bool) {
	if l.e.Stopping() {
		return next, false
	}
	for _, r := range l.steps {
		if r.cancel != nil {
			continue
		}
		if now.Before(r.startAt) {
			if !any || r.startAt.Before(next) {
				next, any = r.startAt, true
			}
			continue
		}
		l.start(r)
	}
	return next, any
}

func (l *live) start(r *running) {
	ctx, cancel := context.WithCancelCause(l.e.ctx)
	r.cancel, r.done = cancel, make(chan struct{})
	w := &Work{Step: r.step, SessionID: l.id, l: l, ctx: ctx}
	l.e.Stats.Running.Add(1)
	l.e.wg.Add(1)
	go func() {
		defer l.e.wg.Done()
		defer l.e.Stats.Running.Add(-1)
		defer cancel(nil)
		l.carryOut(ctx, w)
		close(r.done)
		l.call(context.Background(), func() { l.stepEnded(r) })
	}()
}

// carryOut runs a step. One that panics has failed, like one that comes back
// without a result; the server and its other sessions go on.
func (l *live) carryOut(ctx context.Context, w *Work) {
	defer func() {
		if p := recover(); p != nil {
			l.e.Logger.Error("a step panicked", "session_id", l.id, "step", w.Step.ID, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	l.e.Runner.Run(ctx, w)
}

// stepEnded looks after a step that came back. If the session still lists it,
// it has left no trace: its records could not be written, or its runner is at
// fault. It is recorded as interrupted and tried again, later each time.
func (l *live) stepEnded(r *running) {
	delete(l.leaving, r)
	if l.ended || l.e.Stopping() || l.steps[r.step.ID] != r {
		return // or shutdown looks after it
	}
	if l.state.InFlight() {
		only := &session.Suspended{Steps: []string{r.step.ID}}
		if _, err := l.decide(session.Command{Type: session.Suspend, Data: only}); err == nil && l.steps[r.step.ID] != r {
			return
		}
	}
	r.failed++
	r.cancel, r.done = nil, nil
	r.startAt = time.Now().Add(min(time.Second<<min(r.failed-1, 5), 30*time.Second))
	l.e.Logger.Warn("a step ended without a result and is tried again", "session_id", l.id, "step", r.step.ID, "at", r.startAt)
}

// busy says why steps cannot be stopped now: someone is about it. While they wait
// for a step, the session takes other commands.
func (l *live) busy() error {
	switch {
	case l.e.Stopping():
		return errStopping
	case l.halted:
		return protocol.Errorf(protocol.CodeSessionInvalidState, "the session's work is being stopped for someone else; try again in a moment")
	}
	return nil
}

// stopSteps ends whatever runs, and says why, and waits for it, and for what was
// told to end before. Nothing starts until halted is taken back. Whoever is not the
// server that stops asks busy first.
func (l *live) stopSteps(why error) {
	l.halted = true
	for id, r := range l.steps {
		delete(l.steps, id)
		if r.cancel != nil {
			r.cancel(why)
			l.leaving[r] = struct{}{}
		}
	}
	for r := range l.leaving {
		for waiting := true; waiting; {
			select {
			case <-r.done:
				waiting = false
			case f := <-l.inbox: // the step may be about to report
				f()
			case <-l.poke: // or wait for room to write
				l.pump()
			}
		}
		delete(l.leaving, r)
	}
}

// Work is a step with what is needed to carry it out.
type Work struct {
	Step      session.Step
	SessionID string
	l         *live
	ctx       context.Context
}

// Do gives a command to the session, and the records that came of it.
func (w *Work) Do(ctx context.Context, c session.Command) ([]protocol.Record, error) {
	var records []protocol.Record
	var err error
	if cerr := w.l.call(ctx, func() { records, err = w.l.decide(c) }); cerr != nil {
		return nil, cerr
	}
	return records, err
}

// Write opens a message that will be written piece by piece.
func (w *Work) Write(ctx context.Context, openID string, say protocol.Say) (*Stream, error) {
	var s *Stream
	var err error
	cerr := w.l.call(ctx, func() {
		if w.ctx.Err() != nil {
			err = context.Cause(w.ctx)
			return
		}
		s, err = w.l.beginText(openID, w.Step.MonitorID, textMeta{
			Agent: w.Step.AgentID, Say: say, Call: w.Step.Tool.ID, Tool: w.Step.Tool.Tool,
		})
	})
	if cerr != nil {
		return nil, cerr
	}
	return s, err
}

// Read gives the visible ones among up to limit records after a sequence
// number, in order.
func (w *Work) Read(ctx context.Context, after uint64, limit int) ([]protocol.Record, error) {
	var path branch.Path
	if err := w.l.call(ctx, func() { path = w.l.state.Path() }); err != nil {
		return nil, err
	}
	records, err := w.l.e.Read(ctx, w.SessionID, after, limit)
	return slices.DeleteFunc(records, func(r protocol.Record) bool { return !path.Contains(r.Seq) }), err
}

// Memo gives what an earlier step of the same agent in the same turn kept; nil if
// there is nothing, or the head was moved since.
func (w *Work) Memo(ctx context.Context) (memo any, err error) {
	err = w.l.call(ctx, func() { memo = w.l.memos[w.Step.AgentID] })
	return memo, err
}

// Keep keeps something for the next step of the same agent in the same turn. It is
// in memory only.
func (w *Work) Keep(ctx context.Context, memo any) error {
	return w.l.call(ctx, func() {
		if t := w.l.state.Turns.Current; t == nil || t.ID != w.Step.TurnID || w.ctx.Err() != nil {
			return
		}
		if w.l.memos == nil {
			w.l.memos = map[string]any{}
		}
		w.l.memos[w.Step.AgentID] = memo
	})
}

// Window is what the step's agent is told of the past, as it is now.
func (w *Work) Window(ctx context.Context) (window session.Window, err error) {
	err = w.l.call(ctx, func() { window = w.l.state.Contexts.Window(w.Step.AgentID) })
	return window, err
}

// Last is the sequence number of the session's last record.
func (w *Work) Last(ctx context.Context) (last uint64, err error) {
	err = w.l.call(ctx, func() { last = w.l.state.Ledger.Last })
	return last, err
}
