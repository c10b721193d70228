package blob

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

var (
	// ErrHash says that a string is no hash.
	ErrHash = errors.New("not a blob's hash")
	// ErrNotFound says that there is no such blob.
	ErrNotFound = errors.New("no such blob")
	// ErrFull says that the disk has no room: nothing was written.
	ErrFull = errors.New("the disk is full")
	// ErrReadOnly says that the store cannot be written.
	ErrReadOnly = errors.New("the blob folder is read-only")
)

// DamageError says that a blob is not what was put.
type DamageError struct {
	Path string
	Hash string
	Got  string // the hash of what is there
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("damaged blob %s: its content has the hash %s (restore %s from a copy, or run `parley fsck`)", e.Hash, e.Got, e.Path)
}

// IsNotFound says whether an error means that there is no such blob.
func IsNotFound(err error) bool { return errors.Is(err, ErrNotFound) }

// explain says what an error of the file system means for a person.
func explain(path string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: %s was not written; make room and try again", ErrFull, path)
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: %w; check its mount and its owner", ErrReadOnly, err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %s", ErrNotFound, path)
	}
	return err
}
