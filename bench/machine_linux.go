package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// ownCPU is the processor time of this process, in seconds.
func ownCPU() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// datasync is the cheapest way to have a file's bytes on the disk.
func datasync(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }

// fileSystem names the one that holds a folder.
func fileSystem(dir string) string {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return "unknown"
	}
	names := map[int64]string{
		0xef53: "ext4", 0x58465342: "xfs", 0x9123683e: "btrfs", 0x794c7630: "overlayfs", 0x2fc12fc1: "zfs", 0x6969: "nfs",
		0x01021994: "tmpfs (no disk at all)",
	}
	if name, ok := names[int64(s.Type)]; ok {
		return name
	}
	return fmt.Sprintf("%#x at %s", s.Type, filepath.Dir(dir))
}
