package settings

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockFile waits for a lock that belongs to this open file.
func lockFile(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &windows.Overlapped{})
}

// syncDir does nothing: this system cannot sync a folder, and keeps its names
// in a journal of its own.
func syncDir(string) error { return nil }
