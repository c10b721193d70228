package workspace

import (
	"context"
	"fmt"
)

// Result is what a restore did.
type Result struct {
	Changed []Restored
	Kept    []Kept
	// Before has the paths of the steps as they were, After as the restore alone made
	// them.
	Before, After Checkpoint
}

// Undo asks for the opposite: it takes back what the restore did, and keeps what
// was done since.
func (r Result) Undo() Restore {
	return Restore{Session: r.Before.Session, Steps: []Step{{Before: r.Before.Hash, After: r.After.Hash}}}
}

// Restore takes steps back. The state of their paths is saved first; then each path is
// changed in one step, and whatever came out of its place and is not what was saved
// goes back there: it is a person's. An error means that nothing was changed, or,
// if Result.Before is set, that some paths may have been.
func (w *Workspace) Restore(ctx context.Context, r Restore) (Result, error) {
	h, err := w.hold(ctx)
	if err != nil {
		return Result{}, err
	}
	defer h.release()
	result, err := h.restore(r)
	if err != nil {
		return result, fmt.Errorf("restore %s: %w", w.folder, err)
	}
	return result, nil
}

func (h *hold) restore(r Restore) (Result, error) {
	p, err := h.plan(r, true)
	if err != nil {
		return Result{}, err
	}
	return h.apply(p, r.Session)
}

// apply carries out a plan. From here on it is not given up, whoever stops waiting for
// it.
func (h *hold) apply(p *planner, session string) (Result, error) {
	h.ctx = context.WithoutCancel(h.ctx)
	result := Result{Kept: p.Kept, Before: p.now, After: p.now}
	if len(p.actions)+len(p.offers)+len(p.made)+len(p.removed) == 0 {
		return result, nil
	}
	if err := p.storeMerged(); err != nil {
		return Result{}, err
	}
	a, err := h.applier(p)
	if err != nil {
		return Result{}, err
	}
	defer a.close()
	if err := a.trash.writeActions(p.actions); err != nil {
		return Result{}, err
	}
	a.run()
	a.offer()
	a.emptyFolders()
	a.lookAgain()
	result.Kept = a.kept
	for _, c := range p.Changes {
		if _, ok := a.applied[c.Path]; ok {
			result.Changed = append(result.Changed, c)
		}
	}
	if result.After, err = a.after(session); err != nil {
		return result, err
	}
	return result, a.trash.done()
}

// storeMerged puts merged content where it can be read from.
func (p *planner) storeMerged() error {
	store := p.importer()
	defer store.abandon()
	for o, content := range p.fresh {
		if err := store.blob(o, content); err != nil {
			return err
		}
	}
	return store.flush()
}
