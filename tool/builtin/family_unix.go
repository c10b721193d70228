//go:build unix && !linux

package builtin

import (
	"os"
	"syscall"
)

// family is a command and what it started in its process group. What began a
// group of its own is not known here.
type family struct{ id int }

func newFamily(pid int, _ string) *family { return &family{id: pid} }

// signal sends it to every living member and says whether there was any.
func (f *family) signal(sig syscall.Signal) bool { return syscall.Kill(-f.id, sig) == nil }

// pathTo is the path of an open folder. These systems start no process in a
// folder that is known by its handle.
func pathTo(dir *os.File) string { return dir.Name() }
