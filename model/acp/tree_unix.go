//go:build unix && !linux

package acp

import (
	"os"
	"syscall"
	"time"
)

// tree is a process and what it started in its process group. What began a group
// of its own is not known here.
type tree struct{ id int }

func newTree(p *os.Process, _ string) *tree { return &tree{p.Pid} }

// attributes give an agent a session of its own: one group to be ended.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func (t *tree) ask() { _ = syscall.Kill(-t.id, syscall.SIGTERM) }

// kill ends the group. The number is that of the group as long as it has a
// member.
func (t *tree) kill(time.Duration) { _ = syscall.Kill(-t.id, syscall.SIGKILL) }
