package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/builtin"
	"github.com/parley-dev/parley/tool/sandbox"
	"github.com/parley-dev/parley/tool/tooltest"
)

// boxed runs commands in a sandbox of that kind; the test is skipped, and says why,
// where there is none.
func boxed(t *testing.T, kind string) builtin.RunCommand {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	box := sandbox.New(sandbox.Options{Use: kind, Helper: self})
	if info := box.Info(); info.Name != kind {
		t.Skipf("not on this machine: %s", info.Why)
	}
	jobs := builtin.NewJobs()
	r := builtin.RunCommand{Grace: 50 * time.Millisecond, Sandbox: box, Jobs: jobs}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func eachBox(t *testing.T, try func(t *testing.T, r builtin.RunCommand)) {
	t.Helper()
	for _, kind := range []string{sandbox.Bubblewrap, sandbox.Landlock} {
		t.Run(kind, func(t *testing.T) { try(t, boxed(t, kind)) })
	}
}

func TestRunCommandConformsInASandbox(t *testing.T) {
	eachBox(t, func(t *testing.T, r builtin.RunCommand) {
		tooltest.Run(t, func(*testing.T) tooltest.Subject {
			return tooltest.Subject{
				Tool:  r,
				Good:  `{"command":"cat in/note.txt; echo done >&2"}`,
				Path:  func(folder string) string { return fmt.Sprintf(`{"command":"pwd; ls; cat note.txt","cwd":%q}`, folder) },
				Stall: `{"command":"echo started; sleep 1000"}`,
				Hold: func(fifo string) string {
					return fmt.Sprintf(`{"command":"exec 3>%s; (sh -c 'trap \"\" TERM; echo ready >&3; sleep 1000; sleep 1000'; sleep 1000); sleep 1000"}`, fifo)
				},
			}
		})
	})
}

func TestRunCommandInASandbox(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	eachBox(t, func(t *testing.T, r builtin.RunCommand) {
		dir := tree(t, map[string]string{"sub/x": "", ".git/config": "old"})
		got := run(t.Context(), t, r, call(t, dir, "echo hi; echo new >f; (echo no >"+outside+") 2>/dev/null; cat f; exit 3", "cwd", "sub"))
		if got.Text != "hi\nnew\n[exit code 3]\n" || !got.IsError {
			t.Errorf("text %q", got.Text)
		}
		holds(t, dir, "sub/f", "new\n")
		if _, err := os.Lstat(outside); err == nil {
			t.Error("it wrote outside of the workspace")
		}
		// Asked to end, it may still say something.
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c := call(t, dir, "trap 'echo asked; exit 0' TERM; sh -c 'echo up; sleep 1000; :' & wait")
		c.Emit = func(tool.Event) { cancel() }
		r.Grace = 10 * time.Second
		if last, err := r.Run(ctx, c); !errors.Is(err, context.Canceled) || !strings.HasPrefix(last.Text, "up\nasked\n[exit code 0") {
			t.Errorf("%v\n%s", err, last.Text)
		}
	})
}

// In bubblewrap nothing gets away: no session, no environment, no ignored signal
// helps.
func TestBubblewrapStopsEverything(t *testing.T) {
	r := boxed(t, sandbox.Bubblewrap)
	dir := t.TempDir()
	p := newPipeIn(t, dir)
	run(t.Context(), t, r, call(t, dir, "exec 3>fifo; mkfifo gate; env -i setsid --fork sh -c 'trap \"\" TERM INT HUP; echo >gate; while :; do sleep 1000; done'; read x <gate"))
	p.released(t)
}

// A server that is killed takes its commands with it.
func TestCommandsEndWithAKilledServer(t *testing.T) {
	boxed(t, sandbox.Bubblewrap)
	dir := t.TempDir()
	p := newPipeIn(t, dir)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(self)
	server.Env = append(os.Environ(), "BUILTIN_TEST_WORKSPACE="+dir)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	p.next(t)
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = server.Wait()
	p.released(t)
}

// serveOneCommand is the server of that test, in a process of its own.
func serveOneCommand() {
	dir := os.Getenv("BUILTIN_TEST_WORKSPACE")
	if dir == "" {
		return
	}
	r := builtin.RunCommand{Sandbox: sandbox.New(sandbox.Options{Use: sandbox.Bubblewrap})}
	_, err := r.Run(context.Background(), tool.Call{Workspace: dir, Input: []byte(
		`{"command":"exec 3>fifo; setsid --fork sh -c 'trap \"\" TERM INT HUP; echo up >&3; while :; do sleep 1000; done'; sleep 1000"}`)})
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func TestRunCommandAsksForTheNetwork(t *testing.T) {
	eachBox(t, func(t *testing.T, r builtin.RunCommand) {
		c := call(t, t.TempDir(), "echo ran", "network", true)
		if w, err := r.Weigh(t.Context(), c); err != nil || w.Guard == "" {
			t.Errorf("it weighs %+v, %v", w, err)
		}
		if _, err := r.Run(t.Context(), c); tool.CodeOf(err) != tool.CodeUnavailable || !strings.Contains(err.Error(), "network") {
			t.Errorf("without approval: %v", err)
		}
		c.Approved = true
		if got := run(t.Context(), t, r, c); !strings.HasPrefix(got.Text, "ran\n") {
			t.Errorf("approved: %s", got.Text)
		}
		if text, err := r.Preview(t.Context(), c); err != nil || text != "# with the network\necho ran" {
			t.Errorf("the preview is %q, %v", text, err)
		}
	})
}

// What .parleyignore hides is kept from commands where the sandbox can do that;
// elsewhere a person decides.
func TestParleyignoreAndCommands(t *testing.T) {
	files := map[string]string{".parleyignore": "private/\n*.secret\n", "private/x": "s3cret", "sub/a.secret": "s3cret", "open": "fine"}
	command := "cat open; cat private/x sub/a.secret; echo '' >.parleyignore; cat private/x"
	eachBox(t, func(t *testing.T, r builtin.RunCommand) {
		dir := tree(t, files)
		got, err := r.Run(t.Context(), call(t, dir, command))
		if r.Sandbox.Info().Name != sandbox.Bubblewrap {
			if tool.CodeOf(err) != tool.CodeUnavailable || !strings.Contains(err.Error(), ".parleyignore") {
				t.Errorf("%v\n%s", err, got.Text)
			}
			return
		}
		if err != nil || strings.Contains(got.Text, "s3cret") || !strings.HasPrefix(got.Text, "fine") {
			t.Errorf("%v\n%s", err, got.Text)
		}
		holds(t, dir, ".parleyignore", files[".parleyignore"])
		holds(t, dir, "private/x", "s3cret")
	})
}

func TestRunCommandLimits(t *testing.T) {
	for name, c := range map[string]struct {
		limits  builtin.Limits
		command string
		says    string
	}{
		"processes": {builtin.Limits{Processes: 20}, "i=0; while [ $i -lt 60 ]; do sleep 1000 & i=$((i+1)); done; echo all; wait", "more than 20 processes"},
		"memory":    {builtin.Limits{Memory: 32 << 20}, "x=$(head -c 80000000 /dev/zero | tr '\\0' x); sleep 1000", "more than 32 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			r := quick
			r.Limits = c.limits
			if got, err := r.Run(t.Context(), call(t, t.TempDir(), c.command)); tool.CodeOf(err) != tool.CodeExecutionFailed || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v\n%s", err, got.Text)
			}
		})
	}
}
