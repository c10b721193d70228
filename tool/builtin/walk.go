package builtin

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/git-pkgs/gitignore"

	"github.com/parley-dev/parley/tool"
)

const (
	maxEntries    = 100_000
	maxIgnoreFile = 256 << 10
)

// entry is one file or folder that a walk met.
type entry struct {
	path string // relative to the workspace, with slashes
	fs.DirEntry
}

func (e entry) isDir() bool { return e.Type().IsDir() }

// String is a line of a listing.
func (e entry) String() string {
	name := plain(e.path)
	switch {
	case e.isDir():
		return name + "/"
	case e.Type()&fs.ModeSymlink != 0:
		return name + " (symbolic link)"
	case !e.Type().IsRegular():
		return name + " (special file)"
	}
	info, err := e.Info()
	if err != nil { // it is gone by now
		return name
	}
	return name + " (" + strconv.FormatInt(info.Size(), 10) + " bytes)"
}

// walk goes through folders of a workspace in the order of their paths. It
// follows no symbolic links below the folder it begins with, and leaves out .git
// and what .gitignore files say.
type walk struct {
	root  *os.Root
	deep  bool
	all   bool                               // also what is ignored
	most  int                                // how many entries to look at
	hides func(name string, isDir bool) bool // what is not there for anybody; nil if nothing is
	visit func(entry) bool                   // false ends the walk

	rules      *gitignore.Matcher
	seen       int
	ignored    int
	unreadable int
	full       bool // so many were met
	stopped    bool
}

// folder walks the folder of that path. It fails if this one cannot be read, or
// ctx is done; folders below that cannot be read are counted.
func (w *walk) folder(ctx context.Context, name string) error {
	w.rules = gitignore.New("")
	if !w.all {
		w.above(name)
	}
	entries, err := w.read(ctx, name)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return tool.PathError(w.root, name, err)
	}
	return w.walk(ctx, name, entries)
}

// above takes the rules of the folders above, which hold here too. Whoever asks
// for a folder that is ignored wants to see what is in it.
func (w *walk) above(name string) {
	w.addRules(".")
	for i := 0; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' {
			continue
		}
		if w.rules.MatchPath(name[:i], true) {
			w.all = true
			return
		}
		if i < len(name) {
			w.addRules(name[:i])
		}
	}
}

func (w *walk) walk(ctx context.Context, folder string, entries []fs.DirEntry) error {
	if !w.all && folder != "." {
		w.addRules(folder)
	}
	for _, d := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		e := entry{path: path.Join(folder, d.Name()), DirEntry: d}
		if w.hides != nil && w.hides(e.path, e.isDir()) {
			continue
		}
		if !w.all && w.leavesOut(e) {
			continue
		}
		if w.stopped = w.stopped || !w.visit(e); w.stopped {
			return nil
		}
		if !w.deep || !e.isDir() {
			continue
		}
		below, err := w.read(ctx, e.path)
		if err != nil {
			w.unreadable++
			continue
		}
		if err := w.walk(ctx, e.path, below); err != nil || w.stopped {
			return err
		}
	}
	return nil
}

func (w *walk) leavesOut(e entry) bool {
	if e.Name() == ".git" {
		return true
	}
	if w.rules.MatchPath(e.path, e.isDir()) {
		w.ignored++
		return true
	}
	return false
}

// read gives what is in a folder, sorted, as long as there is room.
func (w *walk) read(ctx context.Context, name string) ([]fs.DirEntry, error) {
	f, err := w.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []fs.DirEntry
	for ctx.Err() == nil {
		if w.seen == w.most {
			w.full = true
			break
		}
		some, err := f.ReadDir(min(1000, w.most-w.seen))
		w.seen += len(some)
		out = append(out, some...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}

// open does not wait: opening a FIFO would, for whoever writes to it.
func (w *walk) open(name string) (*os.File, error) {
	return w.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// addRules reads the folder's .gitignore, if it has one that can be read. As with
// git, a symbolic link is none.
func (w *walk) addRules(folder string) {
	name := path.Join(folder, ".gitignore")
	if info, err := w.root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return
	}
	f, err := w.open(name)
	if err != nil {
		return
	}
	defer f.Close()
	rules, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return
	}
	if folder == "." {
		folder = ""
	}
	w.rules.AddPatterns(rules, folder)
}

// plain writes a name so that it stays on its line and cannot pass for anything
// else; names that are plain anyway stay as they are.
func plain(name string) string {
	odd := func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }
	if strings.ContainsFunc(name, odd) {
		return strconv.Quote(name)
	}
	return name
}

// brief keeps a long path from filling a summary.
func brief(name string) string {
	if name = plain(name); len(name) > 500 {
		return strings.ToValidUTF8(name[:500], "") + "…"
	}
	return name
}
