//go:build unix

package sqlite

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile takes a lock that belongs to this open file, so that a second Open
// in the same process meets it too.
func lockFile(f *os.File, exclusive bool) error {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	for {
		switch err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB); err {
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			return errHeld
		default:
			return err
		}
	}
}
