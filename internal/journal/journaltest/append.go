package journaltest

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/parley-dev/parley/internal/journal"
)

func testAppend(s *suite) {
	s.holds("a", 0)
	s.add("a", 0, 1)
	s.holds("a", 1)
	s.add("a", 1, 3)
	s.add("b", 0, 20)
	s.holds("a", 4)
	s.holds("b", 20)
	s.holds("c", 0)
}

// What is refused changes nothing, whatever the reason.
func testAppendRefused(s *suite) {
	s.add("a", 0, 2)
	gap := appended("a", 2, 3)
	gap.Records[1].Seq = 9
	for name, a := range map[string]journal.Append{
		"no session":  {Records: records("", 0, 1)},
		"no records":  {Session: "a", Expect: 2},
		"a gap":       gap,
		"wrong start": {Session: "a", Expect: 2, Records: records("a", 7, 1)},
	} {
		if err := s.j.Append(s.ctx, a); err == nil {
			s.Errorf("append with %s was taken", name)
		}
	}
	s.holds("a", 2)
	s.add("a", 2, 1)
	s.holds("a", 3)
}

// One append with more records than any implementation writes in one piece.
func testAppendLarge(s *suite) {
	s.add("a", 0, 1000)
	s.add("b", 0, 129)
	s.add("a", 1000, 63)
	s.holds("a", 1063)
	s.holds("b", 129)
}

func testBytes(s *suite) {
	random := make([]byte, 300_000)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range random {
		random[i] = byte(rng.Uint32())
	}
	frames := [][]byte{{0}, {}, []byte("\x00\xff'\"\n\x00"), []byte("안녕하세요 👋"), random, bytes.Repeat([]byte("x"), 4095), bytes.Repeat([]byte{0}, 4096)}
	a := journal.Append{Session: "a"}
	for i, f := range frames {
		a.Records = append(a.Records, journal.Record{Seq: uint64(i) + 1, Frame: f})
	}
	s.must(s.j.Append(s.ctx, a))
	s.same(s.all("a"), a.Records)
	s.reopen()
	s.same(s.all("a"), a.Records)
}

func testSlicesAreNotKept(s *suite) {
	a := appended("a", 0, 5)
	s.must(s.j.Append(s.ctx, a))
	for _, r := range a.Records {
		clear(r.Frame)
	}
	clear(a.Records)
	s.holds("a", 5)
	got, err := s.j.Read(s.ctx, "a", 0, 5)
	s.must(err)
	for _, r := range got {
		clear(r.Frame)
	}
	s.holds("a", 5)
}

func testRead(s *suite) {
	s.add("a", 0, 10)
	all := records("a", 0, 10)
	for _, c := range []struct {
		after uint64
		limit int
		want  []journal.Record
	}{
		{0, 10, all},
		{0, 100, all},
		{0, 1, all[:1]},
		{3, 4, all[3:7]},
		{9, 4, all[9:]},
		{10, 4, nil},
		{11, 4, nil},
		{^uint64(0), 4, nil},
	} {
		got, err := s.j.Read(s.ctx, "a", c.after, c.limit)
		s.must(err)
		s.same(got, c.want)
	}
	got, err := s.j.Read(s.ctx, "nobody", 0, 10)
	s.must(err)
	s.same(got, nil)
}

func testConflict(s *suite) {
	s.add("a", 0, 3)
	for _, expect := range []uint64{0, 1, 2, 4, 100} {
		a := appended("a", expect, 2)
		a.Wake = at(1)
		a.Blobs = []string{"0000"}
		if err := s.j.Append(s.ctx, a); !errors.Is(err, journal.ErrConflict) {
			s.Errorf("append that expects %d after 3 gave %v", expect, err)
		}
	}
	if err := s.j.Append(s.ctx, appended("new", 1, 1)); !errors.Is(err, journal.ErrConflict) {
		s.Errorf("append after record 1 of a session without records gave %v", err)
	}
	s.holds("a", 3)
	s.holds("new", 0)
	due, next, err := s.j.Due(s.ctx, time.Time{}, at(100))
	s.must(err)
	if len(due) > 0 || !next.IsZero() {
		s.Errorf("a refused append left a wake time: %v, %v", due, next)
	}
	s.add("new", 0, 1)
}

func testReopen(s *suite) {
	for i := range 5 {
		s.add("a", uint64(i)*10, 10)
		s.add("b", uint64(i), 1)
		s.reopen()
		s.holds("a", (i+1)*10)
		s.holds("b", i+1)
	}
	if err := s.j.Append(s.ctx, appended("b", 4, 1)); !errors.Is(err, journal.ErrConflict) {
		s.Errorf("a stale append after reopening gave %v", err)
	}
}

func testDue(s *suite) {
	wake := func(session string, expect uint64, t time.Time) {
		s.Helper()
		a := appended(session, expect, 1)
		a.Wake = t
		s.must(s.j.Append(s.ctx, a))
	}
	due := func(after, until time.Time, next time.Time, want ...string) {
		s.Helper()
		got, n, err := s.j.Due(s.ctx, after, until)
		s.must(err)
		if !slices.Equal(got, want) || !n.Equal(next) {
			s.Errorf("due in (%v, %v] is %v then %v, not %v then %v", after, until, got, n, want, next)
		}
	}
	var none time.Time
	due(none, at(50), none)
	wake("c", 0, at(30))
	wake("a", 0, at(10))
	wake("b", 0, at(20))
	wake("never", 0, none)
	check := func() {
		s.Helper()
		due(none, at(5), at(10))
		due(none, at(10), at(20), "a")
		due(none, at(30), none, "a", "b", "c")
		due(at(10), at(20), at(30), "b")
		due(at(10), at(50), none, "b", "c")
		due(at(10).Add(-1), at(10), at(20), "a")
		due(at(30), at(50), none)
	}
	check()
	s.reopen()
	check()
	h, err := s.j.Head(s.ctx, "a")
	s.must(err)
	if !h.Wake.Equal(at(10)) {
		s.Errorf("head says wake at %v", h.Wake)
	}
	wake("a", 1, none)   // not again
	wake("b", 1, at(40)) // later
	wake("b", 2, at(40)) // unchanged
	due(none, at(50), none, "c", "b")
	due(at(30), at(35), at(40))
	s.must(s.j.Delete(s.ctx, "b"))
	due(none, at(50), none, "c")
}
