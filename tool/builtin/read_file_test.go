package builtin_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/builtin"
	"github.com/parley-dev/parley/tool/tooltest"
)

func TestReadFileConforms(t *testing.T) {
	tooltest.Run(t, func(*testing.T) tooltest.Subject {
		return tooltest.Subject{
			Tool: builtin.ReadFile{},
			Good: `{"path":"in/note.txt","offset":1,"limit":10,"numbered":true}`,
			Bad:  []string{`{"path":"a\u0000b"}`, `{"path":""}`},
			Path: func(folder string) string { return fmt.Sprintf(`{"path":%q}`, folder+"/note.txt") },
		}
	})
}

func read(t *testing.T, dir, path string, pairs ...any) tool.Result {
	t.Helper()
	return run(t.Context(), t, builtin.ReadFile{}, tool.Call{Workspace: dir, Input: input(t, append(pairs, "path", path)...)})
}

func utf16le(text string) string {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return string(out)
}

func TestReadFile(t *testing.T) {
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, "line %d\n", i+1)
	}
	dir := tree(t, map[string]string{
		"plain":  "one\ntwo\nthree\n",
		"end":    "one\ntwo",
		"crlf":   "one\r\ntwo\r\n",
		"mixed":  "one\r\ntwo\nthree\n",
		"bom":    "\xef\xbb\xbfone\n",
		"utf16":  utf16le("하나\r\n둘\n"),
		"latin":  "caf\xe9\nok\n",
		"empty":  "",
		"binary": "\x7fELF\x00\x01\x02",
		"many":   many.String(),
		"cut":    strings.Repeat("한", 3000) + "\nnext\n",
	})
	for _, c := range []struct {
		path  string
		pairs []any
		want  string
	}{
		{"plain", nil, "one|two|three|"},
		{"plain", []any{"numbered", true, "offset", 2}, "     2\ttwo|     3\tthree|[lines 2 to 3, the end of the file]|"},
		{"plain", []any{"offset", 2, "limit", 1}, "two|[lines 2 to 2 of 3; go on with offset 3]|"},
		{"plain", []any{"offset", 9}, "[the file has only 3 lines]|"},
		{"end", nil, "one|two|[no newline at the end of the file]|"},
		{"crlf", nil, "one|two|[the lines end in CRLF, which edit_file keeps]|"},
		{"mixed", nil, "one|two|three|[1 of these lines end in CRLF, the others in LF]|"},
		{"bom", nil, "one|[it begins with a byte order mark]|"},
		{"utf16", nil, "하나|둘|[the lines end in CRLF, which edit_file keeps; it is written in UTF-16, which edit_file cannot change]|"},
		{"latin", nil, "caf\uFFFD|ok|[1 lines hold bytes that are not UTF-8, shown as U+FFFD]|"},
		{"empty", nil, "[the file is empty]|"},
		{"binary", nil, "[a binary file of 7 bytes (application/octet-stream), not shown; use run_command with a program made for it]|"},
		{"cut", nil, strings.Repeat("한", 1365) + " [… 4905 more bytes in this line]|next|[1 long lines were cut]|"},
	} {
		if got := strings.ReplaceAll(read(t, dir, c.path, c.pairs...).Text, "\n", "|"); got != c.want {
			t.Errorf("%s %v:\ngot  %s\nwant %s", c.path, c.pairs, got, c.want)
		}
	}
	text := read(t, dir, "many").Text
	if !strings.HasPrefix(text, "line 1\n") || !strings.HasSuffix(text, "line 2000\n[lines 1 to 2000 of 5000; go on with offset 2001]\n") {
		t.Errorf("many lines end in %q", text[len(text)-100:])
	}
}

// A line of ten megabytes costs what is shown of it.
func TestReadFileLongLine(t *testing.T) {
	dir := tree(t, map[string]string{"long": strings.Repeat("x", 10<<20) + "\r\nafter\n"})
	text := read(t, dir, "long").Text
	if len(text) > 5<<10 || !strings.Contains(text, fmt.Sprintf("[… %d more bytes in this line]\nafter\n", 10<<20-4096)) {
		t.Errorf("%d bytes, ending in %q", len(text), text[max(0, len(text)-200):])
	}
}

func TestReadFileBoundsText(t *testing.T) {
	dir := tree(t, map[string]string{"wide": strings.Repeat(strings.Repeat("w", 1000)+"\n", 500)})
	r := read(t, dir, "wide")
	if len(r.Text) > 97<<10 || !strings.Contains(r.Text, "[lines 1 to 98 of 500; go on with offset 99]") {
		t.Errorf("%d bytes, ending in %q", len(r.Text), r.Text[len(r.Text)-100:])
	}
	if next := read(t, dir, "wide", "offset", 99).Text; !strings.HasPrefix(next, "www") {
		t.Errorf("the next page begins with %.20q", next)
	}
}

func TestReadFileShowsPictures(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	// The name does not matter, the content does.
	dir := tree(t, map[string]string{"small.txt": b.String(), "large.png": b.String() + strings.Repeat("x", tool.MaxImage)})
	r := read(t, dir, "small.txt")
	if len(r.Images) != 1 || r.Images[0].MediaType != "image/png" || !bytes.Equal(r.Images[0].Data, b.Bytes()) {
		t.Errorf("%d images; %s", len(r.Images), r.Text)
	}
	if r := read(t, dir, "large.png"); len(r.Images) != 0 || !strings.Contains(r.Text, "make it smaller") {
		t.Errorf("%d images; %s", len(r.Images), r.Text)
	}
}

func TestReadFileRefuses(t *testing.T) {
	dir := tree(t, map[string]string{"sub/x": ""})
	for path, says := range map[string]string{"sub": "is a folder", "missing": "does not exist", "sub/x/y": "sub/x/y"} {
		_, err := builtin.ReadFile{}.Run(t.Context(), tool.Call{Workspace: dir, Input: input(t, "path", path)})
		if tool.CodeOf(err) != tool.CodeExecutionFailed || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Secrets need a person's word, by whatever name they are reached.
func TestReadFileGuardsSecrets(t *testing.T) {
	dir := tree(t, map[string]string{".env": "KEY=1\n", "conf/Server.PEM": "k\n", ".env.example": "KEY=\n", "id_rsa": "k\n", ".git/config": "c\n"})
	if err := os.Symlink(".env", filepath.Join(dir, "innocent.txt")); err != nil {
		t.Fatal(err)
	}
	for path, guarded := range map[string]bool{".env": true, "conf/Server.PEM": true, "id_rsa": true, "innocent.txt": true, ".env.example": false, ".git/config": false} {
		call := tool.Call{Workspace: dir, Input: input(t, "path", path)}
		w, err := tool.Weigh(t.Context(), builtin.ReadFile{}, call)
		if err != nil || (w.Guard != "") != guarded || w.Class != tool.ClassRead {
			t.Errorf("%s weighs %+v, %v", path, w, err)
		}
		r, err := builtin.ReadFile{}.Run(t.Context(), call)
		if (tool.CodeOf(err) == tool.CodePathRefused) != guarded || guarded && r.Text != "" {
			t.Errorf("%s: %q, %v", path, r.Text, err)
		}
		call.Approved = true
		if r := run(t.Context(), t, builtin.ReadFile{}, call); r.Text == "" {
			t.Errorf("%s was approved and not read", path)
		}
	}
}

// What .parleyignore names is not there, also for whom a person approves.
func TestParleyignoreHides(t *testing.T) {
	dir := tree(t, map[string]string{".parleyignore": "private/\n*.secret\n!open.secret\n", "private/deep/x": "s3cret", "a.secret": "s3cret", "open.secret": "fine\n", "b": ""})
	// A link to what is hidden is hidden too, and so is one of a hidden name.
	if err := errors.Join(os.Symlink("private/deep", filepath.Join(dir, "way")), os.Symlink("b", filepath.Join(dir, "link.secret"))); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"private/deep/x", "a.secret", "way/x", "private", "link.secret"} {
		call := tool.Call{Workspace: dir, Input: input(t, "path", path), Approved: true}
		for _, one := range []tool.Tool{builtin.ReadFile{}, builtin.ListFiles{}} {
			r, err := one.Run(t.Context(), call)
			if tool.CodeOf(err) != tool.CodePathRefused || strings.Contains(r.Text, "s3cret") {
				t.Errorf("%s %s: %q, %v", one.Info().Name, path, r.Text, err)
			}
		}
	}
	if r := read(t, dir, "open.secret"); r.Text != "fine\n" {
		t.Errorf("a file that is named as an exception: %q", r.Text)
	}
	if got := list(t, dir, "recursive", true, "ignored", true); strings.Contains(got, "a.secret") || strings.Contains(got, "private") || !strings.Contains(got, "open.secret") {
		t.Errorf("the listing shows:\n%s", got)
	}
	// One that cannot be read stops everything, rather than hiding nothing.
	if err := os.Remove(filepath.Join(dir, ".parleyignore")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".parleyignore"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := (builtin.ReadFile{}).Run(t.Context(), tool.Call{Workspace: dir, Input: input(t, "path", "b")}); tool.CodeOf(err) != tool.CodeUnavailable {
		t.Errorf("with a damaged %s: %v", ".parleyignore", err)
	}
}
