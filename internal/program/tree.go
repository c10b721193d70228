package program

import (
	"crypto/rand"
	"os"
	"os/exec"
	"time"
)

// patience is how long the end of what was killed is waited for. Only what cannot
// be killed (it became another user's) takes so long.
const patience = 5 * time.Second

// Tree is a command and all that it started.
type Tree struct {
	// Outer says, before the start, that the command is what holds another one
	// and ends when that has: it is not asked to end, and takes all with it when
	// it is killed.
	Outer bool

	cmd    *exec.Cmd
	mark   string        // how the mark stands in an environment
	exited chan struct{} // closed when the command itself has ended
	members
}

// NewTree makes a tree of a command that was not started. It gives the command a
// session of its own and adds the mark to its environment, which has to be what
// the command shall see: an empty one is an empty one here.
func NewTree(cmd *exec.Cmd) *Tree {
	t := &Tree{cmd: cmd, mark: markName + "=" + rand.Text(), exited: make(chan struct{})}
	cmd.Env = append(cmd.Env, t.mark)
	cmd.SysProcAttr = attributes()
	return t
}

// Start starts the command. Its standard streams must be files, so that its end
// does not wait for whatever else holds them.
func (t *Tree) Start() error {
	if err := t.cmd.Start(); err != nil {
		return err
	}
	// Before anybody waits for it: until then its number is nobody else's.
	t.root(t.cmd.Process.Pid)
	go func() {
		_ = t.cmd.Wait() // how it ended stands in ProcessState
		close(t.exited)
	}()
	return nil
}

// Exited is closed when the command itself has ended; others of the tree may live.
func (t *Tree) Exited() <-chan struct{} { return t.exited }

// State says how the command ended, once it has.
func (t *Tree) State() *os.ProcessState { return t.cmd.ProcessState }
