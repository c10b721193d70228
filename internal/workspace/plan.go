package workspace

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Step is something an agent did: what differs between two checkpoints. Both were
// saved with the same Paths; only these count, or everything if there are none.
type Step struct {
	Before, After string
	Paths         []string
}

// Restore asks to take back what agents did.
type Restore struct {
	Session string
	// Steps are taken back, the last one first. Everything else is a person's.
	Steps []Step
	// To, if set, is the checkpoint where the first step began: what changed since
	// and is in no step is then named among what is kept. That takes a scan of the
	// folder; without it only the paths of the steps are looked at.
	To string
	// Begin, if set, hears what is going to happen, once that is stored and before
	// any file is touched. If it returns an error, none is.
	Begin func(Result) error
}

// KeptReason says why a path stays as it is.
type KeptReason string

const (
	KeptPerson      KeptReason = "edited"       // it changed since, in no step
	KeptConflict    KeptReason = "conflict"     // it changed since in the same lines as in a step, or is no text
	KeptMeanwhile   KeptReason = "meanwhile"    // it changed during the restore
	KeptNotCaptured KeptReason = "not_captured" // what was there before is in no checkpoint
	KeptIgnored     KeptReason = "ignored"      // it was ignored before the step
	KeptInTheWay    KeptReason = "in_the_way"   // something that is in no checkpoint has its place
	KeptOtherMount  KeptReason = "other_mount"  // it lies on another file system
	KeptFailed      KeptReason = "failed"       // the system refused; Detail says why
)

// Kept is a path that a restore leaves alone.
type Kept struct {
	Path   string
	Reason KeptReason
	Detail string
	// Copy is a file with the version that is not in place: of the agent's past, or,
	// if Reason is KeptMeanwhile, what a person wrote last. It stays for
	// Limits.Trash.
	Copy string
}

// Restored is a path that a restore changes.
type Restored struct {
	Path   string
	Change Change
	Merged bool // a person's edits are in it too
}

// Plan is what a restore would do.
type Plan struct {
	Changes []Restored
	Kept    []Kept
}

// Preview says what Restore would do now.
func (w *Workspace) Preview(ctx context.Context, r Restore) (Plan, error) {
	h, err := w.hold(ctx)
	if err != nil {
		return Plan{}, err
	}
	defer h.release()
	p, err := h.plan(r, false)
	if err != nil {
		return Plan{}, fmt.Errorf("plan a restore of %s: %w", w.folder, err)
	}
	return p.Plan, nil
}

// planner works out what a restore does. The folder's state is the manifest.
type planner struct {
	*hold
	m      *manifest
	now    Checkpoint
	states map[string]*state
	batch  *batch
	fresh  map[oid][]byte // merged content that is not stored yet

	paths   map[string]*past
	made    map[string]struct{} // empty folders that steps made
	removed map[string]struct{} // and those that they removed
	kept    map[string]struct{} // empty folders that were there before

	Plan
	actions []action
	offers  map[string]version // path → version to put beside
}

// plan compares the steps first: only what they changed has to be looked at in the
// folder.
func (h *hold) plan(r Restore, listed bool) (*planner, error) {
	p := &planner{
		hold: h, states: map[string]*state{}, fresh: map[oid][]byte{}, paths: map[string]*past{}, offers: map[string]version{},
		made: map[string]struct{}{}, removed: map[string]struct{}{}, kept: map[string]struct{}{},
	}
	var err error
	if p.batch, err = h.batch(h.ctx, h.lock); err != nil {
		return nil, err
	}
	defer p.batch.close()
	for _, s := range r.Steps {
		if err := p.step(s); err != nil {
			return nil, err
		}
	}
	names := slices.Sorted(maps.Keys(p.paths))
	look := Save{Session: r.Session, Reason: "before restore", Paths: append([]string{}, names...)}
	if r.To != "" {
		look.Paths = nil
	}
	if p.now, err = h.save(look, listed); err != nil {
		return nil, err
	}
	p.m = h.manifest
	for _, name := range names {
		if err := p.path(name, p.paths[name]); err != nil {
			return nil, err
		}
	}
	if r.To != "" {
		return p, p.persons(r.To)
	}
	return p, nil
}

func (p *planner) state(hash string) (*state, error) {
	if s := p.states[hash]; s != nil {
		return s, nil
	}
	s, err := p.batch.state(hash)
	if err == nil {
		p.states[hash] = s
	}
	return s, err
}

// step adds what one step did to the paths.
func (p *planner) step(s Step) error {
	before, err := p.state(s.Before)
	if err != nil {
		return err
	}
	after, err := p.state(s.After)
	if err != nil {
		return err
	}
	list, err := p.compare(p.ctx, before, after, "--no-renames")
	if err != nil {
		return err
	}
	rules := p.rulesOf(before)
	for _, c := range list {
		if !s.covers(c.path) || !before.saw(c.path) || !after.saw(c.path) {
			continue
		}
		at := p.paths[c.path]
		if at == nil {
			at = &past{}
			p.paths[c.path] = at
		}
		at.add(c.before, c.after)
		switch {
		case c.before.there():
		case before.lacks(c.path), s.Paths == nil && !before.Whole:
			at.block = KeptNotCaptured
		case rules(c.path):
			at.block = KeptIgnored
		}
	}
	p.foldersOf(s, before, after)
	return nil
}

// foldersOf notes which empty folders came and went.
func (p *planner) foldersOf(s Step, before, after *state) {
	if before.Incomplete || after.Incomplete {
		return
	}
	for _, f := range before.folders {
		p.kept[f] = struct{}{}
		if !slices.Contains(after.folders, f) && s.covers(f) {
			p.removed[f] = struct{}{}
		}
	}
	for _, f := range after.folders {
		if _, ok := p.kept[f]; !ok && s.covers(f) {
			p.made[f] = struct{}{}
		}
	}
}

func (s Step) covers(name string) bool {
	if s.Paths == nil {
		return true
	}
	return slices.ContainsFunc(s.Paths, func(p string) bool { return p == "." || within(name, path.Clean(p)) })
}

// saw says that a path was looked at for a checkpoint: if it is not in there, it
// was not in the folder.
func (s *state) saw(name string) bool {
	if !s.Incomplete {
		return true
	}
	folder, _ := path.Split(name)
	if folder == "" {
		folder = "/"
	}
	_, ok := s.looked[folder]
	return ok
}

// lacks says that something was at a path that was not captured.
func (s *state) lacks(name string) bool {
	return slices.ContainsFunc(s.missing, func(m Missing) bool {
		return within(name, strings.TrimSuffix(m.Path, "/"))
	})
}

// rulesOf gives the ignore rules that held at a checkpoint. A file that comes up in
// a step because its rule went away was there before, whoever's it is.
func (p *planner) rulesOf(s *state) func(name string) bool {
	first := firstRules(s.exclude)
	texts := map[string][]byte{}
	read := func(folder string) []byte {
		if text, ok := texts[folder]; ok {
			return text
		}
		o, err := p.batch.get(s.hash+":"+path.Join("files", folder, ignoreName), maxIgnoreFile)
		if err != nil || o.kind != "blob" {
			o.content = nil
		}
		texts[folder] = o.content
		return o.content
	}
	return func(name string) bool { return first.covers(name, false, read) }
}

// path decides what becomes of a path.
func (p *planner) path(name string, a *past) error {
	now := p.m.at(name)
	if a.block != "" {
		p.Kept = append(p.Kept, Kept{Path: name, Reason: a.block})
		return nil
	}
	target, merged, ok, err := p.back(now, a.parts)
	if err != nil {
		return err
	}
	switch {
	case !ok:
		p.Kept = append(p.Kept, Kept{Path: name, Reason: KeptConflict})
		if first := a.parts[0].before; first.there() {
			p.offers[name] = first
		}
	case target != now:
		p.actions = append(p.actions, action{Path: name, Old: storedOf(now), New: storedOf(target)})
		p.Changes = append(p.Changes, Restored{Path: name, Change: difference{path: name, oldPath: name, before: now, after: target}.change(), Merged: merged})
	}
	return nil
}

// persons names what changed since a checkpoint in no step.
func (p *planner) persons(since string) error {
	then, err := p.state(since)
	if err != nil {
		return err
	}
	now, err := p.state(p.now.Hash)
	if err != nil {
		return err
	}
	list, err := p.compare(p.ctx, then, now, "--no-renames")
	if err != nil {
		return err
	}
	for _, c := range list {
		if p.paths[c.path] == nil && then.saw(c.path) {
			p.Kept = append(p.Kept, Kept{Path: c.path, Reason: KeptPerson})
		}
	}
	return nil
}
