package journaltest

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/parley-dev/parley/internal/journal"
)

// follow reads the feed after a position until there is nothing more.
func (s *suite) follow(f journal.Feed, after int64) []journal.Entry {
	s.Helper()
	var list []journal.Entry
	for {
		got, err := f.Entries(s.ctx, after, 13)
		s.must(err)
		if len(got) == 0 {
			return list
		}
		for _, e := range got {
			if e.Position <= after {
				s.Fatalf("position %d comes after %d", e.Position, after)
			}
			after = e.Position
			if !bytes.Equal(e.Frame, frame(e.Session, e.Seq)) {
				s.Fatalf("the feed shows %q as record %d of %s", e.Frame, e.Seq, e.Session)
			}
		}
		list = append(list, got...)
	}
}

func testFeed(s *suite) {
	f := capability[journal.Feed](s)
	if got := s.follow(f, 0); len(got) > 0 {
		s.Fatalf("the feed of nothing is %v", got)
	}
	var want []string
	for i := range 20 {
		for _, id := range []string{"b", "a", "c"} {
			s.add(id, uint64(i), 1)
			want = append(want, fmt.Sprint(id, i+1))
		}
	}
	check := func(got []journal.Entry, want []string) {
		s.Helper()
		var ids []string
		for _, e := range got {
			ids = append(ids, fmt.Sprint(e.Session, e.Seq))
		}
		if fmt.Sprint(ids) != fmt.Sprint(want) {
			s.Fatalf("the feed is %v, not %v", ids, want)
		}
	}
	all := s.follow(f, 0)
	check(all, want)
	check(s.follow(f, all[29].Position), want[30:])
	s.reopen()
	f = capability[journal.Feed](s)
	check(s.follow(f, 0), want)
	s.add("a", 20, 1)
	check(s.follow(f, all[59].Position), []string{"a21"})
}

// A follower that reads while others append misses nothing and sees each
// session in order.
func testFeedWhileAppending(s *suite) {
	f := capability[journal.Feed](s)
	const sessions, appends = 20, 20
	var wg sync.WaitGroup
	for i := range sessions {
		wg.Go(func() {
			for k := range uint64(appends) {
				if err := s.j.Append(s.ctx, appended(fmt.Sprint("s", i), k, 1)); err != nil {
					s.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	seen := make(map[string]uint64)
	var after int64
	for over := false; !over; {
		select {
		case <-done:
			over = true // one last look
		default:
		}
		for _, e := range s.follow(f, after) {
			after = e.Position
			if e.Seq != seen[e.Session]+1 {
				s.Fatalf("after record %d of %s comes %d", seen[e.Session], e.Session, e.Seq)
			}
			seen[e.Session] = e.Seq
		}
	}
	for i := range sessions {
		if id := fmt.Sprint("s", i); seen[id] != appends {
			s.Errorf("the follower saw %d of %d records of %s", seen[id], appends, id)
		}
	}
}

// Positions are not given twice, or a follower would miss what comes next.
func testFeedAfterDelete(s *suite) {
	f := capability[journal.Feed](s)
	s.add("a", 0, 5)
	s.add("last", 0, 5)
	all := s.follow(f, 0)
	at := all[len(all)-1].Position
	s.must(s.j.Delete(s.ctx, "last"))
	s.add("b", 0, 3)
	if got := s.follow(f, at); len(got) != 3 {
		s.Fatalf("after a deletion a follower sees %d of 3 new records", len(got))
	}
	s.must(s.j.Delete(s.ctx, "b"))
	s.reopen()
	f = capability[journal.Feed](s)
	s.add("c", 0, 4)
	if got := s.follow(f, at+3); len(got) != 4 {
		s.Fatalf("after a deletion and a restart a follower sees %d of 4 new records", len(got))
	}
	if got := s.follow(f, 0); len(got) != 9 {
		s.Fatalf("the feed has %d entries, not 9", len(got))
	}
}

func testBlobRefs(s *suite) {
	b := capability[journal.BlobRefs](s)
	refer := func(session string, expect uint64, hashes ...string) {
		s.Helper()
		a := appended(session, expect, 1)
		a.Blobs = hashes
		s.must(s.j.Append(s.ctx, a))
	}
	refer("a", 0, "cc", "aa")
	refer("a", 1, "aa", "aa")
	refer("b", 0, "bb", "cc")
	check := func(want map[string]string, all string) {
		s.Helper()
		b := capability[journal.BlobRefs](s)
		for session, hashes := range want {
			for _, hash := range []string{"aa", "bb", "cc"} {
				has, err := b.HasBlob(s.ctx, session, hash)
				s.must(err)
				if has != bytes.Contains([]byte(hashes), []byte(hash)) {
					s.Errorf("%s refers to %s: %v", session, hash, has)
				}
			}
		}
		var list []string
		for after := ""; ; after = list[len(list)-1] {
			got, err := b.Blobs(s.ctx, after, 1)
			s.must(err)
			if len(got) == 0 {
				break
			}
			list = append(list, got...)
		}
		if fmt.Sprint(list) != all {
			s.Errorf("all blobs are %v, not %v", list, all)
		}
	}
	check(map[string]string{"a": "aa cc", "b": "bb cc", "nobody": ""}, "[aa bb cc]")
	if fk, ok := b.(journal.Forker); ok {
		// The fork may read what its own records refer to, and no more.
		refer("a", 2, "dd")
		s.must(fk.Fork(s.ctx, "a", 2, appended("fork", 2, 1)))
		has, err := b.HasBlob(s.ctx, "fork", "dd")
		s.must(err)
		if has {
			s.Errorf("a fork may read a blob of a record that it does not have")
		}
		s.must(s.j.Delete(s.ctx, "a"))
		check(map[string]string{"a": "", "b": "bb cc", "fork": "aa cc"}, "[aa bb cc]")
		s.must(s.j.Delete(s.ctx, "fork"))
	} else {
		s.must(s.j.Delete(s.ctx, "a"))
	}
	check(map[string]string{"a": "", "b": "bb cc"}, "[bb cc]")
	s.reopen()
	check(map[string]string{"a": "", "b": "bb cc"}, "[bb cc]")
}
