package sqlite

import (
	"os"
	"os/exec"
	"testing"
)

// Some tests need another process: the test binary runs itself as a child,
// which is told by childEnv what to be.
const childEnv = "PARLEY_JOURNAL_CHILD"

func children() map[string]func(args []string) int {
	return map[string]func(args []string) int{
		"hold":   childHold,
		"append": childAppend,
		"disk":   childDisk,
	}
}

func child(t *testing.T, what string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), childEnv+"="+what)
	cmd.Stderr = os.Stderr
	return cmd
}
