package workspace

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The trash holds what a restore displaced, in a folder for each restore: files
// "0", "1", …, one for each action in the file "actions", and "done" when all of
// them are through. It lies on the file system of the workspace, so that a file is
// taken out by a rename: whoever has it open goes on writing into it there.

// ownFolder is ours in the workspace; it exists only if the data folder is on
// another file system.
const ownFolder = ".parley"

const (
	actionsName = "actions"
	doneName    = "done"
	newSuffix   = ".new"
	outSuffix   = ".out"
)

// placeTrash finds a place for the trash.
func (w *Workspace) placeTrash() error {
	mine, err := openDir(w.dir)
	if err != nil {
		return err
	}
	defer mine.close()
	w.trash = filepath.Join(w.dir, "trash")
	theirs, err := openDir(w.folder)
	if errors.Is(err, fs.ErrNotExist) { // its checkpoints are still to be tended
		return nil
	}
	if err != nil {
		return err
	}
	defer theirs.close()
	if !together(mine, theirs) {
		w.trash = filepath.Join(w.folder, ownFolder, "trash")
	}
	return nil
}

// trashClock is what time the file system of the folder says it is, if it can be
// asked without writing in the folder.
func (h *hold) trashClock() (int64, error) {
	if within(h.trash, h.folder) && !within(h.dir, h.folder) {
		return time.Now().UnixNano(), nil
	}
	f, err := os.OpenFile(filepath.Join(h.dir, "clock"), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte("x"), 0); err != nil {
		return 0, err
	}
	st, err := stampFile(f)
	return st.mtime, err
}

// bin is the trash of one restore.
type bin struct {
	path string
	dir  *dir
}

func (h *hold) newBin() (*bin, error) {
	if err := os.MkdirAll(h.trash, 0o700); err != nil {
		return nil, err
	}
	if within(h.trash, h.folder) && !within(h.dir, h.folder) {
		own := filepath.Join(h.folder, ownFolder, ignoreName)
		if err := os.WriteFile(own, []byte("*\n"), 0o644); err != nil {
			return nil, err
		}
	}
	p, err := os.MkdirTemp(h.trash, h.store.now().Format("20060102-150405-"))
	if err != nil {
		return nil, err
	}
	return openBin(p)
}

func openBin(p string) (*bin, error) {
	d, err := openDir(p)
	if err != nil {
		return nil, err
	}
	return &bin{p, d}, nil
}

func (b *bin) close() { b.dir.close() }

// action is what a restore does to a path.
type action struct {
	Path     string
	Old, New stored
}

// stored is a version that can be written down.
type stored struct {
	OID  oid
	Kind uint8
	Perm uint16
}

func storedOf(v version) stored   { return stored{v.oid, uint8(v.kind), v.perm} }
func (s stored) version() version { return version{oid: s.OID, kind: kind(s.Kind), perm: s.Perm} }

func (b *bin) writeActions(list []action) error {
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(list); err != nil {
		return err
	}
	return writeFile(filepath.Join(b.path, actionsName), buf.Bytes())
}

func (b *bin) readActions() (list []action, err error) {
	content, err := os.ReadFile(filepath.Join(b.path, actionsName))
	if err != nil {
		return nil, err
	}
	return list, gob.NewDecoder(bytes.NewReader(content)).Decode(&list)
}

// drop removes the trash of a restore that touched nothing.
func (b *bin) drop() error { return os.RemoveAll(b.path) }

func (b *bin) done() error { return writeFile(filepath.Join(b.path, doneName), nil) }

// settle ends restores that a crash cut off. Each file is then as before or as
// after; what came out of its place and is not what the restore expected there is
// a person's and goes back.
func (h *hold) settle() error {
	bins, err := os.ReadDir(h.trash)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range bins {
		p := filepath.Join(h.trash, entry.Name())
		if _, err := os.Stat(filepath.Join(p, doneName)); err == nil || !entry.IsDir() {
			continue
		}
		if err := h.settleBin(p); err != nil {
			return err
		}
	}
	return nil
}

func (h *hold) settleBin(p string) error {
	b, err := openBin(p)
	if err != nil {
		return err
	}
	defer b.close()
	list, err := b.readActions()
	if err != nil { // it did not get as far as doing anything
		return b.done()
	}
	root, err := openDir(h.folder)
	if err != nil {
		return err
	}
	defer root.close()
	h.store.log.Warn("a restore was cut off; each file is as it was before or after it", "folder", h.folder, "trash", p)
	for n, act := range list {
		h.settleAction(root, b, strconv.Itoa(n), act)
	}
	h.manifest = nil
	return b.done()
}

func (h *hold) settleAction(root *dir, b *bin, slot string, act action) {
	_ = b.dir.remove(slot + newSuffix) // not in place yet, so not complete
	at, err := root.descend(path.Dir(act.Path))
	if err != nil {
		return
	}
	defer at.close()
	name := path.Base(act.Path)
	if _, err := b.dir.stat(slot + outSuffix); err == nil { // between two renames
		if h.moveIn(b.dir, slot+outSuffix, at, name) != nil { // the new one is there already
			_ = moveOver(b.dir, slot+outSuffix, b.dir, slot)
		}
	}
	out, err := look(b.dir, slot, nil, h.store.limits.File, 0)
	switch {
	case err != nil || out.version == act.Old.version():
	case out.version == act.New.version():
		_ = b.dir.remove(slot)
	default:
		if err := h.putBack(b.dir, slot, at, name, act.New.version()); err != nil {
			h.store.log.Warn("a person's version of a file waits in the trash", "path", act.Path, "trash", filepath.Join(b.path, slot), "err", err)
		}
	}
}

var errEditedAgain = errors.New("it was edited once more meanwhile")

// putBack returns what came out of a place, as long as what is there now is what
// the restore put there.
func (h *hold) putBack(trash *dir, slot string, at *dir, name string, ours version) error {
	if !ours.there() {
		return h.moveIn(trash, slot, at, name)
	}
	now, err := look(at, name, nil, h.store.limits.File, 0)
	if err != nil {
		return err
	}
	if now.version != ours {
		return errEditedAgain
	}
	if err := h.exchange(trash, slot, at, name); err != nil {
		return err
	}
	if out, err := look(trash, slot, nil, h.store.limits.File, 0); err != nil || out.version != ours {
		return fmt.Errorf("%w, and that version waits in the trash", errEditedAgain)
	}
	return nil
}

// sweepTrash removes what has waited long enough.
func (h *hold) sweepTrash(before time.Time) error {
	bins, err := os.ReadDir(h.trash)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	var errs []error
	for _, entry := range bins {
		p := filepath.Join(h.trash, entry.Name())
		if info, err := os.Stat(filepath.Join(p, doneName)); err != nil || !info.ModTime().Before(before) {
			continue
		}
		if strings.Contains(entry.Name(), "-") {
			errs = append(errs, os.RemoveAll(p))
		}
	}
	return errors.Join(errs...)
}
