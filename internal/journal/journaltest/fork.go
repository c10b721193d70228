package journaltest

import (
	"errors"

	"github.com/parley-dev/parley/internal/journal"
)

// forked is what a fork of "a" at upto with n records of its own holds.
func forked(from, to string, upto uint64, n int) []journal.Record {
	return append(records(from, 0, int(upto)), records(to, upto, n)...)
}

func testFork(s *suite) {
	f := capability[journal.Forker](s)
	s.add("a", 0, 100)
	a := appended("b", 60, 2)
	a.Wake = at(5)
	s.must(f.Fork(s.ctx, "a", 60, a))
	want := forked("a", "b", 60, 2)
	s.same(s.all("b"), want)
	s.holds("a", 100)
	h, err := s.j.Head(s.ctx, "b")
	s.must(err)
	if h.Last != 62 || !h.Wake.Equal(at(5)) {
		s.Errorf("head of the fork is %+v", h)
	}

	s.add("b", 62, 3)
	want = append(want, records("b", 62, 3)...)
	s.add("a", 100, 1)
	s.same(s.all("b"), want)
	s.must(s.j.Delete(s.ctx, "a"))
	s.same(s.all("b"), want)
	s.reopen()
	s.same(s.all("b"), want)
	s.add("b", 65, 1)

	f = capability[journal.Forker](s)
	s.must(f.Fork(s.ctx, "b", 66, appended("c", 66, 1)))
	s.must(s.j.Delete(s.ctx, "c"))
	s.same(s.all("b"), append(want, records("b", 65, 1)...))
}

func testForkRefused(s *suite) {
	f := capability[journal.Forker](s)
	s.add("a", 0, 5)
	s.add("taken", 0, 1)
	s.add("gone", 0, 1)
	s.must(s.j.Delete(s.ctx, "gone"))
	for _, c := range []struct {
		name string
		from string
		upto uint64
		a    journal.Append
		want error
	}{
		{"from nothing", "nobody", 1, appended("new", 1, 1), journal.ErrNotFound},
		{"from a deleted session", "gone", 1, appended("new", 1, 1), journal.ErrNotFound},
		{"past the end", "a", 6, appended("new", 6, 1), journal.ErrConflict},
		{"to a taken id", "a", 5, appended("taken", 5, 1), journal.ErrConflict},
		{"to itself", "a", 5, appended("a", 5, 1), journal.ErrConflict},
		{"to a deleted id", "a", 5, appended("gone", 5, 1), journal.ErrDeleted},
		{"with another count", "a", 5, appended("new", 4, 1), nil},
		{"without records", "a", 5, journal.Append{Session: "new", Expect: 5}, nil},
	} {
		err := f.Fork(s.ctx, c.from, c.upto, c.a)
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			s.Errorf("a fork %s gave %v", c.name, err)
		}
	}
	s.holds("a", 5)
	s.holds("taken", 1)
	s.holds("new", 0)
}

func testForkOfFork(s *suite) {
	f := capability[journal.Forker](s)
	s.add("a", 0, 10)
	s.must(f.Fork(s.ctx, "a", 8, appended("b", 8, 2)))
	s.must(f.Fork(s.ctx, "b", 9, appended("c", 9, 1)))
	want := append(forked("a", "b", 8, 1), records("c", 9, 1)...)
	s.same(s.all("c"), want)
	s.must(s.j.Delete(s.ctx, "b"))
	s.must(s.j.Delete(s.ctx, "a"))
	s.reopen()
	s.same(s.all("c"), want)
	if feed, ok := s.j.(journal.Feed); ok {
		got, err := feed.Entries(s.ctx, 0, 100)
		s.must(err)
		var shown []journal.Record
		for _, e := range got {
			shown = append(shown, e.Record)
		}
		s.same(shown, want)
	}
}
