//go:build unix && !linux

package builtin

import (
	"os"
	"path/filepath"
	"syscall"
)

// family is a command and what it started in its process group. What began a
// group of its own is not known here.
type family struct {
	id    int
	outer bool
}

func newFamily(pid int, _ string, outer bool) *family { return &family{id: pid, outer: outer} }

// usage is not known here.
func (f *family) usage() (processes int, memory int64) { return 0, 0 }

// signal sends it to every living member and says whether there was any.
func (f *family) signal(sig syscall.Signal) bool { return syscall.Kill(-f.id, sig) == nil }

// pathTo is the path of an open folder. These systems start no process in a
// folder that is known by its handle.
func pathTo(dir *os.File) string { return dir.Name() }

// realPath is where an open folder is, free of symbolic links.
func realPath(dir *os.File) string {
	path, err := filepath.EvalSymlinks(dir.Name())
	if err != nil {
		return dir.Name()
	}
	return path
}

// attributes give a command a session of its own: one group to be stopped.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// machineMemory is not asked for.
func machineMemory() int64 { return 0 }
