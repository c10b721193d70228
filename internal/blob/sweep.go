package blob

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Swept is what a sweep did.
type Swept struct {
	Kept    int   `json:"kept"`
	Removed int   `json:"removed"`
	Freed   int64 `json:"freed_bytes"`
	// Leftovers are temporary files of a crash that were removed.
	Leftovers int `json:"leftovers"`
}

// Sweep removes the blobs that keep does not want and that were put before
// olderThan. The time between that and now is the grace that a blob has until
// a record refers to it: give it an hour or more. Files that are not blobs are
// left alone.
func (s *Store) Sweep(ctx context.Context, keep func(hash string) bool, olderThan time.Time) (Swept, error) {
	var done Swept
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // gone meanwhile
		}
		if err != nil || d.IsDir() {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if filepath.Dir(path) == filepath.Join(s.dir, tempName) {
			_, removed, err := s.remove(path, olderThan)
			if removed {
				done.Leftovers++
			}
			return err
		}
		if place, err := s.path(d.Name()); err != nil || place != path {
			return nil // not ours
		}
		if keep(d.Name()) {
			done.Kept++
			return nil
		}
		size, removed, err := s.remove(path, olderThan)
		if removed {
			done.Removed++
			done.Freed += size
		} else {
			done.Kept++
		}
		return err
	})
	return done, explain(s.dir, err)
}

// remove takes a file away unless it is too young.
func (s *Store) remove(path string, olderThan time.Time) (size int64, removed bool, err error) {
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil || !info.ModTime().Before(olderThan) {
		return 0, false, err
	}
	return info.Size(), true, os.Remove(path)
}
