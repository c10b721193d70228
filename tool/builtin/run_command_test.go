//go:build unix

package builtin_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/builtin"
	"github.com/parley-dev/parley/tool/tooltest"
)

// quick kills soon, for commands that will not end when asked.
var quick = builtin.RunCommand{Grace: 50 * time.Millisecond}

func TestRunCommandConforms(t *testing.T) {
	tooltest.Run(t, func(*testing.T) tooltest.Subject {
		return tooltest.Subject{
			Tool:  quick,
			Good:  `{"command":"cat in/note.txt; echo done >&2","description":"say something","timeout_sec":60,"cwd":"."}`,
			Bad:   []string{`{"command":"a\u0000b"}`, `{"command":"true","cwd":"a\u0000b"}`, `{"command":"true","timeout_sec":5.0}`},
			Path:  func(folder string) string { return fmt.Sprintf(`{"command":"pwd; ls; cat note.txt","cwd":%q}`, folder) },
			Stall: `{"command":"echo started; sleep 1000"}`,
			// The shell, a child, a grandchild that does not end when asked.
			Hold: func(fifo string) string {
				return fmt.Sprintf(`{"command":"exec 3>%s; (sh -c 'trap \"\" TERM; echo ready >&3; sleep 1000; sleep 1000'; sleep 1000); sleep 1000"}`, fifo)
			},
		}
	})
}

func call(t *testing.T, dir, command string, pairs ...any) tool.Call {
	t.Helper()
	return tool.Call{Workspace: dir, Input: input(t, append(pairs, "command", command)...)}
}

func sh(t *testing.T, command string, pairs ...any) tool.Result {
	t.Helper()
	return run(t.Context(), t, quick, call(t, t.TempDir(), command, pairs...))
}

func TestRunCommandResults(t *testing.T) {
	for _, c := range []struct {
		command, text string
		code          float64
	}{
		{"echo hi", "hi\n[exit code 0]\n", 0},
		{"printf hi", "hi\n[exit code 0]\n", 0},
		{"true", "[no output; exit code 0]\n", 0},
		{"echo bad >&2; exit 3", "bad\n[exit code 3]\n", 3},
		{"kill -9 $$", "[no output; exit code 137, signal: killed]\n", 137},
		{"no-such-program-anywhere 2>/dev/null", "[no output; exit code 127]\n", 127},
		{"cat; echo end", "end\n[exit code 0]\n", 0}, // standard input is empty
		{"(: </dev/tty) 2>/dev/null && echo tty || echo none", "none\n[exit code 0]\n", 0},
		{`printf 'a\377b'`, "a\uFFFDb\n[exit code 0]\n", 0},
	} {
		r := sh(t, c.command)
		if r.Text != c.text || fact(t, r, "exit_code") != c.code || r.IsError != (c.code != 0) {
			t.Errorf("%s: %q, error %v, %s", c.command, r.Text, r.IsError, r.Summary)
		}
	}
}

func TestRunCommandFolder(t *testing.T) {
	dir, err := filepath.EvalSymlinks(tree(t, map[string]string{"in/deep/x": ""}))
	if err != nil {
		t.Fatal(err)
	}
	for cwd, want := range map[string]string{"": dir, "in/deep": dir + "/in/deep"} {
		r := run(t.Context(), t, quick, call(t, dir, `echo "$PWD"; pwd -P`, "cwd", cwd))
		if r.Text != want+"\n"+want+"\n[exit code 0]\n" {
			t.Errorf("in %q: %s", cwd, r.Text)
		}
	}
	for _, cwd := range []string{"missing", "in/deep/x"} {
		if _, err := quick.Run(t.Context(), call(t, dir, "true", "cwd", cwd)); tool.CodeOf(err) != tool.CodeExecutionFailed {
			t.Errorf("in %q: %v", cwd, err)
		}
	}
}

func TestRunCommandEnvironment(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "GITHUB_TOKEN", "PARLEY_DATA", "LC_MY_TOKEN", "AWS_SECRET_ACCESS_KEY", "LD_PRELOAD_X", "HTTP_PROXY"} {
		t.Setenv(name, "hidden-value")
	}
	t.Setenv("LC_ALL", "C")
	t.Setenv("TZ", "Asia/Seoul")
	r := sh(t, "env")
	if strings.Contains(r.Text, "hidden-value") {
		t.Errorf("the command sees what it must not:\n%s", r.Text)
	}
	for _, want := range []string{"\nLC_ALL=C\n", "\nTZ=Asia/Seoul\n", "\nPATH=" + os.Getenv("PATH") + "\n"} {
		if !strings.Contains("\n"+r.Text, want) {
			t.Errorf("the command does not see %s:\n%s", strings.TrimSpace(want), r.Text)
		}
	}
}

// Output comes while the command runs, not at its end.
func TestRunCommandStreams(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "go")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	c := call(t, dir, "echo one; read word <go; echo $word >&2")
	var got []tool.Event
	c.Emit = func(e tool.Event) {
		got = append(got, e)
		if len(got) == 1 { // the command waits for this
			if err := os.WriteFile(fifo, []byte("two\n"), 0); err != nil {
				t.Error(err)
			}
		}
	}
	r := run(t.Context(), t, quick, c)
	want := []tool.Event{{Output: "one\n", Stream: tool.Stdout}, {Output: "two\n", Stream: tool.Stderr}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("emitted %+v, want %+v", got, want)
	}
	if r.Text != "one\ntwo\n[exit code 0]\n" {
		t.Errorf("text %q", r.Text)
	}
}

func TestRunCommandBoundsOutput(t *testing.T) {
	c := call(t, t.TempDir(), "echo begin; yes 0123456789 | head -c 20000000; echo end")
	streamed, events := 0, 0
	c.Emit = func(e tool.Event) { streamed += len(e.Output); events++ }
	r := run(t.Context(), t, quick, c)
	if n := fact(t, r, "output_bytes"); n != 20000000+10 {
		t.Errorf("%v bytes were counted", n)
	}
	if len(r.Text) > 66<<10 || !strings.HasPrefix(r.Text, "begin\n") || !strings.HasSuffix(r.Text, "end\n[exit code 0]\n") || !strings.Contains(r.Text, "bytes left out") {
		t.Errorf("%d bytes of text, ending in %q", len(r.Text), r.Text[len(r.Text)-100:])
	}
	if streamed > 1<<20+64<<10 || events > 200 {
		t.Errorf("%d bytes were streamed in %d events", streamed, events)
	}
}

func TestRunCommandTimeout(t *testing.T) {
	r, err := quick.Run(t.Context(), call(t, t.TempDir(), "echo so far; sleep 1000", "timeout_sec", 1))
	if tool.CodeOf(err) != tool.CodeTimeout || !strings.Contains(err.Error(), "1s") {
		t.Errorf("Run: %v", err)
	}
	if !strings.HasPrefix(r.Text, "so far\n") {
		t.Errorf("the output was lost: %q", r.Text)
	}
}

// A command is asked to end once, and may still say something.
func TestRunCommandLastWords(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// The child speaks, since until it has become a program of its own the
	// shell's traps are its too.
	c := call(t, t.TempDir(), "trap 'echo asked' TERM; trap 'echo bye' EXIT; sh -c 'echo up; sleep 1000; :' & wait; wait")
	c.Emit = func(tool.Event) { cancel() }
	r, err := builtin.RunCommand{Grace: 10 * time.Second}.Run(ctx, c)
	if !errors.Is(err, context.Canceled) || r.Text != "up\nasked\nbye\n[exit code 0]\n" {
		t.Errorf("%v\n%s", err, r.Text)
	}
}

// pipe is a FIFO that tells whether anybody still holds it.
type pipe struct {
	path string
	r, w *os.File
	line *bufio.Reader
}

func newPipe(t *testing.T) *pipe {
	t.Helper()
	return newPipeIn(t, t.TempDir())
}

func newPipeIn(t *testing.T, dir string) *pipe {
	t.Helper()
	p := &pipe{path: filepath.Join(dir, "fifo")}
	var e1, e2, e3 error
	e1 = syscall.Mkfifo(p.path, 0o600)
	p.r, e2 = os.OpenFile(p.path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	p.w, e3 = os.OpenFile(p.path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err := errors.Join(e1, e2, e3); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.r.Close(); p.w.Close() })
	p.line = bufio.NewReader(p.r)
	return p
}

// next waits for a line.
func (p *pipe) next(t *testing.T) string {
	t.Helper()
	line, err := p.line.ReadString('\n')
	if err != nil {
		t.Error(err)
	}
	return strings.TrimSpace(line)
}

// released waits until nobody holds it any more.
func (p *pipe) released(t *testing.T) {
	t.Helper()
	p.w.Close()
	p.r.SetReadDeadline(time.Now().Add(5 * time.Second))
	if _, err := io.Copy(io.Discard, p.line); err != nil {
		t.Errorf("something still runs: %v", err)
	}
}

// What a command leaves in the background does not outlive it.
func TestRunCommandStopsLeftovers(t *testing.T) {
	for name, command := range map[string]string{
		"silent":       "sleep 1000 >/dev/null 2>&1 & echo started",
		"holds output": "sleep 1000 & echo started",
		"family":       "(sleep 1000 & sleep 1000) & echo started",
		"ignores TERM": "mkfifo gate; sh -c 'trap \"\" TERM; echo >gate; sleep 1000; sleep 1000' & read x <gate; echo started",
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipe(t)
			r := run(t.Context(), t, quick, call(t, t.TempDir(), "exec 3>"+p.path+"; "+command))
			p.released(t)
			if r.Text != "started\n[exit code 0; what it left running was stopped]\n" {
				t.Errorf("text %q", r.Text)
			}
		})
	}
}

// Commands that run at the same time do not stop each other.
func TestRunCommandsApart(t *testing.T) {
	dir := t.TempDir()
	gate := filepath.Join(dir, "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	p := newPipe(t)
	var wg sync.WaitGroup
	wg.Go(func() {
		r := run(t.Context(), t, quick, call(t, dir, fmt.Sprintf("echo waiting >%s; read word <gate; echo $word", p.path)))
		if r.Text != "open\n[exit code 0]\n" {
			t.Errorf("the first command: %q", r.Text)
		}
	})
	p.next(t)
	run(t.Context(), t, quick, call(t, dir, "sleep 1000 & true"))
	ctx, cancel := context.WithCancel(t.Context())
	c := call(t, dir, "echo up; sleep 1000")
	c.Emit = func(tool.Event) { cancel() }
	if _, err := quick.Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled command: %v", err)
	}
	if err := os.WriteFile(gate, []byte("open\n"), 0); err != nil {
		t.Error(err)
	}
	wg.Wait()
}

func TestRunCommandPreview(t *testing.T) {
	got, err := quick.Preview(t.Context(), call(t, "", "make test", "cwd", "sub", "description", "Run the tests\nrm -rf /"))
	if want := "# Run the tests\n# rm -rf /\n# in sub\nmake test"; err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
