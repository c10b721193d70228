//go:build !linux

package sqlite

// childDisk needs a file system that a test can mount.
func childDisk([]string) int { return 2 }
