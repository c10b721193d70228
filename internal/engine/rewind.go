package engine

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/parley-dev/parley/internal/branch"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// Before gives the record that the head moves to if a record is to go: the one
// before it. The words that start a turn go with the turn.
func (e *Engine) Before(ctx context.Context, id string, seq uint64) (uint64, error) {
	if seq == 0 {
		return 0, nil
	}
	const most = 8 // records that begin a turn
	from := max(seq, most) - most
	records, err := e.Read(ctx, id, from, int(seq-from))
	if err != nil {
		return 0, err
	}
	if len(records) == 0 || records[len(records)-1].Seq != seq {
		return 0, noRecord(seq)
	}
	last := records[len(records)-1]
	m, ok := last.Data.(*protocol.MessageRecord)
	if !ok || m.Role != protocol.RoleUser || m.Action != protocol.MessageCreated {
		return seq - 1, nil
	}
	for _, r := range slices.Backward(records[:len(records)-1]) {
		if !begins(r, m.TurnID) {
			return r.Seq, nil
		}
	}
	return from, nil
}

// begins says whether a record belongs to the beginning of a turn, before what
// was said.
func begins(r protocol.Record, turn string) bool {
	switch d := r.Data.(type) {
	case *protocol.TurnStarted:
		return d.TurnID == turn
	case *protocol.MessageAccepted:
		return d.TurnID == turn
	case *protocol.QueueChanged:
		return d.Reason == session.QueueStarted
	}
	return false
}

// Said gives the message that a record made.
func (e *Engine) Said(ctx context.Context, id string, seq uint64) (*protocol.MessageRecord, error) {
	if seq == 0 {
		return nil, noRecord(seq)
	}
	records, err := e.Read(ctx, id, seq-1, 1)
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, noRecord(seq)
	}
	m, ok := records[0].Data.(*protocol.MessageRecord)
	if !ok || m.Action != protocol.MessageCreated {
		return nil, protocol.Errorf(protocol.CodeInvalidMessage, "%s is no message but a record %s", protocol.MessageID(seq), records[0].Type)
	}
	return m, nil
}

// Locate finds a visible message by its ts, or by its index among them all.
func (e *Engine) Locate(ctx context.Context, id string, ts *int64, index *int) (uint64, error) {
	path, last, err := e.Path(ctx, id)
	if err != nil {
		return 0, err
	}
	n, found := 0, uint64(0)
	err = e.each(ctx, id, 0, last, func(r journal.Record) error {
		if !bytes.HasPrefix(r.Frame, said) || !path.Contains(r.Seq) {
			return nil
		}
		record, err := protocol.DecodeRecord(r.Frame)
		if err != nil {
			return err
		}
		m, ok := record.Data.(*protocol.MessageRecord)
		if !ok || m.Action != protocol.MessageCreated {
			return nil
		}
		if ts != nil && m.Message.Ts == *ts || index != nil && n == *index {
			found = r.Seq
			return errFound
		}
		n++
		return nil
	})
	switch {
	case found > 0:
		return found, nil
	case err != nil:
		return 0, storeError(err)
	case ts != nil:
		return 0, protocol.Errorf(protocol.CodeInvalidMessage, "no visible message has exactly the ts %d", *ts)
	}
	return 0, protocol.Errorf(protocol.CodeInvalidMessage, "the index %d is out of range: the session has %d visible messages", *index, n)
}

var errFound = errors.New("found")

// Path gives what of a session is visible, and its last record.
func (e *Engine) Path(ctx context.Context, id string) (path branch.Path, last uint64, err error) {
	err = e.on(ctx, id, func(l *live) error {
		if !l.state.Exists() {
			return errNoSession
		}
		path, last = l.state.Path(), l.state.Ledger.Last
		return nil
	})
	return path, last, err
}

func noRecord(seq uint64) error {
	return protocol.Errorf(protocol.CodeInvalidMessage, "the session has no record %s", protocol.MessageID(seq))
}

// Undo gives the move that takes a rewind back, the latest if none is named, and
// how: with the files, if they were taken back too.
func (e *Engine) Undo(ctx context.Context, id, rewind string) (*session.Move, RewindOptions, error) {
	var moves branch.Tree
	if err := e.on(ctx, id, func(l *live) error { moves = slices.Clone(l.state.Ledger.Moves); return nil }); err != nil {
		return nil, RewindOptions{}, err
	}
	if len(moves) == 0 {
		return nil, RewindOptions{}, protocol.Errorf(protocol.CodeSessionInvalidState, "this session was never rewound: there is nothing to undo")
	}
	last := moves[len(moves)-1]
	if rewind != "" {
		i := slices.IndexFunc(moves, func(m branch.Move) bool { return protocol.ID(protocol.RewindPrefix, m.Seq) == rewind })
		if i < 0 {
			return nil, RewindOptions{}, protocol.Errorf(protocol.CodeInvalidMessage, "this session has no rewind %q", rewind)
		}
		last = moves[i]
	}
	records, err := e.Read(ctx, id, last.Seq-1, 1)
	if err != nil {
		return nil, RewindOptions{}, err
	}
	var o RewindOptions
	if r := rewoundOf(records); r.FilesBefore != "" && r.FilesAfter != "" {
		o = RewindOptions{Files: true, First: []FileStep{{Before: r.FilesBefore, After: r.FilesAfter}}}
	}
	return &session.Move{Head: last.From, Undoes: protocol.ID(protocol.RewindPrefix, last.Seq)}, o, nil
}

// RewindOptions says how a move is made.
type RewindOptions struct {
	// Preview only says what would happen.
	Preview bool
	// Files takes the files of the workspace back too.
	Files bool
	// First are steps that are taken back after those that the move hides, and
	// instead of what it shows: of a rewind that is undone.
	First []FileStep
	// Since is set if only files go back: to what they were at that record. The
	// head stays where it is then, wherever that is when it is done.
	Since uint64
}

// Rewind moves the head of a session, or only says what that would come to.
func (e *Engine) Rewind(ctx context.Context, id string, c session.Command, o RewindOptions) (protocol.RewindResult, Result, error) {
	var out protocol.RewindResult
	var result Result
	if o.Preview {
		out, err := e.foresee(ctx, id, c, o)
		return out, result, err
	}
	err := e.on(ctx, id, func(l *live) (err error) {
		out, result, err = l.rewind(ctx, c, o)
		return err
	})
	return out, result, err
}

// Repeated gives what a move came to that was asked for before. It is asked first:
// what the move names may be hidden by now. ok is false if this one is new.
func (e *Engine) Repeated(ctx context.Context, id string, cause *protocol.Cause) (out protocol.RewindResult, result Result, ok bool, err error) {
	if cause == nil {
		return out, result, false, nil
	}
	err = e.on(ctx, id, func(l *live) (err error) {
		if result.First, ok, err = l.state.Ledger.Seen(cause); err != nil || !ok {
			return err
		}
		result.Repeated = true
		out, err = l.told(ctx, result.First)
		return err
	})
	return out, result, ok, err
}

func (l *live) rewind(ctx context.Context, c session.Command, o RewindOptions) (protocol.RewindResult, Result, error) {
	first, seen, err := l.state.Ledger.Seen(c.Cause)
	if err != nil {
		return protocol.RewindResult{}, Result{}, err
	}
	if seen {
		out, err := l.told(ctx, first)
		return out, Result{First: first, Repeated: true}, err
	}
	if err := l.checkImages(ctx, c); err != nil {
		return protocol.RewindResult{}, Result{}, err
	}
	if o.Files {
		return l.rewindFiles(ctx, c, o)
	}
	return l.moveHead(ctx, c)
}

// moveHead decides and stores a move.
func (l *live) moveHead(ctx context.Context, c session.Command) (protocol.RewindResult, Result, error) {
	out, d, err := l.consider(ctx, c)
	if err != nil {
		return protocol.RewindResult{}, Result{}, err
	}
	if err := l.commit(d); err != nil {
		return protocol.RewindResult{}, Result{}, err
	}
	l.reconcile()
	return out, Result{First: d.Records[0].Seq, Records: d.Records}, nil
}

// consider decides on a move and says what it comes to.
func (l *live) consider(ctx context.Context, c session.Command) (protocol.RewindResult, session.Decision, error) {
	l.pump()
	c.Open = l.texts()
	d, err := l.weigh(c)
	if err != nil {
		return protocol.RewindResult{}, d, err
	}
	out, err := l.describe(ctx, rewoundOf(d.Records))
	out.TodosChanged, out.Status = todosChanged(l.state, d), d.Status()
	return out, d, err
}

// foresee says what a move would come to. The files are looked at beside the
// session: it goes on meanwhile.
func (e *Engine) foresee(ctx context.Context, id string, c session.Command, o RewindOptions) (out protocol.RewindResult, err error) {
	var steps []FileStep
	folder := ""
	err = e.on(ctx, id, func(l *live) (err error) {
		if o.Files {
			c, _ = l.withFiles(c, o)
		}
		var d session.Decision
		if out, d, err = l.consider(ctx, c); err != nil || !o.Files || e.Files == nil {
			return err
		}
		folder = l.state.Ledger.Workspace
		steps, err = l.fileSteps(ctx, rewoundOf(d.Records), o)
		return err
	})
	out.RewindID = ""
	if err != nil || folder == "" {
		return out, err
	}
	back, err := e.Files.Preview(ctx, folder, id, steps)
	if err != nil {
		return out, protocol.Errorf(protocol.CodeExecutionFailed, "what would become of the files is not known: %s", err)
	}
	out.Files, out.Kept = append(out.Files, back.Changed...), back.Kept
	return out, nil
}

// told gives what a rewind that was asked for before came to.
func (l *live) told(ctx context.Context, first uint64) (protocol.RewindResult, error) {
	const most = 4096 // records that one rewind gives
	records, err := l.e.Read(ctx, l.id, first-1, most)
	if err != nil {
		return protocol.RewindResult{}, err
	}
	rewound := rewoundOf(records)
	out, err := l.describe(ctx, rewound)
	out.Status = l.state.Status()
	for _, r := range records {
		if d, ok := r.Data.(*protocol.CheckpointRestored); ok && d.RewindID == rewound.RewindID {
			out.Kept = d.Kept
			out.Files = slices.DeleteFunc(out.Files, func(f protocol.FileChange) bool {
				return slices.ContainsFunc(d.Kept, func(k protocol.KeptFile) bool { return k.Path == f.Path })
			})
		}
	}
	return out, err
}

func rewoundOf(records []protocol.Record) *protocol.Rewound {
	for _, r := range records {
		if d, ok := r.Data.(*protocol.Rewound); ok {
			return d
		}
	}
	return &protocol.Rewound{}
}

// describe counts what a move hides and shows.
func (l *live) describe(ctx context.Context, r *protocol.Rewound) (protocol.RewindResult, error) {
	out := protocol.RewindResult{RewindID: r.RewindID, Head: r.Head, Files: append([]protocol.FileChange{}, r.Files...)}
	var err error
	if out.MessagesHidden, err = l.count(ctx, r.Hidden); err == nil {
		out.MessagesShown, err = l.count(ctx, r.Shown)
	}
	return out, err
}

// said is how the frame of every message begins.
var said = []byte(`{"type":"` + string(protocol.TypeMessage) + `"`)

// count gives how many messages were created by some records, as far as they
// are stored already.
func (l *live) count(ctx context.Context, spans []protocol.Span) (n int, err error) {
	for _, s := range spans {
		last := min(s[1], l.state.Ledger.Last)
		if s[0] > last {
			continue
		}
		err = l.e.each(ctx, l.id, s[0]-1, last, func(r journal.Record) error {
			if !bytes.HasPrefix(r.Frame, said) {
				return nil
			}
			record, err := protocol.DecodeRecord(r.Frame)
			if err != nil {
				return err
			}
			if d, ok := record.Data.(*protocol.MessageRecord); ok && d.Action == protocol.MessageCreated {
				n++
			}
			return nil
		})
		if err != nil {
			return 0, storeError(err)
		}
	}
	return n, nil
}

func todosChanged(before *session.State, d session.Decision) int {
	old, changed := map[string]protocol.TodoStatus{}, 0
	for _, t := range before.Todos() {
		old[t.ID] = t.Status
	}
	for _, t := range d.Todos() {
		if was, ok := old[t.ID]; !ok || was != t.Status {
			changed++
		}
		delete(old, t.ID)
	}
	return changed + len(old)
}

// Branches lists every way that a session has gone, the oldest first.
func (e *Engine) Branches(ctx context.Context, id string) ([]protocol.Branch, error) {
	var moves branch.Tree
	var last uint64
	err := e.on(ctx, id, func(l *live) error {
		if !l.state.Exists() {
			return errNoSession
		}
		moves, last = slices.Clone(l.state.Ledger.Moves), l.state.Ledger.Last
		return nil
	})
	if err != nil {
		return nil, err
	}
	current := moves.Path(last)
	out := []protocol.Branch{}
	for _, head := range moves.Leaves(last) {
		path := moves.Path(head)
		b := protocol.Branch{Head: protocol.MessageID(head), Current: current.Contains(head)}
		hidden, _ := branch.Diff(path, current)
		for _, s := range hidden {
			b.Records += int(s.To - s.From + 1)
		}
		if len(hidden) > 0 {
			b.Since = protocol.MessageID(hidden[0].From)
		}
		if !b.Current {
			b.LeftBy = leftBy(moves, head)
		}
		state, _, err := e.at(ctx, id, head)
		if err != nil {
			return nil, storeError(err)
		}
		b.UpdatedAt, b.Words = protocol.At(state.Ledger.LastTime), state.Turns.Words
		out = append(out, b)
	}
	return out, nil
}

// leftBy is the latest move that was made from a record.
func leftBy(moves branch.Tree, head uint64) string {
	for _, m := range slices.Backward(moves) {
		if p := moves.Path(m.Seq - 1); p.Contains(head) {
			return protocol.ID(protocol.RewindPrefix, m.Seq)
		}
	}
	return ""
}

// Fork makes a new session of the beginning of another: up to and with the
// record at, or all that is visible if it is 0.
func (e *Engine) Fork(ctx context.Context, from string, at uint64, to string, f protocol.Forked, by session.Actor) error {
	forker, ok := e.Store.(journal.Forker)
	if !ok {
		return protocol.Errorf(protocol.CodeInvalidMessage, "this server's journal cannot fork sessions")
	}
	if err := protocol.CheckSessionID(to); err != nil {
		return protocol.Errorf(protocol.CodeInvalidMessage, "%s", err)
	}
	_, last, err := e.Path(ctx, from)
	if err != nil {
		return err
	}
	if at == 0 {
		at = last
	}
	if at > last {
		return noRecord(at)
	}
	state, _, err := e.at(ctx, from, at)
	if err != nil {
		return storeError(err)
	}
	f.From, f.At = from, protocol.MessageID(at)
	d := state.Fork(f, session.Command{By: by}, time.Now())
	a, redacted, err := e.encode(d.Records)
	if err != nil {
		return err
	}
	a.Session, a.Expect, a.Wake = to, at, d.Wake()
	// The target is held so that nobody opens it half way.
	return e.on(ctx, to, func(l *live) error {
		if l.state.Exists() {
			e := protocol.Errorf(protocol.CodeSessionInvalidState, "a session with this id exists already")
			e.Recoverable, e.SuggestedAction = false, "choose_another_id"
			return e
		}
		if err := forker.Fork(context.WithoutCancel(ctx), from, at, a); err != nil {
			return storeError(err)
		}
		l.state = d.State()
		if redacted {
			if stored, _, err := e.load(e.ctx, to); err == nil {
				l.state = stored
			}
		}
		l.absent.Store(false)
		l.e.Appended()
		l.keep(l.e.ctx)
		return nil
	})
}
