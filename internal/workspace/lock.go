package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// hold is the right to write: in the repository, in the trash, in the folder.
// Whoever has it knows that no other process of ours, and no git that one of
// them started, is at work there.
type hold struct {
	*Workspace
	git  git // that of the workspace, and knows whether a call failed
	ctx  context.Context
	lock *os.File
}

const lockPoll = 10 * time.Millisecond

// hold waits for its turn. Goroutines of this process queue in memory, so only
// one of them asks the file.
func (w *Workspace) hold(ctx context.Context) (*hold, error) {
	select {
	case w.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	h, err := w.take(ctx)
	if err != nil {
		<-w.turn
		return nil, err
	}
	return h, nil
}

func (w *Workspace) take(ctx context.Context) (*hold, error) {
	if w.store.closed.Load() {
		return nil, ErrClosed
	}
	f, err := os.OpenFile(filepath.Join(w.dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the checkpoints of %s: %w", w.folder, err)
	}
	for {
		ok, err := tryLock(f)
		if err != nil {
			_ = f.Close()
			return nil, fmt.Errorf("lock the checkpoints of %s: %w", w.folder, err)
		}
		if ok {
			break
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, fmt.Errorf("another process keeps a checkpoint of %s: %w", w.folder, ctx.Err())
		case <-time.After(lockPoll):
		}
	}
	h := &hold{Workspace: w, git: w.git, ctx: ctx, lock: f}
	h.git.failed = new(atomic.Bool)
	if err := h.begin(); err != nil {
		_ = f.Close()
		return nil, err
	}
	return h, nil
}

// begin marks the lock as in use. A mark that is still there, or the first turn
// of this process, means that somebody may have died in the middle: what that
// left behind is put in order first. Locks of git are stale then, because no git
// runs without our lock.
func (h *hold) begin() error {
	info, err := h.lock.Stat()
	if err != nil {
		return err
	}
	if info.Size() > 0 || !h.tidy {
		if err := h.recover(); err != nil {
			return fmt.Errorf("put the checkpoints of %s in order after a crash: %w", h.folder, err)
		}
		h.tidy = true
	}
	_, err = h.lock.WriteAt([]byte("busy\n"), 0)
	return err
}

// release gives the right back, and the room that a git took which was killed or
// failed.
func (h *hold) release() {
	if h.ctx.Err() != nil || h.git.failed.Load() {
		if _, err := h.removeRemains(); err != nil {
			h.store.log.Warn("what a failed git left could not be removed", "folder", h.folder, "err", err)
			h.tidy = false // the next turn tries again
		}
	}
	_ = h.lock.Truncate(0)
	_ = h.lock.Close()
	<-h.turn
}

func (h *hold) recover() error {
	n, err := h.removeRemains()
	if err != nil {
		return err
	}
	if n > 0 {
		h.store.log.Warn("removed what a killed git left", "folder", h.folder, "files", n)
	}
	if err := h.initialise(); err != nil {
		return err
	}
	return h.settle()
}

// removeRemains takes away what a git left that was killed or had no room: locks,
// which stand in the way of the next one, and unfinished files, which only take
// room. None of them is in use, because no git writes without our lock.
func (h *hold) removeRemains() (n int, err error) {
	err = filepath.WalkDir(h.git.dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir() || !remains(d.Name()):
			return nil
		}
		n++
		return os.Remove(path)
	})
	return n, err
}

// remains says of a file in a repository that only a git that did not come to its end
// leaves it there.
func remains(name string) bool {
	for _, prefix := range []string{"tmp_", ".tmp-", "fast_import_crash_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, ".keep") || name == "packed-refs.new"
}
