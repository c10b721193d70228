package sqlite

import (
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/journal/journaltest"
)

func TestMain(m *testing.M) {
	if child := os.Getenv(childEnv); child != "" {
		os.Exit(children()[child](os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

func TestConformance(t *testing.T) {
	journaltest.Run(t, func(t *testing.T, dir string) journal.Journal { return mustOpen(t, dir) })
}

func mustOpen(t testing.TB, dir string) *Journal {
	t.Helper()
	j, err := Open(Options{Dir: dir, Holder: "a test"})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// testFrame is what record seq of a session says in these tests.
func testFrame(session string, seq uint64) []byte {
	return fmt.Appendf(nil, "record %d of %s %s", seq, session, bytes.Repeat([]byte("."), int(seq%300)))
}

func testAppend(session string, expect uint64, n int) journal.Append {
	a := journal.Append{Session: session, Expect: expect}
	for i := range n {
		seq := expect + uint64(i) + 1
		a.Records = append(a.Records, journal.Record{Seq: seq, Frame: testFrame(session, seq)})
	}
	return a
}

// verify reads a session to its end. The records it gets are the first ones,
// dense and as written, with or without an error.
func verify(t testing.TB, j *Journal, session string) (n uint64, err error) {
	t.Helper()
	for {
		got, err := j.Read(context.Background(), session, n, 100)
		for _, r := range got {
			n++
			if r.Seq != n || !bytes.Equal(r.Frame, testFrame(session, n)) {
				t.Fatalf("record %d of %s came back as %d %q", n, session, r.Seq, r.Frame)
			}
		}
		if err != nil || len(got) < 100 {
			return n, err
		}
	}
}

// holds demands the records 1..n of a session.
func holds(t testing.TB, j *Journal, session string, n uint64) {
	t.Helper()
	got, err := verify(t, j, session)
	must(t, err)
	if got != n {
		t.Fatalf("session %s has %d records, not %d", session, got, n)
	}
}

// tamper opens the database behind the journal's back.
func tamper(t testing.TB, dir string, statements ...string) {
	t.Helper()
	c, err := dial(filepath.Join(dir, fileName))
	must(t, err)
	defer func() { must(t, c.close()) }()
	for _, s := range statements {
		must(t, c.query(context.Background(), s, func([]driver.Value) error { return nil }))
	}
}

// hold keeps the committer waiting with the first thing it takes, so that what
// is queued meanwhile becomes one group.
func hold(t *testing.T, dir string) (release func()) {
	t.Helper()
	c, err := dial(filepath.Join(dir, fileName))
	must(t, err)
	_, err = c.exec("BEGIN IMMEDIATE")
	must(t, err)
	return func() {
		_, err := c.exec("ROLLBACK")
		must(t, err)
		must(t, c.close())
	}
}

// One group with good work and refused work of every kind: each gets its own
// answer, and order within the group counts.
func TestRefusalsInAGroupHarmNobody(t *testing.T) {
	dir := t.TempDir()
	j := mustOpen(t, dir)
	defer j.Close()
	ctx := t.Context()
	must(t, j.Append(ctx, testAppend("old", 0, 3)))
	must(t, j.Append(ctx, testAppend("gone", 0, 1)))
	must(t, j.Delete(ctx, "gone"))

	release := hold(t, dir)
	var works []work
	var want []error
	queue := func(w work, err error) {
		works = append(works, w)
		want = append(want, err)
	}
	queue(&appendRecords{testAppend("first", 0, 1)}, nil) // the committer waits with this one
	queue(&appendRecords{testAppend("old", 3, 2)}, nil)
	queue(&appendRecords{testAppend("old", 3, 1)}, journal.ErrConflict)
	queue(&appendRecords{testAppend("gone", 0, 1)}, journal.ErrDeleted)
	queue(&appendRecords{testAppend("new", 0, 1)}, nil)
	queue(&appendRecords{testAppend("new", 1, 1)}, nil)
	queue(&appendRecords{testAppend("new", 0, 1)}, journal.ErrConflict)
	queue(&forkSession{"old", 5, testAppend("fork", 5, 1)}, nil)
	queue(&forkSession{"old", 6, testAppend("fork2", 6, 1)}, journal.ErrConflict)
	queue(deleteSession("old"), nil)
	queue(deleteSession("old"), journal.ErrNotFound)
	queue(&appendRecords{testAppend("old", 5, 1)}, journal.ErrDeleted)
	queue(&putSnapshot{"new", journal.Snapshot{Seq: 2, Version: 1}}, nil)
	queue(&putSnapshot{"new", journal.Snapshot{Seq: 3, Version: 1}}, journal.ErrConflict)
	queue(deleteSession("nobody"), journal.ErrNotFound)
	queue(&appendRecords{testAppend("brief", 0, 1)}, nil)
	queue(deleteSession("brief"), nil)
	queue(&appendRecords{testAppend("last", 0, 70)}, nil)

	outcome := make([]chan error, len(works))
	for i, w := range works {
		outcome[i] = make(chan error, 1)
		must(t, j.queue.add(&task{work: w, done: func(err error) { outcome[i] <- err }}))
	}
	release()
	for i := range works {
		if err := <-outcome[i]; !errors.Is(err, want[i]) {
			t.Errorf("work %d (%T) gave %v, not %v", i, works[i], err, want[i])
		}
	}
	for id, n := range map[string]uint64{"first": 1, "old": 0, "new": 2, "last": 70, "brief": 0, "fork2": 0} {
		holds(t, j, id, n)
	}
	if h, err := j.Head(ctx, "fork"); err != nil || h.Last != 6 {
		t.Errorf("the fork's head is %+v, %v", h, err)
	}
}

// brokenWork fails in the database, in the middle of its writing.
type brokenWork struct{}

func (brokenWork) apply(g *group) error {
	g.exec("INSERT INTO tombstones (id) VALUES ('half')")
	g.exec("INSERT INTO sessions (key, id) VALUES (NULL, NULL)")
	return nil
}

func TestBrokenWorkInAGroupHarmsNobody(t *testing.T) {
	dir := t.TempDir()
	j := mustOpen(t, dir)
	defer j.Close()
	release := hold(t, dir)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if i == 10 {
				var damage *journal.DamageError
				if err := j.do(t.Context(), brokenWork{}, 0); !errors.As(err, &damage) {
					t.Errorf("broken work gave %v", err)
				}
				return
			}
			if err := j.Append(t.Context(), testAppend(fmt.Sprint("s", i), 0, 2)); err != nil {
				t.Error(err)
			}
		})
	}
	release()
	wg.Wait()
	for i := range 20 {
		if i != 10 {
			holds(t, j, fmt.Sprint("s", i), 2)
		}
	}
	if stones, err := j.Tombstones(t.Context(), 0, 10); err != nil || len(stones) > 0 {
		t.Errorf("broken work left %v, %v", stones, err)
	}
}

// The token of a task that came right before the end is not the last one: the
// committer has to find out that it is over.
func TestQueueThatIsClosedWakesTheCommitterAgain(t *testing.T) {
	q := newQueue()
	must(t, q.add(&task{work: deleteSession("a")}))
	q.close()
	<-q.ready
	if tasks, over := q.take(nil); len(tasks) != 1 || over {
		t.Fatalf("took %d tasks, over: %v", len(tasks), over)
	}
	select {
	case <-q.ready:
	default:
		t.Fatal("the committer would wait for ever")
	}
	if tasks, over := q.take(nil); len(tasks) != 0 || !over {
		t.Fatalf("took %d tasks, over: %v", len(tasks), over)
	}
	if err := q.add(&task{work: deleteSession("b")}); !errors.Is(err, journal.ErrClosed) {
		t.Fatalf("a closed queue gave %v", err)
	}
}

// Text that waits for the disk is bounded, and what is refused is told.
func TestQueueOfPartsIsBounded(t *testing.T) {
	q := newQueue()
	large := &task{work: &putParts{}, bytes: maxQueuedParts}
	must(t, q.add(large))
	if err := q.add(&task{work: &putParts{}, bytes: 1}); err == nil {
		t.Fatal("more was taken than may wait")
	}
	must(t, q.add(&task{work: deleteSession("a"), bytes: 1}))
	q.take(nil)
	must(t, q.add(large))
}

func TestTheCacheOfHeadsIsBounded(t *testing.T) {
	h := newHeads(10)
	for i := range 1000 {
		h.put(fmt.Sprint(i), head{key: int64(i)})
		if v, ok := h.get(fmt.Sprint(i)); !ok || v.key != int64(i) {
			t.Fatalf("head %d is %+v, %v", i, v, ok)
		}
	}
	if n := len(h.young) + len(h.old); n > 20 {
		t.Errorf("%d heads are remembered", n)
	}
}

// Sessions that were forgotten are found again in the database.
func TestForgottenHeads(t *testing.T) {
	j, err := Open(Options{Dir: t.TempDir(), headLimit: 4})
	must(t, err)
	defer j.Close()
	for i := range 20 {
		must(t, j.Append(t.Context(), testAppend(fmt.Sprint("s", i), 0, 1)))
	}
	for i := range 20 {
		id := fmt.Sprint("s", i)
		if err := j.Append(t.Context(), testAppend(id, 0, 1)); !errors.Is(err, journal.ErrConflict) {
			t.Errorf("creating %s again gave %v", id, err)
		}
		must(t, j.Append(t.Context(), testAppend(id, 1, 1)))
		holds(t, j, id, 2)
	}
}

func TestThinned(t *testing.T) {
	var kept []uint64
	for seq := uint64(1000); seq <= 1_000_000; seq += 1000 {
		kept = append([]uint64{seq}, kept...)
		drop := make(map[uint64]bool)
		for _, d := range thinned(kept) {
			drop[d] = true
		}
		var left []uint64
		for i, s := range kept {
			if !drop[s] {
				left = append(left, s)
			} else if i < newestKept {
				t.Fatalf("one of the newest was dropped: %d of %v", s, kept)
			}
		}
		kept = left
	}
	if len(kept) > 25 || kept[0] != 1_000_000 || kept[len(kept)-1] != 1000 {
		t.Fatalf("kept %d: %v", len(kept), kept)
	}
	for i := 1; i < len(kept); i++ {
		if far, near := kept[0]-kept[i], kept[0]-kept[i-1]; near > 0 && far > 2*near {
			t.Errorf("between %d and %d there is nothing: %v", kept[i], kept[i-1], kept)
		}
	}
}
