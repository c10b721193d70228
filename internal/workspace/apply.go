package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// applier carries out a plan.
type applier struct {
	*hold
	p       *planner
	root    *dir
	trash   *bin
	batch   *batch
	kept    []Kept
	applied map[string]int // path → slot
	// Which folders have become empty, and which are so no more: what was
	// expected, and what came of it.
	expected, folders map[string]bool
	side              oid // of the lists beside the files
}

func (h *hold) applier(p *planner) (*applier, error) {
	root, err := openDir(h.folder)
	if err != nil {
		return nil, err
	}
	trash, err := h.newBin()
	if err != nil {
		root.close()
		return nil, err
	}
	b, err := h.batch(h.ctx, h.lock)
	if err != nil {
		root.close()
		trash.close()
		return nil, err
	}
	return &applier{
		hold: h, p: p, root: root, trash: trash, batch: b, kept: p.Kept,
		applied: map[string]int{}, folders: map[string]bool{},
	}, nil
}

func (a *applier) close() {
	a.root.close()
	a.trash.close()
	a.batch.close()
}

// run does deletions first, the deepest first, so that a folder can become a file
// and a file a folder.
func (a *applier) run() {
	order := make([]int, len(a.p.actions))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return rank(a.p.actions[x]) - rank(a.p.actions[y]) })
	for _, n := range order {
		act := a.p.actions[n]
		if err := a.one(strconv.Itoa(n), act); err != nil {
			a.keep(act, n, err)
			continue
		}
		a.applied[act.Path] = n
		if act.New.Kind == uint8(absent) {
			a.prune(path.Dir(act.Path))
		}
	}
}

func rank(act action) int {
	if act.New.Kind == uint8(absent) {
		return -strings.Count(act.Path, "/") - 1
	}
	return strings.Count(act.Path, "/")
}

var errMeanwhile = errors.New("it changed meanwhile")

// one changes one path.
func (a *applier) one(slot string, act action) error {
	old, next := act.Old.version(), act.New.version()
	at, err := a.root.reach(path.Dir(act.Path), next.there() && !old.there())
	if err != nil {
		return err
	}
	defer at.close()
	name := path.Base(act.Path)
	if next.there() {
		if err := a.prepare(slot, next, at, name); err != nil {
			return err
		}
	}
	switch {
	case !old.there():
		if err := a.moveIn(a.trash.dir, slot, at, name); err != nil {
			return errors.Join(err, a.trash.dir.remove(slot))
		}
		return nil
	case !next.there():
		err = a.moveOut(at, name, a.trash.dir, slot)
	default:
		err = a.exchange(a.trash.dir, slot, at, name)
	}
	if err != nil {
		return err
	}
	return a.verify(slot, at, name, old, next)
}

func (a *applier) prepare(slot string, v version, at *dir, name string) error {
	content, err := a.batch.blob(v.oid)
	if err != nil {
		return err
	}
	return a.trash.prepare(slot, v, content, func(f *os.File) { at.likeIn(name, f) })
}

// verify looks at what came out.
func (a *applier) verify(slot string, at *dir, name string, old, next version) error {
	out, err := look(a.trash.dir, slot, nil, a.store.limits.File, 0)
	if err == nil && out.version == old {
		return nil
	}
	if err := a.putBack(a.trash.dir, slot, at, name, next); err != nil {
		return &displaced{err}
	}
	return errMeanwhile
}

// displaced means that a person's version is in the trash, not in its place.
type displaced struct{ error }

func (d *displaced) Unwrap() error { return d.error }

// keep reports a path that did not change, and why.
func (a *applier) keep(act action, n int, err error) {
	k := Kept{Path: act.Path, Reason: KeptFailed, Detail: err.Error()}
	var out *displaced
	switch {
	case errors.As(err, &out):
		k.Reason, k.Copy = KeptMeanwhile, filepath.Join(a.trash.path, strconv.Itoa(n))
	case errors.Is(err, errMeanwhile) || notThere(err):
		k.Reason, k.Detail = KeptMeanwhile, ""
	case errors.Is(err, fs.ErrExist):
		k.Reason, k.Detail = KeptInTheWay, ""
	case elsewhere(err):
		k.Reason, k.Detail = KeptOtherMount, ""
	}
	if _, err := a.trash.dir.stat(strconv.Itoa(n) + outSuffix); err == nil && k.Copy == "" {
		k.Reason, k.Copy = KeptMeanwhile, filepath.Join(a.trash.path, strconv.Itoa(n)+outSuffix)
	}
	if k.Copy == "" && act.New.Kind != uint8(absent) {
		a.p.offers[act.Path] = act.New.version()
	}
	a.kept = append(a.kept, k)
}

// prune removes folders that a deletion left empty, unless they were there
// before the steps as empty ones.
func (a *applier) prune(folder string) {
	for ; folder != "."; folder = path.Dir(folder) {
		if _, was := a.p.kept[folder]; was {
			a.folders[folder] = true
			return
		}
		if a.rmdir(folder) != nil {
			return
		}
	}
}

func (a *applier) rmdir(folder string) error {
	at, err := a.root.descend(path.Dir(folder))
	if err != nil {
		return err
	}
	defer at.close()
	return at.rmdir(path.Base(folder))
}

// emptyFolders makes those again that steps removed, and removes those that they
// made, if they are still empty.
func (a *applier) emptyFolders() {
	for folder := range a.p.removed {
		if at, err := a.root.reach(folder, true); err == nil {
			at.close()
			a.folders[folder] = true
		}
	}
	for folder := range a.p.made {
		if a.rmdir(folder) == nil {
			a.folders[folder] = false
			a.prune(path.Dir(folder))
		}
	}
}

// offer puts versions that did not get into their place beside, in the trash.
func (a *applier) offer() {
	n := 0
	for i, k := range a.kept {
		v, ok := a.p.offers[k.Path]
		if !ok || k.Copy != "" {
			continue
		}
		content, err := a.batch.blob(v.oid)
		if err != nil {
			continue
		}
		name := fmt.Sprintf("offer-%d-%s", n, path.Base(k.Path))
		if len(name) > 200 {
			name = name[:200]
		}
		n++
		if err := a.trash.prepare(name, v, content, nil); err == nil {
			a.kept[i].Copy = filepath.Join(a.trash.path, name)
		}
	}
}

// lookAgain finds files that somebody had open and wrote to after they came out of
// their place.
func (a *applier) lookAgain() {
	for name, n := range a.applied {
		act := a.p.actions[n]
		if act.Old.Kind == uint8(absent) {
			continue
		}
		slot := strconv.Itoa(n)
		if out, err := look(a.trash.dir, slot, nil, a.store.limits.File, 0); err == nil && out.version != act.Old.version() {
			a.kept = append(a.kept, Kept{Path: name, Reason: KeptMeanwhile, Copy: filepath.Join(a.trash.path, slot)})
		}
	}
}
