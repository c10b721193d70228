package engine

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// Files takes the workspace of a session back. Neither method touches anything
// that is in no step.
type Files interface {
	// Preview says what Restore would do.
	Preview(ctx context.Context, folder, session string, steps []FileStep) (FilesBack, error)
	// Restore takes steps back, the last one first. What it is going to do is
	// stored and told to begin before any file is touched; if begin, or anything
	// before it, fails, none is. If it is cut off after that, what begin was told is
	// enough to finish it: a step from After to Before is taken back.
	Restore(ctx context.Context, folder, session string, steps []FileStep, begin func(FilesBack) error) (FilesBack, error)
	// Left keeps what a call that was cut off has done to the files; nil if nothing,
	// or if that is not known. Once it is recorded, forget is called.
	Left(ctx context.Context, folder, session, call, tool string) (saved *protocol.CheckpointSaved, forget func(), err error)
}

// FileStep is what an agent did to the files: what lies between two checkpoints.
type FileStep struct {
	Before, After string
	Paths         []string
}

func (s FileStep) inverse() FileStep {
	return FileStep{Before: s.After, After: s.Before, Paths: s.Paths}
}

// FilesBack is what came, or would come, of taking steps back.
type FilesBack struct {
	Changed       []protocol.FileChange
	Kept          []protocol.KeptFile
	Before, After string // the workspace before it and after; empty in a preview
}

// kept is how the frame of every checkpoint begins.
var kept = []byte(`{"type":"` + string(protocol.TypeCheckpointSaved) + `"`)

// Checkpoints gives the checkpoints that some records of a session made, hidden
// ones too, oldest first.
func (e *Engine) Checkpoints(ctx context.Context, id string, after, last uint64) ([]protocol.Record, error) {
	var out []protocol.Record
	err := e.each(ctx, id, after, last, func(r journal.Record) error {
		if !bytes.HasPrefix(r.Frame, kept) {
			return nil
		}
		record, err := protocol.DecodeRecord(r.Frame)
		out = append(out, record)
		return err
	})
	return out, storeError(err)
}

// begun is how the frame of every call of a tool begins.
var begun = []byte(`{"type":"` + string(protocol.TypeToolStarted) + `"`)

// stepsIn gives what the records of some spans did to the files, in order.
func (l *live) stepsIn(ctx context.Context, spans []protocol.Span) ([]FileStep, error) {
	below := map[string]bool{l.id: true}
	var steps []FileStep
	for _, s := range spans {
		done, err := l.e.stepsOf(ctx, l.id, s[0], min(s[1], l.state.Ledger.Last), below)
		if err != nil {
			return nil, err
		}
		steps = append(steps, done...)
	}
	return steps, nil
}

// stepsOf gives what some records of a session did to the files, with what was
// done for them in sessions below. Each of those counts once, however often its
// call was started.
func (e *Engine) stepsOf(ctx context.Context, id string, first, last uint64, below map[string]bool) (steps []FileStep, err error) {
	if first > last {
		return nil, nil
	}
	err = e.each(ctx, id, first-1, last, func(r journal.Record) error {
		if !bytes.HasPrefix(r.Frame, kept) && !bytes.HasPrefix(r.Frame, begun) {
			return nil
		}
		record, err := protocol.DecodeRecord(r.Frame)
		if err != nil {
			return err
		}
		switch d := record.Data.(type) {
		case *protocol.CheckpointSaved:
			if d.FromHash == "" { // where the session started
				return nil
			}
			steps = append(steps, FileStep{Before: d.FromHash, After: d.Hash, Paths: d.Paths})
		case *protocol.ToolStarted:
			done, err := e.stepsBelow(ctx, d.ChildID, below)
			steps = append(steps, done...)
			return err
		}
		return nil
	})
	return steps, storeError(err)
}

// stepsBelow gives what a session that work was handed to did to the files. Of
// one that was deleted nothing is known any more.
func (e *Engine) stepsBelow(ctx context.Context, id string, seen map[string]bool) (steps []FileStep, err error) {
	if id == "" || seen[id] {
		return nil, nil
	}
	seen[id] = true
	state, _, err := e.load(ctx, id)
	if errors.Is(err, journal.ErrDeleted) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, s := range state.Path() {
		done, err := e.stepsOf(ctx, id, s.From, s.To, seen)
		if err != nil {
			return nil, err
		}
		steps = append(steps, done...)
	}
	return steps, nil
}

// fileSteps is what has to be taken back so that the files fit a move: what is
// hidden by it, and, the other way round, what it shows again.
func (l *live) fileSteps(ctx context.Context, r *protocol.Rewound, o RewindOptions) ([]FileStep, error) {
	spans := r.Hidden
	if o.Since > 0 { // all that is stored; what the move itself adds has no steps
		spans = []protocol.Span{{o.Since + 1, l.state.Ledger.Last}}
	}
	hidden, err := l.stepsIn(ctx, spans)
	if err != nil {
		return nil, err
	}
	if len(o.First) > 0 { // an undo: it brings back what was there
		return append(slices.Clone(o.First), hidden...), nil
	}
	shown, err := l.stepsIn(ctx, r.Shown)
	if err != nil {
		return nil, err
	}
	var steps []FileStep
	for _, s := range slices.Backward(shown) {
		steps = append(steps, s.inverse())
	}
	return append(steps, hidden...), nil
}

// rewindFiles moves the head and takes the files back. Nothing of the session
// runs meanwhile. The move is recorded when it is certain what becomes of the
// files and before any is touched: after a crash the journal says what is left
// to be done.
func (l *live) rewindFiles(ctx context.Context, c session.Command, o RewindOptions) (protocol.RewindResult, Result, error) {
	if l.e.Files == nil || l.state.Ledger.Workspace == "" {
		return protocol.RewindResult{}, Result{}, protocol.Errorf(protocol.CodeInvalidMessage, "this session has no workspace whose files could be taken back")
	}
	if err := l.busy(); err != nil {
		return protocol.RewindResult{}, Result{}, err
	}
	if l.state.Ledger.Restoring != nil {
		return protocol.RewindResult{}, Result{}, protocol.Errorf(protocol.CodeSessionInvalidState, "the files of an earlier rewind are still to go back, which cannot be recorded at the moment; try again")
	}
	c, _ = l.withFiles(c, o)
	if _, err := l.weigh(c); err != nil { // nothing is stopped for a move that cannot be
		return protocol.RewindResult{}, Result{}, err
	}
	l.stopSteps(errNotWanted)
	defer func() { l.halted = false; l.reconcile() }()
	c, move := l.withFiles(c, o) // what was stopped may have left records
	d, err := l.weigh(c)
	if err != nil {
		return protocol.RewindResult{}, Result{}, err
	}
	steps, err := l.fileSteps(ctx, rewoundOf(d.Records), o)
	if err != nil {
		return protocol.RewindResult{}, Result{}, err
	}
	var out protocol.RewindResult
	var result Result
	began := time.Now()
	back, err := l.e.Files.Restore(ctx, l.state.Ledger.Workspace, l.id, steps, func(b FilesBack) (err error) {
		move.Files = &session.FilesMoved{Changes: b.Changed, Before: b.Before, After: b.After}
		out, result, err = l.moveHead(ctx, c)
		return err
	})
	if result.Records == nil {
		if _, known := errors.AsType[*protocol.Error](err); !known {
			err = protocol.Errorf(protocol.CodeExecutionFailed, "the files were not taken back, and neither was the session: %s", err)
		}
		return protocol.RewindResult{}, Result{}, err
	}
	l.restored(back, err, began)
	out.Files, out.Kept = append([]protocol.FileChange{}, back.Changed...), back.Kept
	return out, result, nil
}

// restored records what came of taking files back.
func (l *live) restored(back FilesBack, err error, began time.Time) {
	r := &session.FilesRestored{Done: protocol.CheckpointRestored{Files: back.Changed, Kept: back.Kept, DurationMS: time.Since(began).Milliseconds()}}
	if err != nil {
		l.e.Logger.Error("files were not taken back", "session_id", l.id, "err", err)
		r.Failed = &protocol.TurnError{Code: "RESTORE_FAILED", Message: err.Error(), Recoverable: true}
	}
	if _, err := l.decide(session.Command{Type: session.Restored, Data: r}); err != nil {
		l.e.Logger.Warn("files were taken back, which could not be recorded yet", "session_id", l.id, "err", err)
	}
}

// restoreAgain is how soon files that were to go back are looked after again.
const restoreAgain = 5 * time.Second

// settleFiles ends what the server was doing to files when it died. Nothing of the
// session works on them before that.
func (l *live) settleFiles() {
	l.halted = true
	defer func() { l.halted = false }()
	l.finishRestore()
	l.keepLeft()
}

// restoreWithin bounds how long a session that is opened waits for its files.
const restoreWithin = time.Minute

// finishRestore takes files back that were to go back when the server died. What
// is back already stays so, and so does what people did since.
func (l *live) finishRestore() {
	due := l.state.Ledger.Restoring
	if due == nil {
		return
	}
	began := time.Now()
	defer func() { l.restoreAt = time.Now().Add(restoreAgain) }()
	if l.e.Files == nil || l.state.Ledger.Workspace == "" {
		l.restored(FilesBack{}, errors.New("this server keeps no checkpoints of the session's workspace"), began)
		return
	}
	ctx, cancel := context.WithTimeout(l.e.ctx, restoreWithin)
	defer cancel()
	rest := []FileStep{{Before: due.After, After: due.Before}}
	back, err := l.e.Files.Restore(ctx, l.state.Ledger.Workspace, l.id, rest, func(FilesBack) error { return nil })
	if err != nil && l.e.Stopping() {
		return // the next one does it
	}
	l.restored(back, err, began)
}

// keepLeft records what calls that were cut off have done to the files, so that it
// can be taken back like what others did.
func (l *live) keepLeft() {
	if l.e.Files == nil || l.state.Ledger.Workspace == "" {
		return
	}
	for _, step := range l.state.Next() {
		if step.Kind != session.StepTool || step.Tool.Status != session.ToolRunning {
			continue
		}
		if err := l.keepCut(step); err != nil {
			l.e.Logger.Warn("what a call did to the files before it was cut off is not known", "session_id", l.id, "call_id", step.Tool.ID, "err", err)
		}
	}
}

// leftWithin bounds how long a session that is opened waits for that.
const leftWithin = 2 * time.Minute

func (l *live) keepCut(step session.Step) error {
	ctx, cancel := context.WithTimeout(l.e.ctx, leftWithin)
	defer cancel()
	began := time.Now()
	saved, forget, err := l.e.Files.Left(ctx, step.Workspace, l.id, step.Tool.ID, step.Tool.Tool)
	c := &session.Checkpointed{AgentID: step.AgentID, TurnID: step.TurnID, Saved: saved}
	switch {
	case err != nil:
		c.Failed = &protocol.CheckpointFailed{
			Reason: step.Tool.Tool + ", cut off", DurationMS: time.Since(began).Milliseconds(),
			Error: protocol.TurnError{Code: "CHECKPOINT_FAILED", Message: err.Error(), Recoverable: true},
		}
	case saved == nil && forget != nil:
		forget()
		return nil
	case saved == nil:
		return nil
	}
	if _, e := l.decide(session.Command{Type: session.Checkpoint, Data: c}); e == nil && err == nil {
		forget()
	} else {
		err = errors.Join(err, e)
	}
	return err
}

// withFiles makes a move one of files too: with it even a move that hides nothing
// does something.
func (l *live) withFiles(c session.Command, o RewindOptions) (session.Command, *session.Move) {
	move := *c.Data.(*session.Move)
	move.Files = &session.FilesMoved{}
	if o.Since > 0 {
		move.Head = l.state.Ledger.Last
	}
	c.Data = &move
	return c, &move
}

// CheckpointAt gives the record of a visible checkpoint.
func (e *Engine) CheckpointAt(ctx context.Context, id, checkpoint string) (uint64, error) {
	seq, err := protocol.ParseID(protocol.CheckpointPrefix, checkpoint)
	if err != nil {
		return 0, protocol.Errorf(protocol.CodeInvalidMessage, "%s", err)
	}
	path, last, err := e.Path(ctx, id)
	if err != nil {
		return 0, err
	}
	records, err := e.Checkpoints(ctx, id, min(max(seq, 1)-1, last), min(seq, last))
	if err != nil {
		return 0, err
	}
	if len(records) == 0 || !path.Contains(seq) {
		return 0, protocol.Errorf(protocol.CodeInvalidMessage, "the session has no checkpoint %q in its visible past", checkpoint)
	}
	return seq, nil
}
