package parley

import (
	"context"
	"strings"
	"time"

	"github.com/parley-dev/parley/internal/agent"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/workspace"
	"github.com/parley-dev/parley/protocol"
)

// files takes workspaces back for the engine.
type files struct{ store *workspace.Store }

func (f files) Preview(ctx context.Context, folder, session string, steps []engine.FileStep) (engine.FilesBack, error) {
	w, err := f.store.Of(ctx, folder)
	if err != nil {
		return engine.FilesBack{}, err
	}
	plan, err := w.Preview(ctx, restoreOf(session, steps))
	return engine.FilesBack{Changed: changesOf(plan.Changes), Kept: keptOf(plan.Kept)}, err
}

func (f files) Restore(ctx context.Context, folder, session string, steps []engine.FileStep, begin func(engine.FilesBack) error) (engine.FilesBack, error) {
	w, err := f.store.Of(ctx, folder)
	if err != nil {
		return engine.FilesBack{}, err
	}
	r := restoreOf(session, steps)
	r.Begin = func(r workspace.Result) error { return begin(backOf(r)) }
	done, err := w.Restore(ctx, r)
	return backOf(done), err
}

// restoreOf asks to take steps back, and to be told what else changed since.
func restoreOf(session string, steps []engine.FileStep) workspace.Restore {
	r := workspace.Restore{Session: session}
	for _, s := range steps {
		r.Steps = append(r.Steps, workspace.Step{Before: s.Before, After: s.After, Paths: s.Paths})
	}
	if len(steps) > 0 {
		r.To = steps[0].Before
	}
	return r
}

func (f files) Left(ctx context.Context, folder, session, call, tool string) (*protocol.CheckpointSaved, func(), error) {
	w, err := f.store.Of(ctx, folder)
	if err != nil {
		return nil, nil, err
	}
	start := time.Now()
	save := workspace.Save{Session: session, Reason: tool + ", cut off"}
	from, after, ok, err := w.CutOff(ctx, call, save)
	if err != nil || !ok {
		return nil, nil, err
	}
	forget := func() { w.Recorded(session, call) }
	if after.Hash == from {
		return nil, forget, nil
	}
	return agent.Saved(from, after, save, time.Since(start)), forget, nil
}

func backOf(r workspace.Result) engine.FilesBack {
	return engine.FilesBack{Changed: changesOf(r.Changed), Kept: keptOf(r.Kept), Before: r.Before.Hash, After: r.After.Hash}
}

func changesOf(changed []workspace.Restored) []protocol.FileChange {
	out := make([]protocol.FileChange, len(changed))
	for i, c := range changed {
		out[i] = protocol.FileChange{Path: shownPath(c.Path), Change: string(c.Change)}
	}
	return out
}

// editedMost is how many files that a person changed, in no step, are named.
const editedMost = 100

func keptOf(kept []workspace.Kept) []protocol.KeptFile {
	var out []protocol.KeptFile
	edited := 0
	for _, k := range kept {
		if k.Reason == workspace.KeptPerson {
			if edited++; edited > editedMost {
				continue
			}
		}
		reason := string(k.Reason)
		if k.Detail != "" {
			reason += ": " + k.Detail
		}
		out = append(out, protocol.KeptFile{Path: shownPath(k.Path), Reason: reason, Offer: k.Copy})
	}
	return out
}

// shownPath is a path as JSON can hold it: names of files need not be UTF-8.
func shownPath(p string) string { return strings.ToValidUTF8(p, "\uFFFD") }
