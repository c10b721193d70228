//go:build unix

package builtin_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/builtin"
)

// Opening a FIFO waits for a writer who never comes, unless one takes care.
func TestListFilesDoesNotWaitForFIFOs(t *testing.T) {
	dir := tree(t, map[string]string{"sub/a": ""})
	for _, name := range []string{"fifo", "sub/.gitignore"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := "fifo (special file)|sub/|sub/.gitignore (special file)|sub/a (0 bytes)|"
	if got := strings.ReplaceAll(list(t, dir, "recursive", true), "\n", "|"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	_, err := builtin.ListFiles{}.Run(t.Context(), tool.Call{Workspace: dir, Input: input(t, "path", "fifo")})
	if tool.CodeOf(err) != tool.CodeExecutionFailed {
		t.Errorf("listing a FIFO: %v", err)
	}
}
