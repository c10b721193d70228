package acp_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/acp"
)

// alive says whether a process runs: one that has ended and that nobody has
// asked for does not.
func alive(t *testing.T, pid string) bool {
	t.Helper()
	if _, err := strconv.Atoi(pid); err != nil {
		t.Fatal(err)
	}
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	state := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))[0]
	return state != "Z" && state != "X"
}

// An agent that does not stop is killed before the call returns.
func TestDeafAgentIsKilled(t *testing.T) {
	s := begin(t, open(t, "plain", func(c *acp.Config) { c.Grace = 50 * time.Millisecond }))
	s.say("deaf")
	ctx, cancel := context.WithCancel(t.Context())
	pid := ""
	err := s.m.Stream(ctx, s.request(), func(e model.Event) error { pid = e.Text; cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	if alive(t, pid) {
		t.Error("it lives on")
	}
}

// What an agent started ends with it, even in a session of its own.
func TestCloseEndsTheWholeTree(t *testing.T) {
	s := begin(t, open(t, "plain"))
	pid := strings.TrimSpace(text(s.hear("child")))
	if !alive(t, pid) {
		t.Fatal("the child is not there")
	}
	if err := s.m.Close(); err != nil {
		t.Fatal(err)
	}
	if alive(t, pid) {
		t.Error("the child lives on")
	}
}

// pipe puts a pipe in the agent's folder, through which it says that something has
// happened; the function waits for that.
func pipe(t *testing.T, s *session, name string) (wait func()) {
	t.Helper()
	path := filepath.Join(s.folder, name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if _, err := os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
}

// An agent that works while nobody listens is stopped, and goes on when somebody
// does; nothing that it said is lost.
func TestAlone(t *testing.T) {
	s := begin(t, open(t, "plain", func(c *acp.Config) { c.Alone = time.Millisecond }))
	stopped := pipe(t, s, "stopped")
	use := s.call(s.hear("did stall"))
	stopped()
	if r := s.carry(use); r.IsError || r.Text != "a.txt" {
		t.Errorf("the result is %+v", r)
	}
	if got := text(s.ask()); got != "done\nI heard: Go on with what you were doing." {
		t.Errorf("the agent says %q", got)
	}
}

// An agent that waits for a person is left in peace. That its time would have come
// is seen by another one, which began later and works.
func TestWaitingIsNotWorking(t *testing.T) {
	s := begin(t, open(t, "plain", func(c *acp.Config) { c.Alone = time.Millisecond }))
	use := s.call(s.hear("edit a.txt"))
	other := begin(t, s.m)
	stopped := pipe(t, other, "stopped")
	other.hear("did stall")
	stopped()
	if r := s.carry(use); r.IsError {
		t.Errorf("the result is %+v", r)
	}
}

// An agent that nobody needs is ended, and its conversation loaded again.
func TestIdle(t *testing.T) {
	s := begin(t, open(t, "loads", func(c *acp.Config) { c.Idle = time.Millisecond }))
	ended := pipe(t, s, "ended")
	s.hear("hello")
	ended()
	if got := text(s.hear("echo again")); got != "echo again" {
		t.Errorf("the agent was told, or says, %q", got)
	}
}
