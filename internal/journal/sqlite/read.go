package sqlite

import (
	"context"
	"database/sql/driver"
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

// loadHead finds a session, or the stone of one that was deleted.
func loadHead(ctx context.Context, c *conn, id string) (head, error) {
	h := head{wake: never}
	err := c.query(ctx, `
		SELECT key, family, era, (SELECT max(seq) FROM records r WHERE r.era = s.era AND r.session = s.key), wake
		FROM sessions s WHERE id = ?`, func(v []driver.Value) error {
		var n [4]int64
		for i := range n {
			var err error
			if n[i], err = integerOf(v[i]); err != nil {
				return &journal.DamageError{Where: "table sessions", Session: id, What: err.Error()}
			}
		}
		h = head{key: n[0], family: n[1], era: n[2], last: uint64(n[3]), wake: wakeColumn(v[4]), state: alive}
		return nil
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

func seqValue(seq uint64) int64 { return int64(min(seq, math.MaxInt64-1)) }
