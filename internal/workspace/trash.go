package workspace

import (
	"bytes"
	"crypto/rand"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"time"
)

// The trash holds what restores displaced, in a folder for each: files "0", "1", …,
// one for each action. It lies on the file system of the workspace, so that a file
// is taken out by a rename: whoever has it open goes on writing into it there. If
// that is inside the workspace, anybody may have put anything in its place; so what
// the actions are, and whether they are through, is written in a book beside the
// repository, and only what has a book there is ever looked at or removed.

// ownFolder is ours in the workspace; it exists only if the data folder is on
// another file system.
const ownFolder = ".parley"

const (
	trashName   = "trash"
	booksName   = "restores"
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
	w.trash = filepath.Join(w.dir, trashName)
	theirs, err := openDir(w.folder)
	if errors.Is(err, fs.ErrNotExist) { // its checkpoints are still to be tended
		return nil
	}
	if err != nil {
		return err
	}
	defer theirs.close()
	if !together(mine, theirs) {
		w.trash = filepath.Join(w.folder, ownFolder, trashName)
	}
	return nil
}

// trashClock is what time the file system of the folder says it is, if it can be
// asked without writing in the folder.
func (h *hold) trashClock() (int64, error) {
	if h.trashInside() {
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

// trashInside says that the trash is in the workspace.
func (w *Workspace) trashInside() bool { return within(w.trash, w.folder) && !within(w.dir, w.folder) }

// openTrash opens the folder of all trash.
func (h *hold) openTrash(create bool) (*dir, error) {
	if !h.trashInside() {
		if create {
			if err := os.MkdirAll(h.trash, 0o700); err != nil {
				return nil, err
			}
		}
		return openDir(h.trash)
	}
	root, err := openDir(h.folder)
	if err != nil {
		return nil, err
	}
	defer root.close()
	own, err := root.reach(ownFolder, create)
	if err != nil {
		return nil, h.taken(err)
	}
	defer own.close()
	if create {
		if f, err := own.create(ignoreName); err == nil {
			_, err = f.WriteString("*\n")
			if err = errors.Join(err, f.Close()); err != nil {
				return nil, err
			}
		}
	}
	trash, err := own.reach(trashName, create)
	return trash, h.taken(err)
}

// taken says what to do if something else has the name of the trash.
func (h *hold) taken(err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return fmt.Errorf("files that are displaced go to %s, where something else is: %w; move that away, or keep Parley's data on the file system of the workspace", h.trash, err)
}

// bin is the trash of one restore.
type bin struct {
	name  string
	path  string // where it is, for people
	book  string // what is to be done, and whether it is
	trash *dir
	dir   *dir
}

func (h *hold) newBin() (*bin, error) {
	trash, err := h.openTrash(true)
	if err != nil {
		return nil, err
	}
	name := h.store.now().Format("20060102-150405-") + rand.Text()[:10]
	if err = os.MkdirAll(filepath.Join(h.dir, booksName, name), 0o700); err == nil {
		err = trash.mkdirOwn(name)
	}
	if err != nil {
		trash.close()
		return nil, err
	}
	return h.openBin(trash, name)
}

// openBin opens the trash of one restore; trash belongs to it then.
func (h *hold) openBin(trash *dir, name string) (*bin, error) {
	d, err := trash.sub(name)
	if err != nil {
		trash.close()
		return nil, err
	}
	return &bin{name: name, path: filepath.Join(h.trash, name), book: filepath.Join(h.dir, booksName, name), trash: trash, dir: d}, nil
}

func (b *bin) close() {
	b.dir.close()
	b.trash.close()
}

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
	return writeFile(filepath.Join(b.book, actionsName), buf.Bytes())
}

func (b *bin) readActions() (list []action, err error) {
	content, err := os.ReadFile(filepath.Join(b.book, actionsName))
	if err != nil {
		return nil, err
	}
	return list, gob.NewDecoder(bytes.NewReader(content)).Decode(&list)
}

// drop removes the trash of a restore that touched nothing, or of long ago.
func (b *bin) drop() error {
	names, err := b.dir.names()
	if err != nil {
		return err
	}
	for _, name := range names {
		err = errors.Join(err, b.dir.remove(name))
	}
	if err = errors.Join(err, b.trash.rmdir(b.name)); err != nil {
		return err
	}
	return os.RemoveAll(b.book)
}

func (b *bin) done() error { return writeFile(filepath.Join(b.book, doneName), nil) }

// books lists the restores that have a trash, by whether they are through.
func (h *hold) books(done bool) (names []string, err error) {
	entries, err := os.ReadDir(filepath.Join(h.dir, booksName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		_, missing := os.Stat(filepath.Join(h.dir, booksName, entry.Name(), doneName))
		if done == (missing == nil) {
			names = append(names, entry.Name())
		}
	}
	return names, err
}

// settle ends restores that a crash cut off. Each file is then as before or as
// after; what came out of its place and is not what the restore expected there is
// a person's and goes back.
func (h *hold) settle() error {
	names, err := h.books(false)
	for _, name := range names {
		err = errors.Join(err, h.settleBin(name))
	}
	return err
}

func (h *hold) settleBin(name string) error {
	if _, err := os.Stat(h.folder); err != nil { // it may come back
		return err
	}
	trash, err := h.openTrash(false)
	if err == nil {
		var b *bin
		if b, err = h.openBin(trash, name); err == nil {
			defer b.close()
			return h.settleActions(b)
		}
	}
	if notThere(err) { // somebody threw it away, or it was not made yet
		return os.RemoveAll(filepath.Join(h.dir, booksName, name))
	}
	return err
}

func (h *hold) settleActions(b *bin) error {
	list, err := b.readActions()
	if err != nil { // it did not get as far as doing anything
		return b.done()
	}
	root, err := openDir(h.folder)
	if err != nil {
		return err
	}
	defer root.close()
	h.store.log.Warn("a restore was cut off; each file is as it was before or after it", "folder", h.folder, "trash", b.path)
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
	names, err := h.books(true)
	for _, name := range names {
		info, gone := os.Stat(filepath.Join(h.dir, booksName, name, doneName))
		if gone != nil || !info.ModTime().Before(before) {
			continue
		}
		trash, e := h.openTrash(false)
		if e == nil {
			var b *bin
			if b, e = h.openBin(trash, name); e == nil {
				e = b.drop()
				b.close()
			}
		}
		if notThere(e) {
			e = os.RemoveAll(filepath.Join(h.dir, booksName, name))
		}
		err = errors.Join(err, e)
	}
	return err
}
