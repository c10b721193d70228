//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// terminal is a person at a terminal in which the program runs.
type terminal struct {
	t      *testing.T
	dir    string
	mine   *os.File
	theirs *os.File
	cmd    *exec.Cmd
	seen   string
}

func chatAt(t *testing.T, dir string) *terminal {
	t.Helper()
	mine, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mine.Close(); theirs.Close() })
	if err := pty.Setsize(mine, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	h := &terminal{t: t, dir: dir, mine: mine, theirs: theirs, cmd: realProgram(t, dir, "chat", "--session", "talk")}
	h.cmd.Stdin, h.cmd.Stdout, h.cmd.Stderr = theirs, theirs, theirs
	h.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.cmd.Process.Kill() })
	h.sees("leave with Ctrl-D")
	return h
}

// realProgram is the real program, as the scripts run it.
func realProgram(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	model := filepath.Join(dir, "model.yaml")
	if err := os.WriteFile(model, []byte("turns:\n  - text: \"You said: {{.last_user}}.\"\n    repeat: forever\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("parley", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TERM=xterm", "GORACE=atexit_sleep_ms=0", "PARLEY_DATA="+filepath.Join(dir, "data"), "PARLEY_MODEL=script:"+model)
	return cmd
}

// types presses keys.
func (h *terminal) types(keys string) {
	h.t.Helper()
	if _, err := h.mine.WriteString(keys); err != nil {
		h.t.Fatal(err)
	}
}

// sees waits for a text on the screen, after what was seen before.
func (h *terminal) sees(text string) {
	h.t.Helper()
	stop := time.AfterFunc(30*time.Second, func() { // fails the test, and does not hang it
		_ = h.cmd.Process.Kill()
		_ = h.theirs.Close()
	})
	defer stop.Stop()
	b := make([]byte, 4096)
	for !strings.Contains(h.seen, text) {
		n, err := h.mine.Read(b)
		h.seen += string(b[:n])
		if err != nil {
			h.t.Fatalf("%q was not seen: %v; on the screen: %q", text, err, h.seen)
		}
	}
	_, h.seen, _ = strings.Cut(h.seen, text)
}

// In a terminal a line can be edited, in any script; a pasted text is one message;
// what was said comes back; and the terminal is given back as it was.
func TestChatInATerminal(t *testing.T) {
	dir := t.TempDir()
	_, fresh, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	before, err := term.GetState(int(fresh.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	h := chatAt(t, dir)
	h.types("안녕요\x1b[D하세\r")
	h.sees("You said: 안녕하세요.")
	h.types("\x1b[200~one\r두 줄\x1b[201~\r")
	h.sees("You said: one\r\n두 줄.")
	h.types("\x1b[A\x1b[A!\r")
	h.sees("You said: 안녕하세요!.")
	h.types("\x04")
	if err := h.cmd.Wait(); err != nil {
		t.Errorf("Ctrl-D: %v", err)
	}
	after, err := term.GetState(int(h.theirs.Fd()))
	if err != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("the terminal is not as it was: %+v, %v; want %+v", after, err, before)
	}
	out, err := realProgram(t, dir, "sessions", "show", "talk").Output()
	if err != nil || !strings.Contains(string(out), "> one\n두 줄\n") || strings.Count(string(out), "> ") != 3 {
		t.Errorf("the session has %q, %v", out, err)
	}
}

// Ctrl-C leaves at once, also in the middle of a line, and is no failure.
func TestChatInterrupted(t *testing.T) {
	h := chatAt(t, t.TempDir())
	h.types("half a\x03")
	if err := h.cmd.Wait(); err != nil {
		t.Errorf("Ctrl-C: %v", err)
	}
}
