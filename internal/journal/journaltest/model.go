package journaltest

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/parley-dev/parley/internal/journal"
)

// testModel does many things in an order that a seed decides and compares with
// a map that does the same.
func testModel(s *suite) {
	rng := rand.New(rand.NewPCG(7, 7))
	want := make(map[string][]journal.Record)
	gone := make(map[string]bool)
	name := func() string { return fmt.Sprint("s", rng.IntN(12)) }
	for range 600 {
		id := name()
		switch p := rng.IntN(100); {
		case p < 70:
			a := appended(id, uint64(len(want[id])), 1+rng.IntN(5))
			err := s.j.Append(s.ctx, a)
			if gone[id] != errors.Is(err, journal.ErrDeleted) || !gone[id] && err != nil {
				s.Fatalf("append to %s (deleted: %v): %v", id, gone[id], err)
			}
			if err == nil {
				want[id] = append(want[id], a.Records...)
			}
		case p < 75:
			if err := s.j.Append(s.ctx, appended(id, uint64(len(want[id]))+1, 1)); err == nil {
				s.Fatalf("an append with a gap was taken")
			}
		case p < 78:
			err := s.j.Delete(s.ctx, id)
			if (len(want[id]) == 0) != errors.Is(err, journal.ErrNotFound) {
				s.Fatalf("delete of %s with %d records: %v", id, len(want[id]), err)
			}
			if err == nil {
				delete(want, id)
				gone[id] = true
			}
		case p < 85:
			s.modelFork(rng, want, gone, id, fmt.Sprint("f", rng.IntN(1000)))
		case p < 87:
			s.reopen()
		default:
			s.same(s.all(id), want[id])
		}
	}
	for id, records := range want {
		s.same(s.all(id), records)
	}
}

func (s *suite) modelFork(rng *rand.Rand, want map[string][]journal.Record, gone map[string]bool, from, to string) {
	s.Helper()
	f, ok := s.j.(journal.Forker)
	if !ok || len(want[from]) == 0 || len(want[to]) > 0 || gone[to] {
		return
	}
	upto := rng.IntN(len(want[from])) + 1
	a := appended(to, uint64(upto), 1)
	s.must(f.Fork(s.ctx, from, uint64(upto), a))
	want[to] = append(append([]journal.Record(nil), want[from][:upto]...), a.Records...)
}
