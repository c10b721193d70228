package engine

import (
	"bytes"
	"context"
	"fmt"

	"github.com/parley-dev/parley/internal/branch"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

const (
	snapshotEvery = 1000
	readPage      = 512
)

// load folds a session from its newest fitting snapshot and what came after.
// The cost does not depend on how long the session is.
func (e *Engine) load(ctx context.Context, id string) (*session.State, uint64, error) {
	head, err := e.Store.Head(ctx, id)
	if err != nil {
		return nil, 0, err
	}
	if head.Deleted {
		return nil, 0, journal.ErrDeleted
	}
	if head.Last == 0 {
		return &session.State{}, 0, nil
	}
	return e.at(ctx, id, head.Last)
}

// at folds a session as it was when the record last was its newest, and says
// which snapshot it began with.
func (e *Engine) at(ctx context.Context, id string, last uint64) (*session.State, uint64, error) {
	if last == 0 {
		return &session.State{}, 0, nil
	}
	// The newest almost always fits; older ones are for a head that was moved.
	for tried, most := range []int{1, 8} {
		snaps, err := e.Store.Snapshots(ctx, id, session.FoldVersion, last, most)
		if err != nil {
			return nil, 0, err
		}
		for _, snap := range snaps[min(tried, len(snaps)):] {
			state, err := e.resume(ctx, id, snap, last)
			if err != nil {
				e.Logger.Warn("snapshot not used", "session_id", id, "seq", snap.Seq, "err", err)
				continue
			}
			if state != nil {
				return state, snap.Seq, nil
			}
		}
	}
	state, err := e.refold(ctx, id, last)
	return state, 0, err
}

// resume folds what came after a snapshot; nil if the snapshot lies on another
// branch than the session does now.
func (e *Engine) resume(ctx context.Context, id string, snap journal.Snapshot, last uint64) (*session.State, error) {
	kept, err := session.Restore(session.Snapshot{Seq: snap.Seq, Path: snap.Path, State: snap.State})
	if err != nil {
		return nil, err
	}
	moves := kept.State.Ledger.Moves
	err = e.each(ctx, id, snap.Seq, last, func(r journal.Record) (err error) {
		moves, err = addMove(moves, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	folder, ok := kept.Resume(moves.Path(last))
	if !ok {
		return nil, nil
	}
	if err := e.feed(ctx, id, snap.Seq, last, folder); err != nil {
		return nil, err
	}
	return &folder.State, nil
}

// refold folds a session from its first record.
func (e *Engine) refold(ctx context.Context, id string, last uint64) (*session.State, error) {
	var moves branch.Tree
	err := e.each(ctx, id, 0, last, func(r journal.Record) (err error) {
		moves, err = addMove(moves, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	folder := session.NewFolder(moves.Path(last))
	if err := e.feed(ctx, id, 0, last, folder); err != nil {
		return nil, err
	}
	return &folder.State, nil
}

func (e *Engine) feed(ctx context.Context, id string, after, last uint64, folder *session.Folder) error {
	return e.each(ctx, id, after, last, func(r journal.Record) error {
		record, err := protocol.DecodeRecord(r.Frame)
		if err != nil {
			return fmt.Errorf("session %s, record %d: %w", id, r.Seq, err)
		}
		folder.Add(record)
		return nil
	})
}

// each reads a session's records after one sequence number up to another, page
// by page.
func (e *Engine) each(ctx context.Context, id string, after, last uint64, visit func(journal.Record) error) error {
	for after < last {
		page, err := e.Store.Read(ctx, id, after, int(min(readPage, last-after)))
		if err != nil {
			return err
		}
		if len(page) == 0 {
			return fmt.Errorf("session %s ends at record %d, before %d", id, after, last)
		}
		for _, r := range page {
			if err := visit(r); err != nil {
				return err
			}
			after = r.Seq
		}
	}
	return nil
}

// moved is how the frame of every move of the head begins: Encode writes the
// type first.
var moved = []byte(`{"type":"` + string(protocol.TypeRewound) + `"`)

func addMove(moves branch.Tree, r journal.Record) (branch.Tree, error) {
	if !bytes.HasPrefix(r.Frame, moved) {
		return moves, nil
	}
	record, err := protocol.DecodeRecord(r.Frame)
	if err != nil {
		return nil, err
	}
	ledger := session.Ledger{Moves: moves}
	ledger.Apply(record)
	return ledger.Moves, nil
}

// At folds a session as it was when a record was its newest.
func (e *Engine) At(ctx context.Context, id string, seq uint64) (*session.State, error) {
	state, _, err := e.at(ctx, id, seq)
	return state, err
}
