package parley_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/parley-dev/parley"

// layers says which packages may stand on which: imports point down only. The
// longest path that fits counts. A new package needs a row here.
var layers = map[string]int{
	"protocol":         0,
	"client":           0,
	"model":            1,
	"tool":             1,
	"internal/journal": 1,
	"internal/blob":    1,
	"internal/branch":  1,
	"internal/program": 1,
	"internal/secret":  1,
	"internal/session": 2,
	"internal/history": 2,

	"internal/engine":              3,
	"internal/journal/sqlite":      3,
	"internal/journal/journaltest": 3,
	"internal/index":               3,
	"internal/auth":                3,
	"internal/exchange":            3,
	"internal/workspace":           3,
	"internal/settings":            3,
	"tool/builtin":                 3,
	"tool/mcp":                     3,
	"tool/sandbox":                 1,
	"tool/tooltest":                3,
	"model/offline":                3,
	"model/script":                 3,
	"model/modeltest":              3,
	"model/anthropic":              3,
	"model/openai":                 3,
	"model/acp":                    3,
	"model/catalog":                3,

	"internal/agent":   4,
	"internal/gateway": 4,
	"web":              4,
	"":                 5, // package parley itself

	"cmd":      6,
	"examples": 6,
	"bench":    6,
	// Generators are tools of their package.
	"protocol/internal/gen": 6,
}

// parents are packages whose subpackages may import them although they share a
// layer: a port and its implementations, a door and its gateway.
var parents = []string{"internal/gateway", "model", "tool", "internal/journal", "protocol", "cmd", "bench", "examples"}

// leaves import the standard library only.
var leaves = []string{"protocol"}

func TestImportsPointDown(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			name := d.Name()
			if path != "." && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		seen++
		checkFile(t, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 20 {
		t.Fatalf("only %d files were looked at", seen)
	}
}

func checkFile(t *testing.T, path string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	from := filepath.ToSlash(filepath.Dir(path))
	if from == "." {
		from = ""
	}
	mine, ok := layerOf(from)
	if !ok {
		t.Errorf("%s: package %q has no layer: add a row to the table", path, from)
		return
	}
	for _, spec := range f.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		to, ours := strings.CutPrefix(imported, module)
		if !ours {
			if isLeaf(from) && strings.Contains(strings.Split(imported, "/")[0], ".") {
				t.Errorf("%s imports %s: %s stands on the standard library alone", path, imported, from)
			}
			continue
		}
		to = strings.TrimPrefix(to, "/")
		theirs, ok := layerOf(to)
		if !ok {
			t.Errorf("%s imports %s, which has no layer", path, imported)
			continue
		}
		if theirs > mine || theirs == mine && !related(from, to) {
			t.Errorf("%s (layer %d) imports %s (layer %d): imports point down only", path, mine, imported, theirs)
		}
	}
}

func layerOf(pkg string) (int, bool) {
	for p := pkg; ; {
		if l, ok := layers[p]; ok {
			return l, p != "" || pkg == ""
		}
		i := strings.LastIndexByte(p, '/')
		if i < 0 {
			return 0, false
		}
		p = p[:i]
	}
}

func isLeaf(pkg string) bool {
	for _, l := range leaves {
		if pkg == l {
			return true
		}
	}
	return false
}

// related packages of one layer may import each other: a package and its own
// subpackages, and the client its vocabulary.
func related(from, to string) bool {
	if from == to || from == "client" && to == "protocol" {
		return true
	}
	for _, p := range parents {
		under := func(x string) bool { return x == p || strings.HasPrefix(x, p+"/") }
		if under(from) && under(to) {
			return true
		}
	}
	return false
}
