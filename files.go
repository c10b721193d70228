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
	plan, err := w.Preview(ctx, workspace.Restore{Session: session, Steps: stepsOf(steps)})
	return engine.FilesBack{Changed: changesOf(plan.Changes), Kept: keptOf(plan.Kept)}, err
}

func (f files) Restore(ctx context.Context, folder, session string, steps []engine.FileStep, begin func(engine.FilesBack) error) (engine.FilesBack, error) {
	w, err := f.store.Of(ctx, folder)
	if err != nil {
		return engine.FilesBack{}, err
	}
	done, err := w.Restore(ctx, workspace.Restore{
		Session: session, Steps: stepsOf(steps), Begin: func(r workspace.Result) error { return begin(backOf(r)) },
	})
	return backOf(done), err
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

func stepsOf(steps []engine.FileStep) []workspace.Step {
	out := make([]workspace.Step, len(steps))
	for i, s := range steps {
		out[i] = workspace.Step{Before: s.Before, After: s.After, Paths: s.Paths}
	}
	return out
}

func changesOf(changed []workspace.Restored) []protocol.FileChange {
	out := make([]protocol.FileChange, len(changed))
	for i, c := range changed {
		out[i] = protocol.FileChange{Path: shownPath(c.Path), Change: string(c.Change)}
	}
	return out
}

func keptOf(kept []workspace.Kept) []protocol.KeptFile {
	var out []protocol.KeptFile
	for _, k := range kept {
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
