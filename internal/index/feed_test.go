package index

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/protocol"
)

// memory is a feed that is written by hand.
type memory struct {
	mu      sync.Mutex
	entries []journal.Entry
	stones  []journal.Tombstone
	last    map[string]uint64
	at      int64

	// before is called with every read of records, without the lock. An error
	// is what the read gives.
	before  func(after int64) error
	damaged map[int64]bool // positions
}

var epoch = time.Date(2026, 2, 6, 10, 0, 0, 0, time.UTC)

func newMemory() *memory {
	return &memory{last: make(map[string]uint64), damaged: make(map[int64]bool)}
}

func (m *memory) Entries(_ context.Context, after int64, limit int) ([]journal.Entry, error) {
	m.mu.Lock()
	before := m.before
	m.mu.Unlock()
	if before != nil {
		if err := before(after); err != nil {
			return nil, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []journal.Entry
	from, _ := slices.BinarySearchFunc(m.entries, after+1, func(e journal.Entry, p int64) int { return int(e.Position - p) })
	for _, e := range m.entries[from:] {
		if len(list) == limit {
			break
		}
		if m.damaged[e.Position] {
			return list, &journal.DamageError{Where: "memory", Session: e.Session, Seq: e.Seq, What: "damaged by the test"}
		}
		list = append(list, e)
	}
	return list, nil
}

func (m *memory) Tombstones(_ context.Context, after int64, limit int) ([]journal.Tombstone, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.stones[min(int(after), len(m.stones)):]
	return slices.Clone(list[:min(limit, len(list))]), nil
}

// put appends a record. Its time is its position in seconds, unless it has one.
func (m *memory) put(session string, t protocol.Type, data any) journal.Entry {
	return m.putAt(session, t, data, time.Time{})
}

func (m *memory) putAt(session string, t protocol.Type, data any, when time.Time) journal.Entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	if when.IsZero() {
		when = epoch.Add(time.Duration(m.at+1) * time.Second)
	}
	frame, err := protocol.Record{
		Seq: m.last[session] + 1, Type: t, Time: when, AgentID: "main-monitor-0", Data: data,
	}.Encode()
	if err != nil {
		panic(err)
	}
	return m.putFrame(session, frame)
}

// putFrame appends bytes; the lock is held.
func (m *memory) putFrame(session string, frame []byte) journal.Entry {
	m.at++
	m.last[session]++
	e := journal.Entry{Position: m.at, Session: session, Record: journal.Record{Seq: m.last[session], Frame: frame}}
	m.entries = append(m.entries, e)
	return e
}

func (m *memory) create(session, owner, title string) {
	m.put(session, protocol.TypeSessionCreated, &protocol.SessionCreated{Owner: owner, Title: title, Version: "1"})
}

// say appends a message. Its ts is its sequence number.
func (m *memory) say(session, text string) journal.Entry {
	m.mu.Lock()
	ts := int64(m.last[session] + 1)
	m.mu.Unlock()
	return m.message(session, ts, protocol.MessageCreated, text)
}

func (m *memory) message(session string, ts int64, action protocol.MessageAction, text string) journal.Entry {
	return m.put(session, protocol.TypeMessage, &protocol.MessageRecord{
		Action: action, Role: protocol.RoleUser,
		Message: protocol.Message{Ts: ts, Type: protocol.KindSay, Say: protocol.SayText, Text: text},
	})
}

// size is how many bytes the frames of a session have.
func (m *memory) size(session string) (n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.entries {
		if e.Session == session {
			n += int64(len(e.Frame))
		}
	}
	return n
}

// fork copies the first records of a session, as a journal does.
func (m *memory) fork(from string, upto uint64, to, owner string) {
	m.mu.Lock()
	for _, e := range slices.Clone(m.entries) {
		if e.Session == from && e.Seq <= upto {
			m.putFrame(to, e.Frame)
		}
	}
	m.mu.Unlock()
	m.put(to, protocol.TypeForked, &protocol.Forked{From: from, At: protocol.MessageID(upto), Owner: owner})
}

func (m *memory) delete(session string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries = slices.DeleteFunc(m.entries, func(e journal.Entry) bool { return e.Session == session })
	m.stones = append(m.stones, journal.Tombstone{Position: int64(len(m.stones) + 1), Session: session})
	delete(m.last, session)
}

func open(t testing.TB, path string, feed journal.Feed) *Index {
	t.Helper()
	ix, err := Open(Options{Path: path, Feed: feed, Wait: time.Minute, Logger: logTo(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ix.Close(); err != nil {
			t.Error(err)
		}
	})
	return ix
}
