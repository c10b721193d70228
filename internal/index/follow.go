package index

import (
	"context"
	"errors"

	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/session"
)

const (
	// batchSize is how many records one transaction folds: enough to be fast,
	// few enough to be held in memory.
	batchSize = 500
	// progressEvery is after how many records a long way to go is logged.
	progressEvery = 50_000
)

// CatchUp folds what was appended before the call. Whoever comes second waits
// and then finds nothing left to do.
func (ix *Index) CatchUp(ctx context.Context) error {
	if err := ix.begin(ctx); err != nil {
		return err
	}
	defer ix.end()
	return ix.follow(ctx)
}

// begin waits for the right to write.
func (ix *Index) begin(ctx context.Context) error {
	if ix.life.Err() != nil {
		return ErrClosed
	}
	select {
	case ix.turn <- struct{}{}:
		return nil
	case <-ix.life.Done():
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (ix *Index) end() { <-ix.turn }

// follow reads the feed to its end. The end is a batch that is not full:
// under steady writing there is always one record more.
func (ix *Index) follow(ctx context.Context) error {
	renewed := false
	for done, told := 0, 0; ; {
		if ix.life.Err() != nil {
			return ErrClosed
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		n, more, err := ix.step()
		if isDamage(err) && !renewed {
			renewed, more, err = true, true, ix.renew(err)
		}
		if err != nil {
			return err
		}
		if done += n; done-told >= progressEvery {
			told = done
			ix.log.Info("the index is catching up", "records", done, "position", ix.place.position)
		}
		if !more {
			if told > 0 {
				ix.log.Info("the index is up to date", "records", done, "position", ix.place.position)
			}
			return nil
		}
	}
}

// step folds one batch. Tombstones are read after the records: whoever was
// deleted between the two is gone already.
func (ix *Index) step() (n int, more bool, err error) {
	entries, err := ix.feed.Entries(ix.life, ix.place.position, batchSize)
	more = len(entries) == batchSize
	var damage *journal.DamageError
	if errors.As(err, &damage) && damage.Session != "" {
		// What came before it is folded; the next step meets it first.
		more, err = true, nil
		if len(entries) == 0 {
			return 0, true, ix.leap(damage)
		}
	}
	if err != nil {
		return 0, false, err
	}
	stones, err := ix.feed.Tombstones(ix.life, ix.stones, batchSize)
	if err != nil {
		return 0, false, err
	}
	if len(entries) == 0 && len(stones) == 0 {
		return 0, false, nil
	}
	var at func(string, uint64) (*session.State, error)
	if ix.at != nil {
		at = func(id string, seq uint64) (*session.State, error) { return ix.at(ix.life, id, seq) }
	}
	if err := ix.store.fold(entries, stones, ix.skip, at); err != nil {
		return 0, false, err
	}
	return len(entries), more || len(stones) == batchSize, nil
}

// skip reports a record that cannot be decoded. A newer version may have
// written millions of them: the first one is worth a line.
func (ix *Index) skip(e journal.Entry, err error) {
	level := ix.log.Warn
	if ix.unknown {
		level = ix.log.Debug
	}
	ix.unknown = true
	level("the index leaves out a record that this version cannot read", "session_id", e.Session, "seq", e.Seq, "error", err)
}

// fresh catches up for a caller who wants an answer soon.
func (ix *Index) fresh(ctx context.Context) (incomplete bool, err error) {
	soon, cancel := context.WithTimeout(ctx, ix.wait)
	defer cancel()
	switch err := ix.CatchUp(soon); {
	case err == nil:
		return false, nil
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.Is(err, ErrClosed):
		return false, err
	case soon.Err() == nil:
		ix.log.Warn("the index could not catch up; lists and searches show what it has", "error", err)
	}
	ix.Poke()
	return true, nil
}
