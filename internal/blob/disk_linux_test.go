package blob_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/parley-dev/parley/internal/blob"
)

// The failures of a disk are tried on a real one: a small file system in
// memory, mounted by a child process in a namespace of its own.
func TestDisk(t *testing.T) {
	if os.Getenv("BLOB_DISK_CHILD") != "" {
		testDisk(t)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestDisk$", "-test.v")
	cmd.Env = append(os.Environ(), "BLOB_DISK_CHILD=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
		t.Skip("this machine gives no namespaces")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func testDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Fatal(err)
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	s, err := blob.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	small, err := s.Put(t.Context(), []byte("fits"))
	if err != nil {
		t.Fatal(err)
	}

	large := make([]byte, 2<<20)
	if _, err := s.Put(t.Context(), large); !errors.Is(err, blob.ErrFull) {
		t.Errorf("a blob larger than the disk gave %v", err)
	}
	if has, _ := s.Has(blob.Hash(large)); has {
		t.Errorf("half a blob is there")
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "tmp")); len(left) != 0 {
		t.Errorf("a failed put left %v", left)
	}
	if _, err := s.Put(t.Context(), []byte("still fits")); err != nil {
		t.Errorf("after a failure: %v", err)
	}

	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), []byte("more")); !errors.Is(err, blob.ErrReadOnly) {
		t.Errorf("put on a read-only disk gave %v", err)
	}
	if got, err := s.Get(small); err != nil || string(got) != "fits" {
		t.Errorf("reading a read-only disk: %q, %v", got, err)
	}
	if _, err := blob.New(filepath.Join(dir, "new")); !errors.Is(err, blob.ErrReadOnly) {
		t.Errorf("a store on a read-only disk gave %v", err)
	}
}
