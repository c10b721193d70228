package sqlite

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/parley-dev/parley/internal/journal"
)

// records reads every record in the order of the file. Those of one session
// come in the order of their sequence. Pages that cannot be read are stepped
// over.
func (k *checker) records() error {
	total, _, err := k.conn.integer("SELECT max(id) FROM records")
	if err != nil {
		return err
	}
	for at := int64(0); ; {
		last, err := k.stretch(at, total)
		if err == nil || k.ctx.Err() != nil {
			break
		}
		next, more := k.readable(last+1, total)
		k.report.add(Problem{Kind: KindFile, What: fmt.Sprintf("the records between the positions %d and %d cannot be read: %v", last, next, err)})
		if !more {
			break
		}
		at = next
	}
	for _, key := range slices.Sorted(maps.Keys(k.orphans)) {
		k.report.add(Problem{Kind: KindSession, What: fmt.Sprintf("%d records belong to the session with key %d, whose row is missing", k.orphans[key], key)})
	}
	return nil
}

// stretch reads the records from a position on and says how far it came.
func (k *checker) stretch(from, total int64) (last int64, err error) {
	last = from - 1
	err = k.conn.query(k.ctx, "SELECT id, era, session, seq, crc, frame FROM records WHERE id >= ? ORDER BY id", func(v []driver.Value) error {
		last, _ = v[0].(int64)
		if k.report.Records%10_000 == 0 {
			k.progress("records", last, total)
		}
		k.report.Records++
		key, _ := v[2].(int64)
		s, ok := k.sessions[key]
		switch {
		case !ok:
			k.orphans[key]++
		case !s.purged:
			s.seen, _ = v[1].(int64)
			k.record(s, v[3:])
		}
		return nil
	}, from)
	return last, err
}

// readable finds the first position behind a damaged one from which on records
// can be read again: first by doubling the step, then by halving it.
func (k *checker) readable(bad, total int64) (first int64, ok bool) {
	var found int64
	try := func(from int64) bool {
		n, some, err := k.conn.integer("SELECT id, crc, frame FROM records WHERE id >= ? ORDER BY id LIMIT 1", from)
		if err == nil && some {
			found = n
		}
		return err == nil && some
	}
	good := bad + 1
	for step := int64(1); !try(good); step *= 2 {
		bad = good
		if good > total {
			return total + 1, false
		}
		good += step
	}
	for good-bad > 1 {
		if middle := bad + (good-bad)/2; try(middle) {
			good = middle
		} else {
			bad = middle
		}
	}
	try(good)
	return found, true
}

// record checks the columns seq, crc, frame.
func (k *checker) record(s *checkedSession, v []driver.Value) {
	want := s.last + 1
	j := Journal{path: k.report.File}
	r, err := j.record(s.id, s.family, v)
	var damage *journal.DamageError
	if errors.As(err, &damage) {
		k.report.add(Problem{Kind: KindRecord, Session: s.id, Seq: damage.Seq, What: damage.What})
		r.Seq = damage.Seq
	}
	switch {
	case r.Seq == want:
	case r.Seq > want:
		k.report.add(Problem{Kind: KindRecord, Session: s.id, Seq: want, What: fmt.Sprintf("records %d to %d are missing", want, r.Seq-1)})
	default:
		k.report.add(Problem{Kind: KindRecord, Session: s.id, Seq: r.Seq, What: fmt.Sprintf("it comes after record %d", s.last)})
	}
	s.last = max(s.last, r.Seq)
}

// ends compares where a session ends with what its row says.
func (k *checker) ends() error {
	for _, key := range slices.Sorted(maps.Keys(k.sessions)) {
		switch s := k.sessions[key]; {
		case s.purged:
		case s.last == 0:
			k.report.add(Problem{Kind: KindRecord, Session: s.id, Seq: 1, What: "all its records are missing"})
		case s.seen < s.era:
			k.report.add(Problem{Kind: KindRecord, Session: s.id, Seq: s.last + 1, What: fmt.Sprintf("records are missing: the session should end in era %d and ends in era %d", s.era, s.seen), Repairable: true})
		case s.seen > s.era:
			k.report.add(Problem{Kind: KindSession, Session: s.id, What: fmt.Sprintf("its row says that it ends in era %d, but it ends in era %d", s.era, s.seen), Repairable: true})
		}
	}
	return nil
}

// spansOfRecords is what the table of spans must say.
const spansOfRecords = "SELECT session, min(seq) AS first, era FROM records WHERE session NOT IN (SELECT session FROM purges) GROUP BY era, session"

func (k *checker) spans() error {
	k.progress("spans", 0, 1)
	const stored = "SELECT session, first, era FROM spans WHERE session NOT IN (SELECT session FROM purges)"
	for _, c := range []struct{ what, sql string }{
		{"a span is missing", spansOfRecords + " EXCEPT " + stored},
		{"a span belongs to nothing", stored + " EXCEPT " + spansOfRecords},
	} {
		err := k.conn.query(k.ctx, c.sql, func(v []driver.Value) error {
			key, _ := v[0].(int64)
			first, _ := v[1].(int64)
			p := Problem{Kind: KindSession, Seq: uint64(first), What: fmt.Sprintf("%s: session with key %d, era %v", c.what, key, v[2]), Repairable: true}
			if s, ok := k.sessions[key]; ok {
				p.Session = s.id
			}
			k.report.add(p)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
