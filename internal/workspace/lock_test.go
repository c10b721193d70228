//go:build unix

package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Whoever gets the lock knows that no git of a killed process is still writing.
func TestLockOutlivesItsHolder(t *testing.T) {
	x := newWorld(t)
	x.write("a", "1")
	x.save()
	h, err := x.w.hold(t.Context())
	x.ok(err)
	git, err := x.w.batch(t.Context(), h.lock)
	x.ok(err)
	x.ok(h.lock.Close()) // as a kill would
	other, err := os.OpenFile(filepath.Join(x.w.dir, "lock"), os.O_RDWR, 0)
	x.ok(err)
	defer other.Close()
	if ok, err := tryLock(other); ok || err != nil {
		t.Errorf("the lock was free while git ran: %v", err)
	}
	git.close()
	if ok, err := tryLock(other); !ok || err != nil {
		t.Errorf("the lock is still taken: %v", err)
	}
	<-x.w.turn
}

func TestLockWaits(t *testing.T) {
	x := newWorld(t)
	x.write("a", "1")
	_, other := x.second(Limits{})
	h, err := x.w.hold(t.Context())
	x.ok(err)
	for _, w := range []*Workspace{x.w, other} {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		if _, err := w.Save(ctx, Save{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a second writer got %v", err)
		}
		cancel()
	}
	done := make(chan error)
	go func() {
		_, err := other.Save(t.Context(), Save{})
		done <- err
	}()
	h.release()
	x.ok(<-done)
}

// A file that was written a moment ago can be written again without its times
// showing it; how long a moment is depends on the file system's clock.
func TestFreshStampsDoNotCount(t *testing.T) {
	second := int64(time.Second)
	fine, coarse := 1000*second+1, 1000*second
	for _, c := range []struct {
		changed, now int64
		counts       bool
	}{
		{fine, fine, false}, {fine, fine + second/20, false}, {fine, fine + second, true}, {fine, fine - second, false},
		{coarse, coarse + second, false}, {coarse, coarse + 3*second, true},
	} {
		s := stamp{size: 1, mtime: c.changed - 5*second, ctime: c.changed}
		if got := s.unlessFresh(c.now) == s; got != c.counts {
			t.Errorf("a change at %d seen at %d counts: %v", c.changed, c.now, got)
		}
	}
}
