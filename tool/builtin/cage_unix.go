//go:build unix

package builtin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/sandbox"
)

// maxCovered is how many files and folders can be kept from a command.
const maxCovered = 500

// cage is what a command that starts in that folder may have of the workspace.
func (p *place) cage(dir *os.File) (sandbox.Cage, error) {
	top, err := openDir(p.root, ".")
	if err != nil {
		return sandbox.Cage{}, err
	}
	defer top.Close()
	work := realPath(top)
	c := sandbox.Cage{Workspace: work, Dir: realPath(dir)}
	// What would run outside of the sandbox later, or open it.
	for _, name := range []string{".git/hooks", ".git/config", ignoreName} {
		if _, err := p.root.Stat(name); err == nil {
			c.ReadOnly = append(c.ReadOnly, filepath.Join(work, name))
		}
	}
	hidden, err := p.hidden()
	for _, name := range hidden {
		c.Hidden = append(c.Hidden, filepath.Join(work, filepath.FromSlash(name)))
	}
	return c, err
}

// hidden lists what .parleyignore hides: folders as a whole.
func (p *place) hidden() ([]string, error) {
	if !p.ruled {
		return nil, nil
	}
	var out []string
	w := &walk{root: p.root, deep: true, all: true, most: maxEntries, visit: func(entry) bool { return true }}
	w.hides = func(name string, isDir bool) bool {
		if !p.hides(name, isDir) {
			return false
		}
		out = append(out, name)
		return true
	}
	if err := w.folder(context.Background(), "."); err != nil {
		return nil, err
	}
	if len(out) > maxCovered || w.full {
		return nil, &tool.Error{Code: tool.CodeUnavailable, Message: fmt.Sprintf("%s hides more than %d files one by one, or the workspace is too large to look for them; hide whole folders, so that commands can run", ignoreName, maxCovered)}
	}
	return out, nil
}
