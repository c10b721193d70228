package builtin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/builtin"
	"github.com/parley-dev/parley/tool/tooltest"
)

func TestWriteFileConforms(t *testing.T) {
	tooltest.Run(t, func(*testing.T) tooltest.Subject {
		return tooltest.Subject{
			Tool: builtin.All()[2],
			Good: `{"path":"in/new/note.txt","content":"hello\n"}`,
			Bad:  []string{`{"path":"a\u0000b","content":""}`},
			Path: func(folder string) string {
				return fmt.Sprintf(`{"path":%q,"content":"changed\n"}`, folder+"/note.txt")
			},
		}
	})
}

func write(t *testing.T, dir, path, content string) tool.Result {
	t.Helper()
	return run(t.Context(), t, builtin.WriteFile{}, tool.Call{Workspace: dir, Input: input(t, "path", path, "content", content)})
}

// holds looks at a file of a workspace.
func holds(t *testing.T, dir, path, want string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(dir, path))
	if err != nil || string(got) != want {
		t.Errorf("%s holds %q, want %q (%v)", path, got, want, err)
	}
}

func TestWriteFile(t *testing.T) {
	dir := tree(t, map[string]string{"old.sh": "#!/bin/sh\n", "real/x": "x"})
	if err := os.Chmod(filepath.Join(dir, "old.sh"), 0o751); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real/x", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if r := write(t, dir, "a/b/c.txt", "new\n"); r.Text != "created a/b/c.txt, 4 bytes\n" {
		t.Errorf("text %q", r.Text)
	}
	if r := write(t, dir, "old.sh", "#!/bin/bash\n"); r.Text != "replaced old.sh, 12 bytes\n" {
		t.Errorf("text %q", r.Text)
	}
	write(t, dir, "link", "through")
	holds(t, dir, "a/b/c.txt", "new\n")
	holds(t, dir, "old.sh", "#!/bin/bash\n")
	holds(t, dir, "real/x", "through")
	if info, err := os.Lstat(filepath.Join(dir, "link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Join(dir, "old.sh")); err != nil || info.Mode().Perm() != 0o751 {
		t.Errorf("the mode became %v, %v", info.Mode(), err)
	}
	if names, err := filepath.Glob(filepath.Join(dir, "**", ".parley-*")); err != nil || len(names) > 0 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

func TestWriteFileRefuses(t *testing.T) {
	dir := tree(t, map[string]string{"folder/x": "", "file": "", ".parleyignore": "hidden\n"})
	for path, code := range map[string]string{
		"folder": tool.CodeExecutionFailed, "file/below": tool.CodeExecutionFailed, ".": tool.CodeExecutionFailed,
		".env": tool.CodePathRefused, ".git/hooks/pre-commit": tool.CodePathRefused, "sub/.GIT/config": tool.CodePathRefused,
		".parleyignore": tool.CodePathRefused, "hidden": tool.CodePathRefused,
	} {
		_, err := builtin.WriteFile{}.Run(t.Context(), tool.Call{Workspace: dir, Input: input(t, "path", path, "content", "x")})
		if tool.CodeOf(err) != code {
			t.Errorf("%s: %v, want %s", path, err, code)
		}
	}
	// What is guarded is open to a person's word; what is hidden is not.
	for path, open := range map[string]bool{".env": true, ".git/config": true, "hidden": false} {
		call := tool.Call{Workspace: dir, Input: input(t, "path", path, "content", "x"), Approved: true}
		if _, err := (builtin.WriteFile{}).Run(t.Context(), call); (err == nil) != open {
			t.Errorf("%s, approved: %v", path, err)
		}
	}
}

func TestWriteFilePreview(t *testing.T) {
	dir := tree(t, map[string]string{"a.txt": "one\ntwo\nthree\n", "bin": "\x00\x01", ".env": "A=1\n"})
	for _, c := range []struct{ path, content, want string }{
		{"a.txt", "one\n2\nthree\n", "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"},
		{"new.txt", "one\n", "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+one\n"},
		{"a.txt", "one\ntwo\nthree\n", "a.txt stays as it is\n"},
		{"empty", "", "empty is created, empty\n"},
		{"bin", "text", "--- a/bin\n+++ b/bin\n2 bytes become 4\n"},
		{".env", "A=2\n", "--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-A=1\n+A=2\n"},
	} {
		got, err := builtin.WriteFile{}.Preview(t.Context(), tool.Call{Workspace: dir, Input: input(t, "path", c.path, "content", c.content)})
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v\nwant %q", c.path, got, err, c.want)
		}
	}
	long := strings.Repeat("한\n", 100_000)
	got, err := builtin.WriteFile{}.Preview(t.Context(), tool.Call{Workspace: dir, Input: input(t, "path", "long", "content", long)})
	if err != nil || len(got) > 49<<10 || !strings.Contains(got, "more bytes of the difference") {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
