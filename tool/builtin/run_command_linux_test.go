package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A daemon leaves session, group and parent behind, and does not end when asked.
const daemon = `exec 3>%s; (setsid sh -c 'trap "" TERM; (sleep 1000; sleep 1000) >/dev/null 2>&1 & echo $! >&3; sleep 1000; sleep 1000' >/dev/null 2>&1 </dev/null &) ; `

func TestRunCommandStopsDaemons(t *testing.T) {
	t.Run("cancelled", func(t *testing.T) {
		p := newPipe(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := make(chan error, 1)
		go func() {
			_, err := quick.Run(ctx, call(t, t.TempDir(), fmt.Sprintf(daemon, p.path)+"sleep 1000"))
			done <- err
		}()
		p.next(t)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Run: %v", err)
		}
		p.released(t)
	})
	// By its session alone: job control gives it a group, and it drops the mark.
	t.Run("other group", func(t *testing.T) {
		if _, err := exec.LookPath("bash"); err != nil {
			t.Skip("no shell here that has job control without a terminal")
		}
		p := newPipe(t)
		run(t.Context(), t, quick, call(t, t.TempDir(), "exec 3>"+p.path+`; mkfifo gate; bash -c 'set -m; env -i sh -c "echo >gate; sleep 1000; :" & read x <gate'`))
		p.released(t)
	})
	t.Run("left behind", func(t *testing.T) {
		p := newPipe(t)
		r := run(t.Context(), t, quick, call(t, t.TempDir(), fmt.Sprintf(daemon, p.path)))
		p.released(t)
		if !strings.Contains(r.Text, "what it left running was stopped") {
			t.Errorf("text %q", r.Text)
		}
	})
}

// What drops its environment as well may get away; the command still ends, and does
// not wait for the output of what it lost.
func TestRunCommandEndsWithoutTheLost(t *testing.T) {
	p := newPipe(t)
	r := run(t.Context(), t, quick, call(t, t.TempDir(), "mkfifo gate; env -i setsid --fork "+
		"sh -c 'echo $$ >"+p.path+"; echo >gate; exec sleep 1000'; read x <gate; echo started"))
	pid, err := strconv.Atoi(p.next(t))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(r.Text, "started\n[exit code 0") {
		t.Errorf("text %q", r.Text)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL) // a look at the limits may have found it
}

// In a session of its own a command has no terminal to ask at.
func TestRunCommandHasItsOwnSession(t *testing.T) {
	if r := sh(t, `read -r pid name state parent group session rest </proc/$$/stat; test $group = $$ && test $session = $$`); r.IsError {
		t.Errorf("text %q", r.Text)
	}
}
