package workspace

import (
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-pkgs/gitignore"
)

const (
	ignoreName    = ".gitignore"
	maxIgnoreFile = 256 << 10
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
}

// firstRules are those that hold before any .gitignore.
func firstRules(exclude []byte) *rules {
	return (&rules{own: matcher([]byte(machineMade), "")}).with(exclude, "")
}

func matcher(text []byte, folder string) *gitignore.Matcher {
	m := gitignore.New("")
	m.AddPatterns(text, folder)
	return m
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
		if m := r.own.MatchDetail(name); m.Matched {
			return m.Ignored
		}
	}
	return false
}

// covers says whether a path, or a folder above it, is left out. read gives the
// rules of a folder.
func (r *rules) covers(name string, isDir bool, read func(folder string) []byte) bool {
	r = r.with(read(""), "")
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		if r.ignores(name[:i], true) {
			return true
		}
		r = r.with(read(name[:i]), name[:i])
	}
	return r.ignores(name, isDir)
}

// readRules reads a file of rules in an open folder, if there is one.
func readRules(d *dir, name string) []byte {
	f, err := d.open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	if st, err := stampFile(f); err != nil || !st.isRegular() {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return nil
	}
	return b
}

// readExclude reads the rules that a person keeps for one repository alone.
func readExclude(root *dir) []byte {
	d, err := root.descend(".git/info")
	if err != nil {
		return nil
	}
	defer d.close()
	return readRules(d, "exclude")
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
