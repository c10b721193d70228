//go:build unix

package builtin

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"

	"github.com/parley-dev/parley/internal/program"
	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/sandbox"
)

const (
	// flushEvery is how long output waits for more, so that a chatty command
	// makes a few events a second and not thousands.
	flushEvery = 50 * time.Millisecond
	// lookEvery is how often it is looked after limits.
	lookEvery = 500 * time.Millisecond
	// drain is how long the pipes are read on after everything was stopped, and
	// patience how long the end of the shell is waited for. Only what cannot be
	// stopped (it became another user's) takes so long.
	drain    = time.Second
	patience = 5 * time.Second
)

// Run runs the command, or does what the call wants with a job.
func (r RunCommand) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	in, err := r.decode(call)
	if err != nil {
		return tool.Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return tool.Result{}, err
	}
	if in.Job != "" {
		return r.Jobs.look(ctx, call, in)
	}
	if why, err := r.guards(call, in); err != nil {
		return tool.Result{}, err
	} else if why != "" && !call.Approved {
		return tool.Result{}, &tool.Error{Code: tool.CodeUnavailable, Message: fmt.Sprintf("the command is guarded: %s. A person has to approve this very call, and nobody was asked", why)}
	}
	if in.Background {
		return r.Jobs.begin(ctx, r, call, in)
	}
	c, err := r.start(call, in)
	if err != nil {
		return tool.Result{}, err
	}
	ended := make(chan outcome, 1)
	go func() { ended <- c.supervise(ctx, r, in.timeout()) }()
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
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
	cmd   *exec.Cmd
	tree  *program.Tree
	begun time.Time
	out   output
	pipes []*os.File // the ends to read from
	input *os.File   // the end to write to; nil if there is none
	unbox func()     // clears what its sandbox needed
	read  sync.WaitGroup
}

// start starts the shell and what reads its output.
func (r RunCommand) start(call tool.Call, in runInput) (*command, error) {
	p, err := openPlace(call)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if _, err := p.find(in.Cwd, reading); err != nil {
		return nil, err
	}
	dir, err := openDir(p.root, in.Cwd)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	w, err := r.wrap(p, dir, in)
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{Path: w.Path, Args: w.Args, Env: append(program.Environment(), w.Env...), Dir: pathTo(dir)}
	c := &command{cmd: cmd, tree: program.NewTree(cmd), unbox: w.Close}
	c.tree.Outer = w.Outer
	launch := c.launch
	if in.PTY {
		launch = c.launchTerminal
	}
	if err := launch(in.Background); err != nil {
		c.unbox()
		return nil, &tool.Error{Code: tool.CodeExecutionFailed, Message: fmt.Sprintf("the shell could not be started: %v", err), Err: err}
	}
	return c, nil
}

// wrap puts the shell into the sandbox, if there is one.
func (r RunCommand) wrap(p *place, dir *os.File, in runInput) (sandbox.Wrapped, error) {
	argv := []string{"/bin/sh", "-c", in.Command}
	if r.Sandbox == nil {
		return sandbox.Wrapped{Path: argv[0], Args: argv, Close: func() {}}, nil
	}
	cage, err := p.cage(dir)
	if err != nil {
		return sandbox.Wrapped{}, err
	}
	cage.Network = r.Network || in.Network
	w, err := r.Sandbox.Wrap(cage, argv...)
	if err != nil {
		return w, &tool.Error{Code: tool.CodeUnavailable, Message: fmt.Sprintf("the sandbox could not be set up, so the command was not run: %v", err), Err: err}
	}
	return w, nil
}

// launch starts the process on two pipes of ours. With those of package exec,
// Wait would wait for whatever still holds them.
func (c *command) launch(interactive bool) error {
	if interactive {
		stdin, w, err := os.Pipe()
		if err != nil {
			return err
		}
		defer stdin.Close()
		c.cmd.Stdin, c.input = stdin, w
	}
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
	if err := c.tree.Start(); err != nil {
		c.stopReading(0)
		return err
	}
	return nil
}

// launchTerminal starts the process on a terminal, which is also there to type.
func (c *command) launchTerminal(bool) error {
	mine, theirs, err := pty.Open()
	if err != nil {
		return fmt.Errorf("there is no terminal for it: %w", err)
	}
	defer theirs.Close()
	_ = pty.Setsize(mine, &pty.Winsize{Rows: 40, Cols: 120}) // else it has no size
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = theirs, theirs, theirs
	c.cmd.SysProcAttr.Setctty = true
	c.input, c.out.terminal = mine, true
	c.begun = time.Now()
	if err := c.tree.Start(); err != nil {
		mine.Close()
		return err
	}
	c.readFrom(mine, tool.Stdout)
	return nil
}

// pipe gives the end to write to of a pipe that is read into the output.
func (c *command) pipe(stream string) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.readFrom(r, stream)
	return w, nil
}

func (c *command) readFrom(r *os.File, stream string) {
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
	if c.input != nil {
		c.input.Close()
	}
}

// supervise waits until the command has ended, must end, or has had its share of
// time or memory; then it stops whatever is left of it and collects the rest of its
// output.
func (c *command) supervise(ctx context.Context, r RunCommand, limit time.Duration) outcome {
	defer c.unbox()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	var o outcome
	for running := true; running; {
		running = false
		select {
		case <-c.tree.Exited():
		case <-timer.C:
			o.err = &tool.Error{Code: tool.CodeTimeout, Message: fmt.Sprintf("the command was stopped after %v; give it more time (timeout_sec) or less to do", limit)}
		case <-ctx.Done():
			o.err = ctx.Err()
		case <-look.C:
			o.err = r.Limits.exceeded(c.tree)
			running = o.err == nil
		}
	}
	o.took = time.Since(c.begun)
	o.leftover = c.tree.Stop(cmp.Or(r.Grace, runGrace)) && o.err == nil && !c.tree.Outer
	select {
	case <-c.tree.Exited():
		o.code, o.signal = ending(c.cmd.ProcessState)
	case <-time.After(patience):
		o.code, o.stuck = -1, true
	}
	c.stopReading(drain)
	return o
}

// exceeded says which limit a command has passed; nil if none.
func (l Limits) exceeded(t *program.Tree) error {
	processes, memory := t.Usage()
	most, bytes := cmp.Or(l.Processes, maxProcess), cmp.Or(l.Memory, machineMemory()/4*3)
	switch {
	case most > 0 && processes > most:
		return &tool.Error{Code: tool.CodeExecutionFailed, Message: fmt.Sprintf("the command was stopped: it had more than %d processes", most)}
	case bytes > 0 && memory > bytes:
		return &tool.Error{Code: tool.CodeExecutionFailed, Message: fmt.Sprintf("the command was stopped: it used more than %d MiB of memory", bytes>>20)}
	}
	return nil
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
