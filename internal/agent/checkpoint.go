package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/internal/workspace"
	"github.com/parley-dev/parley/protocol"
	"github.com/parley-dev/parley/tool"
)

// keeping is the workspace around one call: as it was before, to be compared
// with what it is after.
type keeping struct {
	a     *Agent
	w     *engine.Work
	files *workspace.Workspace
	save  workspace.Save
}

// keep saves the workspace before a call that may change it. A call is not
// refused because its workspace cannot be kept: that is recorded, and said.
func (a *Agent) keep(ctx context.Context, w *engine.Work, p policy, input json.RawMessage, emit func(tool.Event)) *keeping {
	step := w.Step
	if a.Files == nil || !p.CheckpointsEnabled || step.Workspace == "" || step.Tool.Class == protocol.ClassRead || step.Tool.Class == protocol.ClassBrowser {
		return nil
	}
	k := &keeping{a: a, w: w, save: workspace.Save{
		Session: w.SessionID, Reason: "before " + step.Tool.Tool, Paths: touched(step, input),
		Within: time.Duration(p.CheckpointsTimeoutSeconds) * time.Second,
		Progress: func(looked int) {
			emit(tool.Event{Progress: &tool.Progress{Step: fmt.Sprintf("keeping the files of the workspace: %d looked at", looked), Items: looked}})
		},
	}}
	started := time.Now()
	var err error
	if k.files, err = a.Files.Of(ctx, step.Workspace); err == nil {
		err = k.first(ctx)
	}
	if err == nil {
		_, err = k.files.Begin(ctx, step.Tool.ID, k.save)
	}
	if err != nil {
		k.failed(ctx, err, started)
		return nil
	}
	return k
}

// first keeps all files once, before the first change of a session, and records
// that as the checkpoint where it started: what follows can then be compared with
// all that was there, not only with what was touched.
func (k *keeping) first(ctx context.Context) error {
	l, err := k.w.Ledger(ctx)
	if err != nil || l.Checkpoint != "" {
		return err
	}
	started := time.Now()
	all := k.save
	all.Paths, all.Reason = nil, "start"
	start, err := k.files.Save(ctx, all)
	if err != nil {
		return err
	}
	k.record(ctx, &session.Checkpointed{Saved: Saved("", start, all, time.Since(started))})
	return nil
}

// touched are the files that a call says it will change; nil if it may be any. Of
// tools that are not ours nobody knows what else they change, and where a link
// leads, another file does.
func touched(step session.Step, input json.RawMessage) []string {
	var in struct {
		Path string `json:"path"`
	}
	if step.Tool.Tool != "write_file" && step.Tool.Tool != "edit_file" || json.Unmarshal(input, &in) != nil {
		return nil
	}
	name, err := tool.Path(in.Path)
	if err != nil || linked(step.Workspace, name) {
		return nil
	}
	return []string{name}
}

// linked says whether a symbolic link is on the way to a file.
func linked(folder, name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		folder = filepath.Join(folder, part)
		if info, err := os.Lstat(folder); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// done saves the workspace as the call has left it, and records what it changed.
// That is not given up when the call is: what it did until then is there.
func (k *keeping) done(ctx context.Context) {
	if k == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Minute)
	defer cancel()
	started := time.Now()
	k.save.Reason, k.save.Progress = k.w.Step.Tool.Tool, nil
	from, after, err := k.files.End(ctx, k.w.Step.Tool.ID, k.save)
	switch {
	case err != nil:
		k.failed(context.WithoutCancel(ctx), err, started)
	case from == "":
	case !k.record(ctx, &session.Checkpointed{Saved: Saved(from, after, k.save, time.Since(started))}):
		return // whoever opens the session next records it
	}
	k.files.Recorded(k.w.SessionID, k.w.Step.Tool.ID)
}

// Saved says what was kept around a call, or at the start if from is empty.
func Saved(from string, after workspace.Checkpoint, asked workspace.Save, took time.Duration) *protocol.CheckpointSaved {
	saved := &protocol.CheckpointSaved{
		Hash: after.Hash, FromHash: from, Reason: asked.Reason, FilesChanged: after.FilesChanged,
		Incomplete: after.Incomplete, DurationMS: took.Milliseconds(),
	}
	if from == "" { // nothing was changed
		saved.FilesChanged = 0
	}
	for _, p := range asked.Paths {
		saved.Paths = append(saved.Paths, strings.ToValidUTF8(p, "\uFFFD"))
	}
	const most = 20
	named := after.NotCaptured[:min(len(after.NotCaptured), most)]
	for _, m := range named {
		saved.NotCaptured = append(saved.NotCaptured, strings.ToValidUTF8(m.Path, "\uFFFD"))
	}
	saved.NotCapturedMore = len(after.NotCaptured) - len(named)
	return saved
}

// failed records that the workspace could not be kept. A folder that has no
// checkpoints is named once for each session.
func (k *keeping) failed(ctx context.Context, err error, started time.Time) {
	code := "CHECKPOINT_FAILED"
	if _, protected := errors.AsType[*workspace.ProtectedError](err); protected || errors.Is(err, workspace.ErrUnavailable) {
		code = "CHECKPOINT_REFUSED"
		if _, told := k.a.refused.LoadOrStore(k.w.SessionID, true); told {
			return
		}
	}
	if ctx.Err() != nil {
		return
	}
	k.record(ctx, &session.Checkpointed{Failed: &protocol.CheckpointFailed{
		Reason: k.save.Reason, DurationMS: time.Since(started).Milliseconds(),
		Error: protocol.TurnError{Code: code, Message: err.Error(), Recoverable: true},
	}})
}

func (k *keeping) record(ctx context.Context, c *session.Checkpointed) bool {
	c.AgentID, c.TurnID = k.w.Step.AgentID, k.w.Step.TurnID
	_, err := k.w.Do(ctx, session.Command{Type: session.Checkpoint, Data: c})
	if err != nil {
		k.a.Logger.Warn("a checkpoint was not recorded", "session_id", k.w.SessionID, "err", err)
	}
	return err == nil
}
