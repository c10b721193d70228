package workspace

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// calls are the tools that are at work in a folder, and what was seen to change
// since the first of them began. What several of them did at the same time is told
// apart by who is the first to see it: a change that is found when a call ends is
// that call's, and no other's.
type calls struct {
	mu   sync.Mutex // a call may have to end when it is not its turn
	open map[string]under
	log  []seen
}

// under is a call that is under way.
type under struct {
	before string
	side   oid  // of the lists beside the files
	at     int  // how much of the log is from before it
	missed bool // something changed meanwhile that no look of ours has found
}

// seen is what one look found changed, at the end of a call, or of none.
type seen struct {
	by    string
	edits []edit
}

// byRestore is who takes steps back.
const byRestore = "restore"

func callKey(session, call string) string { return session + "\x00" + call }

func (c *calls) begin(key string, u under) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[string]under{}
	}
	u.at = len(c.log)
	c.open[key] = u
}

func (c *calls) see(by string, edits []edit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) > 0 && len(edits) > 0 {
		c.log = append(c.log, seen{by, edits})
	}
}

// miss says that another process may have seen changes before us.
func (c *calls) miss() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, u := range c.open {
		u.missed = true
		c.open[key] = u
	}
}

// of gives a call that is under way.
func (c *calls) of(key string) (u under, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u, ok = c.open[key]
	return u, ok
}

// end gives what a call changed and what others did meanwhile. What was found
// before by a look of nobody is this call's from now on.
func (c *calls) end(key string, covers func(path string) bool) (mine, others map[string]version) {
	c.mu.Lock()
	defer c.mu.Unlock()
	mine, others = map[string]version{}, map[string]version{}
	var taken []edit
	for i, s := range c.log {
		if i < c.open[key].at {
			continue
		}
		left := s.edits[:0:0]
		for _, e := range s.edits {
			switch {
			case !covers(e.path):
				left = append(left, e)
			case s.by == "" || s.by == key:
				mine[e.path] = e.to
				taken = append(taken, e)
			default:
				others[e.path] = e.to
				delete(mine, e.path)
				left = append(left, e)
			}
		}
		c.log[i].edits = left
	}
	c.log = append(c.log, seen{key, taken})
	c.trim(key)
	return mine, others
}

// forget ends a call of which it will not be known what it did.
func (c *calls) forget(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trim(key)
}

// trim ends a call, and the part of the log that no other needs.
func (c *calls) trim(key string) {
	delete(c.open, key)
	first := len(c.log)
	for _, u := range c.open {
		first = min(first, u.at)
	}
	c.log = slices.Delete(c.log, 0, first)
	for key, u := range c.open {
		u.at -= first
		c.open[key] = u
	}
}

// Begin keeps the folder before a call that may change it. The call is under way
// until End, and if the process dies meanwhile, CutOff.
func (w *Workspace) Begin(ctx context.Context, call string, o Save) (Checkpoint, error) {
	h, err := w.hold(ctx)
	if err != nil {
		return Checkpoint{}, err
	}
	defer h.release()
	c, err := h.save(o, true)
	if err == nil {
		err = h.mark(o.Session, call, Step{Before: c.Hash, Paths: o.Paths})
	}
	if err != nil {
		return Checkpoint{}, fmt.Errorf("save a checkpoint of %s: %w", w.folder, err)
	}
	h.calls.begin(callKey(o.Session, call), under{before: c.Hash, side: h.manifest.side})
	return c, nil
}

// End keeps the folder after a call. What lies between from and the checkpoint is
// what the call did, without what others did at the same time; from is empty if it
// did nothing. Once that is recorded, Recorded is to be called.
func (w *Workspace) End(ctx context.Context, call string, o Save) (from string, after Checkpoint, err error) {
	key := callKey(o.Session, call)
	h, err := w.hold(ctx)
	if err != nil {
		w.calls.forget(key)
		return "", Checkpoint{}, err
	}
	defer h.release()
	begun, ok := h.calls.of(key)
	if !ok {
		return "", Checkpoint{}, fmt.Errorf("save a checkpoint of %s: the call %s did not begin", w.folder, call)
	}
	o.by = key
	if after, err = h.save(o, true); err == nil {
		now, _ := h.calls.of(key)
		mine, others := h.calls.end(key, Step{Paths: o.Paths}.Covers)
		if len(mine) == 0 && h.manifest.side == begun.side && !now.missed {
			return "", after, nil
		}
		after.FilesChanged = len(mine)
		if from, err = h.without(begun.before, o.Session, others); err == nil && now.missed {
			if after.FilesChanged, err = h.differ(from, after.Hash, o.Paths); after.FilesChanged == 0 {
				from = ""
			}
		}
	}
	if err != nil {
		h.calls.forget(key)
		return "", Checkpoint{}, fmt.Errorf("save a checkpoint of %s: %w", w.folder, err)
	}
	return from, after, nil
}

// CutOff is End of a call whose process died: whatever changed until now is its. ok
// is false if no such call was under way.
func (w *Workspace) CutOff(ctx context.Context, call string, o Save) (from string, after Checkpoint, ok bool, err error) {
	began, ok := w.marked(o.Session, call)
	if !ok {
		return "", Checkpoint{}, false, nil
	}
	o.Paths = began.Paths
	h, err := w.hold(ctx)
	if err != nil {
		return "", Checkpoint{}, true, err
	}
	defer h.release()
	if after, err = h.save(o, true); err == nil {
		after.FilesChanged, err = h.differ(began.Before, after.Hash, o.Paths)
	}
	return began.Before, after, true, err
}

// differ counts the files that differ between two checkpoints.
func (h *hold) differ(from, to string, paths []string) (n int, err error) {
	b, err := h.batch(h.ctx, h.lock)
	if err != nil {
		return 0, err
	}
	defer b.close()
	old, err := b.state(from)
	if err != nil {
		return 0, err
	}
	now, err := b.state(to)
	if err != nil {
		return 0, err
	}
	list, err := h.compare(h.ctx, old, now, "--no-renames")
	for _, c := range list {
		if (Step{Paths: paths}).Covers(c.path) {
			n++
		}
	}
	return n, err
}

// without gives a state as if what others did since had been there before: it is no
// difference then.
func (h *hold) without(before, session string, others map[string]version) (string, error) {
	if len(others) == 0 {
		return before, nil
	}
	b, err := h.batch(h.ctx, h.lock)
	if err != nil {
		return "", err
	}
	defer b.close()
	s, err := b.state(before)
	if err != nil {
		return "", err
	}
	var edits []edit
	modes := maps.Clone(s.modes)
	for path, v := range others {
		edits = append(edits, edit{path, v})
		if delete(modes, path); s.ordinary().odd(v) {
			modes[path] = v.perm
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.path, b.path) })
	head := s.header
	head.Session, head.Created = session, h.store.now()
	store := h.importer()
	defer store.abandon()
	hash, _, err := store.commit(commit{
		branch: refOf(session, head.Created), message: head.String(), at: head.Created.Unix(),
		tree: s.tree, edits: edits, beside: s.beside(modes),
	})
	if err == nil {
		h.haveRef(session, hash, head.Created)
	}
	return hash, err
}

// beside are the lists of a checkpoint, with other permissions.
func (s *state) beside(modes map[string]uint16) []side {
	var listed, missing []string
	for path, perm := range modes {
		listed = append(listed, encodeMode(path, perm))
	}
	for _, why := range s.missing {
		missing = append(missing, why.String())
	}
	list := []side{
		{sideModes, encodeList(listed)}, {sideMissing, encodeList(missing)},
		{sideFolders, encodeList(slices.Clone(s.folders))}, {sideRules, s.rules},
	}
	if s.Incomplete {
		list = append(list, side{sideLooked, encodeList(slices.Collect(maps.Keys(s.looked)))})
	}
	return list
}
