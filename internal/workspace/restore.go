package workspace

import (
	"context"
	"errors"
	"fmt"
)

// Result is what a restore did.
type Result struct {
	Changed []Restored
	Kept    []Kept
	// Before has the paths of the steps as they were, After as the restore alone
	// makes them.
	Before, After Checkpoint
}

// Undo asks for the opposite: it takes back what the restore did, and keeps what
// was done since.
func (r Result) Undo() Restore {
	return Restore{Session: r.Before.Session, Steps: []Step{{Before: r.Before.Hash, After: r.After.Hash}}}
}

// Again asks to finish a restore that was cut off, from what its Begin was told.
// Paths that are through stay as they are, and so does what people did since.
func (r Result) Again() Restore {
	return Restore{Session: r.Before.Session, Steps: []Step{{Before: r.After.Hash, After: r.Before.Hash}}}
}

// Restore takes steps back. What their paths hold now and what they are to hold
// is stored first, and told to Begin; then each path is changed in one step, and
// whatever came out of its place and is not what was saved goes back there: it is a
// person's. An error means that nothing was changed.
func (w *Workspace) Restore(ctx context.Context, r Restore) (Result, error) {
	h, err := w.hold(ctx)
	if err != nil {
		return Result{}, err
	}
	defer h.release()
	p, err := h.plan(r, true)
	if err != nil {
		return Result{}, fmt.Errorf("restore %s: %w", w.folder, err)
	}
	return h.apply(p, r)
}

// apply carries out a plan.
func (h *hold) apply(p *planner, r Restore) (Result, error) {
	begin := r.Begin
	if begin == nil {
		begin = func(Result) error { return nil }
	}
	result := Result{Changed: p.Changes, Kept: p.Kept, Before: p.now, After: p.now}
	if len(p.actions)+len(p.offers)+len(p.made)+len(p.removed) == 0 {
		return result, begin(result)
	}
	asked := h.ctx
	h.ctx = context.WithoutCancel(asked)
	a, err := h.applier(p)
	if err != nil {
		return Result{}, fmt.Errorf("restore %s: %w", h.folder, err)
	}
	defer a.close()
	if result.After, err = a.aim(r.Session); err != nil {
		return Result{}, errors.Join(fmt.Errorf("restore %s: %w", h.folder, err), a.trash.drop())
	}
	if err = asked.Err(); err == nil {
		err = begin(result)
	}
	if err != nil {
		h.manifest = nil // it is as after
		return Result{}, errors.Join(err, a.trash.drop())
	}
	// From here on it is not given up, whoever stops waiting for it.
	a.run()
	a.offer()
	a.emptyFolders()
	a.lookAgain()
	if err := a.land(result.After); err != nil {
		h.store.log.Warn("files were restored, but that is in no checkpoint yet: the next one will have it", "folder", h.folder, "err", err)
	}
	result.Kept, result.Changed = a.kept, nil
	for _, c := range p.Changes {
		if _, ok := a.applied[c.Path]; ok {
			result.Changed = append(result.Changed, c)
		}
	}
	return result, nil
}
