//go:build !unix

package acp

import (
	"os"
	"syscall"
	"time"
)

// tree is a process; what it started is not known here.
type tree struct{ process *os.Process }

func newTree(p *os.Process, _ string) *tree { return &tree{p} }

func attributes() *syscall.SysProcAttr { return nil }

func (t *tree) ask() {}

func (t *tree) kill(time.Duration) { _ = t.process.Kill() }
