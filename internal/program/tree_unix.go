//go:build unix && !linux

package program

import "syscall"

// members are what the command started in its process group. What began a group
// of its own is not known here.
type members struct{ id int }

func (m *members) root(pid int) { m.id = pid }

// attributes give a command a session of its own: one group to be stopped.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// signal sends it to every living member and says whether there was any. The
// number is that of the group as long as it has a member.
func (t *Tree) signal(sig syscall.Signal) bool { return syscall.Kill(-t.id, sig) == nil }

// Usage is not known here.
func (t *Tree) Usage() (processes int, memory int64) { return 0, 0 }
