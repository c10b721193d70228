package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/builtin"
	"github.com/parley-dev/parley/tool/tooltest"
)

func TestListFilesConforms(t *testing.T) {
	tooltest.Run(t, func(*testing.T) tooltest.Subject {
		return tooltest.Subject{
			Tool: builtin.ListFiles{},
			Good: `{"path":"in","recursive":true,"pattern":"**/*.txt","limit":10}`,
			Bad:  []string{`{"pattern":"[a"}`, `{"pattern":"{a,b}{a,b}{a,b}"}`, `{"path":"a\u0000b"}`, `{"limit":2.0}`},
			Path: func(folder string) string { return fmt.Sprintf(`{"path":%q,"recursive":true}`, folder) },
		}
	})
}

func list(t *testing.T, dir string, pairs ...any) string {
	t.Helper()
	return run(t.Context(), t, builtin.ListFiles{}, tool.Call{Workspace: dir, Input: input(t, pairs...)}).Text
}

func TestListFiles(t *testing.T) {
	dir := tree(t, map[string]string{
		".gitignore":        "*.log\n/build/\n!keep.log\nnode_modules/\n",
		".git/config":       "x",
		"b.txt":             "hello",
		"a.go":              "",
		"keep.log":          "",
		"noise.log":         "",
		"build/out":         "",
		"src/main.go":       "package main\n",
		"src/build/x.go":    "",
		"src/.gitignore":    "secret.*\n",
		"src/secret.go":     "",
		"src/deep/util.go":  "",
		"src/deep/util.ts":  "",
		"node_modules/a/b":  "",
		"empty/":            "",
		"src/deep/secret.x": "",
	})
	for _, c := range []struct {
		name  string
		pairs []any
		want  string
	}{
		{"top", nil, ".gitignore (38 bytes)|a.go (0 bytes)|b.txt (5 bytes)|empty/|keep.log (0 bytes)|src/|[3 left out because of .gitignore]"},
		{"below", []any{"path", "./src/"}, "src/.gitignore (9 bytes)|src/build/|src/deep/|src/main.go (13 bytes)|[1 left out because of .gitignore]"},
		{"rules from above", []any{"path", "src/deep"}, "src/deep/util.go (0 bytes)|src/deep/util.ts (0 bytes)|[1 left out because of .gitignore]"},
		{"all below", []any{"path", "src", "recursive", true},
			"src/.gitignore (9 bytes)|src/build/|src/build/x.go (0 bytes)|src/deep/|src/deep/util.go (0 bytes)|src/deep/util.ts (0 bytes)|src/main.go (13 bytes)|[2 left out because of .gitignore]"},
		{"by name", []any{"pattern", "*.go", "recursive", true, "ignored", true}, "a.go (0 bytes)|src/build/x.go (0 bytes)|src/deep/util.go (0 bytes)|src/main.go (13 bytes)|src/secret.go (0 bytes)"},
		{"by name, here", []any{"pattern", "*.go"}, "a.go (0 bytes)|[3 left out because of .gitignore]"},
		{"by path", []any{"path", "src", "pattern", "**/util.{go,ts}"}, "src/deep/util.go (0 bytes)|src/deep/util.ts (0 bytes)|[2 left out because of .gitignore]"},
		{"an ignored folder that was asked for", []any{"path", "node_modules", "recursive", true}, "node_modules/a/|node_modules/a/b (0 bytes)"},
		{"git itself", []any{"path", ".git"}, ".git/config (1 bytes)"},
		{"nothing", []any{"path", "empty"}, "[the folder is empty]"},
		{"no match", []any{"path", "src/deep", "pattern", "*.py"}, "[nothing here matches; 1 left out because of .gitignore]"},
		{"limit", []any{"limit", 2}, ".gitignore (38 bytes)|a.go (0 bytes)|[there are more than these 2; list a folder below or use a pattern]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.ReplaceAll(strings.TrimSuffix(list(t, dir, c.pairs...), "\n"), "\n", "|"); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestListFilesRefuses(t *testing.T) {
	dir := tree(t, map[string]string{"a.txt": ""})
	for path, says := range map[string]string{"a.txt": "not a directory", "missing": "does not exist", "a.txt/b": "a.txt/b"} {
		_, err := builtin.ListFiles{}.Run(t.Context(), tool.Call{Workspace: dir, Input: input(t, "path", path)})
		if tool.CodeOf(err) != tool.CodeExecutionFailed || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Names cannot break out of their line, nor fool whoever reads them.
func TestListFilesOddNames(t *testing.T) {
	dir := tree(t, map[string]string{"a\nb": "", "\x1b[31mred": "", "한글 이름": "", "\xff": "", "a\u202eb": ""})
	want := `"\x1b[31mred" (0 bytes)|"a\nb" (0 bytes)|"a\u202eb" (0 bytes)|한글 이름 (0 bytes)|"\xff" (0 bytes)|`
	if got := strings.ReplaceAll(list(t, dir), "\n", "|"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestListFilesDoesNotFollowLinks(t *testing.T) {
	dir := tree(t, map[string]string{"real/x": ""})
	if err := errors.Join(os.Symlink("real", filepath.Join(dir, "link")), os.Symlink(".", filepath.Join(dir, "real/self"))); err != nil {
		t.Fatal(err)
	}
	want := "link (symbolic link)|real/|real/self (symbolic link)|real/x (0 bytes)|"
	if got := strings.ReplaceAll(list(t, dir, "recursive", true), "\n", "|"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// But a link that stays inside may be asked for.
	if got := list(t, dir, "path", "link"); !strings.Contains(got, "link/x") {
		t.Errorf("through a link: %s", got)
	}
}

func TestListFilesIsBounded(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("n", 200)
	for i := range 1200 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d-%s", i, long)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := list(t, dir, "limit", 1000)
	if len(text) > 65<<10 || !strings.Contains(text, "there are more than these") || !strings.HasPrefix(text, "0000-n") {
		t.Errorf("%d bytes, ending in %q", len(text), text[len(text)-100:])
	}
}

// countdown is a context that is done after it was looked at so often.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestListFilesStopsOnTheWay(t *testing.T) {
	dir := tree(t, map[string]string{"a/1": "", "a/2": "", "b/3": "", "c": ""})
	for looks := range 6 {
		_, err := builtin.ListFiles{}.Run(&countdown{t.Context(), looks}, tool.Call{Workspace: dir, Input: input(t, "recursive", true)})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after %d looks at the context: %v", looks, err)
		}
	}
}
