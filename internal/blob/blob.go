// Package blob keeps large payloads under the hash of their content, one file
// each.
//
// What it promises:
//
//   - When Put returns, the content is on disk for good: synced, under its
//     final name, in a synced folder. A crash before that leaves at most a
//     temporary file, which Sweep takes away.
//   - What is read is what was put. A reader that reached the end has checked
//     it; damage is a *DamageError in the place of the end.
//   - Sweep removes nothing that was put, or put again, since the time it is
//     given, also while it runs.
//   - A Put that fails (disk full, read-only) leaves nothing under the hash.
//
// What it refuses: it does not know who may read a blob or who refers to it
// (the journal does), and takes nothing for a hash but 64 lower-case
// hexadecimal digits. A folder has one user at a time.
package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// Store is a folder of blobs.
type Store struct {
	dir string
	// sweeping is held for reading while a blob is put and for writing while
	// one is removed, so that a blob is not removed under a Put that found it.
	sweeping sync.RWMutex
}

const tempName = "tmp"

// New uses a folder as a store and makes it if it does not exist.
func New(dir string) (*Store, error) {
	if err := os.MkdirAll(filepath.Join(dir, tempName), 0o700); err != nil {
		return nil, fmt.Errorf("open blob store: %w", explain(dir, err))
	}
	return &Store{dir: dir}, nil
}

// Hash is the name that content has in a store.
func Hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// ValidHash says whether a string has the form of a hash.
func ValidHash(hash string) bool {
	if len(hash) != 2*sha256.Size {
		return false
	}
	for i := range len(hash) {
		if c := hash[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// path is where a blob lies: two levels of folders keep each of them small.
func (s *Store) path(hash string) (string, error) {
	if !ValidHash(hash) {
		return "", fmt.Errorf("%w: %.80q", ErrHash, hash)
	}
	return filepath.Join(s.dir, hash[:2], hash[2:4], hash), nil
}

// Has says whether a blob is there.
func (s *Store) Has(hash string) (bool, error) {
	_, err := s.Size(hash)
	if IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// Size is how many bytes a blob has.
func (s *Store) Size(hash string) (int64, error) {
	path, err := s.path(hash)
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, explain(path, err)
	}
	return info.Size(), nil
}

// Get reads a whole blob and checks it.
func (s *Store) Get(hash string) ([]byte, error) {
	r, err := s.Open(hash)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
