package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/parley-dev/parley/internal/journal"
)

// A file that may not grow: every append of the group fails, nothing changes,
// and the next that fits succeeds.
func TestFull(t *testing.T) {
	dir := t.TempDir()
	j, err := Open(Options{Dir: dir, MaxPages: 60})
	must(t, err)
	defer j.Close()
	ctx := t.Context()
	must(t, j.Append(ctx, testAppend("victim", 0, 200)))
	var last uint64
	for err = nil; err == nil; last += 5 {
		err = j.Append(ctx, testAppend("a", last, 5))
	}
	last -= 5
	if !errors.Is(err, journal.ErrFull) {
		t.Fatalf("a full file gave %v", err)
	}
	told := make(chan error, 1)
	j.PutParts("a", []journal.Part{{Open: "o", Text: string(make([]byte, 1<<20))}}, func(err error) { told <- err })
	if err := <-told; !errors.Is(err, journal.ErrFull) {
		t.Errorf("parts gave %v", err)
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if err := j.Append(ctx, testAppend(fmt.Sprint("new", i), 0, 100)); !errors.Is(err, journal.ErrFull) {
				t.Errorf("a full file gave %v", err)
			}
		})
	}
	wg.Wait()
	holds(t, j, "a", last)
	holds(t, j, "victim", 200)
	must(t, j.Delete(ctx, "victim"))
	must(t, j.Append(ctx, testAppend("a", last, 5)))
	must(t, j.Append(ctx, testAppend("new1", 0, 1)))
	holds(t, j, "a", last+5)
	holds(t, j, "new1", 1)
	holds(t, j, "new2", 0)
}

const testLog = 1 << 20

func openWithSmallLog(t *testing.T, dir string, log *slog.Logger) *Journal {
	t.Helper()
	j, err := Open(Options{Dir: dir, Logger: log, logLimit: testLog})
	must(t, err)
	return j
}

// appendMuch appends about n times 64 KiB and says how large the log became.
func appendMuch(t *testing.T, j *Journal, session string, n int) (largest int64) {
	t.Helper()
	h, err := j.Head(t.Context(), session)
	must(t, err)
	frame := make([]byte, 64<<10)
	for i := range uint64(n) {
		at := h.Last + i
		must(t, j.Append(t.Context(), journal.Append{Session: session, Expect: at, Records: []journal.Record{{Seq: at + 1, Frame: frame}}}))
		info, err := os.Stat(j.path + "-wal")
		must(t, err)
		largest = max(largest, info.Size())
	}
	return largest
}

// The write-ahead log does not grow without end, though reads overlap all the
// time.
func TestTheLogIsBounded(t *testing.T) {
	j := openWithSmallLog(t, t.TempDir(), nil)
	defer j.Close()
	must(t, j.Append(t.Context(), testAppend("a", 0, 100)))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range maxReaders {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if n, err := verify(t, j, "a"); n != 100 || err != nil {
					t.Errorf("a read gave %d records, %v", n, err)
				}
			}
		})
	}
	largest := appendMuch(t, j, "large", 150)
	close(stop)
	wg.Wait()
	if largest > testLog+(256<<10) {
		t.Errorf("the log grew to %d KiB", largest>>10)
	}
	holds(t, j, "a", 100)
}

// Another program that reads the file keeps the log from being emptied. That
// is logged, appends go on, and it is made up for when the program has gone.
func TestAnotherProgramReads(t *testing.T) {
	dir := t.TempDir()
	var said bytes.Buffer
	j := openWithSmallLog(t, dir, slog.New(slog.NewTextHandler(&said, nil)))
	must(t, j.Append(t.Context(), testAppend("a", 0, 1)))

	other, err := dial(filepath.Join(dir, fileName))
	must(t, err)
	_, err = other.exec("BEGIN")
	must(t, err)
	_, _, err = other.integer("SELECT count(*) FROM records")
	must(t, err)
	if largest := appendMuch(t, j, "large", 50); largest < 2*testLog {
		t.Errorf("the log was emptied under a reader: it had at most %d KiB", largest>>10)
	}
	must(t, other.close())

	appendMuch(t, j, "large", 50)
	info, err := os.Stat(j.path + "-wal")
	must(t, err)
	if info.Size() > 2*testLog {
		t.Errorf("the reader has gone and the log still has %d KiB", info.Size()>>10)
	}
	holds(t, j, "a", 1)
	must(t, j.Close())
	if !strings.Contains(said.String(), "write-ahead log cannot be emptied") {
		t.Errorf("the log says %q", said.String())
	}
}
