package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Put stores content and gives its hash. Content that is there already is
// stored once.
func (s *Store) Put(ctx context.Context, content []byte) (string, error) {
	hash := Hash(content)
	found, err := s.keep(hash)
	if err != nil || found {
		return hash, err
	}
	hash, _, err = s.PutReader(ctx, bytes.NewReader(content))
	return hash, err
}

// PutReader stores what it reads and gives its hash and size.
func (s *Store) PutReader(ctx context.Context, r io.Reader) (hash string, size int64, err error) {
	temp, err := os.CreateTemp(filepath.Join(s.dir, tempName), "put-*")
	if err != nil {
		return "", 0, fmt.Errorf("put blob: %w", explain(s.dir, err))
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("put blob: %w", explain(s.dir, err))
			_ = os.Remove(temp.Name())
		}
	}()
	sum := sha256.New()
	size, err = io.Copy(io.MultiWriter(temp, sum), &contextReader{ctx, r})
	if err == nil {
		err = temp.Sync()
	}
	if err := errors.Join(err, temp.Close()); err != nil {
		return "", 0, err
	}
	hash = hex.EncodeToString(sum.Sum(nil))
	return hash, size, s.place(temp.Name(), hash)
}

// place gives a synced file its final name, for good.
func (s *Store) place(temp, hash string) error {
	path, err := s.path(hash)
	if err != nil {
		return err
	}
	s.sweeping.RLock()
	defer s.sweeping.RUnlock()
	inner := filepath.Dir(path)
	if err := os.MkdirAll(inner, 0o700); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	// The folders may be as new as the file.
	for _, dir := range []string{inner, filepath.Dir(inner), s.dir} {
		if err := syncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// keep says whether a blob is there, whole, and makes it as young as a new
// one, so that Sweep leaves it to whoever puts it now. A damaged one counts as
// missing: putting it again heals it.
func (s *Store) keep(hash string) (bool, error) {
	path, err := s.path(hash)
	if err != nil {
		return false, err
	}
	s.sweeping.RLock()
	defer s.sweeping.RUnlock()
	if _, err := s.Get(hash); err != nil {
		var damage *DamageError
		if IsNotFound(err) || errors.As(err, &damage) {
			return false, nil
		}
		return false, err
	}
	now := time.Now()
	if err := os.Chtimes(path, now, now); err != nil {
		return false, explain(path, err)
	}
	// Whoever put it first may not have come this far yet.
	return true, explain(path, syncDir(filepath.Dir(path)))
}

// contextReader stops reading when its context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
