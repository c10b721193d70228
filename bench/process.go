package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a child that said that it is ready.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	first []byte        // its first line
	ready time.Duration // from its start to that line
	rest  []byte        // what it said at its end, once it was stopped
	said  *tailBuffer   // the end of what it complained about
}

// start runs a program and waits for its first line.
func start(path string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(path, args...), said: &tailBuffer{}}
	p.cmd.Stderr = p.said
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	p.first, err = p.out.ReadBytes('\n')
	p.ready = time.Since(begun)
	if err != nil {
		p.kill()
		return nil, fmt.Errorf("%s did not get ready: %w: %s", path, err, p.said)
	}
	return p, nil
}

// ask sends a line and gives the line that comes back.
func (p *process) ask(line string) ([]byte, error) {
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		return nil, err
	}
	return p.out.ReadBytes('\n')
}

// stop asks the process to end, and waits.
func (p *process) stop() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(30*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	p.rest, _ = io.ReadAll(p.out)
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("stop: %w: %s", err, p.said)
	}
	return nil
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// tailBuffer keeps the end of what is written to it.
type tailBuffer struct{ b []byte }

func (t *tailBuffer) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if drop := len(t.b) - 4096; drop > 0 {
		t.b = append(t.b[:0], t.b[drop:]...)
	}
	return len(p), nil
}

func (t *tailBuffer) String() string { return clip(string(t.b), 1000) }

// cpu is the processor time the process has used, in seconds. The kernel counts
// in ticks of a hundredth.
func (p *process) cpu() (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	// The second field is the name in parentheses and may hold anything.
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 13 {
		return 0, errors.New("/proc stat: too few fields")
	}
	user, err1 := strconv.ParseFloat(fields[11], 64)
	system, err2 := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100, errors.Join(err1, err2)
}

// resident is how much memory the process has in RAM, in bytes.
func (p *process) resident() (float64, error) {
	n, err := p.field("status", "VmRSS")
	return n * 1024, err
}

// written is how many bytes the process caused to be written to storage. Pages
// that change again before they are written count once.
func (p *process) written() (float64, error) { return p.field("io", "write_bytes") }

func (p *process) field(file, name string) (float64, error) {
	return procField(p.cmd.Process.Pid, file, name)
}

// procField reads a number that the kernel keeps about a process.
func procField(pid int, file, name string) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			fields := strings.Fields(rest)
			if len(fields) > 0 {
				return strconv.ParseFloat(fields[0], 64)
			}
		}
	}
	return 0, fmt.Errorf("/proc %s has no %s", file, name)
}

// wait sleeps, unless the run is interrupted.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
