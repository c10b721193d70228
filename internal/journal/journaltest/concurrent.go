package journaltest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/parley-dev/parley/internal/journal"
)

func testManySessions(s *suite) {
	const sessions, appends = 50, 20
	var wg sync.WaitGroup
	for i := range sessions {
		wg.Go(func() {
			id := fmt.Sprint("session-", i)
			var last uint64
			for k := range appends {
				n := 1 + (i+k)%3
				if err := s.j.Append(s.ctx, appended(id, last, n)); err != nil {
					s.Error(err)
					return
				}
				last += uint64(n)
				// Whoever was told that it is written can read it.
				if got, err := s.j.Read(s.ctx, id, last-1, 2); err != nil || len(got) != 1 {
					s.Errorf("record %d of %s after its append: %v, %v", last, id, got, err)
				}
			}
		})
	}
	wg.Wait()
	s.reopen()
	for i := range sessions {
		n := 0
		for k := range appends {
			n += 1 + (i+k)%3
		}
		s.holds(fmt.Sprint("session-", i), n)
	}
}

// Several writers believe that they own one session: at each sequence number
// one wins, the others are told.
func testRacingWriters(s *suite) {
	const writers, rounds = 8, 25
	var won, lost atomic.Int64
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			var last uint64
			for last < rounds {
				f := fmt.Appendf(nil, "writer %d", w)
				err := s.j.Append(s.ctx, journal.Append{Session: "a", Expect: last, Records: []journal.Record{{Seq: last + 1, Frame: f}}})
				switch {
				case err == nil:
					won.Add(1)
					last++
				case errors.Is(err, journal.ErrConflict):
					lost.Add(1)
					h, err := s.j.Head(s.ctx, "a")
					if err != nil || h.Last <= last {
						s.Errorf("a conflict at %d, and the head is %+v, %v", last, h, err)
						return
					}
					last = h.Last
				default:
					s.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	got := s.all("a")
	if len(got) < rounds || int64(len(got)) != won.Load() {
		s.Fatalf("%d appends were acknowledged and %d records are there", won.Load(), len(got))
	}
	for i, r := range got {
		if r.Seq != uint64(i)+1 {
			s.Fatalf("record %d has sequence %d", i, r.Seq)
		}
	}
	s.Logf("%d won, %d lost", won.Load(), lost.Load())
}

// A cancelled append happened whole or not at all, and nil means that it did.
func testCancel(s *suite) {
	over, cancel := context.WithCancel(s.ctx)
	cancel()
	if err := s.j.Append(over, appended("a", 0, 3)); !errors.Is(err, context.Canceled) {
		s.Fatalf("append with a cancelled context gave %v", err)
	}
	s.holds("a", 0)
	if _, err := s.j.Read(over, "a", 0, 1); !errors.Is(err, context.Canceled) {
		s.Errorf("read with a cancelled context gave %v", err)
	}

	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			id := fmt.Sprint("session-", i)
			ctx, cancel := context.WithCancel(s.ctx)
			defer cancel()
			go cancel()
			a := appended(id, 0, 5)
			err := s.j.Append(ctx, a)
			// The caller may use its memory again.
			for _, r := range a.Records {
				clear(r.Frame)
			}
			h, herr := s.j.Head(s.ctx, id)
			switch {
			case herr != nil:
				s.Error(herr)
			case err == nil && h.Last != 5:
				s.Errorf("an acknowledged append has %d of 5 records", h.Last)
			case err != nil && h.Last != 0 && h.Last != 5:
				s.Errorf("an append that gave %v has %d of 5 records", err, h.Last)
			}
		})
	}
	wg.Wait()
	for i := range 40 {
		id := fmt.Sprint("session-", i)
		if got := s.all(id); len(got) != 0 {
			s.same(got, records(id, 0, 5))
		}
	}
}

// Close waits for what is under way; afterwards everything says ErrClosed.
func testClose(s *suite) {
	const sessions = 30
	outcome := make([]error, sessions)
	var wg sync.WaitGroup
	for i := range sessions {
		wg.Go(func() { outcome[i] = s.j.Append(s.ctx, appended(fmt.Sprint("session-", i), 0, 3)) })
	}
	s.must(s.j.Close())
	wg.Wait()
	s.must(s.j.Close())
	if err := s.j.Append(s.ctx, appended("late", 0, 1)); !errors.Is(err, journal.ErrClosed) {
		s.Errorf("append after close gave %v", err)
	}
	if _, err := s.j.Read(s.ctx, "a", 0, 1); !errors.Is(err, journal.ErrClosed) {
		s.Errorf("read after close gave %v", err)
	}
	if p, ok := s.j.(journal.Parts); ok {
		told := make(chan error, 1)
		p.PutParts("a", []journal.Part{{Open: "o"}}, func(err error) { told <- err })
		if err := <-told; !errors.Is(err, journal.ErrClosed) {
			s.Errorf("parts after close: %v", err)
		}
	}
	s.j = s.open(s.T, s.dir)
	for i, err := range outcome {
		switch {
		case err == nil:
			s.holds(fmt.Sprint("session-", i), 3)
		case errors.Is(err, journal.ErrClosed):
			s.holds(fmt.Sprint("session-", i), 0)
		default:
			s.Errorf("append during close gave %v", err)
		}
	}
	s.holds("late", 0)
}
