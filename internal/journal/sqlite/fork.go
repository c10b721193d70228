package sqlite

import (
	"context"
	"fmt"

	"github.com/parley-dev/parley/internal/journal"
)

// Fork makes a new session of the beginning of another and adds the append's
// records. A beginning that the other session does not have gives ErrConflict.
func (j *Journal) Fork(ctx context.Context, from string, upto uint64, a journal.Append) error {
	size, err := checkAppend(a)
	if err != nil {
		return err
	}
	if a.Expect != upto {
		return fmt.Errorf("fork of session %s: the append expects %d records and %d are copied", from, a.Expect, upto)
	}
	return j.do(ctx, &forkSession{from, upto, a}, size)
}

type forkSession struct {
	from string
	upto uint64
	journal.Append
}

func (w *forkSession) apply(g *group) error {
	from, err := g.head(w.from)
	if err != nil {
		return err
	}
	if from.state != alive {
		return journal.ErrNotFound
	}
	to, err := g.head(w.Session)
	switch {
	case err != nil:
		return err
	case to.state == deleted:
		return journal.ErrDeleted
	case to.state == alive || from.last < w.upto:
		return journal.ErrConflict
	}
	if g.flush() != nil {
		return nil
	}
	g.key++
	to.head = head{key: g.key, family: from.family, wake: never, state: alive}
	g.enter(to, int(w.upto))
	to.last = w.upto
	copied := g.exec(`
		INSERT INTO records (id, era, session, seq, crc, frame)
		SELECT ? + r.seq, ?, ?, r.seq, r.crc, r.frame
		FROM spans p CROSS JOIN records r ON r.era = p.era AND r.session = p.session
		WHERE p.session = ? AND p.first <= ? AND r.seq <= ? ORDER BY p.first, r.seq`,
		g.position, to.era, to.key, from.key, int64(w.upto), int64(w.upto))
	if g.failed == nil && uint64(copied) != w.upto {
		g.failed = &journal.DamageError{Where: g.m.path, Session: w.from, Seq: w.upto, What: fmt.Sprintf("of its first %d records only %d are there", w.upto, copied)}
	}
	g.position += int64(w.upto)
	g.exec("INSERT INTO blob_refs (session, hash, seq) SELECT ?, hash, seq FROM blob_refs WHERE session = ? AND seq <= ?",
		to.key, from.key, int64(w.upto))
	g.append(to, w.Append)
	return nil
}
