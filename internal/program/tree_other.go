//go:build !unix

package program

import (
	"syscall"
	"time"
)

// members are not known here beside the process itself.
type members struct{}

func (members) root(int) {}

func attributes() *syscall.SysProcAttr { return nil }

// Stop kills the process, if it lives; it cannot be asked to end.
func (t *Tree) Stop(time.Duration) (found bool) { return t.cmd.Process.Kill() == nil }

// Usage is not known here.
func (t *Tree) Usage() (processes int, memory int64) { return 0, 0 }
