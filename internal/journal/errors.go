package journal

import (
	"errors"
	"fmt"
)

var (
	// ErrConflict says that another writer was faster.
	ErrConflict = errors.New("the session has other records than this writer expects")
	// ErrDeleted says that the id belonged to a session that was deleted.
	ErrDeleted = errors.New("the session was deleted and its id is not used again")
	// ErrNotFound says that there is no such session.
	ErrNotFound = errors.New("no such session")
	// ErrClosed says that the journal was closed.
	ErrClosed = errors.New("the journal is closed")
	// ErrFull says that the disk has no room: nothing was written.
	ErrFull = errors.New("the disk is full")
	// ErrReadOnly says that the data cannot be written.
	ErrReadOnly = errors.New("the data folder is read-only")
)

// DamageError says where stored data is not what was written.
type DamageError struct {
	Where   string // file, or table
	Session string
	Seq     uint64
	What    string
}

func (e *DamageError) Error() string {
	if e.Session == "" {
		return fmt.Sprintf("damaged data in %s: %s (run `parley fsck`)", e.Where, e.What)
	}
	return fmt.Sprintf("damaged record %d of session %s in %s: %s (run `parley fsck`)", e.Seq, e.Session, e.Where, e.What)
}

// InUseError says that another process holds the data.
type InUseError struct {
	Path   string
	Holder string // what the holder says of itself: process id, address
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("data folder %s is in use by %s; stop it, or choose another folder with --data", e.Path, e.Holder)
}
