package index

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/parley-dev/parley/internal/journal"
)

// establish opens the file, or throws it away and makes a new one.
func (ix *Index) establish() error {
	st, err := openStore(ix.path)
	if err == nil {
		ix.store = st
		if err = ix.checkJournal(); err == nil {
			return nil
		}
	}
	if !isDamage(err) {
		if st != nil {
			err = errors.Join(err, st.close())
		}
		return err
	}
	return ix.renew(err)
}

// renew throws the file away and starts a new one. The caller may write.
func (ix *Index) renew(why error) error {
	ix.log.Warn("the index is rebuilt from the journal", "path", ix.path, "reason", why)
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.store != nil {
		// It is thrown away: that it does not close well is no news. Should no
		// new one be made, the next one to catch up tries again.
		_ = ix.store.close()
		ix.place, ix.stones = place{}, 0
	}
	if err := remove(ix.path); err != nil {
		return err
	}
	st, err := openStore(ix.path)
	if err != nil {
		return fmt.Errorf("start a new index: %w", err)
	}
	ix.store = st
	return nil
}

// checkJournal refuses an index of another journal, or of this one before an
// older copy of it was restored: the last record and the last deletion that
// were folded must still be where they were.
func (ix *Index) checkJournal() error {
	other := &staleError{"it belongs to another journal, or to an older copy of this one"}
	if ix.stones > 0 {
		stones, err := ix.feed.Tombstones(ix.life, ix.stones-1, 1)
		if err != nil {
			return err
		}
		if len(stones) == 0 || stones[0].Position != ix.stones {
			return other
		}
		if same, err := ix.isDead(stones[0].Session); err != nil || !same {
			return errors.Join(err, other)
		}
	}
	at := ix.place
	if at.session == "" {
		return nil
	}
	entries, err := ix.feed.Entries(ix.life, at.position-1, 1)
	if err != nil {
		// The record is damaged, or the journal cannot be read: catching up
		// finds out and says so.
		return nil
	}
	if len(entries) == 1 && entries[0].Position == at.position {
		if placeOf(entries[0]) != at {
			return other
		}
		return nil
	}
	gone, err := ix.isDeleted(at.session)
	if err == nil && !gone {
		err = other
	}
	return err
}

// isDeleted says whether a session was deleted, whether or not that was folded.
func (ix *Index) isDeleted(session string) (bool, error) {
	if dead, err := ix.isDead(session); dead || err != nil {
		return dead, err
	}
	for after := ix.stones; ; {
		stones, err := ix.feed.Tombstones(ix.life, after, batchSize)
		if err != nil || len(stones) == 0 {
			return false, err
		}
		for _, s := range stones {
			if s.Session == session {
				return true, nil
			}
			after = s.Position
		}
	}
}

func placeOf(e journal.Entry) place {
	return place{position: e.Position, session: e.Session, seq: e.Seq, crc: crc32.ChecksumIEEE(e.Frame)}
}

// ask catches up and reads. A file that turns out to be damaged is replaced,
// and asked once more.
func (ix *Index) ask(ctx context.Context, read func(*store) error) (incomplete bool, err error) {
	for again := false; ; again = true {
		if incomplete, err = ix.fresh(ctx); err != nil {
			return false, err
		}
		st, err := ix.consult(read)
		if err == nil || again || !isDamage(err) {
			return incomplete, err
		}
		if err := ix.replace(ctx, st, err); err != nil {
			return false, err
		}
	}
}

func (ix *Index) consult(read func(*store) error) (*store, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.life.Err() != nil {
		return ix.store, ErrClosed
	}
	return ix.store, read(ix.store)
}

// replace renews the index, unless someone else has meanwhile.
func (ix *Index) replace(ctx context.Context, damaged *store, why error) error {
	if err := ix.begin(ctx); err != nil {
		return err
	}
	defer ix.end()
	if ix.store != damaged {
		return nil
	}
	return ix.renew(why)
}
