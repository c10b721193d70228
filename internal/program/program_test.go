//go:build unix

package program_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/parley-dev/parley/internal/program"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shell is a program that the shell plays. $1 is a pipe in a folder; held is its
// other end, which is at its end when nobody holds it any more.
func shell(t *testing.T, script string) (cmd *exec.Cmd, held func() *bufio.Reader) {
	t.Helper()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command("/bin/sh", "-c", script, "sh", pipe)
	cmd.Env = program.Environment()
	return cmd, func() *bufio.Reader {
		t.Helper()
		f, err := os.Open(pipe) // waits until it is opened to write
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		_ = f.SetReadDeadline(time.Now().Add(30 * time.Second)) // what lives on fails the test, and does not hang it
		return bufio.NewReader(f)
	}
}

func start(t *testing.T, cmd *exec.Cmd) *program.Program {
	t.Helper()
	p, err := program.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close(0) })
	return p
}

// expect reads a line.
func expect(t *testing.T, r *bufio.Reader, want string) {
	t.Helper()
	if line, err := r.ReadString('\n'); err != nil || line != want+"\n" {
		t.Fatalf("read %q, %v; want %q", line, err, want)
	}
}

func ended(t *testing.T, r *bufio.Reader) {
	t.Helper()
	if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
		t.Errorf("read %q, %v; want the end", rest, err)
	}
}

func TestTalk(t *testing.T) {
	cmd, _ := shell(t, "read line; echo heard $line; cat")
	p := start(t, cmd)
	if _, err := io.WriteString(p.In, "one\ntwo\n"); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(p.Out)
	expect(t, out, "heard one")
	expect(t, out, "two")
	p.In.Close()
	ended(t, out)
}

// What ends as its input does is not asked to, and has said its last words.
func TestCloseLetsItEnd(t *testing.T) {
	cmd, held := shell(t, `trap "echo asked >&3" TERM; exec 3>"$1"; echo ready >&3; cat >/dev/null; echo by itself >&3; echo out of paper >&2; exit 3`)
	p := start(t, cmd)
	r := held()
	expect(t, r, "ready")
	p.Close(time.Minute)
	expect(t, r, "by itself")
	ended(t, r)
	if got, want := p.About(), "its program ended with exit status 3; it said: out of paper"; got != want {
		t.Errorf("About: %q, want %q", got, want)
	}
}

// That it ended well because it was closed, or by force, is not worth a word.
func TestAboutSaysWhatMatters(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"well":      {"cat >/dev/null", ""},
		"by force":  {"exec sleep 1000", ""},
		"complains": {"echo first >&2; echo last >&2; cat >/dev/null", "it said: first\nlast"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd, _ := shell(t, c.script)
			p := start(t, cmd)
			grace := time.Minute
			if name == "by force" {
				grace = 0
			}
			p.Close(grace)
			if got := p.About(); got != c.want {
				t.Errorf("About: %q, want %q", got, c.want)
			}
		})
	}
	t.Run("before Close", func(t *testing.T) {
		cmd, _ := shell(t, "exit 0")
		if got, want := start(t, cmd).About(), "its program ended with exit status 0"; got != want {
			t.Errorf("About: %q, want %q", got, want)
		}
	})
}

// Of many complaints the last ones are kept, by whole lines.
func TestAboutKeepsTheEnd(t *testing.T) {
	cmd, _ := shell(t, "for i in $(seq 1000); do echo line $i >&2; done; cat >/dev/null")
	p := start(t, cmd)
	p.Close(time.Minute)
	lines := strings.Split(strings.TrimPrefix(p.About(), "it said: "), "\n")
	if n := len(lines); n < 40 || n > 80 || lines[n-1] != "line 1000" || !strings.HasPrefix(lines[0], "line 9") {
		t.Errorf("About: %d lines, from %q to %q", n, lines[0], lines[n-1])
	}
}

func TestCloseKillsTheDeaf(t *testing.T) {
	cmd, held := shell(t, `trap "" TERM; exec 3>"$1"; echo ready >&3; while :; do sleep 1000; done`)
	p := start(t, cmd)
	r := held()
	expect(t, r, "ready")
	p.Close(10 * time.Millisecond)
	ended(t, r)
	p.Close(time.Minute) // once more does nothing
}

// A child that holds the pipes does not keep Close waiting, nor lives on.
func TestCloseEndsChildren(t *testing.T) {
	cmd, held := shell(t, `exec 3>"$1"; sleep 1000 & sh -c 'trap "" TERM; echo ready >&3; sleep 1000; sleep 1000' & wait`)
	p := start(t, cmd)
	r := held()
	expect(t, r, "ready")
	p.Close(10 * time.Millisecond)
	ended(t, r)
}

func TestStartFails(t *testing.T) {
	cmd := exec.Command(filepath.Join(t.TempDir(), "none"))
	if p, err := program.Start(cmd); err == nil {
		p.Close(0)
		t.Error("what is not there was started")
	}
}

// A program sees nothing of ours but what is let through, and its mark.
func TestEnvironment(t *testing.T) {
	t.Setenv("SOME_API_KEY", "battery staple")
	t.Setenv("XDG_DATA_HOME", "/data")
	t.Setenv("LANG", "ko_KR.UTF-8")
	if env := program.Environment(); slices.Contains(env, "XDG_DATA_HOME=/data") || !slices.Contains(env, "LANG=ko_KR.UTF-8") {
		t.Errorf("Environment: %q", env)
	}
	if env := program.Environment("XDG_DATA_HOME"); !slices.Contains(env, "XDG_DATA_HOME=/data") {
		t.Errorf("Environment: %q", env)
	}
	cmd := exec.Command("/usr/bin/env")
	out, err := io.ReadAll(start(t, cmd).Out)
	if lines := strings.Fields(string(out)); err != nil || len(lines) != 1 || !strings.HasPrefix(lines[0], "PARLEY_TREE=") {
		t.Errorf("a program without an environment sees %q, %v", out, err)
	}
}
