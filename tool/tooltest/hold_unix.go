//go:build unix

package tooltest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// How long a failing test waits for what never comes: a start may be slow on a busy
// machine, but when Run has returned nothing is left to be waited for.
const (
	untilStarted = time.Minute
	untilGone    = 5 * time.Second
)

// A FIFO has an end when the last writer is gone: what still runs keeps it open.
func checkNothingLeft(t *testing.T, tr *trial) {
	fifo := filepath.Join(tr.work, "fifo") // where a sandbox shows it
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	// Held until the tool has opened its own, since without a writer the
	// reader would be at the end at once.
	w, err := os.OpenFile(fifo, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := tr.run(ctx, t, tr.call(tr.Hold(fifo)))
		done <- err
	}()
	r.SetReadDeadline(time.Now().Add(untilStarted))
	lines := bufio.NewReader(r)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Errorf("nothing was started: %v", err)
	}
	w.Close()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Run returned %v, want context.Canceled", err)
	}
	r.SetReadDeadline(time.Now().Add(untilGone))
	if _, err := io.Copy(io.Discard, lines); err != nil {
		t.Errorf("something still runs: %v", err)
	}
}
