package sqlite

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/parley-dev/parley/internal/journal"
)

// tornSource is a journal as a crash would leave it: a file with what was
// moved from the log, and a log with what came after.
type tornSource struct {
	file, log []byte
	moved     int // appends that are in the file
	all       int // appends in all, one after the other
}

const tornSessions = 3

func tornAppend(i int) journal.Append {
	return testAppend(fmt.Sprint("s", i%tornSessions), uint64(i/tornSessions)*2, 2)
}

func makeTorn(t testing.TB, moved, all int) tornSource {
	t.Helper()
	dir := t.TempDir()
	j := mustOpen(t, dir)
	for i := range moved {
		must(t, j.Append(t.Context(), tornAppend(i)))
	}
	tamper(t, dir, "PRAGMA wal_checkpoint(TRUNCATE)")
	for i := moved; i < all; i++ {
		must(t, j.Append(t.Context(), tornAppend(i)))
	}
	s := tornSource{moved: moved, all: all}
	var err error
	s.file, err = os.ReadFile(filepath.Join(dir, fileName))
	must(t, err)
	s.log, err = os.ReadFile(filepath.Join(dir, fileName+"-wal"))
	must(t, err)
	must(t, j.Close())
	return s
}

// survivors opens the file with another log and says how many appends are
// there: the first ones, without a gap.
func (s tornSource) survivors(t testing.TB, log []byte) int {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, fileName), s.file, 0o600))
	must(t, os.WriteFile(filepath.Join(dir, fileName+"-wal"), log, 0o600))
	j := mustOpen(t, dir)
	defer func() { must(t, j.Close()) }()
	total := 0
	var counts [tornSessions]int
	for i := range counts {
		n, err := verify(t, j, fmt.Sprint("s", i))
		must(t, err)
		counts[i] = int(n)
		total += int(n)
	}
	if total%2 != 0 {
		t.Fatalf("half an append survived: %v", counts)
	}
	for i, n := range counts {
		if want := 2 * ((total/2 + tornSessions - 1 - i) / tornSessions); n != want {
			t.Fatalf("what survived is not a beginning: %v", counts)
		}
	}
	// What is left can be continued.
	must(t, j.Append(t.Context(), tornAppend(total/2)))
	return total / 2
}

func TestTornLog(t *testing.T) {
	s := makeTorn(t, 20, 60)
	if n := s.survivors(t, s.log); n != s.all {
		t.Fatalf("%d of %d appends survived with the whole log", n, s.all)
	}
	if n := s.survivors(t, nil); n != s.moved {
		t.Fatalf("%d of %d appends survived without the log", n, s.moved)
	}
	const header, frame = 32, 24 + 4096
	cuts := []int{1, header - 1, header, header + 1, header + frame - 1, header + frame, header + frame + 1, len(s.log) - 1}
	for range 20 {
		cuts = append(cuts, rand.IntN(len(s.log)))
	}
	for _, cut := range cuts {
		n := s.survivors(t, s.log[:cut])
		if n < s.moved || n > s.all {
			t.Errorf("cut at %d: %d appends survived", cut, n)
		}
		if more := s.survivors(t, s.log[:min(len(s.log), cut+3*frame)]); more < n {
			t.Errorf("a longer log keeps %d appends and a shorter one %d", more, n)
		}
	}
}

// Noise in the log ends it there; what was before it stays.
func TestNoiseInTheLog(t *testing.T) {
	s := makeTorn(t, 10, 40)
	for range 20 {
		at := rand.IntN(len(s.log))
		noisy := append([]byte(nil), s.log...)
		noisy[at] ^= byte(1 + rand.IntN(255))
		if n := s.survivors(t, noisy); n < s.survivors(t, s.log[:at]) {
			t.Errorf("noise at %d: only %d appends survived", at, n)
		}
	}
}
