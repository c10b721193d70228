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

// Ref is a checkpoint that a session saved.
type Ref struct {
	Folder  string
	Session string
	Hash    string
	Created time.Time
}

const (
	manyPacks = 24               // joined by Tend when there are more
	idleAfter = 30 * time.Minute // then a folder leaves memory
)

// eachFolder runs over all folders that have checkpoints, also those that no
// session has opened since the start.
func (s *Store) eachFolder(do func(*Workspace) error) error {
	if s.unavailable != nil {
		return s.unavailable
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, entry := range entries {
		folder, err := os.ReadFile(filepath.Join(s.dir, entry.Name(), "folder"))
		if err != nil {
			continue // not begun, or not ours
		}
		w, err := s.known(string(folder))
		if err != nil {
			continue // its trash has no place now; its checkpoints wait
		}
		if err := do(w); err != nil {
			errs = append(errs, fmt.Errorf("checkpoints of %s: %w", w.folder, err))
		}
	}
	return errors.Join(errs...)
}

// each is eachFolder for what writes.
func (s *Store) each(ctx context.Context, do func(*hold) error) error {
	return s.eachFolder(func(w *Workspace) error {
		h, err := w.hold(ctx)
		if err != nil {
			return err
		}
		defer h.release()
		return do(h)
	})
}

// known is Of for a folder that was accepted once.
func (s *Store) known(folder string) (*Workspace, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.folders[folder]; w != nil {
		return w, nil
	}
	w, err := s.workspace(folder)
	if err == nil {
		s.folders[folder] = w
	}
	return w, err
}

// Tend does what makes later work cheap and nobody waits for: it joins small packs,
// empties the trash of what is old, and lets go of folders that are not in use.
func (s *Store) Tend(ctx context.Context) error {
	return s.each(ctx, func(h *hold) error {
		errs := []error{h.sweepTrash(s.now().Add(-s.limits.Trash)), h.sweepMarks(s.now().Add(-markLasts)), h.repack(false)}
		if h.manifest != nil && s.now().Sub(h.used) > idleAfter {
			errs = append(errs, h.keepStamps())
			h.manifest, h.refs = nil, nil
		}
		return errors.Join(errs...)
	})
}

// repack joins packs. It removes no object, so that it can be cut off anywhere.
func (h *hold) repack(always bool) error {
	packs, err := filepath.Glob(filepath.Join(h.git.dir, "objects", "pack", "pack-*.pack"))
	if err != nil || len(packs) <= manyPacks && !always {
		return err
	}
	args := []string{"repack", "-q", "-d", "--geometric=2"}
	if !h.store.geometric {
		args = []string{"repack", "-q", "-a", "-d", "-k"}
	}
	if _, err := h.git.run(h.ctx, h.lock, args...); err != nil {
		return err
	}
	_, err = h.git.run(h.ctx, h.lock, "pack-refs", "--all")
	return err
}

// Removed is what a collection took away.
type Removed struct {
	Checkpoints int
	Bytes       int64
}

// GC forgets the checkpoints that keep does not want and frees what only they
// held. The latest state of a folder always stays. Saves of a folder wait while it
// is cleaned.
func (s *Store) GC(ctx context.Context, keep func(Ref) bool) (Removed, error) {
	var total Removed
	err := s.each(ctx, func(h *hold) error {
		items, err := h.list(h.ctx, h.lock, "", true)
		if err != nil {
			return err
		}
		var gone strings.Builder
		n := 0
		for _, item := range items {
			if !keep(Ref{Folder: h.folder, Session: item.session, Hash: item.hash, Created: item.at}) {
				fmt.Fprintf(&gone, "delete %s\n", item.ref)
				n++
			}
		}
		if n == 0 {
			return nil
		}
		before := sizeOf(h.git.dir)
		if err := h.forget(gone.String()); err != nil {
			return err
		}
		total.Checkpoints += n
		total.Bytes += before - sizeOf(h.git.dir)
		return nil
	})
	return total, err
}

// updateRefs changes refs, all or none of them.
func (h *hold) updateRefs(commands string) error {
	if commands == "" {
		return nil
	}
	cmd := h.git.command(h.ctx, h.lock, "update-ref", "--stdin")
	cmd.Stdin = strings.NewReader(commands)
	if out, err := cmd.CombinedOutput(); err != nil {
		return gitError(h.ctx, "update-ref", err, string(out))
	}
	return h.noteRemoved()
}

// forget removes refs and gives back the room of what only they held. If it is
// cut off, the next collection goes on with it.
func (h *hold) forget(commands string) error {
	if err := h.reclaiming(true); err != nil {
		return err
	}
	if err := h.updateRefs(commands); err != nil {
		return err
	}
	if _, err := h.git.run(h.ctx, h.lock, "repack", "-q", "-a", "-d"); err != nil {
		return err
	}
	if _, err := h.git.run(h.ctx, h.lock, "prune", "--expire=now"); err != nil {
		return err
	}
	return h.reclaiming(false)
}

// Size is what the checkpoints of a folder take on disk.
type Size struct {
	Folder      string
	Checkpoints int
	Repository  int64
	Trash       int64
}

// Sizes says what each folder's checkpoints take.
func (s *Store) Sizes(ctx context.Context) ([]Size, error) {
	var list []Size
	err := s.each(ctx, func(h *hold) error {
		items, err := h.list(h.ctx, h.lock, "", true)
		if err != nil {
			return err
		}
		list = append(list, Size{Folder: h.folder, Checkpoints: len(items), Repository: sizeOf(h.git.dir), Trash: sizeOf(h.trash)})
		return nil
	})
	return list, err
}

// Check verifies that every checkpoint can be read whole.
func (s *Store) Check(ctx context.Context) error {
	return s.each(ctx, func(h *hold) error {
		_, err := h.git.run(ctx, h.lock, "fsck", "--full", "--no-dangling", "--no-progress")
		return err
	})
}

func sizeOf(dir string) (total int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
		return nil
	})
	return total
}
