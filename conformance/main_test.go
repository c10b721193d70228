// Package conformance tries the real program from outside: a child process,
// TCP, and clients that know the protocol's description and nothing of the code.
package conformance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "parley-conformance-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = filepath.Join(dir, "parley")
	build := exec.Command("go", "build", "-o", binary, "github.com/parley-dev/parley/cmd/parley")
	build.Stderr = os.Stderr
	code := 1
	if err := build.Run(); err == nil {
		code = m.Run()
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// server is a running program.
type server struct {
	t      testing.TB
	cmd    *exec.Cmd
	URL    string `json:"url"`
	Listen string `json:"listen"`
	Token  string `json:"token"`
	exited chan error
}

// start runs the program on a data folder and waits until it is ready.
func start(t testing.TB, data string, args ...string) *server {
	t.Helper()
	return startLogging(t, &prefixed{t: t}, data, args...)
}

// startLogging is start with a place for the program's log.
func startLogging(t testing.TB, log io.Writer, data string, args ...string) *server {
	t.Helper()
	s := &server{t: t, exited: make(chan error, 1)}
	s.cmd = exec.Command(binary, append([]string{
		"serve", "--json", "--listen", "127.0.0.1:0", "--data", data, "--workspace", t.TempDir(),
	}, args...)...)
	s.cmd.Stderr = log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make(chan []byte, 1)
	go func() {
		b, _ := bufio.NewReader(out).ReadBytes('\n')
		line <- b
		s.exited <- s.cmd.Wait()
	}()
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	select {
	case b := <-line:
		if err := json.Unmarshal(b, s); err != nil {
			t.Fatalf("the program said %q: %v", b, err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the program is not ready after 30 s")
	}
	return s
}

// kill pulls the plug.
func (s *server) kill() {
	_ = s.cmd.Process.Signal(syscall.SIGKILL)
	<-s.exited
}

// stop asks the program to end, and expects that it does so in good order.
func (s *server) stop() {
	s.t.Helper()
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-s.exited:
		if err != nil {
			s.t.Errorf("the program ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		s.t.Error("the program did not stop within 20 s")
		s.kill()
	}
}

// prefixed shows what the program logs as part of the test's own output.
type prefixed struct{ t testing.TB }

func (p *prefixed) Write(b []byte) (int, error) {
	if testing.Verbose() {
		fmt.Fprintf(os.Stderr, "  | %s", b)
	}
	return len(b), nil
}
