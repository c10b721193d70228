package index

import (
	"encoding/json"
	"fmt"

	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// cacheSize is how many sessions are kept decoded between two batches.
const cacheSize = 1024

// row is a session as it is folded.
type row struct {
	key     int64
	summary session.Summary
	total   map[View]int // visible lines
	top     int64        // the newest ts of a visible message
	size    int64        // bytes of its frames
	kin     kin
}

// batch is one transaction under way.
type batch struct {
	*store
	changed map[string]*row
	skip    func(journal.Entry, error)
	at      func(session string, seq uint64) (*session.State, error) // nil: unknown
}

// fold takes in records and deletions, all or nothing.
func (st *store) fold(entries []journal.Entry, stones []journal.Tombstone, skip func(journal.Entry, error), past func(string, uint64) (*session.State, error)) error {
	b := batch{store: st, changed: make(map[string]*row), skip: skip, at: past}
	at := st.place
	err := st.atomically(func() error {
		for _, e := range entries {
			if err := b.add(e); err != nil {
				return fmt.Errorf("index record %d of session %s: %w", e.Seq, e.Session, err)
			}
		}
		for id, r := range b.changed {
			if err := st.save(id, r); err != nil {
				return fmt.Errorf("index session %s: %w", id, err)
			}
		}
		for _, s := range stones {
			if err := st.bury(s); err != nil {
				return fmt.Errorf("remove session %s from the index: %w", s.Session, err)
			}
		}
		if n := len(entries); n > 0 {
			at = placeOf(entries[n-1])
		}
		return st.setPlace(at)
	})
	if err != nil {
		clear(st.cache) // what it holds was folded further than what is stored
		return err
	}
	st.place = at
	if n := len(stones); n > 0 {
		st.stones = stones[n-1].Position
	}
	b.keep(stones)
	return nil
}

// moveTo passes over a record that cannot be read.
func (st *store) moveTo(p place, session string) error {
	err := st.atomically(func() error {
		if err := st.putHole(session); err != nil {
			return err
		}
		return st.setPlace(p)
	})
	if err == nil {
		st.place = p
	}
	return err
}

func (st *store) setPlace(p place) error {
	return st.exec("UPDATE place SET position = ?, session = ?, seq = ?, crc = ?", p.position, p.session, int64(p.seq), int64(p.crc))
}

func (b *batch) add(e journal.Entry) error {
	rec, err := protocol.DecodeRecord(e.Frame)
	if err != nil {
		b.skip(e, err)
		return b.putHole(e.Session)
	}
	r, err := b.row(e)
	if err != nil || r == nil {
		return err
	}
	before := r.summary.Ledger
	r.summary.Apply(rec)
	r.size += int64(len(e.Frame))
	switch d := rec.Data.(type) {
	case *protocol.Rewound:
		l := &r.summary.Ledger
		b.refold(e, r)
		return b.move(r, before.Moves.Path(before.Last), l.Moves.Path(l.Last))
	case *protocol.HitlResolved:
		if err := b.putChoice(e.Position, r, d); err != nil {
			return err
		}
		return b.tellResolved(e, r, rec, d)
	}
	if err := b.putInputs(r, rec); err != nil {
		return err
	}
	return b.tell(e, r, rec, before.LastTs)
}

// row finds the session of a record, or starts it. It is nil if the session
// was deleted: a feed may show a record later than the deletion.
func (b *batch) row(e journal.Entry) (*row, error) {
	if r, ok := b.changed[e.Session]; ok {
		return r, nil
	}
	r, ok := b.cache[e.Session]
	if !ok {
		var err error
		if r, err = b.loadRow(e.Session); err != nil {
			return nil, err
		}
	}
	if r == nil {
		if dead, err := b.isDead(e.Session); dead || err != nil {
			return nil, err
		}
		r = &row{key: e.Position, total: make(map[View]int, 2)}
	}
	b.changed[e.Session] = r
	return r, nil
}

func (st *store) loadRow(id string) (*row, error) {
	var r row
	var summary []byte
	known, err := found(st.queryRow(`
		SELECT key, summary, size, awaiting, completed_by, result FROM sessions WHERE session_id = ?`, id).
		Scan(&r.key, &summary, &r.size, &r.kin.awaiting, &r.kin.completedBy, &r.kin.result))
	if !known || err != nil {
		return nil, err
	}
	if err := json.Unmarshal(summary, &r.summary); err != nil {
		return nil, &staleError{fmt.Sprintf("its summary of session %s cannot be read: %v", id, err)}
	}
	return &r, st.count(&r)
}

// keep remembers the sessions of this batch and forgets others, whichever.
func (b *batch) keep(stones []journal.Tombstone) {
	for id, r := range b.changed {
		b.cache[id] = r
	}
	for _, s := range stones {
		delete(b.cache, s.Session)
	}
	for id := range b.cache {
		if len(b.cache) <= cacheSize {
			return
		}
		delete(b.cache, id)
	}
}

// refold puts a session that was rewound to where its head is now. If that is
// not known it rests, as the summary has it.
func (b *batch) refold(e journal.Entry, r *row) {
	if b.at == nil {
		return
	}
	state, err := b.at(e.Session, e.Seq)
	if err != nil {
		b.skip(e, err)
		return
	}
	state.Ledger = r.summary.Ledger
	r.summary.State = *state
}
