package workspace

import (
	"testing"

	"golang.org/x/sys/unix"
)

// A file on a file system that is mounted inside the workspace cannot be exchanged
// in one step: it stays, and that is said.
func TestOtherMount(t *testing.T) {
	x := newWorld(t)
	x.write("mounted/below", "hidden by the mount")
	if err := unix.Mount("tmpfs", x.path("mounted"), "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("nothing can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(x.path("mounted"), unix.MNT_DETACH) })
	x.write("mounted/a", "1")
	x.write("b", "1")
	s := x.step(func() { x.write("mounted/a", "2"); x.write("b", "2") })
	r := x.restore(s)
	x.keeps(r, "mounted/a", KeptOtherMount)
	x.reads("mounted/a", "2")
	x.reads("b", "1")
}
