package program

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// writeTime is how long a program may take to read what was written to it.
	writeTime = 10 * time.Second
	// breath is how long the end of a program that seems to be gone is waited
	// for, before it is said what is known of it.
	breath = time.Second
)

// Program is a program that runs, and is talked to over pipes.
type Program struct {
	// In is what it reads. A write fails if it does not read for ten seconds.
	In io.WriteCloser
	// Out is what it writes.
	Out io.ReadCloser

	tree   *Tree
	errors tail
	heard  chan struct{} // closed when its errors have been read
	err    *os.File      // where they are read

	once    sync.Once
	closing atomic.Bool // Close was called
	forced  atomic.Bool // and it did not end by itself
}

// Start starts a program of which the path, the arguments, the folder and the
// environment are set. The caller owes a Close.
func Start(cmd *exec.Cmd) (*Program, error) {
	p := &Program{tree: NewTree(cmd), heard: make(chan struct{})}
	// Pipes of ours: those of package exec would keep Wait from returning as
	// long as a child of it holds one.
	var ends [6]*os.File // read and write ends of input, output and errors
	var err error
	for i := 0; i < len(ends) && err == nil; i += 2 {
		ends[i], ends[i+1], err = os.Pipe()
	}
	if err == nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = ends[0], ends[3], ends[5]
		err = p.tree.Start()
	}
	if err != nil {
		shut(ends[:]...)
		return nil, err
	}
	shut(ends[0], ends[3], ends[5])
	p.In, p.Out, p.err = input{ends[1]}, ends[2], ends[4]
	go func() {
		defer close(p.heard)
		_, _ = io.Copy(&p.errors, p.err) // until all writers are gone
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

// input does not wait for ever for a program that does not read.
type input struct{ *os.File }

func (f input) Write(b []byte) (int, error) {
	_ = f.SetWriteDeadline(time.Now().Add(writeTime)) // where there are no deadlines, there are none
	return f.File.Write(b)
}

// Close ends the program and all that it started. It may end by itself first, as
// its input does; after the grace it is asked to, and after the grace once more
// it is killed. Close waits for that.
func (p *Program) Close(grace time.Duration) {
	p.once.Do(func() {
		p.closing.Store(true)
		p.In.Close()
		p.forced.Store(!within(grace, p.tree.Exited()))
		p.tree.Stop(grace)
		within(patience, p.tree.Exited())
		p.Out.Close()
		_ = p.err.SetReadDeadline(time.Now().Add(breath)) // what cannot be killed may hold it
		<-p.heard
		p.err.Close()
	})
}

// About says how the program ended, if it did so by itself, and what it
// complained of last. That it ended well when it was closed is not worth a word.
func (p *Program) About() string {
	var parts []string
	if within(breath, p.tree.Exited()) && !p.forced.Load() {
		within(breath, p.heard)
		if state := p.tree.State(); !p.closing.Load() || !state.Success() {
			parts = append(parts, "its program ended with "+state.String())
		}
	}
	if last := p.errors.last(); last != "" {
		parts = append(parts, "it said: "+last)
	}
	return strings.Join(parts, "; ")
}

// within says whether something is done in that time.
func within(d time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
	}
	select { // both came at once
	case <-done:
		return true
	default:
		return false
	}
}
