package journaltest

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/parley-dev/parley/internal/journal"
)

func snapshot(seq uint64, version int) journal.Snapshot {
	return journal.Snapshot{Seq: seq, Version: version, Path: fmt.Appendf(nil, "1-%d", seq), State: fmt.Appendf(nil, `{"at":%d,"version":%d}`, seq, version)}
}

func testSnapshots(s *suite) {
	n := capability[journal.Snapshots](s)
	s.add("a", 0, 100)
	s.add("b", 0, 10)
	for _, seq := range []uint64{80, 60, 100} {
		s.must(n.PutSnapshot(s.ctx, "a", snapshot(seq, 2)))
	}
	s.must(n.PutSnapshot(s.ctx, "b", snapshot(10, 2)))
	check := func(n journal.Snapshots) {
		s.Helper()
		for _, c := range []struct {
			version int
			upto    uint64
			limit   int
			want    []uint64
		}{
			{2, 0, 10, []uint64{100, 80, 60}},
			{2, 0, 1, []uint64{100}},
			{2, 99, 10, []uint64{80, 60}},
			{2, 80, 1, []uint64{80}},
			{2, 59, 10, nil},
			{1, 0, 10, nil},
			{3, 0, 10, nil},
		} {
			got, err := n.Snapshots(s.ctx, "a", c.version, c.upto, c.limit)
			s.must(err)
			var want []journal.Snapshot
			for _, seq := range c.want {
				want = append(want, snapshot(seq, c.version))
			}
			if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
				s.Errorf("snapshots of version %d up to %d, %d of them: %+v", c.version, c.upto, c.limit, got)
			}
		}
	}
	check(n)
	s.reopen()
	n = capability[journal.Snapshots](s)
	check(n)

	// The same place again replaces it.
	other := snapshot(100, 2)
	other.State = []byte("another state")
	s.must(n.PutSnapshot(s.ctx, "a", other))
	got, err := n.Snapshots(s.ctx, "a", 2, 0, 1)
	s.must(err)
	if len(got) != 1 || string(got[0].State) != "another state" {
		s.Errorf("a snapshot put again is %+v", got)
	}
	// A newer version is found beside or instead of the older.
	s.must(n.PutSnapshot(s.ctx, "a", snapshot(90, 3)))
	got, err = n.Snapshots(s.ctx, "a", 3, 0, 10)
	s.must(err)
	if len(got) != 1 || got[0].Seq != 90 {
		s.Errorf("snapshots of the newer version are %+v", got)
	}
	if err := n.PutSnapshot(s.ctx, "nobody", snapshot(1, 1)); !errors.Is(err, journal.ErrNotFound) {
		s.Errorf("a snapshot of nothing gave %v", err)
	}
	s.must(s.j.Delete(s.ctx, "a"))
	if err := n.PutSnapshot(s.ctx, "a", snapshot(1, 1)); !errors.Is(err, journal.ErrDeleted) {
		s.Errorf("a snapshot of a deleted session gave %v", err)
	}
	got, err = n.Snapshots(s.ctx, "a", 3, 0, 10)
	s.must(err)
	if len(got) != 0 {
		s.Errorf("a deleted session has snapshots %+v", got)
	}
}

// However many are put, the newest stays and the number does not grow with
// them.
func testSnapshotsThinned(s *suite) {
	n := capability[journal.Snapshots](s)
	const puts = 200
	s.add("a", 0, puts)
	for seq := uint64(1); seq <= puts; seq++ {
		s.must(n.PutSnapshot(s.ctx, "a", snapshot(seq, 1)))
		got, err := n.Snapshots(s.ctx, "a", 1, 0, 1)
		s.must(err)
		if len(got) != 1 || got[0].Seq != seq {
			s.Fatalf("the newest snapshot after %d is %+v", seq, got)
		}
	}
	got, err := n.Snapshots(s.ctx, "a", 1, 0, puts)
	s.must(err)
	for i, g := range got {
		if !reflect.DeepEqual(g, snapshot(g.Seq, 1)) || i > 0 && g.Seq >= got[i-1].Seq {
			s.Errorf("snapshot %d is %+v", i, g)
		}
	}
}
