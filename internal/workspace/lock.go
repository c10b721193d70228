package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// hold is the right to write: in the repository, in the trash, in the folder.
// Whoever has it knows that no other process of ours, and no git that one of
// them started, is at work there.
type hold struct {
	*Workspace
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
	h := &hold{w, ctx, f}
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

func (h *hold) release() {
	_ = h.lock.Truncate(0)
	_ = h.lock.Close()
	<-h.turn
}

func (h *hold) recover() error {
	if err := h.removeStaleLocks(); err != nil {
		return err
	}
	if err := h.initialise(); err != nil {
		return err
	}
	return h.settle()
}

// removeStaleLocks takes away what a killed git left in the way of the next.
func (h *hold) removeStaleLocks() error {
	return filepath.WalkDir(h.git.dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir() && filepath.Dir(path) == filepath.Join(h.git.dir, "objects") && d.Name() != "pack" && d.Name() != "info":
			return fs.SkipDir
		case !d.IsDir() && (strings.HasSuffix(path, ".lock") || strings.HasSuffix(path, ".keep")):
			h.store.log.Warn("removed a lock that a killed git left", "path", path)
			return os.Remove(path)
		}
		return nil
	})
}
