package workspace

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-pkgs/gitignore"
)

const (
	ignoreName    = ".gitignore"
	maxIgnoreFile = 256 << 10 // of more, the lines that are whole count
	maxIgnoreLine = 16 << 10
)

// machineMade is what no person writes and any folder can lose. It has the least
// force: a .gitignore with "!node_modules/" brings that back.
const machineMade = `
node_modules/
bower_components/
__pycache__/
*.pyc
.venv/
.tox/
.nox/
.mypy_cache/
.pytest_cache/
.ruff_cache/
.ipynb_checkpoints/
.gradle/
.next/
.nuxt/
.turbo/
.parcel-cache/
.terraform/
.DS_Store
Thumbs.db
*.swp
/.parley/
`

// rules say what is ignored in a folder: its own, and those of the folders above.
// The nearest that says anything about a path decides.
type rules struct {
	above *rules
	own   *gitignore.Matcher
	under string // stands before the paths of the workspace: these are from above it
}

func matcher(text []byte, folder string) *gitignore.Matcher {
	m := gitignore.New("")
	m.AddPatterns(legible(text), folder)
	return m
}

// legible drops lines that are longer than any path can be: they say nothing, and what
// follows them would not be read.
func legible(text []byte) []byte {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	long := func(line []byte) bool { return len(line) > maxIgnoreLine }
	lines := bytes.SplitAfter(text, []byte("\n"))
	if !slices.ContainsFunc(lines, long) {
		return text
	}
	return bytes.Join(slices.DeleteFunc(lines, long), nil)
}

// with adds the rules of a folder's own file.
func (r *rules) with(text []byte, folder string) *rules {
	if len(text) == 0 {
		return r
	}
	return &rules{above: r, own: matcher(text, folder)}
}

// ignores says whether a path is left out, as long as the folders above it are
// not.
func (r *rules) ignores(name string, isDir bool) bool {
	if isDir {
		name += "/"
	}
	for ; r != nil; r = r.above {
		if m := r.own.MatchDetail(r.under + name); m.Matched {
			return m.Ignored
		}
	}
	return false
}

// covers says whether a path, or a folder above it, is left out. read gives the
// texts of a folder, those of the least force first.
func (r *rules) covers(name string, isDir bool, read func(folder string) [][]byte) bool {
	in := func(folder string) {
		for _, text := range read(folder) {
			r = r.with(text, folder)
		}
	}
	in("")
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		if r.ignores(name[:i], true) {
			return true
		}
		in(name[:i])
	}
	return r.ignores(name, isDir)
}

// isGit tells names that belong to git, in whatever letters.
func isGit(name string) bool { return strings.EqualFold(name, ".git") }

// cleanPath checks a path that a caller names.
func cleanPath(name string) (string, error) {
	if name == "" || strings.ContainsRune(name, 0) || path.IsAbs(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", ErrPath
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return "", ErrPath
		}
	}
	return path.Clean(name), nil
}
