// Package journaltest is the conformance suite of the journal port: an
// implementation is done when Run passes. Capabilities are tested where they
// are implemented, and only the port is used.
package journaltest

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/parley-dev/parley/internal/journal"
)

// Opener opens the journal that is kept in dir. Opening the same folder again
// after Close must find everything. It must not register the journal for
// closing: the suite does.
type Opener func(t *testing.T, dir string) journal.Journal

// Run tests an implementation.
func Run(t *testing.T, open Opener) {
	for _, c := range []struct {
		name string
		test func(*suite)
	}{
		{"Append", testAppend},
		{"AppendRefused", testAppendRefused},
		{"AppendLarge", testAppendLarge},
		{"Bytes", testBytes},
		{"SlicesAreNotKept", testSlicesAreNotKept},
		{"Read", testRead},
		{"Conflict", testConflict},
		{"Reopen", testReopen},
		{"Due", testDue},
		{"ManySessions", testManySessions},
		{"RacingWriters", testRacingWriters},
		{"Cancel", testCancel},
		{"Close", testClose},
		{"Delete", testDelete},
		{"DeleteLong", testDeleteLong},
		{"DeleteAmongAppends", testDeleteAmongAppends},
		{"Parts", testParts},
		{"PartsClosed", testPartsClosed},
		{"PartsRefused", testPartsRefused},
		{"PartsSurvive", testPartsSurvive},
		{"Snapshots", testSnapshots},
		{"SnapshotsThinned", testSnapshotsThinned},
		{"Feed", testFeed},
		{"FeedWhileAppending", testFeedWhileAppending},
		{"FeedAfterDelete", testFeedAfterDelete},
		{"Tombstones", testTombstones},
		{"BlobRefs", testBlobRefs},
		{"Fork", testFork},
		{"ForkRefused", testForkRefused},
		{"ForkOfFork", testForkOfFork},
		{"Model", testModel},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &suite{T: t, ctx: t.Context(), dir: t.TempDir(), open: open}
			s.j = open(t, s.dir)
			// Not a Cleanup: t.Context is over by then.
			defer func() { s.must(s.j.Close()) }()
			c.test(s)
		})
	}
}

// suite is one test with its journal.
type suite struct {
	*testing.T
	ctx  context.Context
	dir  string
	open Opener
	j    journal.Journal
}

// reopen closes the journal and opens it again.
func (s *suite) reopen() {
	s.Helper()
	s.must(s.j.Close())
	s.j = s.open(s.T, s.dir)
}

func (s *suite) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// capability is the journal as an optional interface. The test is not run if
// it does not have it.
func capability[C any](s *suite) C {
	s.Helper()
	c, ok := s.j.(C)
	if !ok {
		s.Skipf("the journal does not have this capability")
	}
	return c
}

// frame is what the suite stores: told apart by session and sequence.
func frame(session string, seq uint64) []byte {
	return fmt.Appendf(nil, `{"type":"message","text":"record %d of %s"}`, seq, session)
}

// records makes n records after a sequence number.
func records(session string, after uint64, n int) []journal.Record {
	list := make([]journal.Record, n)
	for i := range list {
		seq := after + uint64(i) + 1
		list[i] = journal.Record{Seq: seq, Frame: frame(session, seq)}
	}
	return list
}

// appended makes an append of n records.
func appended(session string, expect uint64, n int) journal.Append {
	return journal.Append{Session: session, Expect: expect, Records: records(session, expect, n)}
}

// add appends n records to a session and fails the test if it cannot.
func (s *suite) add(session string, expect uint64, n int) {
	s.Helper()
	s.must(s.j.Append(s.ctx, appended(session, expect, n)))
}

// all reads a session in pages.
func (s *suite) all(session string) []journal.Record {
	s.Helper()
	const page = 7
	var list []journal.Record
	for {
		var after uint64
		if len(list) > 0 {
			after = list[len(list)-1].Seq
		}
		got, err := s.j.Read(s.ctx, session, after, page)
		s.must(err)
		if len(got) > page {
			s.Fatalf("Read with limit %d gave %d records", page, len(got))
		}
		list = append(list, got...)
		if len(got) < page {
			return list
		}
	}
}

// holds demands that a session has exactly the records 1..n, as written by
// add, and that its head says so.
func (s *suite) holds(session string, n int) {
	s.Helper()
	s.same(s.all(session), records(session, 0, n))
	h, err := s.j.Head(s.ctx, session)
	s.must(err)
	if h.Last != uint64(n) || h.Deleted {
		s.Fatalf("head of %s is %+v, not %d", session, h, n)
	}
}

func (s *suite) same(got, want []journal.Record) {
	s.Helper()
	if len(got) != len(want) {
		s.Fatalf("there are %d records, not %d", len(got), len(want))
	}
	for i := range want {
		if got[i].Seq != want[i].Seq || !bytes.Equal(got[i].Frame, want[i].Frame) {
			s.Fatalf("record %d is %d %q, not %d %q", i, got[i].Seq, got[i].Frame, want[i].Seq, want[i].Frame)
		}
	}
}

// at is a time for wakes: a fixed day plus some seconds.
func at(seconds int) time.Time {
	return time.Date(2026, 2, 6, 10, 0, seconds, 123456789, time.UTC)
}
