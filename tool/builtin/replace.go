package builtin

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/parley-dev/parley/tool"
)

// content is a file before it is changed.
type content struct {
	name string
	text []byte
	info fs.FileInfo // nil if there is no such file
}

// load reads a file that is to be changed; one that is not there has no info.
func (p *place) load(name string, most int64) (content, error) {
	c := content{name: name}
	info, err := p.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, tool.PathError(p.root, name, err)
	}
	f, _, err := openFile(p.root, name)
	if err != nil {
		return c, err
	}
	defer f.Close()
	c.info = info
	if info.Size() > most {
		return c, &tool.Error{Code: tool.CodeExecutionFailed, Message: fmt.Sprintf("%q has %d bytes; at most %d can be changed this way, use run_command", brief(name), info.Size(), most)}
	}
	c.text, err = io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return c, tool.PathError(p.root, name, err)
	}
	return c, nil
}

// replace gives the file new content, whole or not at all, and keeps its mode and
// owner. It refuses if somebody else has changed the file since it was loaded.
func (p *place) replace(old content, text []byte) error {
	folder := path.Dir(old.name)
	if err := p.root.MkdirAll(folder, 0o777); err != nil {
		return tool.PathError(p.root, old.name, err)
	}
	temp := path.Join(folder, ".parley-"+rand.Text())
	if err := p.write(temp, old.info, text); err != nil {
		_ = p.root.Remove(temp)
		return tool.PathError(p.root, old.name, err)
	}
	if err := p.unchanged(old); err != nil {
		_ = p.root.Remove(temp)
		return err
	}
	if err := p.root.Rename(temp, old.name); err != nil {
		_ = p.root.Remove(temp)
		return tool.PathError(p.root, old.name, err)
	}
	return nil
}

func (p *place) write(temp string, like fs.FileInfo, text []byte) error {
	f, err := p.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil && like != nil {
		keepOwner(f, like)
		err = f.Chmod(like.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// unchanged looks whether the file is still the one that was loaded.
func (p *place) unchanged(old content) error {
	now, err := p.root.Lstat(old.name)
	switch {
	case old.info == nil && errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && old.info != nil && os.SameFile(now, old.info) && now.Size() == old.info.Size() && now.ModTime().Equal(old.info.ModTime()):
		return nil
	}
	return &tool.Error{Code: tool.CodeExecutionFailed, Recoverable: true, Message: fmt.Sprintf("%q was changed by somebody else meanwhile; read it again", brief(old.name))}
}
