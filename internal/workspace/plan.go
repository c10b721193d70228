package workspace

import (
	"context"
	"errors"
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
	now    Checkpoint // of the paths of the steps
	all    Checkpoint // of everything, if that was asked for
	states map[string]*state
	batch  *batch
	fresh  map[oid][]byte // merged content that is not stored yet

	paths   map[string]*past
	large   map[string]struct{} // files that steps changed and no checkpoint has
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
		large: map[string]struct{}{}, made: map[string]struct{}{}, removed: map[string]struct{}{}, kept: map[string]struct{}{},
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
	look := Save{Session: r.Session, Reason: "before restore"}
	if r.To != "" {
		if p.all, err = h.save(look, false); err != nil {
			return nil, err
		}
		if p.all.Incomplete { // what is looked at next is whole, and stored as such
			h.manifest.side = oid{}
		}
	}
	look.Paths = append([]string{}, names...)
	if p.now, err = h.save(look, listed); err != nil {
		return nil, err
	}
	p.m = h.manifest
	for _, name := range names {
		if err := p.path(name, p.paths[name]); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.large)) {
		if p.paths[name] == nil {
			p.Kept = append(p.Kept, Kept{Path: name, Reason: KeptNotCaptured})
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
		if !s.Covers(c.path) || !before.saw(c.path) || !after.saw(c.path) {
			continue
		}
		at := p.paths[c.path]
		if at == nil {
			at = &past{}
			p.paths[c.path] = at
		}
		why, err := s.unknown(c, before, rules)
		if err != nil {
			return err
		}
		if why != "" {
			at.parts, at.block = nil, why
			continue
		}
		at.add(c.before, c.after)
	}
	p.altered(s, before, after)
	return p.foldersOf(s, before, after, rules)
}

// unknown says why it is not known what was at a path before a step, if it is not. A
// file that comes up because its rule went away was there before, whoever's it is. But
// one that the step names was looked for whatever the rules said.
func (s Step) unknown(c difference, before *state, rules *pastRules) (KeptReason, error) {
	switch {
	case c.before.there():
		return "", nil
	case rules == nil, before.lacks(c.path), s.Paths == nil && !before.Whole:
		return KeptNotCaptured, nil
	case slices.ContainsFunc(s.Paths, func(p string) bool { return path.Clean(p) == c.path }):
		return "", nil
	}
	left, err := rules.cover(c.path, false)
	if left {
		return KeptIgnored, err
	}
	return "", err
}

// altered notes files that are too large to be captured and that a step changed all the
// same.
func (p *planner) altered(s Step, before, after *state) {
	now := map[string]Missing{}
	for _, m := range after.missing {
		now[m.Path] = m
	}
	for _, m := range before.missing {
		if m.Reason != TooLarge || !s.Covers(m.Path) || !after.saw(m.Path) {
			continue
		}
		if n := now[m.Path]; n.Size != m.Size || n.Modified != m.Modified && m.Modified != 0 {
			p.large[m.Path] = struct{}{}
		}
	}
}

// foldersOf notes which empty folders came and went.
func (p *planner) foldersOf(s Step, before, after *state, rules *pastRules) error {
	if before.Incomplete || after.Incomplete {
		return nil
	}
	for _, f := range before.folders {
		p.kept[f] = struct{}{}
		if !slices.Contains(after.folders, f) && s.Covers(f) {
			p.removed[f] = struct{}{}
		}
	}
	for _, f := range after.folders {
		if _, ok := p.kept[f]; ok || !s.Covers(f) || rules == nil {
			continue
		}
		left, err := rules.cover(f, true)
		if err != nil {
			return err
		}
		if !left {
			p.made[f] = struct{}{}
		}
	}
	return nil
}

// Covers says whether a path counts for a step.
func (s Step) Covers(name string) bool {
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

// rulesOf gives the ignore rules that held at a checkpoint, or nil if they are not known.
func (p *planner) rulesOf(s *state) *pastRules {
	return newPastRules(s.rules, func(folder string) ([]byte, error) {
		o, err := p.batch.get(s.hash+":"+path.Join("files", folder, ignoreName), everything)
		if errors.Is(err, errMissingObject) || err == nil && o.kind != "blob" {
			return nil, nil
		}
		return o.content, err
	})
}

// path decides what becomes of a path.
func (p *planner) path(name string, a *past) error {
	now := p.m.at(name)
	if a.block != "" {
		p.Kept = append(p.Kept, Kept{Path: name, Reason: a.block})
	}
	if len(a.parts) == 0 {
		return nil
	}
	target, merged, ok, err := p.back(now, a.parts)
	if err != nil {
		return err
	}
	switch {
	case !ok:
		if a.block == "" {
			p.Kept = append(p.Kept, Kept{Path: name, Reason: KeptConflict})
		}
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
	now, err := p.state(p.all.Hash)
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
