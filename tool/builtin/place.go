package builtin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/git-pkgs/gitignore"

	"github.com/parley-dev/parley/tool"
)

// ignoreName is the file with which a person keeps files from every tool, in the
// syntax of .gitignore. Only the one at the top of the workspace counts.
const ignoreName = ".parleyignore"

// place is the workspace as a call may see it: no path leads out of it, what
// .parleyignore names is not there, and what is guarded needs a person's word.
type place struct {
	root     *os.Root
	rules    *gitignore.Matcher
	ruled    bool // there are rules
	approved bool
}

func openPlace(call tool.Call) (*place, error) {
	root, err := call.Root()
	if err != nil {
		return nil, err
	}
	p := &place{root: root, rules: gitignore.New(""), approved: call.Approved}
	if err := p.readRules(); err != nil {
		root.Close()
		return nil, err
	}
	return p, nil
}

func (p *place) Close() { p.root.Close() }

// readRules reads .parleyignore. One that is there and cannot be read hides
// nobody knows what, so then nothing is done at all.
func (p *place) readRules() error {
	info, err := p.root.Lstat(ignoreName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var text []byte
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxIgnoreFile) {
		err = fmt.Errorf("it is not a regular file of at most %d bytes", maxIgnoreFile)
	}
	if err == nil {
		text, err = readAll(p.root, ignoreName, maxIgnoreFile)
	}
	if err != nil {
		return &tool.Error{Code: tool.CodeUnavailable, Message: fmt.Sprintf("%s cannot be read, so no tool runs here until it is repaired: %v", ignoreName, err), Err: err}
	}
	p.rules.AddPatterns(text, "")
	p.ruled = len(bytes.TrimSpace(text)) > 0
	return nil
}

// readAll reads a file up to its limit without ever waiting for a writer.
func readAll(root *os.Root, name string, most int64) ([]byte, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// hides says whether .parleyignore names the path, or a folder above it.
func (p *place) hides(name string, isDir bool) bool {
	for i, c := range name {
		if c == '/' && p.rules.MatchPath(name[:i], true) {
			return true
		}
	}
	return name != "." && p.rules.MatchPath(name, isDir)
}

// use is what a call wants with a file.
type use int

const (
	reading use = iota
	writing
)

// find gives the path, free of symbolic links, of what the input names; a file
// that does not exist yet is found too. It refuses what the call may not have.
func (p *place) find(name string, u use) (string, error) {
	clean, err := tool.Path(name)
	if err != nil {
		return "", err
	}
	real, err := p.resolve(clean)
	if err != nil {
		return "", err
	}
	if p.hides(real, p.isDir(real)) || p.hides(clean, p.isDir(real)) {
		return "", &tool.Error{Code: tool.CodePathRefused, Message: fmt.Sprintf("%q is hidden by %s; work without it", brief(clean), ignoreName)}
	}
	if why := guarded(real, u); why != "" && !p.approved {
		return "", &tool.Error{Code: tool.CodePathRefused, Message: fmt.Sprintf("%q is guarded: %s. A person has to approve this very call, and nobody was asked", brief(clean), why)}
	}
	return real, nil
}

func (p *place) isDir(name string) bool {
	info, err := p.root.Lstat(name)
	return err == nil && info.IsDir()
}

// resolve follows the symbolic links of a path inside the workspace. What it
// gives may be stale when it is used; the root holds even then.
func (p *place) resolve(name string) (string, error) {
	const most = 40
	rest, done := strings.Split(name, "/"), "."
	for links := 0; len(rest) > 0; {
		next := path.Join(done, rest[0])
		rest = rest[1:]
		info, err := p.root.Lstat(next)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", tool.PathError(p.root, name, err)
		}
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			done = next
			continue
		}
		target, err := p.root.Readlink(next)
		if err != nil {
			return "", tool.PathError(p.root, name, err)
		}
		if links++; links > most {
			return "", tool.PathError(p.root, name, syscall.ELOOP)
		}
		absolute := path.IsAbs(target)
		target = path.Join(path.Dir(next), target)
		if absolute || target == ".." || strings.HasPrefix(target, "../") {
			return "", outside(name)
		}
		rest, done = append(strings.Split(target, "/"), rest...), "."
	}
	return done, nil
}

func outside(name string) error {
	return &tool.Error{Code: tool.CodePathRefused, Message: fmt.Sprintf("the path %q is refused: a symbolic link in it leads out of the workspace", brief(name))}
}
