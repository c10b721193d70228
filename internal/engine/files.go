package engine

import (
	"bytes"
	"context"
	"slices"

	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// Files takes the workspace of a session back. Neither method touches anything
// that is in no step.
type Files interface {
	// Preview says what Restore would do.
	Preview(ctx context.Context, folder, session string, steps []FileStep) (FilesBack, error)
	// Restore takes steps back, the last one first.
	Restore(ctx context.Context, folder, session string, steps []FileStep) (FilesBack, error)
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

// stepsIn gives what the records of some spans did to the files, in order.
func (l *live) stepsIn(ctx context.Context, spans []protocol.Span) ([]FileStep, error) {
	var steps []FileStep
	for _, s := range spans {
		last := min(s[1], l.state.Ledger.Last)
		if s[0] > last {
			continue
		}
		records, err := l.e.Checkpoints(ctx, l.id, s[0]-1, last)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			d := r.Data.(*protocol.CheckpointSaved)
			steps = append(steps, FileStep{Before: d.FromHash, After: d.Hash, Paths: d.Paths})
		}
	}
	return steps, nil
}

// fileSteps is what has to be taken back so that the files fit a move: what is
// hidden by it, and, the other way round, what it shows again.
func (l *live) fileSteps(ctx context.Context, r *protocol.Rewound, o RewindOptions) ([]FileStep, error) {
	hidden, err := l.stepsIn(ctx, append(r.Hidden, o.Besides...))
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
// runs meanwhile. If the move cannot be recorded, the files are as before.
func (l *live) rewindFiles(ctx context.Context, c session.Command, o RewindOptions) (protocol.RewindResult, Result, error) {
	if l.e.Files == nil || l.state.Ledger.Workspace == "" {
		return protocol.RewindResult{}, Result{}, protocol.Errorf(protocol.CodeInvalidMessage, "this session has no workspace whose files could be taken back")
	}
	l.stopSteps()
	defer func() { l.halted = false; l.reconcile() }()
	move := *c.Data.(*session.Move)
	move.Files = &session.FilesMoved{} // where only the files go back, the head stays
	c.Data = &move
	d, err := l.weigh(c)
	if err != nil {
		return protocol.RewindResult{}, Result{}, err
	}
	steps, err := l.fileSteps(ctx, rewoundOf(d.Records), o)
	if err != nil {
		return protocol.RewindResult{}, Result{}, err
	}
	folder := l.state.Ledger.Workspace
	whole := context.WithoutCancel(ctx)
	back, err := l.e.Files.Restore(whole, folder, l.id, steps)
	if err != nil {
		return protocol.RewindResult{}, Result{}, protocol.Errorf(protocol.CodeExecutionFailed, "the files were not taken back, and neither was the session: %s", err)
	}
	move.Files = &session.FilesMoved{Changes: back.Changed, Before: back.Before, After: back.After}
	out, result, err := l.moveHead(ctx, c)
	if err != nil {
		undo := []FileStep{{Before: back.Before, After: back.After}}
		if _, uerr := l.e.Files.Restore(whole, folder, l.id, undo); uerr != nil {
			l.e.Logger.Error("files were taken back, the session was not", "session_id", l.id, "checkpoint", back.Before, "err", uerr)
		}
		return protocol.RewindResult{}, Result{}, err
	}
	out.Kept = back.Kept
	return out, result, nil
}

// CheckpointAt gives the record of a visible checkpoint, and the session's last.
func (e *Engine) CheckpointAt(ctx context.Context, id, checkpoint string) (seq, last uint64, err error) {
	seq, err = protocol.ParseID(protocol.CheckpointPrefix, checkpoint)
	if err != nil {
		return 0, 0, protocol.Errorf(protocol.CodeInvalidMessage, "%s", err)
	}
	path, last, err := e.Path(ctx, id)
	if err != nil {
		return 0, 0, err
	}
	records, err := e.Checkpoints(ctx, id, min(max(seq, 1)-1, last), min(seq, last))
	if err != nil {
		return 0, 0, err
	}
	if len(records) == 0 || !path.Contains(seq) {
		return 0, 0, protocol.Errorf(protocol.CodeInvalidMessage, "the session has no checkpoint %q in its visible past", checkpoint)
	}
	return seq, last, nil
}
