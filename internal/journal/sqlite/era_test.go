package sqlite

import (
	"bytes"
	"database/sql/driver"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/journal"
)

func TestEras(t *testing.T) {
	for _, c := range []struct {
		records, sessions int
		over              bool
	}{
		{0, 0, false},
		{shortestEra - 1, 1, false},
		{shortestEra, 1, true},
		{shortestEra, 64, true},
		{shortestEra, 65, false},
		{16_000, 1000, true},
		{15_999, 1000, false},
		{longestEra - 1, 60_000, false},
		{longestEra, 60_000, true},
	} {
		if got := (era{records: c.records, sessions: c.sessions}).over(); got != c.over {
			t.Errorf("an era of %d records and %d sessions is over: %v", c.records, c.sessions, got)
		}
	}
}

// Sessions of every pace, over many eras: each is read whole from anywhere.
func TestReadAcrossEras(t *testing.T) {
	dir := t.TempDir()
	j := mustOpen(t, dir)
	rng := rand.New(rand.NewPCG(3, 3))
	last := make([]uint64, 6)
	for range 1500 {
		i := min(rng.IntN(12), rng.IntN(6)) // the later, the rarer
		n := 1 + rng.IntN(10)
		must(t, j.Append(t.Context(), testAppend(fmt.Sprint("s", i), last[i], n)))
		last[i] += uint64(n)
	}
	must(t, j.Append(t.Context(), testAppend("long", 0, 3000)))
	must(t, j.Fork(t.Context(), "s0", last[0], testAppend("fork", last[0], 1)))
	check := func() {
		t.Helper()
		for i, n := range last {
			id := fmt.Sprint("s", i)
			holds(t, j, id, n)
			for range 20 {
				after := rng.Uint64N(n)
				got, err := j.Read(t.Context(), id, after, 3)
				must(t, err)
				if len(got) == 0 || got[0].Seq != after+1 || !bytes.Equal(got[0].Frame, testFrame(id, after+1)) {
					t.Fatalf("record %d of %s is %+v", after+1, id, got)
				}
			}
		}
		holds(t, j, "long", 3000)
		if h, err := j.Head(t.Context(), "fork"); err != nil || h.Last != last[0]+1 {
			t.Fatalf("the fork's head is %+v, %v", h, err)
		}
	}
	check()
	must(t, j.Close())
	report, err := Check(t.Context(), dir, CheckOptions{})
	must(t, err)
	if !report.OK() {
		t.Fatal(report)
	}
	j = mustOpen(t, dir)
	defer j.Close()
	check()
	eras, _, err := openReader(t, j).integer("SELECT count(DISTINCT era) FROM records")
	must(t, err)
	if eras < 5 {
		t.Errorf("there were only %d eras", eras)
	}
}

// Reading must follow the indexes, without sorting or scanning.
func TestQueryPlans(t *testing.T) {
	j := mustOpen(t, t.TempDir())
	defer j.Close()
	must(t, j.Append(t.Context(), journal.Append{Session: "a", Records: []journal.Record{{Seq: 1}}}))
	c := openReader(t, j)
	var plan strings.Builder
	must(t, c.query(t.Context(), "EXPLAIN QUERY PLAN "+readRecords, func(v []driver.Value) error {
		fmt.Fprintln(&plan, string(bytesOf(v[3])))
		return nil
	}, 1, 1, 1))
	if strings.Contains(plan.String(), "SCAN") || strings.Contains(plan.String(), "TEMP B-TREE") {
		t.Errorf("reading does this:\n%s", &plan)
	}
}

func openReader(t *testing.T, j *Journal) *conn {
	t.Helper()
	c, err := dial(j.path)
	must(t, err)
	t.Cleanup(func() { must(t, c.close()) })
	return c
}
