package workspace

import (
	"context"
	"fmt"
	"time"
)

// Save asks for a checkpoint.
type Save struct {
	Session string
	Reason  string
	// Paths are the files and folders that may have changed; nil looks at
	// everything.
	Paths []string
	// Within is how long a look may take; what is not seen by then is not in the
	// checkpoint, which is Incomplete. Zero is the limit of the store for a scan, and
	// no limit for Paths.
	Within time.Duration
	// Progress, if set, hears now and then how many files were looked at, from
	// any goroutine.
	Progress func(looked int)

	by string // the call that ends with it
}

// Checkpoint is the state of a folder.
type Checkpoint struct {
	Hash    string // what it is called
	Tree    string // the same files have the same tree
	From    string // the state before it, if there was one
	Session string
	Reason  string
	Created time.Time
	// FilesChanged counts files that differ from the state before.
	FilesChanged int
	// Unchanged says that nothing did: this is a checkpoint that was there.
	Unchanged bool
	// NotCaptured is what lies in the folder and is not in the checkpoint,
	// besides what is ignored.
	NotCaptured []Missing
	// Incomplete says that time ran out: files that are not in the checkpoint, or
	// are as they were before, may have been there.
	Incomplete bool
	Duration   time.Duration
}

// Save keeps the folder as it is. If nothing changed since the latest checkpoint,
// nothing is stored and that one is the answer.
func (w *Workspace) Save(ctx context.Context, o Save) (Checkpoint, error) {
	begun := time.Now()
	h, err := w.hold(ctx)
	if err != nil {
		return Checkpoint{}, err
	}
	defer h.release()
	c, err := h.save(o, true)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("save a checkpoint of %s: %w", w.folder, err)
	}
	c.Duration = time.Since(begun)
	return c, nil
}

// save looks and stores. listed checkpoints are kept for their session; others
// only until the next one.
func (h *hold) save(o Save, listed bool) (Checkpoint, error) {
	m, err := h.load()
	if err != nil {
		return Checkpoint{}, err
	}
	h.manifest = nil // until it is true again
	h.used = h.store.now()
	root, err := openDir(h.folder)
	if err != nil {
		return Checkpoint{}, err
	}
	defer root.close()
	store := h.importer()
	defer store.abandon()
	s, err := h.scan(m, root, store, o)
	if err != nil {
		return Checkpoint{}, err
	}
	var refused []Missing
	if o.Paths == nil {
		err = s.everything()
	} else {
		refused, err = s.paths(o.Paths)
	}
	if err != nil {
		return Checkpoint{}, err
	}
	s.settle(o.Paths == nil)
	c, err := h.keep(s, o, listed)
	if err != nil {
		return Checkpoint{}, err
	}
	c.NotCaptured = append(c.NotCaptured, refused...)
	h.manifest = m
	h.calls.see(o.by, s.edits)
	return c, nil
}

// keep commits what a scan found.
func (h *hold) keep(s *scan, o Save, listed bool) (Checkpoint, error) {
	m := s.m
	if m.tip == "" {
		m.settleOrdinary()
	}
	c := Checkpoint{
		From: m.tip, Session: o.Session, Reason: o.Reason, Created: h.store.now(), FilesChanged: len(s.edits),
		NotCaptured: m.missing(), Incomplete: s.cut.Load(),
	}
	beside := m.sides()
	same := sideOID(beside)
	first := o.Paths == nil && !m.whole
	m.whole = m.whole || first && !c.Incomplete
	if len(s.edits) == 0 && same == m.side && m.tip != "" && !first && !c.Incomplete {
		c.Hash, c.Tree, c.Unchanged = m.tip, m.tree, true
		if listed {
			return c, h.ensureRef(o.Session, c)
		}
		return c, nil
	}
	if c.Incomplete {
		beside = append(beside, side{sideLooked, m.looked()})
	}
	if err := h.commit(s.store, &c, m, s.edits, beside, listed); err != nil {
		return Checkpoint{}, err
	}
	m.side = same
	return c, nil
}

// commit writes a checkpoint on the state of the manifest.
func (h *hold) commit(store *importer, c *Checkpoint, m *manifest, edits []edit, beside []side, listed bool) error {
	var refs []string
	if listed {
		refs = []string{refOf(c.Session, c.Created)}
	}
	hash, tree, err := store.commit(commit{
		branch: tipRef, message: c.header(m).String(), at: c.Created.Unix(), tree: m.tree, edits: edits, beside: beside, refs: refs,
	})
	if err != nil {
		return err
	}
	c.Hash, c.Tree = hash, tree
	m.tip, m.tree = hash, tree
	if listed {
		h.haveRef(c.Session, hash, c.Created)
	}
	return nil
}

// Checkpoints lists what a session saved, oldest first.
func (w *Workspace) Checkpoints(ctx context.Context, session string) ([]Checkpoint, error) {
	if !w.begun() {
		return nil, nil
	}
	items, err := w.list(ctx, nil, session, false)
	if err != nil {
		return nil, fmt.Errorf("list the checkpoints of %s: %w", w.folder, err)
	}
	list := make([]Checkpoint, len(items))
	for i, item := range items {
		list[i] = Checkpoint{
			Hash: item.hash, Session: item.session, Reason: item.header.Reason, Created: item.header.Created,
			FilesChanged: item.header.Changed, Incomplete: item.header.Incomplete,
		}
	}
	return list, nil
}
