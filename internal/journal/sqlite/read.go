package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"

	"github.com/parley-dev/parley/internal/journal"
)

// readRecords starts in the era that has the record after ?2.
const readRecords = `
	SELECT r.seq, r.crc, r.frame
	FROM spans p CROSS JOIN records r ON r.era = p.era AND r.session = p.session
	WHERE p.session = ?1
	AND p.first >= (SELECT coalesce(max(first), 0) FROM spans WHERE session = ?1 AND first <= ?2 + 1)
	AND r.seq > ?2
	ORDER BY p.first, r.seq LIMIT ?3`

// Read gives up to limit records after a sequence number. With a *DamageError
// come the records before the damage.
func (j *Journal) Read(ctx context.Context, session string, after uint64, limit int) ([]journal.Record, error) {
	if limit < 1 {
		return nil, nil
	}
	var records []journal.Record
	err := j.read(ctx, func(c *conn) error {
		return c.snapshot(func() error {
			h, err := loadHead(ctx, c, session)
			if err != nil || h.last <= after {
				return err
			}
			next := after + 1
			err = c.query(ctx, readRecords, func(v []driver.Value) error {
				r, err := j.record(session, h.family, v)
				if err != nil {
					return err
				}
				if r.Seq != next {
					return j.damaged(session, next, fmt.Sprintf("it is missing; record %d comes next", r.Seq))
				}
				records = append(records, r)
				next++
				return nil
			}, h.key, seqValue(after), limit)
			if err == nil && len(records) < limit && next <= h.last {
				err = j.damaged(session, next, fmt.Sprintf("it is missing, though the session has %d records", h.last))
			}
			return err
		})
	})
	return records, err
}

// record decodes the columns seq, crc, frame and checks them.
func (j *Journal) record(session string, family int64, v []driver.Value) (journal.Record, error) {
	seq, err := integerOf(v[0])
	if err != nil {
		return journal.Record{}, j.damaged(session, 0, err.Error())
	}
	crc, err := integerOf(v[1])
	if err != nil {
		return journal.Record{}, j.damaged(session, uint64(seq), err.Error())
	}
	frame := bytesOf(v[2])
	if want := checksum(family, uint64(seq), frame); int64(want) != crc {
		return journal.Record{}, j.damaged(session, uint64(seq), fmt.Sprintf("its checksum is %08x instead of %08x", want, uint32(crc)))
	}
	return journal.Record{Seq: uint64(seq), Frame: frame}, nil
}

func (j *Journal) damaged(session string, seq uint64, what string) error {
	return &journal.DamageError{Where: j.path, Session: session, Seq: seq, What: what}
}

// Head says how far a session has come.
func (j *Journal) Head(ctx context.Context, session string) (journal.Head, error) {
	var h head
	err := j.read(ctx, func(c *conn) error {
		return c.snapshot(func() (err error) {
			h, err = loadHead(ctx, c, session)
			return err
		})
	})
	if err != nil {
		return journal.Head{}, err
	}
	if h.state != alive {
		return journal.Head{Deleted: h.state == deleted}, nil
	}
	return journal.Head{Last: h.last, Wake: wakeTime(h.wake)}, nil
}

// findSession takes only the key from the index of ids and the rest from the
// row itself, so that an index that leads to another session is noticed.
const findSession = `
	SELECT s.key, s.id, s.family, s.crc, s.era, s.wake,
		(SELECT max(seq) FROM records r WHERE r.era = s.era AND r.session = s.key)
	FROM sessions i CROSS JOIN sessions s ON s.key = i.key
	WHERE i.id = ?`

// loadHead finds a session, or the stone of one that was deleted.
func loadHead(ctx context.Context, c *conn, id string) (head, error) {
	h := head{wake: never}
	err := c.query(ctx, findSession, func(v []driver.Value) (err error) {
		h, err = headOf(id, v)
		return err
	}, id)
	if err != nil || h.state == alive {
		return h, err
	}
	err = c.query(ctx, "SELECT 1 FROM tombstones WHERE id = ?", func([]driver.Value) error {
		h.state = deleted
		return nil
	}, id)
	return h, err
}

// headOf decodes the columns of findSession and checks that they are those of
// the session that was asked for.
func headOf(id string, v []driver.Value) (head, error) {
	h := head{wake: wakeColumn(v[5]), state: alive}
	var err error
	if h.key, h.family, err = identity(v[:4]); err != nil {
		return h, err
	}
	if found := string(bytesOf(v[1])); found != id {
		return h, &journal.DamageError{Where: fileName + ", table sessions", What: fmt.Sprintf("the index of ids leads from session %s to session %s", id, found)}
	}
	era, err := integerOf(v[4])
	last, err2 := integerOf(v[6])
	if err := errors.Join(err, err2); err != nil {
		return h, &journal.DamageError{Where: fileName + ", table sessions", What: fmt.Sprintf("where session %s ends: %v", id, err)}
	}
	h.era, h.last = era, uint64(last)
	return h, nil
}

// identity decodes the columns key, id, family, crc of a session's row and
// checks them.
func identity(v []driver.Value) (key, family int64, err error) {
	id := string(bytesOf(v[1]))
	key, err = integerOf(v[0])
	family, err2 := integerOf(v[2])
	crc, err3 := integerOf(v[3])
	err = errors.Join(err, err2, err3)
	if err == nil && crc != int64(sessionChecksum(key, id, family)) {
		err = errors.New("its checksum is wrong")
	}
	if err != nil {
		err = &journal.DamageError{Where: fileName + ", table sessions", What: fmt.Sprintf("the row of session %s: %v", id, err)}
	}
	return key, family, err
}

func seqValue(seq uint64) int64 { return int64(min(seq, math.MaxInt64-1)) }
