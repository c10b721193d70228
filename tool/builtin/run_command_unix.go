//go:build unix

package builtin

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/parley-dev/parley/tool"
)

const (
	// flushEvery is how long output waits for more, so that a chatty command
	// makes a few events a second and not thousands.
	flushEvery = 50 * time.Millisecond
	// drain is how long the pipes are read on after everything was stopped, and
	// patience how long the end of what was killed is waited for. Only what
	// cannot be stopped (it became another user's) takes so long.
	drain    = time.Second
	patience = 5 * time.Second
)

// Run runs the command.
func (r RunCommand) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	in, err := r.decode(call)
	if err != nil {
		return tool.Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return tool.Result{}, err
	}
	c, err := start(call, in)
	if err != nil {
		return tool.Result{}, err
	}
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	ended := make(chan outcome, 1)
	go func() { ended <- c.supervise(ctx, in.timeout(), cmp.Or(r.Grace, runGrace)) }()
	for {
		select {
		case <-tick.C:
			c.out.flush(call.Emit)
		case o := <-ended:
			c.out.flush(call.Emit)
			return o.result(&c.out), o.err
		}
	}
}

// command is a command that runs.
type command struct {
	cmd    *exec.Cmd
	family *family
	begun  time.Time
	out    output
	pipes  []*os.File // the ends to read from
	read   sync.WaitGroup
	exited chan struct{} // closed when the shell has ended
}

// start starts the shell and what reads its output.
func start(call tool.Call, in runInput) (*command, error) {
	root, err := call.Root()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	dir, err := openDir(root, in.Cwd)
	if err != nil {
		return nil, err
	}
	defer dir.Close()

	mark := rand.Text()
	c := &command{cmd: exec.Command("/bin/sh", "-c", in.Command), exited: make(chan struct{})}
	c.cmd.Env = environment(mark)
	c.cmd.Dir = pathTo(dir)
	// A session of its own: one group to be stopped, and no terminal.
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.launch(); err != nil {
		return nil, &tool.Error{Code: tool.CodeExecutionFailed, Message: fmt.Sprintf("the shell could not be started: %v", err), Err: err}
	}
	// Before anybody waits for it: until then its number is nobody else's.
	c.family = newFamily(c.cmd.Process.Pid, mark)
	go func() {
		_ = c.cmd.Wait() // how it ended stands in ProcessState
		close(c.exited)
	}()
	return c, nil
}

// launch starts the process on two pipes of ours. With those of package exec,
// Wait would wait for whatever still holds them.
func (c *command) launch() error {
	stdout, err := c.pipe(tool.Stdout)
	if err != nil {
		return err
	}
	defer stdout.Close()
	stderr, err := c.pipe(tool.Stderr)
	if err != nil {
		c.stopReading(0)
		return err
	}
	defer stderr.Close()
	c.cmd.Stdout, c.cmd.Stderr = stdout, stderr
	c.begun = time.Now()
	if err := c.cmd.Start(); err != nil {
		c.stopReading(0)
		return err
	}
	return nil
}

// pipe gives the end to write to of a pipe that is read into the output.
func (c *command) pipe(stream string) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.pipes = append(c.pipes, r)
	c.read.Go(func() {
		buf := make([]byte, 32<<10)
		for {
			n, err := r.Read(buf)
			c.out.add(stream, buf[:n])
			if err != nil {
				c.out.end(stream)
				return
			}
		}
	})
	return w, nil
}

// stopReading waits until the pipes have ended, but no longer than that.
func (c *command) stopReading(within time.Duration) {
	for _, p := range c.pipes {
		_ = p.SetReadDeadline(time.Now().Add(within))
	}
	c.read.Wait()
	for _, p := range c.pipes {
		p.Close()
	}
}

// supervise waits until the command has ended, must end, or has had its time;
// then it stops whatever is left of it and collects the rest of its output.
func (c *command) supervise(ctx context.Context, limit, grace time.Duration) outcome {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var o outcome
	select {
	case <-c.exited:
	case <-timer.C:
		o.err = &tool.Error{Code: tool.CodeTimeout, Message: fmt.Sprintf(
			"the command was stopped after %v; give it more time (timeout_sec, at most %d) or less to do", limit, runLongest/time.Second)}
	case <-ctx.Done():
		o.err = ctx.Err()
	}
	o.took = time.Since(c.begun)
	o.leftover = c.family.stop(grace) && o.err == nil
	select {
	case <-c.exited:
		o.code, o.signal = ending(c.cmd.ProcessState)
	case <-time.After(patience):
		o.code, o.stuck = -1, true
	}
	c.stopReading(drain)
	return o
}

// ending says how a process ended, with the exit code that a shell would show.
func ending(s *os.ProcessState) (code int, signal string) {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal()), w.Signal().String()
	}
	return s.ExitCode(), ""
}

func openDir(root *os.Root, name string) (*os.File, error) {
	dir, err := root.OpenFile(name, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, tool.PathError(root, name, err)
	}
	return dir, nil
}
