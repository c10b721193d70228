package builtin

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/parley-dev/parley/tool"
)

// What somebody else wrote meanwhile is not written over, and nothing is left
// behind.
func TestReplaceKeepsOthersChanges(t *testing.T) {
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "old"), filepath.Join(dir, "fresh")
	if err := os.WriteFile(old, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := openPlace(tool.Call{Workspace: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, path := range []string{old, fresh} {
		name := filepath.Base(path)
		before, err := p.load(name, maxChanged)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("somebody else's\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := p.replace(before, []byte("mine\n")); tool.CodeOf(err) != tool.CodeExecutionFailed {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != "somebody else's\n" {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
