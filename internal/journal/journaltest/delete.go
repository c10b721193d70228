package journaltest

import (
	"errors"
	"fmt"
	"sync"

	"github.com/parley-dev/parley/internal/journal"
)

func testDelete(s *suite) {
	s.add("a", 0, 5)
	s.add("b", 0, 5)
	if err := s.j.Delete(s.ctx, "nobody"); !errors.Is(err, journal.ErrNotFound) {
		s.Errorf("deleting what does not exist gave %v", err)
	}
	s.must(s.j.Delete(s.ctx, "a"))
	gone := func() {
		s.Helper()
		if got := s.all("a"); len(got) > 0 {
			s.Errorf("a deleted session has %d records", len(got))
		}
		h, err := s.j.Head(s.ctx, "a")
		s.must(err)
		if h != (journal.Head{Deleted: true}) {
			s.Errorf("head of a deleted session is %+v", h)
		}
		for _, expect := range []uint64{0, 5} {
			if err := s.j.Append(s.ctx, appended("a", expect, 1)); !errors.Is(err, journal.ErrDeleted) {
				s.Errorf("append to a deleted session gave %v", err)
			}
		}
		if err := s.j.Delete(s.ctx, "a"); !errors.Is(err, journal.ErrNotFound) {
			s.Errorf("deleting again gave %v", err)
		}
		s.holds("b", 5)
	}
	gone()
	s.reopen()
	gone()
}

// A long session is gone at once as far as anybody can see.
func testDeleteLong(s *suite) {
	const n = 5000
	s.add("short", 0, 2)
	s.add("long", 0, n)
	s.must(s.j.Delete(s.ctx, "long"))
	s.holds("short", 2)
	if got := s.all("long"); len(got) > 0 {
		s.Errorf("a deleted session has %d records", len(got))
	}
	s.reopen()
	s.add("short", 2, 1)
	s.holds("short", 3)
	if f, ok := s.j.(journal.Feed); ok {
		got, err := f.Entries(s.ctx, 0, 2*n)
		s.must(err)
		if len(got) != 3 {
			s.Errorf("the feed has %d entries after the deletion, not 3", len(got))
		}
	}
}

// Deletions among other sessions' appends harm none of them.
func testDeleteAmongAppends(s *suite) {
	const sessions = 20
	var wg sync.WaitGroup
	for i := range sessions {
		wg.Go(func() {
			id := fmt.Sprint("session-", i)
			for k := range uint64(10) {
				if err := s.j.Append(s.ctx, appended(id, k, 1)); err != nil {
					s.Errorf("append to %s: %v", id, err)
				}
			}
			if i%2 == 0 {
				if err := s.j.Delete(s.ctx, id); err != nil {
					s.Errorf("delete %s: %v", id, err)
				}
				if err := s.j.Append(s.ctx, appended(id, 10, 1)); !errors.Is(err, journal.ErrDeleted) {
					s.Errorf("append after delete: %v", err)
				}
			}
		})
	}
	wg.Wait()
	for i := range sessions {
		if id := fmt.Sprint("session-", i); i%2 == 1 {
			s.holds(id, 10)
		} else if got := s.all(id); len(got) > 0 {
			s.Errorf("deleted %s has %d records", id, len(got))
		}
	}
}

func testTombstones(s *suite) {
	f := capability[journal.Feed](s)
	for _, id := range []string{"a", "b", "c"} {
		s.add(id, 0, 1)
		s.must(s.j.Delete(s.ctx, id))
	}
	first, err := f.Tombstones(s.ctx, 0, 2)
	s.must(err)
	if len(first) != 2 || first[0].Session != "a" || first[1].Session != "b" || first[0].Position >= first[1].Position {
		s.Fatalf("the first tombstones are %+v", first)
	}
	rest, err := f.Tombstones(s.ctx, first[1].Position, 10)
	s.must(err)
	if len(rest) != 1 || rest[0].Session != "c" || rest[0].Position <= first[1].Position {
		s.Fatalf("the other tombstones are %+v", rest)
	}
	s.reopen()
	f = capability[journal.Feed](s)
	s.add("d", 0, 1)
	s.must(s.j.Delete(s.ctx, "d"))
	more, err := f.Tombstones(s.ctx, rest[0].Position, 10)
	s.must(err)
	if len(more) != 1 || more[0].Session != "d" {
		s.Fatalf("after reopening the tombstones are %+v", more)
	}
}
