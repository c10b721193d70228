package builtin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/builtin"
	"github.com/parley-dev/parley/tool/tooltest"
)

func TestEditFileConforms(t *testing.T) {
	tooltest.Run(t, func(*testing.T) tooltest.Subject {
		return tooltest.Subject{
			Tool: builtin.All()[3],
			// What it puts in holds what it looks for, so that it can run again.
			Good: `{"path":"in/note.txt","edits":[{"old_text":"note","new_text":"noted"}]}`,
			Bad: []string{
				`{"path":"in/note.txt"}`, `{"path":"in/note.txt","old_text":"a"}`, `{"path":"in/note.txt","new_text":"a"}`,
				`{"path":"in/note.txt","old_text":"a","new_text":"b","edits":[{"old_text":"a","new_text":"b"}]}`,
				`{"path":"in/note.txt","edits":[]}`, `{"path":"in/note.txt","edits":[{"old_text":"","new_text":"b"}]}`, `{"path":"in/note.txt","edits":[{"old_text":"a"}]}`,
			},
			Path: func(folder string) string {
				return fmt.Sprintf(`{"path":%q,"old_text":"note","new_text":"noted"}`, folder+"/note.txt")
			},
		}
	})
}

func TestEditFile(t *testing.T) {
	one := func(old, text string) []any { return []any{"old_text", old, "new_text", text} }
	type e = map[string]any
	for _, c := range []struct {
		name, file string
		pairs      []any
		want       string
		fails      string // what the error says
	}{
		{"exact", "a\nb\nc\n", one("b\n", "B\n"), "a\nB\nc\n", ""},
		{"inside a line", "abc", one("b", "-"), "a-c", ""},
		{"delete", "a\nb\nc\n", one("b\n", ""), "a\nc\n", ""},
		{"all", "x y x\n", append(one("x", "z"), "all", true), "z y z\n", ""},
		{"twice", "x\ny\nx\n", one("x", "z"), "", "stands there 2 times, at lines 1, 3; add lines"},
		{"many times", strings.Repeat("x\n", 30), one("x", "z"), "", "30 times, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …"},
		{"missing", "a\nb\n", one("zzzz", "y"), "", "old_text is not there; read the file again"},
		{"nearest", "a\nfirst line\nsecond line\nc\n", one("first line\nanother line", "y"), "", "nearest stands at line 2:\nfirst line\nsecond line\n"},
		{"same", "a\n", one("a", "a"), "", "are the same"},
		{"crlf", "a\r\nb\r\nc\r\n", one("a\nb\n", "x\ny\n"), "x\r\ny\r\nc\r\n", ""},
		{"crlf, one line", "a\r\nb\r\n", one("b", "b\nc"), "a\r\nb\r\nc\r\n", ""},
		{"crlf, mixed", "a\nb\nc\r\nd\r\n", one("a\nb", "x\ny"), "x\ny\nc\r\nd\r\n", ""},
		{"crlf, across", "a\nb\r\nc\n", one("a\nb\nc\n", "x\n"), "x\n", ""},
		{"trailing space", "a  \nb\t\nc\n", one("a\nb\n", "x\ny\n"), "x\ny\nc\n", ""},
		{"indentation", "if x {\n\t\tfoo()\n\t\tbar()\n}\n", one("foo()\nbar()", "baz()\nif y {\n\tqux()\n}"), "if x {\n\t\tbaz()\n\t\tif y {\n\t\t\tqux()\n\t\t}\n}\n", ""},
		{"tabs for spaces", "\tif a  {\n\t\tb\n\t}\n", one("  if a {\n    b\n  }\n", "  c\n"), "\tc\n", ""},
		{"loosely twice", "\ta b\n\t\ta b\n", one("a  b", "c"), "", "but for white space it stands there more than once, first at lines 1 and 2"},
		{"loosely, later", "x\n\n  a\n  b\ny\n", one("a \nb ", "c"), "x\n\n  c\ny\n", ""},
		{"white space only", "a\n", one("   \n", "b"), "", "white space only"},
		{"not UTF-8 around", "caf\xe9\nx\n", one("x", "y"), "caf\xe9\ny\n", ""},
		{"several", "a\nb\n", []any{"edits", []e{{"old_text": "a", "new_text": "b2"}, {"old_text": "b2", "new_text": "c"}}}, "c\nb\n", ""},
		{"several or none", "a\nb\n", []any{"edits", []e{{"old_text": "a", "new_text": "A"}, {"old_text": "q", "new_text": "Q"}}}, "", "nothing was changed in \"f\": edit 2 of 2: old_text is not there"},
		{"binary", "a\x00b", one("a", "b"), "", "is not text in UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := tree(t, map[string]string{"f": c.file})
			call := tool.Call{Workspace: dir, Input: input(t, append(c.pairs, "path", "f")...)}
			preview, previewErr := builtin.EditFile{}.Preview(t.Context(), call)
			r, err := builtin.EditFile{}.Run(t.Context(), call)
			if c.fails != "" {
				if tool.CodeOf(err) != tool.CodeExecutionFailed || !strings.Contains(err.Error(), c.fails) || previewErr == nil {
					t.Errorf("Run: %v\nPreview: %v", err, previewErr)
				}
				holds(t, dir, "f", c.file)
				return
			}
			if err != nil || previewErr != nil {
				t.Fatal(err, previewErr)
			}
			holds(t, dir, "f", c.want)
			if preview != r.Text || !strings.HasPrefix(preview, "--- a/f\n+++ b/f\n@@ ") {
				t.Errorf("previewed %q\ndone %q", preview, r.Text)
			}
		})
	}
}

func TestEditFileKeepsMode(t *testing.T) {
	dir := tree(t, map[string]string{"x.sh": "a\n"})
	path := filepath.Join(dir, "x.sh")
	if err := os.Chmod(path, 0o740); err != nil {
		t.Fatal(err)
	}
	r := run(t.Context(), t, builtin.EditFile{}, tool.Call{Workspace: dir, Input: input(t, "path", "x.sh", "old_text", "a", "new_text", "b\nc")})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o740 {
		t.Errorf("the mode became %v, %v", info.Mode(), err)
	}
	if fact(t, r, "added") != 2 || fact(t, r, "removed") != 1 || fact(t, r, "replacements") != 1 {
		t.Errorf("summary %s", r.Summary)
	}
}

// However alike the lines are, looking for some takes no time to speak of.
func TestEditFileRepetitive(t *testing.T) {
	dir := tree(t, map[string]string{"f": strings.Repeat("  same line\n", 200_000)})
	_, err := builtin.EditFile{}.Run(t.Context(), tool.Call{Workspace: dir, Input: input(t, "path", "f", "old_text", strings.Repeat("same line\n", 20_000)+"other\n", "new_text", "x")})
	if tool.CodeOf(err) != tool.CodeExecutionFailed {
		t.Errorf("Run: %v", err)
	}
}

// Edits of one file that come at the same time all arrive.
func TestEditFilesTakeTurns(t *testing.T) {
	var text strings.Builder
	for i := range 32 {
		fmt.Fprintf(&text, "<%d>\n", i)
	}
	dir := tree(t, map[string]string{"f": text.String()})
	tools := builtin.All()
	editor, err := tool.Find(tools, "edit_file")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tool.Close(tools) })
	var wg sync.WaitGroup
	for i := range 32 {
		in := input(t, "path", "f", "old_text", fmt.Sprintf("<%d>", i), "new_text", fmt.Sprintf("[%d]", i))
		wg.Go(func() { run(t.Context(), t, editor, tool.Call{Workspace: dir, Input: in}) })
	}
	wg.Wait()
	holds(t, dir, "f", strings.NewReplacer("<", "[", ">", "]").Replace(text.String()))
}
