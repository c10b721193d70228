package tool_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-dev/parley/tool"
)

func TestPath(t *testing.T) {
	for _, c := range []struct{ name, want, code string }{
		{"", ".", ""},
		{".", ".", ""},
		{"a/b", "a/b", ""},
		{"./a//b/", "a/b", ""},
		{"..a/b..", "..a/b..", ""},
		{"a/...", "a/...", ""},
		{"한글/파일.txt", "한글/파일.txt", ""},
		{"..", "", tool.CodePathRefused},
		{"../a", "", tool.CodePathRefused},
		{"a/..", "", tool.CodePathRefused},
		{"a/../../b", "", tool.CodePathRefused},
		{"/", "", tool.CodePathRefused},
		{"/etc/passwd", "", tool.CodePathRefused},
		{"a\x00b", "", tool.CodeInputInvalid},
	} {
		got, err := tool.Path(c.name)
		if got != c.want || tool.CodeOf(err) != c.code {
			t.Errorf("Path(%q) = %q, %v; want %q, %q", c.name, got, err, c.want, c.code)
		}
	}
	if _, err := tool.Path("/" + strings.Repeat("x", 1<<20)); len(err.Error()) > 1000 {
		t.Errorf("a long path makes a message of %d bytes", len(err.Error()))
	}
}

func TestRootNeedsAWorkspace(t *testing.T) {
	for _, folder := range []string{"", "relative", filepath.Join(t.TempDir(), "missing")} {
		if _, err := (tool.Call{Workspace: folder}).Root(); tool.CodeOf(err) != tool.CodeUnavailable {
			t.Errorf("Root of %q gave %v", folder, err)
		}
	}
}

func TestPathError(t *testing.T) {
	base := t.TempDir()
	work := filepath.Join(base, "work")
	if err := errors.Join(os.Mkdir(work, 0o755), os.Symlink("..", filepath.Join(work, "out")), os.Symlink("loop", filepath.Join(work, "loop")),
		os.WriteFile(filepath.Join(work, "file"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	root, err := (tool.Call{Workspace: work}).Root()
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, code := range map[string]string{
		"out":        tool.CodePathRefused,
		"out/x":      tool.CodePathRefused,
		"missing":    tool.CodeExecutionFailed,
		"loop":       tool.CodeExecutionFailed,
		"file/below": tool.CodeExecutionFailed,
	} {
		_, err := root.Open(name)
		if err == nil {
			t.Fatalf("%s could be opened", name)
		}
		if got := tool.PathError(root, name, err); tool.CodeOf(got) != code {
			t.Errorf("%s: %v has the code %s, want %s", name, got, tool.CodeOf(got), code)
		}
	}
	_, err = root.Open("missing")
	if !errors.Is(tool.PathError(root, "missing", err), fs.ErrNotExist) {
		t.Error("the cause is lost")
	}
}
