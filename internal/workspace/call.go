package workspace

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
)

// calls are the tools that are at work in a folder, and what was seen to change
// since the first of them began. What several of them did at the same time is told
// apart by who is the first to see it: a change that is found when a call ends is
// that call's, and no other's.
type calls struct {
	open map[string]under
	log  []seen
}

// under is a call that is under way.
type under struct {
	before string
	side   oid // of the lists beside the files
	at     int // how much of the log is from before it
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
	if c.open == nil {
		c.open = map[string]under{}
	}
	u.at = len(c.log)
	c.open[key] = u
}

func (c *calls) see(by string, edits []edit) {
	if len(c.open) > 0 && len(edits) > 0 {
		c.log = append(c.log, seen{by, edits})
	}
}

// end gives what a call changed and what others did meanwhile.
func (c *calls) end(key string, covers func(path string) bool) (mine, others map[string]version) {
	mine, others = map[string]version{}, map[string]version{}
	for _, s := range c.log[c.open[key].at:] {
		for _, e := range s.edits {
			switch {
			case !covers(e.path):
			case s.by == "" || s.by == key:
				mine[e.path] = e.to
			default:
				others[e.path] = e.to
				delete(mine, e.path)
			}
		}
	}
	c.forget(key)
	return mine, others
}

func (c *calls) forget(key string) {
	if delete(c.open, key); len(c.open) == 0 {
		c.log = nil
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
	h, err := w.hold(ctx)
	if err != nil {
		return "", Checkpoint{}, err
	}
	defer h.release()
	key := callKey(o.Session, call)
	begun, ok := h.calls.open[key]
	if !ok {
		return "", Checkpoint{}, fmt.Errorf("save a checkpoint of %s: the call %s did not begin", w.folder, call)
	}
	o.by = key
	if after, err = h.save(o, true); err == nil {
		mine, others := h.calls.end(key, Step{Paths: o.Paths}.Covers)
		if len(mine) == 0 && h.manifest.side == begun.side {
			return "", after, nil
		}
		after.FilesChanged = len(mine)
		from, err = h.without(begun.before, o.Session, others)
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
	after, err = w.Save(ctx, o)
	return began.Before, after, true, err
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
