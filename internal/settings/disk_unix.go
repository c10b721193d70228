//go:build unix

package settings

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile waits for a lock that belongs to this open file, so that a second
// store in the same process meets it too.
func lockFile(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != unix.EINTR {
			return err
		}
	}
}

// syncDir makes the names in a folder last.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
