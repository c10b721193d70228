package workspace

import "path"

// aim stores what the folder is to be, beside the latest state, and writes down
// what has to be done for that. The manifest is then as if all of it were done.
func (a *applier) aim(session string) (Checkpoint, error) {
	m := a.manifest
	a.manifest = nil // until the state is stored
	edits := make([]edit, len(a.p.actions))
	for i, act := range a.p.actions {
		edits[i] = edit{act.Path, act.New.version()}
		m.set(act.Path, edits[i].to)
	}
	a.expected = a.expectEmpty(m)
	for folder, empty := range a.expected {
		m.folder(folder, true).empty = empty
	}
	store := a.importer()
	defer store.abandon()
	for o, content := range a.p.fresh {
		if err := store.blob(o, content); err != nil {
			return Checkpoint{}, err
		}
	}
	c := a.checkpoint(m, session, len(edits))
	var err error
	c.Hash, c.Tree, err = store.commit(commit{
		branch: refOf(c.Session, c.Created), message: c.header(m).String(), at: c.Created.Unix(),
		tree: m.tree, edits: edits, beside: a.beside(m, c.Incomplete),
	})
	if err != nil {
		return Checkpoint{}, err
	}
	a.haveRef(session, c.Hash, c.Created)
	a.manifest = m
	return c, a.trash.writeActions(a.p.actions)
}

// expectEmpty says which folders will be empty after the restore, and which no
// more.
func (a *applier) expectEmpty(m *manifest) map[string]bool {
	expected := map[string]bool{}
	for folder := range a.p.removed {
		expected[folder] = true
	}
	leave := func(folder string) {
		for ; folder != "."; folder = path.Dir(folder) {
			if n := m.folder(folder, false); n != nil && !n.hollow() {
				return
			}
			if _, was := a.p.kept[folder]; was {
				expected[folder] = true
				return
			}
		}
	}
	for folder := range a.p.made {
		expected[folder] = false
		leave(path.Dir(folder))
	}
	for _, act := range a.p.actions {
		if act.New.Kind == uint8(absent) {
			leave(path.Dir(act.Path))
		}
	}
	return expected
}

// land makes what the restore did the latest state, and nothing else: what people
// do to the same files from now on is theirs.
func (a *applier) land(aim Checkpoint) error {
	m := a.manifest
	a.manifest = nil
	if len(a.applied) == len(a.p.actions) && a.asExpected() {
		if err := a.point(tipRef, aim.Hash); err != nil {
			return err
		}
		m.tip, m.tree, m.side = aim.Hash, aim.Tree, a.side
		a.manifest = m
		a.calls.see(byRestore, a.done())
		return a.trash.done()
	}
	for _, act := range a.p.actions {
		if _, ok := a.applied[act.Path]; !ok {
			m.set(act.Path, act.Old.version())
		}
	}
	edits := a.done()
	for folder := range a.expected {
		m.folder(folder, true).empty = a.folders[folder]
	}
	for folder, empty := range a.folders {
		m.folder(folder, true).empty = empty
	}
	store := a.importer()
	defer store.abandon()
	c := a.checkpoint(m, aim.Session, len(edits))
	if err := a.commit(store, &c, m, edits, a.beside(m, c.Incomplete), true); err != nil {
		return err
	}
	m.side, a.manifest = a.side, m
	a.calls.see(byRestore, edits)
	return a.trash.done()
}

// done is what was carried out.
func (a *applier) done() (edits []edit) {
	for _, act := range a.p.actions {
		if _, ok := a.applied[act.Path]; ok {
			edits = append(edits, edit{act.Path, act.New.version()})
		}
	}
	return edits
}

func (a *applier) asExpected() bool {
	for folder, empty := range a.expected {
		if a.folders[folder] != empty {
			return false
		}
	}
	for folder, empty := range a.folders {
		if a.expected[folder] != empty {
			return false
		}
	}
	return true
}

func (a *applier) checkpoint(m *manifest, session string, changed int) Checkpoint {
	return Checkpoint{
		From: m.tip, Session: session, Reason: "restore", Created: a.store.now(), FilesChanged: changed,
		Incomplete: a.p.now.Incomplete,
	}
}

// beside are the lists that go beside the files of a checkpoint.
func (a *applier) beside(m *manifest, incomplete bool) []side {
	list := m.sides()
	a.side = sideOID(list)
	if incomplete {
		list = append(list, side{sideLooked, m.looked()})
	}
	return list
}
