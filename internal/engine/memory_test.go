package engine_test

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/journal/journaltest"
)

// memory is a journal without a disk, so that a test can break it and can copy
// what a crash would leave. It passes the suite that every journal passes.
type memory struct {
	// before is asked before each append; its error is the append's.
	before func(journal.Append) error
	// after is told of each append that was done, before its writer is.
	after func(journal.Append)
	// beforeDelete is asked before a session is deleted.
	beforeDelete func() error
	// beforeParts is asked before parts are kept.
	beforeParts func([]journal.Part) error

	mu       sync.Mutex
	closed   bool
	sessions map[string]*stored
}

type stored struct {
	frames  [][]byte
	wake    time.Time
	deleted bool
	parts   []journal.Part
	snaps   []journal.Snapshot
}

func newMemory() *memory { return &memory{sessions: map[string]*stored{}} }

// crash gives a journal with what this one has now, as a disk would.
func (m *memory) crash() *memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	left := newMemory()
	for id, s := range m.sessions {
		copied := *s
		copied.frames, copied.parts, copied.snaps = slices.Clone(s.frames), slices.Clone(s.parts), slices.Clone(s.snaps)
		left.sessions[id] = &copied
	}
	return left
}

func (m *memory) Append(ctx context.Context, a journal.Append) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.before != nil {
		if err := m.before(a); err != nil {
			return err
		}
	}
	if err := m.add(a); err != nil {
		return err
	}
	if m.after != nil {
		m.after(a)
	}
	return nil
}

func (m *memory) add(a journal.Append) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[a.Session]
	if s == nil {
		s = &stored{}
	}
	switch {
	case m.closed:
		return journal.ErrClosed
	case s.deleted:
		return journal.ErrDeleted
	case a.Expect != uint64(len(s.frames)):
		return journal.ErrConflict
	case a.Session == "" || len(a.Records) == 0:
		return journal.ErrNotFound
	}
	for i, r := range a.Records {
		if r.Seq != a.Expect+uint64(i)+1 {
			return journal.ErrConflict
		}
	}
	for _, r := range a.Records {
		s.frames = append(s.frames, bytes.Clone(r.Frame))
	}
	s.wake = a.Wake
	s.parts = slices.DeleteFunc(s.parts, func(p journal.Part) bool { return slices.Contains(a.Closes, p.Open) })
	m.sessions[a.Session] = s
	return nil
}

// of runs f on a session that exists.
func (m *memory) of(ctx context.Context, id string, f func(*stored) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.sessions[id]
	switch {
	case m.closed:
		return journal.ErrClosed
	case !ok:
		return journal.ErrNotFound
	case s.deleted:
		return journal.ErrDeleted
	}
	return f(s)
}

func (m *memory) Read(ctx context.Context, id string, after uint64, limit int) (page []journal.Record, err error) {
	err = m.of(ctx, id, func(s *stored) error {
		for seq := after; seq < uint64(len(s.frames)) && len(page) < limit; seq++ {
			page = append(page, journal.Record{Seq: seq + 1, Frame: bytes.Clone(s.frames[seq])})
		}
		return nil
	})
	return page, absent(err)
}

// absent is no error for who asks what there is.
func absent(err error) error {
	if err == journal.ErrNotFound || err == journal.ErrDeleted {
		return nil
	}
	return err
}

func (m *memory) Head(ctx context.Context, id string) (h journal.Head, err error) {
	err = m.of(ctx, id, func(s *stored) error {
		h = journal.Head{Last: uint64(len(s.frames)), Wake: s.wake}
		return nil
	})
	h.Deleted = err == journal.ErrDeleted
	return h, absent(err)
}

func (m *memory) Due(ctx context.Context, after, until time.Time) (due []string, next time.Time, err error) {
	if err := ctx.Err(); err != nil {
		return nil, time.Time{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, time.Time{}, journal.ErrClosed
	}
	for id, s := range m.sessions {
		switch {
		case s.wake.IsZero():
		case s.wake.After(after) && !s.wake.After(until):
			due = append(due, id)
		case s.wake.After(after) && s.wake.After(until) && (next.IsZero() || s.wake.Before(next)):
			next = s.wake
		}
	}
	slices.SortFunc(due, func(a, b string) int {
		return cmp.Or(m.sessions[a].wake.Compare(m.sessions[b].wake), cmp.Compare(a, b))
	})
	return due, next, nil
}

func (m *memory) Delete(ctx context.Context, id string) error {
	if m.beforeDelete != nil {
		if err := m.beforeDelete(); err != nil {
			return err
		}
	}
	err := m.of(ctx, id, func(s *stored) error {
		*s = stored{deleted: true}
		return nil
	})
	if err == journal.ErrDeleted {
		return journal.ErrNotFound
	}
	return err
}

func (m *memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

func (m *memory) PutParts(id string, parts []journal.Part, failed func(error)) {
	var err error
	if m.beforeParts != nil {
		err = m.beforeParts(parts)
	}
	if err == nil {
		err = m.of(context.Background(), id, func(s *stored) error {
			for _, p := range parts {
				p.Meta = bytes.Clone(p.Meta)
				s.parts = slices.DeleteFunc(s.parts, func(o journal.Part) bool { return o.Open == p.Open && o.Index == p.Index })
				s.parts = append(s.parts, p)
			}
			slices.SortFunc(s.parts, func(a, b journal.Part) int {
				return cmp.Or(cmp.Compare(a.Open, b.Open), cmp.Compare(a.Index, b.Index))
			})
			return nil
		})
	}
	if err != nil && failed != nil {
		go failed(err)
	}
}

func (m *memory) Parts(ctx context.Context, id string) (parts []journal.Part, err error) {
	err = m.of(ctx, id, func(s *stored) error {
		parts = slices.Clone(s.parts)
		return nil
	})
	return parts, absent(err)
}

func (m *memory) PutSnapshot(ctx context.Context, id string, snap journal.Snapshot) error {
	return m.of(ctx, id, func(s *stored) error {
		if snap.Seq > uint64(len(s.frames)) {
			return journal.ErrConflict
		}
		snap.Path, snap.State = bytes.Clone(snap.Path), bytes.Clone(snap.State)
		s.snaps = slices.DeleteFunc(s.snaps, func(o journal.Snapshot) bool {
			return o.Version < snap.Version || o.Version == snap.Version && o.Seq == snap.Seq
		})
		s.snaps = append(s.snaps, snap)
		slices.SortFunc(s.snaps, func(a, b journal.Snapshot) int { return cmp.Compare(b.Seq, a.Seq) })
		return nil
	})
}

func (m *memory) Snapshots(ctx context.Context, id string, version int, upto uint64, limit int) (snaps []journal.Snapshot, err error) {
	err = m.of(ctx, id, func(s *stored) error {
		for _, n := range s.snaps {
			if n.Version == version && (upto == 0 || n.Seq <= upto) && len(snaps) < limit {
				snaps = append(snaps, n)
			}
		}
		return nil
	})
	return snaps, absent(err)
}

func TestMemoryIsAJournal(t *testing.T) {
	kept := map[string]*memory{}
	journaltest.Run(t, func(t *testing.T, dir string) journal.Journal {
		m := newMemory()
		if before := kept[dir]; before != nil {
			before.mu.Lock()
			m.sessions = maps.Clone(before.sessions)
			before.mu.Unlock()
		}
		kept[dir] = m
		return m
	})
}
