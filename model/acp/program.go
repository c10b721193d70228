package acp

import (
	"bytes"
	"crypto/rand"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

const (
	// patience is how long the end of what was killed is waited for.
	patience = 5 * time.Second
	// writeTime is how long an agent may take to read what was written to it.
	writeTime = 10 * time.Second
	// keepErrors is how much of an agent's complaints is kept.
	keepErrors = 2 << 10
)

// program is the process of an agent.
type program struct {
	cmd    *exec.Cmd
	tree   *tree
	in     *os.File // what it reads
	out    *os.File // what it writes
	errors tail
	heard  chan struct{} // closed when its errors have been read
	exited chan struct{} // closed when it has ended
	once   sync.Once
}

// start starts it on pipes of ours: those of package exec would keep Wait from
// returning as long as a child of it holds one.
func (c command) start(folder string) (*program, error) {
	mark := rand.Text()
	cmd := exec.Command(c.program, c.args...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = folder, c.environment(mark), attributes()
	var ends [6]*os.File // read and write ends of input, output and errors
	var err error
	for i := 0; i < len(ends) && err == nil; i += 2 {
		ends[i], ends[i+1], err = os.Pipe()
	}
	if err == nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = ends[0], ends[3], ends[5]
		err = cmd.Start()
	}
	if err != nil {
		shut(ends[:]...)
		return nil, err
	}
	shut(ends[0], ends[3], ends[5])
	p := &program{cmd: cmd, in: ends[1], out: ends[2], heard: make(chan struct{}), exited: make(chan struct{})}
	// Before anybody waits for it: until then its number is nobody else's.
	p.tree = newTree(cmd.Process, mark)
	go func() {
		_ = cmd.Wait() // how it ended stands in ProcessState
		close(p.exited)
	}()
	go func() {
		_, _ = io.Copy(&p.errors, ends[4]) // until all writers are gone
		ends[4].Close()
		close(p.heard)
	}()
	return p, nil
}

func shut(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// Write does not wait for ever for an agent that does not read.
func (p *program) Write(b []byte) (int, error) {
	_ = p.in.SetWriteDeadline(time.Now().Add(writeTime)) // where there are no deadlines, there are none
	return p.in.Write(b)
}

// close ends the process and all that it started: it may end by itself first, as
// its input does.
func (p *program) close(grace time.Duration) {
	p.once.Do(func() {
		p.in.Close()
		if !within(grace, p.exited) {
			p.tree.ask()
			within(grace, p.exited)
		}
		p.tree.kill(patience)
		within(patience, p.exited)
		p.out.Close()
		within(patience, p.heard)
	})
}

// about says how it ended and what it complained of, if it did.
func (p *program) about() string {
	var parts []string
	if within(time.Second, p.exited) {
		within(time.Second, p.heard)
		parts = append(parts, "its program ended with "+p.cmd.ProcessState.String())
	}
	if last := p.errors.last(); last != "" {
		parts = append(parts, "it said: "+last)
	}
	return strings.Join(parts, "; ")
}

func within(d time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if extra := len(t.kept) - keepErrors; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	return len(b), nil
}

// last is the end of it, by whole lines if there are several.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	const most = 600
	text := bytes.TrimSpace(t.kept)
	if len(text) > most {
		text = text[len(text)-most:]
		if _, rest, ok := bytes.Cut(text, []byte("\n")); ok {
			text = rest
		}
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}
