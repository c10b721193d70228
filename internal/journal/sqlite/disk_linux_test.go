package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/parley-dev/parley/internal/journal"
)

// A disk that fills up and one that turns read-only are real here: a small
// file system in memory, which a child mounts in a namespace of its own.
func TestDisk(t *testing.T) {
	cmd := child(t, "disk", t.TempDir())
	cmd.Stdout = os.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	err := cmd.Run()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
		t.Skip("this machine gives no namespaces; TestFull covers the half of it that needs none")
	}
	must(t, err)
}

func childDisk(args []string) int {
	err := errors.Join(fullDisk(filepath.Join(args[0], "full")), readOnlyDisk(filepath.Join(args[0], "readonly")))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func mount(dir, options string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	return unix.Mount("tmpfs", dir, "tmpfs", 0, options)
}

// fullDisk appends until nothing more fits, makes room and goes on.
func fullDisk(dir string) (err error) {
	if err := mount(dir, "size=4m"); err != nil {
		return err
	}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 2<<20), 0o600); err != nil {
		return err
	}
	j, err := Open(Options{Dir: dir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	ctx := context.Background()
	var last uint64
	for err == nil {
		if err = j.Append(ctx, testAppend("a", last, 50)); err == nil {
			last += 50
		}
	}
	if !errors.Is(err, journal.ErrFull) {
		return fmt.Errorf("a full disk gave %w", err)
	}
	if h, err := j.Head(ctx, "a"); err != nil || h.Last != last {
		return fmt.Errorf("%d records were acknowledged, the head is %+v, %v", last, h, err)
	}
	if err := j.Append(ctx, testAppend("b", 0, 1000)); !errors.Is(err, journal.ErrFull) {
		return fmt.Errorf("still full, and an append gave %v", err)
	}
	if err := os.Remove(ballast); err != nil {
		return err
	}
	if err := j.Append(ctx, testAppend("a", last, 50)); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	return readBack(j, "a", last+50)
}

// readOnlyDisk turns the disk read-only under an open journal, and opens one
// on a disk that is.
func readOnlyDisk(dir string) error {
	if err := mount(dir, "size=16m"); err != nil {
		return err
	}
	j, err := Open(Options{Dir: dir})
	if err != nil {
		return err
	}
	ctx := context.Background()
	if err := j.Append(ctx, testAppend("a", 0, 5)); err != nil {
		return err
	}
	if err := j.Close(); err != nil {
		return err
	}
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		return err
	}
	if _, err := Open(Options{Dir: dir}); !errors.Is(err, journal.ErrReadOnly) {
		return fmt.Errorf("opening on a read-only disk gave %v", err)
	}
	if _, err := Open(Options{Dir: filepath.Join(dir, "new")}); !errors.Is(err, journal.ErrReadOnly) {
		return fmt.Errorf("a new folder on a read-only disk gave %v", err)
	}
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT, ""); err != nil {
		return err
	}
	if j, err = Open(Options{Dir: dir}); err != nil {
		return err
	}
	return errors.Join(readBack(j, "a", 5), j.Close())
}

func readBack(j *Journal, session string, n uint64) error {
	got, err := j.Read(context.Background(), session, 0, int(n)+1)
	if err != nil || uint64(len(got)) != n {
		return fmt.Errorf("%d of %d records came back, %w", len(got), n, err)
	}
	for i, r := range got {
		if want := testFrame(session, uint64(i)+1); string(r.Frame) != string(want) {
			return fmt.Errorf("record %d came back as %q", r.Seq, r.Frame)
		}
	}
	return nil
}
