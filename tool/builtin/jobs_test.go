//go:build unix

package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/builtin"
)

// keeper runs commands in the background until the test has ended.
func keeper(t *testing.T) builtin.RunCommand {
	t.Helper()
	r := builtin.RunCommand{Grace: 50 * time.Millisecond, Jobs: builtin.NewJobs()}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// in does something for a session.
func in(t *testing.T, session, dir string, pairs ...any) tool.Call {
	t.Helper()
	return tool.Call{Session: session, Workspace: dir, Input: input(t, pairs...)}
}

func TestJobs(t *testing.T) {
	r, dir := keeper(t), t.TempDir()
	do := func(pairs ...any) tool.Result { t.Helper(); return run(t.Context(), t, r, in(t, "s", dir, pairs...)) }
	got := do("command", "echo ready; while read line; do echo got $line; done; echo over; exit 4", "background", true)
	if got.Text != "ready\n[job_1 runs; look again with job]\n" {
		t.Fatalf("started: %q", got.Text)
	}
	if got := do("job", "job_1", "input", "one\n"); got.Text != "got one\n[job_1 runs; look again with job]\n" {
		t.Errorf("typed: %q", got.Text)
	}
	if got := do("job", "job_1", "wait_sec", 0); got.Text != "[no output; job_1 runs; look again with job]\n" {
		t.Errorf("looked: %q", got.Text)
	}
	got = do("job", "job_1", "input", "two\n\u0004", "wait_sec", 60)
	if got.Text != "got two\nover\n[exit code 4]\n" || !got.IsError || fact(t, got, "exit_code") != 4 {
		t.Errorf("ended: %q, %s", got.Text, got.Summary)
	}
	if _, err := r.Run(t.Context(), in(t, "s", dir, "job", "job_1")); tool.CodeOf(err) != tool.CodeExecutionFailed || !strings.Contains(err.Error(), "there are none") {
		t.Errorf("after its end: %v", err)
	}
}

func TestJobsStop(t *testing.T) {
	r, dir, p := keeper(t), t.TempDir(), newPipe(t)
	start := in(t, "s", dir, "command", "exec 3>"+p.path+"; trap 'echo bye; exit 0' TERM; sh -c 'echo up; sleep 1000; :' & wait", "background", true)
	run(t.Context(), t, r, start)
	got := run(t.Context(), t, r, in(t, "s", dir, "job", "job_1", "stop", true))
	if !strings.HasPrefix(got.Text, "bye\n[exit code 0") || got.IsError {
		t.Errorf("stopped: %q", got.Text)
	}
	p.released(t)
}

// What ends by itself at once is told at once.
func TestJobsThatEndAtOnce(t *testing.T) {
	r := keeper(t)
	got := run(t.Context(), t, r, in(t, "s", t.TempDir(), "command", "echo failed >&2; exit 1", "background", true, "wait_sec", 60))
	if got.Text != "failed\n[exit code 1]\n" || !got.IsError {
		t.Errorf("text %q", got.Text)
	}
}

// A job belongs to its session, and ends with it, with its call, or with the server.
func TestJobsBelongToASession(t *testing.T) {
	r, dir := keeper(t), t.TempDir()
	hold := func(session string) *pipe {
		t.Helper()
		p := newPipe(t)
		run(t.Context(), t, r, in(t, session, dir, "command", "exec 3>"+p.path+"; echo up; sleep 1000", "background", true))
		return p
	}
	mine, other := hold("mine"), hold("other")
	for _, pairs := range [][]any{{"job", "job_2"}, {"job", "job_2", "stop", true}, {"job", "job_2", "input", "x"}} {
		if got, err := r.Run(t.Context(), in(t, "mine", dir, pairs...)); tool.CodeOf(err) != tool.CodeExecutionFailed || !strings.Contains(err.Error(), "there are: job_1") {
			t.Errorf("another session's job: %q, %v", got.Text, err)
		}
	}
	r.Release("mine")
	mine.released(t)
	if got := run(t.Context(), t, r, in(t, "other", dir, "job", "job_2", "wait_sec", 0)); !strings.Contains(got.Text, "job_2 runs") {
		t.Errorf("the other job: %q", got.Text)
	}
	// A call that is cancelled takes what it started with it.
	ctx, cancel := context.WithCancel(t.Context())
	p := newPipe(t)
	c := in(t, "mine", dir, "command", "exec 3>"+p.path+"; echo up; sleep 1000", "background", true, "wait_sec", 60)
	c.Emit = func(tool.Event) { cancel() }
	if _, err := r.Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	p.released(t)

	if err := tool.Close([]tool.Tool{r}); err != nil {
		t.Fatal(err)
	}
	other.released(t)
	if _, err := r.Run(t.Context(), in(t, "mine", dir, "command", "true", "background", true)); tool.CodeOf(err) != tool.CodeUnavailable {
		t.Errorf("after the end: %v", err)
	}
}

func TestJobsAreBounded(t *testing.T) {
	r, dir := keeper(t), t.TempDir()
	start := in(t, "s", dir, "command", "echo up; sleep 1000", "background", true, "wait_sec", 0)
	for range 16 {
		run(t.Context(), t, r, start)
	}
	if _, err := r.Run(t.Context(), start); tool.CodeOf(err) != tool.CodeUnavailable || !strings.Contains(err.Error(), "stop one first") {
		t.Errorf("one too many: %v", err)
	}
	run(t.Context(), t, r, in(t, "s", dir, "job", "job_3", "stop", true))
	run(t.Context(), t, r, start)

	without := builtin.RunCommand{}
	if _, err := without.Run(t.Context(), start); tool.CodeOf(err) != tool.CodeUnavailable {
		t.Errorf("without jobs: %v", err)
	}
}

// Looking is reading; all else is asked about.
func TestJobsWeigh(t *testing.T) {
	r := keeper(t)
	for pairs, class := range map[[4]any]tool.Class{
		{"job", "job_1", "wait_sec", 5}:          tool.ClassRead,
		{"job", "job_1", "input", "y\n"}:         tool.ClassExecute,
		{"job", "job_1", "stop", true}:           tool.ClassExecute,
		{"command", "true", "background", true}:  tool.ClassExecute,
		{"command", "true", "description", "it"}: tool.ClassExecute,
	} {
		if w, err := r.Weigh(t.Context(), in(t, "s", t.TempDir(), pairs[:]...)); err != nil || w.Class != class || w.Guard != "" {
			t.Errorf("%v weighs %+v, %v", pairs, w, err)
		}
	}
	for _, bad := range []string{
		`{}`, `{"command":"a","job":"b"}`, `{"job":"b","cwd":"x"}`, `{"job":"b","pty":true}`, `{"command":"a","input":"x"}`, `{"command":"a","stop":true}`,
		`{"command":"a","wait_sec":1}`, `{"command":"a","timeout_sec":601}`, `{"job":"b","timeout_sec":1}`,
	} {
		if _, err := r.Run(t.Context(), tool.Call{Workspace: t.TempDir(), Input: []byte(bad)}); tool.CodeOf(err) != tool.CodeInputInvalid {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestRunCommandTerminal(t *testing.T) {
	r, dir := keeper(t), t.TempDir()
	got := run(t.Context(), t, r, in(t, "s", dir, "command", `test -t 0 && test -t 1 && : </dev/tty && stty size && printf '\033[1;31mred\033[0m \033]0;title\007end\n'`, "pty", true))
	if got.Text != "40 120\nred end\n[exit code 0]\n" {
		t.Errorf("text %q", got.Text)
	}
	got = run(t.Context(), t, r, in(t, "s", dir, "command", `printf 'name? '; read name; echo "hello $name"`, "pty", true, "background", true))
	if !strings.HasPrefix(got.Text, "name? \n[job_1 runs") {
		t.Errorf("asked: %q", got.Text)
	}
	// A terminal echoes what is typed.
	got = run(t.Context(), t, r, in(t, "s", dir, "job", "job_1", "input", "ann\n", "wait_sec", 60))
	if got.Text != "ann\nhello ann\n[exit code 0]\n" {
		t.Errorf("answered: %q", got.Text)
	}
	// What holds the terminal is stopped like anything else.
	p := newPipe(t)
	run(t.Context(), t, r, in(t, "s", dir, "command", fmt.Sprintf("exec 3>%s; trap '' HUP INT TERM; echo up; sleep 1000; sleep 1000", p.path), "pty", true, "background", true))
	run(t.Context(), t, r, in(t, "s", dir, "job", "job_2", "stop", true))
	p.released(t)
}

// Output without measure costs what is kept of it: 50 megabytes, and ten times that
// with PARLEY_SOAK.
func TestRunCommandHugeOutput(t *testing.T) {
	size := 50_000_000
	if os.Getenv("PARLEY_SOAK") != "" {
		size *= 10
	}
	got := sh(t, fmt.Sprintf("head -c %d /dev/zero", size))
	if n := fact(t, got, "output_bytes"); n != float64(size) || len(got.Text) > 66<<10 {
		t.Errorf("%v bytes were written, %d told", n, len(got.Text))
	}
}
