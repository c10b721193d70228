package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	modernc "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/parley-dev/parley/internal/journal"
)

// ErrNewer says that a newer program wrote the file.
var ErrNewer = errors.New("the journal was written by a newer version")

// code is SQLite's primary result code of an error, 0 if it has none.
func code(err error) int {
	var e *modernc.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// explain turns what SQLite or the kernel said into what the port promises.
func explain(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: nothing was written to %s; make room and try again", journal.ErrFull, path)
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: %s cannot be written: %w; check its mount and its owner", journal.ErrReadOnly, path, err)
	}
	switch code(err) {
	case lib.SQLITE_FULL:
		return fmt.Errorf("%w: nothing was written to %s; make room and try again", journal.ErrFull, path)
	case lib.SQLITE_READONLY, lib.SQLITE_PERM:
		return fmt.Errorf("%w: %s cannot be written; check its mount and its owner", journal.ErrReadOnly, path)
	case lib.SQLITE_NOTADB:
		return &journal.DamageError{Where: path, What: "it is not a database; move it away and restore a copy"}
	case lib.SQLITE_CORRUPT, lib.SQLITE_CONSTRAINT:
		return &journal.DamageError{Where: path, What: err.Error()}
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return fmt.Errorf("another program holds %s locked; close it and try again: %w", path, err)
	case lib.SQLITE_IOERR:
		return fmt.Errorf("the disk failed under %s; nothing of this was written: %w", path, err)
	}
	return err
}

// sharedFate says whether an error of one piece of work means that all work of
// its group would fail. Otherwise each piece is tried on its own.
func sharedFate(err error) bool {
	switch code(err) {
	case lib.SQLITE_FULL, lib.SQLITE_IOERR, lib.SQLITE_READONLY, lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_NOMEM:
		return true
	}
	return false
}
