package builtin_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/builtin"
	"github.com/parley-dev/parley/tool/tooltest"
)

// searchers are both ways to search. They give the same.
func searchers(t *testing.T) map[string]builtin.SearchFiles {
	t.Helper()
	out := map[string]builtin.SearchFiles{"by itself": {}}
	if rg, err := exec.LookPath("rg"); err == nil {
		out["ripgrep"] = builtin.SearchFiles{Ripgrep: rg}
	} else {
		t.Log("ripgrep is not installed: searching with it is not tried")
	}
	return out
}

func TestSearchFilesConforms(t *testing.T) {
	for name, one := range searchers(t) {
		t.Run(name, func(t *testing.T) {
			tooltest.Run(t, func(*testing.T) tooltest.Subject {
				return tooltest.Subject{
					Tool: one,
					Good: `{"pattern":"note","path":"in","literal":true,"ignore_case":true,"glob":"*.txt","context":1,"limit":5}`,
					Bad:  []string{`{"pattern":"a\nb"}`, `{"pattern":"a\u0000"}`, `{"pattern":"a","glob":"[a"}`, `{"pattern":"a","path":"a\u0000b"}`},
					Path: func(folder string) string { return fmt.Sprintf(`{"pattern":".","path":%q}`, folder) },
				}
			})
		})
	}
}

func TestSearchFiles(t *testing.T) {
	dir := tree(t, map[string]string{
		".gitignore":         "*.log\n*.tmp\n/build/\n!keep.log\n",
		".ignore":            "a.go\n",
		".parleyignore":      "private/\n",
		".git/config":        "needle",
		".env":               "needle",
		"a.go":               "package a\n\n// a Needle here\nfunc needle() {}\n\n\n\nend needle\n",
		"b.txt":              "needle.txt\nneedleXtxt\nfoo(bar\n",
		"x.log":              "needle\n",
		"keep.log":           "needle\n",
		"build/out.go":       "needle\n",
		"private/p.go":       "needle\n",
		"src/.gitignore":     "gen_*\n!noise.log\n",
		"src/gen_x.go":       "needle\n",
		"src/deep/noise.log": "needle\n",
		"src/deep/z.tmp":     "needle\n",
		"src/deep/m.ts":      "x needle\r\ny$\r\n",
		"src/deep/한글.md":     "바늘 needle\n",
		"bin":                "needle\x00needle\n",
		"latin":              "caf\xe9 needle\n",
		"utf16":              utf16le("needle\n"),
		"end":                "last needle",
		"odd\nname":          "needle\n",
		"long":               strings.Repeat("x", 3000) + "needle" + strings.Repeat("y", 3000) + "\nneedle\n",
	})
	if err := errors.Join(os.Symlink("a.go", filepath.Join(dir, "link.go")), os.Symlink("/etc", filepath.Join(dir, "etc"))); err != nil {
		t.Fatal(err)
	}
	cut := strings.Repeat("x", 500) + " [… cut]"
	for _, c := range []struct {
		name  string
		pairs []any
		want  string
	}{
		{"all", []any{"pattern", "needle"}, "a.go:4:func needle() {}|a.go:8:end needle|b.txt:1:needle.txt|b.txt:2:needleXtxt|end:1:last needle|keep.log:1:needle|latin:1:caf\uFFFD needle|" +
			"long:1:" + cut + "|long:2:needle|\"odd\\nname\":1:needle|src/deep/m.ts:1:x needle|src/deep/noise.log:1:needle|src/deep/한글.md:1:바늘 needle|"},
		{"case", []any{"pattern", "NEEDLE here", "ignore_case", true}, "a.go:3:// a Needle here|"},
		{"regexp", []any{"pattern", `needle\.t.t$`}, "b.txt:1:needle.txt|"},
		{"literal", []any{"pattern", "needle.txt", "literal", true}, "b.txt:1:needle.txt|"},
		{"no regexp", []any{"pattern", "foo(bar"}, "b.txt:3:foo(bar|[the pattern is no regular expression and was looked for as it stands]|"},
		{"end of line", []any{"pattern", `needle$`, "path", "src"}, "src/deep/m.ts:1:x needle|src/deep/noise.log:1:needle|src/deep/한글.md:1:바늘 needle|"},
		{"rules from above", []any{"pattern", "needle", "path", "src/deep"}, "src/deep/m.ts:1:x needle|src/deep/noise.log:1:needle|src/deep/한글.md:1:바늘 needle|"},
		{"an ignored folder that was asked for", []any{"pattern", "needle", "path", "build"}, "build/out.go:1:needle|"},
		{"a file", []any{"pattern", "needle", "path", "x.log"}, "x.log:1:needle|"},
		{"glob", []any{"pattern", "needle", "glob", "*.{ts,txt}"}, "b.txt:1:needle.txt|b.txt:2:needleXtxt|src/deep/m.ts:1:x needle|"},
		{"glob with folders", []any{"pattern", "needle", "path", "src", "glob", "deep/*.md"}, "src/deep/한글.md:1:바늘 needle|"},
		{"context", []any{"pattern", "func|end", "path", ".", "glob", "a.go", "context", 1}, "a.go-3-// a Needle here|a.go:4:func needle() {}|a.go-5-|--|a.go-7-|a.go:8:end needle|"},
		{"contexts that meet", []any{"pattern", "needle|end", "glob", "{a.go,end}", "context", 2}, "a.go-2-|a.go-3-// a Needle here|a.go:4:func needle() {}|a.go-5-|a.go-6-|a.go-7-|a.go:8:end needle|--|end:1:last needle|"},
		{"limit", []any{"pattern", "needle", "limit", 3}, "a.go:4:func needle() {}|a.go:8:end needle|b.txt:1:needle.txt|[there are more than these 3 lines; narrow it down]|"},
		{"nothing", []any{"pattern", "haystack"}, "[nothing found]|"},
		{"like an option", []any{"pattern", "--files"}, "[nothing found]|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for way, one := range searchers(t) {
				r := run(t.Context(), t, one, tool.Call{Workspace: dir, Input: input(t, c.pairs...)})
				if got := strings.ReplaceAll(r.Text, "\n", "|"); got != c.want {
					t.Errorf("%s:\ngot  %s\nwant %s", way, got, c.want)
				}
			}
		})
	}
	for way, one := range searchers(t) {
		r := run(t.Context(), t, one, tool.Call{Workspace: dir, Input: input(t, "pattern", "needle")})
		if fact(t, r, "matches") != 13 || fact(t, r, "files") != 10 {
			t.Errorf("%s: summary %s", way, r.Summary)
		}
		for _, path := range []string{".env", "private", "private/p.go"} {
			r, err := one.Run(t.Context(), tool.Call{Workspace: dir, Input: input(t, "pattern", "needle", "path", path)})
			if tool.CodeOf(err) != tool.CodePathRefused {
				t.Errorf("%s, %s: %q, %v", way, path, r.Text, err)
			}
		}
	}
}

// More output than anybody wants costs what is shown of it.
func TestSearchFilesIsBounded(t *testing.T) {
	dir := tree(t, map[string]string{"big": strings.Repeat("needle in a long line of hay\n", 400_000), "line": strings.Repeat("needle ", 2_000_000)})
	for way, one := range searchers(t) {
		r := run(t.Context(), t, one, tool.Call{Workspace: dir, Input: input(t, "pattern", "needle", "limit", 1000, "context", 3)})
		if len(r.Text) > 65<<10 || !strings.Contains(r.Text, "there are more than these 1000 lines") {
			t.Errorf("%s: %d bytes, ending in %q", way, len(r.Text), r.Text[len(r.Text)-100:])
		}
	}
}
