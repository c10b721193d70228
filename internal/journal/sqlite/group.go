package sqlite

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"hash/crc32"
	"strings"
)

// group is one transaction in the making. What it changes in memory is kept
// apart until the transaction is committed.
type group struct {
	m        *committer
	heads    map[string]*stagedHead
	position int64
	key      int64
	era      era
	purges   []int64
	rows     []row   // records not yet inserted
	refused  []error // for each task so far
	failed   error   // a write failed: the transaction must go
	args     []driver.Value
}

// stagedHead is a head as this group leaves it.
type stagedHead struct {
	head
	stored head // what the sessions table knows of it
}

type row struct {
	id, era, session int64
	seq              uint64
	crc              uint32
	frame            []byte
}

func (g *group) reset(m *committer) {
	if g.heads == nil {
		g.heads = make(map[string]*stagedHead)
	}
	clear(g.heads)
	clear(g.rows)
	clear(g.args)
	*g = group{m: m, heads: g.heads, position: m.position, key: m.key, era: m.era, rows: g.rows[:0], refused: g.refused[:0], args: g.args}
}

// head finds a session. The pointer is for the caller to change.
func (g *group) head(id string) (*stagedHead, error) {
	if h, ok := g.heads[id]; ok {
		return h, nil
	}
	known, ok := g.m.heads.get(id)
	if !ok {
		var err error
		if known, err = loadHead(context.Background(), g.m.conn, id); err != nil {
			return nil, explain(g.m.path, err)
		}
	}
	h := &stagedHead{head: known, stored: known}
	g.heads[id] = h
	return h, nil
}

// exec writes. After a failure the group does nothing more.
func (g *group) exec(sql string, args ...driver.Value) int64 {
	if g.failed != nil {
		return 0
	}
	n, err := g.m.conn.exec(sql, args...)
	g.failed = err
	return n
}

// flush writes what was put off: records and the rows of their sessions.
func (g *group) flush() error {
	g.insertRows()
	for id, h := range g.heads {
		g.storeHead(id, h)
	}
	return g.failed
}

// storeHead writes what changed of a session's row. The last sequence is not
// in it: the records say that, and most appends need not touch the row.
func (g *group) storeHead(id string, h *stagedHead) {
	switch {
	case h.state != alive:
		return
	case h.stored.state != alive:
		g.exec("INSERT INTO sessions (key, id, family, crc, era, wake) VALUES (?, ?, ?, ?, ?, ?)",
			h.key, id, h.family, int64(sessionChecksum(h.key, id, h.family)), h.era, wakeValue(h.wake))
	case h.wake != h.stored.wake:
		g.exec("UPDATE OR ROLLBACK sessions SET era = ?, wake = ? WHERE key = ?", h.era, wakeValue(h.wake), h.key)
	case h.era != h.stored.era:
		g.exec("UPDATE OR ROLLBACK sessions SET era = ? WHERE key = ?", h.era, h.key)
	}
	h.stored = h.head
}

// rowsPerInsert are the sizes of the prepared inserts, largest first: binding
// many rows at once saves most of a statement's fixed cost.
var rowsPerInsert = [...]int{32, 8, 4, 2, 1}

func (g *group) insertRows() {
	rows := g.rows
	for _, n := range rowsPerInsert {
		for len(rows) >= n {
			g.args = g.args[:0]
			for _, r := range rows[:n] {
				g.args = append(g.args, r.id, r.era, r.session, int64(r.seq), int64(r.crc), blob(r.frame))
			}
			g.exec(insertRows(n), g.args...)
			rows = rows[n:]
		}
	}
	g.rows = g.rows[:0]
}

// insertRows makes the statement. OR ROLLBACK spares SQLite a copy of every
// page that it touches: a group that meets an error is rolled back anyway.
func insertRows(n int) string {
	return "INSERT OR ROLLBACK INTO records (id, era, session, seq, crc, frame) VALUES (?,?,?,?,?,?)" + strings.Repeat(",(?,?,?,?,?,?)", n-1)
}

// add gives a record its position and puts off its insert.
func (g *group) add(h *stagedHead, frame []byte) {
	g.enter(h, 1)
	g.position++
	h.last++
	g.rows = append(g.rows, row{
		id: g.position, era: h.era, session: h.key, seq: h.last,
		crc: checksum(h.family, h.last, frame), frame: frame,
	})
}

// enter makes sure that a session's next n records have an era and that the
// session knows it.
func (g *group) enter(h *stagedHead, n int) {
	if g.era.over() {
		g.era = era{number: g.era.number + 1}
	}
	g.era.records += n
	if h.era == g.era.number {
		return
	}
	h.era = g.era.number
	g.era.sessions++
	g.exec("INSERT OR ROLLBACK INTO spans (session, first, era) VALUES (?, ?, ?)", h.key, int64(h.last+1), h.era)
}

// checksum covers where a record belongs and what it says. The family stands
// for the session, so that a fork copies checksums as they are.
func checksum(family int64, seq uint64, frame []byte) uint32 {
	var at [16]byte
	binary.BigEndian.PutUint64(at[:8], uint64(family))
	binary.BigEndian.PutUint64(at[8:], seq)
	return crc32.Update(crc32.Update(0, castagnoli, at[:]), castagnoli, frame)
}

// sessionChecksum covers whose row it is.
func sessionChecksum(key int64, id string, family int64) uint32 {
	return checksum(key, uint64(family), []byte(id))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)
