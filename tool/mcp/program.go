package mcp

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// grace is how long a program has to end after its input did, and once more
	// after it was asked to; patience how long the end of what was killed is
	// waited for.
	grace    = 2 * time.Second
	patience = 5 * time.Second
	// writeTime is how long a program may take to read what was written to it.
	writeTime = 10 * time.Second
	// keepErrors is how much of a program's complaints is kept.
	keepErrors = 2 << 10
)

// program carries a connection to a server that is a process of ours.
type program struct {
	cmd    *exec.Cmd
	tree   *tree
	out    *os.File // what it writes
	in     *os.File // what it reads
	errors complaints
	exited chan struct{} // closed when the process has ended
	once   sync.Once
	failed string // how it ended, if it did so by itself; to be read after close
}

func newProgram(command string, args []string, env map[string]string) (*program, error) {
	mark := rand.Text()
	cmd := exec.Command(command, args...)
	cmd.Env = environment(mark, env)
	cmd.SysProcAttr = attributes()
	p := &program{cmd: cmd, exited: make(chan struct{})}
	if err := p.start(); err != nil {
		return nil, fmt.Errorf("the program could not be started: %w", err)
	}
	// Before anybody waits for it: until then its number is nobody else's.
	p.tree = newTree(cmd.Process, mark)
	go func() {
		_ = cmd.Wait() // how it ended stands in ProcessState
		close(p.exited)
	}()
	return p, nil
}

// start starts the process on pipes of ours: those of package exec would keep
// Wait from returning as long as a child of it holds one.
func (p *program) start() error {
	var pipes []*os.File
	pipe := func() (r, w *os.File, err error) {
		if r, w, err = os.Pipe(); err == nil {
			pipes = append(pipes, r, w)
		}
		return r, w, err
	}
	theirIn, in, err := pipe()
	if err != nil {
		return err
	}
	out, theirOut, err := pipe()
	var complain, theirErr *os.File
	if err == nil {
		complain, theirErr, err = pipe()
	}
	if err == nil {
		p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirIn, theirOut, theirErr
		err = p.cmd.Start()
	}
	if err != nil {
		for _, f := range pipes {
			f.Close()
		}
		return err
	}
	for _, f := range []*os.File{theirIn, theirOut, theirErr} {
		f.Close()
	}
	p.in, p.out = in, out
	p.errors.listen(complain)
	return nil
}

func (p *program) transport() sdk.Transport {
	return &sdk.IOTransport{Reader: p.out, Writer: inputOf{p.in}, MaxLineLength: maxMessage}
}

// inputOf does not wait for ever for a program that does not read.
type inputOf struct{ *os.File }

func (f inputOf) Write(b []byte) (int, error) {
	_ = f.SetWriteDeadline(time.Now().Add(writeTime)) // where there are no deadlines, there are none
	return f.File.Write(b)
}

func (p *program) about() string {
	var parts []string
	if p.failed != "" {
		parts = append(parts, "the program ended with "+p.failed)
	}
	if last := p.errors.last(); last != "" {
		parts = append(parts, "it said: "+last)
	}
	return strings.Join(parts, "; ")
}

// close ends the process and all that it started.
func (p *program) close() {
	p.once.Do(func() {
		p.in.Close()
		if !p.within(grace) {
			p.tree.ask()
			p.within(grace)
		} else if !p.cmd.ProcessState.Success() {
			p.failed = p.cmd.ProcessState.String()
		}
		p.tree.kill(patience)
		p.within(patience)
		p.out.Close()
		p.errors.close()
	})
}

func (p *program) within(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// complaints keeps the end of what a program writes to its standard error.
type complaints struct {
	from *os.File
	done chan struct{}
	mu   sync.Mutex
	tail []byte
}

func (c *complaints) listen(from *os.File) {
	c.from, c.done = from, make(chan struct{})
	go func() {
		defer close(c.done)
		_, _ = io.Copy(c, from) // until it is closed
	}()
}

func (c *complaints) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tail = append(c.tail, b...)
	if extra := len(c.tail) - keepErrors; extra > 0 {
		c.tail = append(c.tail[:0], c.tail[extra:]...)
	}
	return len(b), nil
}

// last is the end of it, by whole lines if there are several.
func (c *complaints) last() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	tail := bytes.TrimSpace(c.tail)
	const most = 600
	if len(tail) > most {
		tail = tail[len(tail)-most:]
		if _, rest, ok := bytes.Cut(tail, []byte("\n")); ok {
			tail = rest
		}
	}
	return strings.ToValidUTF8(string(tail), "\uFFFD")
}

// close stops listening when all writers are gone, or soon.
func (c *complaints) close() {
	_ = c.from.SetReadDeadline(time.Now().Add(grace)) // what cannot be killed may hold it
	<-c.done
	c.from.Close()
}
