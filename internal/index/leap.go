package index

import (
	"errors"

	"github.com/parley-dev/parley/internal/journal"
)

// leap goes past a damaged record: everyone else's sessions must still be
// found. The damage does not say where in the feed it lies, so that the place
// is sought: it is the first position after which the feed shows something
// else. Positions may have wide gaps, where sessions were deleted.
func (ix *Index) leap(d *journal.DamageError) error {
	past := func(position int64) (bool, error) {
		_, err := ix.feed.Entries(ix.life, position, 1)
		var other *journal.DamageError
		if errors.As(err, &other) && other.Session != "" {
			return other.Session != d.Session || other.Seq != d.Seq, nil
		}
		return true, err
	}
	before, after := ix.place.position, ix.place.position+1
	for width := int64(1); ; width *= 2 {
		ok, err := past(after)
		if err != nil {
			return err
		}
		if ok {
			break
		}
		if before, after = after, after+width; after < before {
			return d // wherever one looks
		}
	}
	for after-before > 1 {
		middle := before + (after-before)/2
		ok, err := past(middle)
		if err != nil {
			return err
		}
		if ok {
			after = middle
		} else {
			before = middle
		}
	}
	ix.log.Error("the index leaves out a damaged record", "session_id", d.Session, "seq", d.Seq, "position", after, "error", d)
	return ix.store.moveTo(place{position: after}, d.Session)
}
