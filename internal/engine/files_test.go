package engine_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// keeper is a workspace of which only is known what was asked.
type keeper struct {
	mu    sync.Mutex
	steps [][]engine.FileStep
	fail  error
	back  engine.FilesBack
	begun func() // between begin and the deed
	asked chan struct{}

	left   map[string]protocol.CheckpointSaved // by calls that were cut off
	forgot []string
}

func (k *keeper) Preview(context.Context, string, string, []engine.FileStep) (engine.FilesBack, error) {
	return engine.FilesBack{}, nil
}

func (k *keeper) Restore(_ context.Context, _, _ string, steps []engine.FileStep, begin func(engine.FilesBack) error) (engine.FilesBack, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.asked != nil {
		close(k.asked)
	}
	if k.fail != nil {
		return engine.FilesBack{}, k.fail
	}
	if err := begin(k.back); err != nil {
		return engine.FilesBack{}, err
	}
	if k.begun != nil {
		k.begun()
	}
	k.steps = append(k.steps, steps)
	return k.back, nil
}

func (k *keeper) Left(_ context.Context, _, _, call, _ string) (*protocol.CheckpointSaved, func(), error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	saved, ok := k.left[call]
	if !ok {
		return nil, nil, nil
	}
	return &saved, func() { k.forgot = append(k.forgot, call) }, nil
}

func withFiles(k *keeper) func(*engine.Options) { return func(o *engine.Options) { o.Files = k } }

func (h *house) createIn(t testing.TB, id, folder string) {
	t.Helper()
	if _, err := h.Create(context.Background(), id, protocol.SessionCreated{Owner: "ann", Workspace: folder}, ann, nil); err != nil {
		t.Fatal(err)
	}
}

// stuck is a model that says nothing until it is stopped, and then why.
func stuck(began chan<- struct{}, ended chan<- error) func(context.Context, *engine.Work, uint64) error {
	return func(ctx context.Context, _ *engine.Work, _ uint64) error {
		began <- struct{}{}
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return ctx.Err()
	}
}

// A rewind that cannot be leaves what runs alone, also one with files.
func TestRefusedRewindStopsNothing(t *testing.T) {
	began, ended := make(chan struct{}, 9), make(chan error, 9)
	h := open(t, t.TempDir(), runner{stuck(began, ended)}, withFiles(&keeper{}))
	defer h.close(t)
	h.createIn(t, "s", "/work")
	h.send(t, "s", "go", "")
	<-began
	before := h.stateOf(t, "s")
	for name, m := range map[string]session.Move{"beyond the end": {Head: 10_000}, "what is hidden": {Head: 1, Seen: 9_999}} {
		_, _, err := h.Rewind(context.Background(), "s", session.Command{Type: session.MoveHead, Data: &m, By: ann}, engine.RewindOptions{Files: true})
		if err == nil {
			t.Errorf("a rewind to %s was done", name)
		}
	}
	select {
	case why := <-ended:
		t.Errorf("the model was stopped: %v", why)
	default:
	}
	if after := h.stateOf(t, "s"); after != before {
		t.Errorf("the session was\n%s\nand is\n%s", before, after)
	}
}

// What comes between the wish and the deed is not hidden when only files go back.
func TestFilesAloneHideNothing(t *testing.T) {
	k := &keeper{}
	h := open(t, t.TempDir(), runner{say("fine")}, withFiles(k))
	defer h.close(t)
	h.createIn(t, "s", "/work")
	ctx := context.Background()
	if _, err := h.Do(ctx, "s", session.Command{Type: session.Checkpoint, Data: &session.Checkpointed{Saved: &protocol.CheckpointSaved{Hash: "b", FromHash: "a"}}}); err != nil {
		t.Fatal(err)
	}
	seq, err := h.CheckpointAt(ctx, "s", protocol.ID(protocol.CheckpointPrefix, 2))
	if err != nil {
		t.Fatal(err)
	}
	v := h.attach(t, "s", "")
	h.send(t, "s", "meanwhile", "")
	v.until(t, protocol.TypeComplete)
	v.sub.Close()
	if _, err := h.Do(ctx, "s", session.Command{Type: session.Checkpoint, Data: &session.Checkpointed{Saved: &protocol.CheckpointSaved{Hash: "c", FromHash: "b"}}}); err != nil {
		t.Fatal(err)
	}
	told, _, err := h.Rewind(ctx, "s", session.Command{Type: session.MoveHead, Data: &session.Move{Head: seq}, By: ann}, engine.RewindOptions{Files: true, Since: seq})
	if err != nil || told.MessagesHidden != 0 {
		t.Errorf("%+v (%v)", told, err)
	}
	if len(k.steps) != 1 || len(k.steps[0]) != 1 || k.steps[0][0].After != "c" {
		t.Errorf("taken back: %+v", k.steps)
	}
}

// What a session below did to the files goes back with the call that it worked
// for.
func TestFilesOfHandedOnWorkGoBack(t *testing.T) {
	k := &keeper{}
	began, ended := make(chan struct{}, 9), make(chan error, 9)
	h := open(t, t.TempDir(), runner{stuck(began, ended)}, withFiles(k))
	defer h.close(t)
	ctx := context.Background()
	saved := func(id, from, to string) {
		t.Helper()
		if _, err := h.Do(ctx, id, session.Command{Type: session.Checkpoint, Data: &session.Checkpointed{Saved: &protocol.CheckpointSaved{Hash: to, FromHash: from}}}); err != nil {
			t.Fatal(err)
		}
	}
	h.createIn(t, "below", "/work")
	saved("below", "b", "c")
	saved("below", "c", "d")
	h.move(t, "below", session.Move{Head: 3}) // the second is not its any more
	h.createIn(t, "s", "/work")
	saved("s", "a", "b")
	h.send(t, "s", "go", "")
	<-began
	state, err := h.State(ctx, "s")
	if err != nil {
		t.Fatal(err)
	}
	call, _ := protocol.ParseMessageID(state.LastMessageID)
	turn := ""
	records, _ := h.Read(ctx, "s", 0, 100)
	for _, r := range records {
		if d, ok := r.Data.(*protocol.TurnStarted); ok {
			turn = d.TurnID
		}
	}
	out, err := h.Do(ctx, "s", session.Command{Type: session.ModelEnd, Data: &session.ModelEnded{TurnID: turn, Call: call, Uses: []session.ToolUse{{ID: "u", Tool: session.ToolDelegate, Effect: protocol.EffectIdempotent}}}})
	if err != nil {
		t.Fatal(err)
	}
	calls := out.Records[0].Data.(*protocol.ModelCompleted).ToolCalls
	if _, err := h.Do(ctx, "s", session.Command{Type: session.ToolBegin, Data: &session.ToolBegun{TurnID: turn, CallID: calls[0].CallID, ChildID: "below"}}); err != nil {
		t.Fatal(err)
	}
	saved("s", "d", "e")
	m := &session.Move{Head: 2}
	if _, _, err := h.Rewind(ctx, "s", session.Command{Type: session.MoveHead, Data: m, By: ann}, engine.RewindOptions{Files: true}); err != nil {
		t.Fatal(err)
	}
	want := []engine.FileStep{{Before: "b", After: "c"}, {Before: "d", After: "e"}}
	if diff := cmp.Diff([][]engine.FileStep{want}, k.steps); diff != "" {
		t.Errorf("taken back (-want +got):\n%s", diff)
	}
}

// Files go back only when nothing runs any more, also when two want it at once.
func TestFilesGoBackOneAtATime(t *testing.T) {
	began, stopping, let := make(chan struct{}, 9), make(chan struct{}, 9), make(chan struct{})
	k := &keeper{}
	h := open(t, t.TempDir(), runner{func(ctx context.Context, _ *engine.Work, _ uint64) error {
		began <- struct{}{}
		<-ctx.Done()
		stopping <- struct{}{}
		<-let
		return ctx.Err()
	}}, withFiles(k))
	defer h.close(t)
	h.createIn(t, "s", "/work")
	h.send(t, "s", "go", "")
	<-began
	rewind := func() error {
		m := &session.Move{Head: 1}
		_, _, err := h.Rewind(context.Background(), "s", session.Command{Type: session.MoveHead, Data: m, By: ann}, engine.RewindOptions{Files: true})
		return err
	}
	first := make(chan error, 1)
	go func() { first <- rewind() }()
	<-stopping
	for name, other := range map[string]func() error{"a rewind": rewind, "a delete": func() error { return h.Delete(context.Background(), "s") }} {
		if err := other(); protocol.AsError(err).Code != protocol.CodeSessionInvalidState {
			t.Errorf("%s meanwhile: %v", name, err)
		}
	}
	k.mu.Lock()
	if len(k.steps) > 0 {
		t.Error("files were taken back while the model was running")
	}
	k.mu.Unlock()
	close(let)
	if err := <-first; err != nil {
		t.Error(err)
	}
}

// The journal says what is to become of the files before any is touched. If the
// server dies in between, they go where the session says when it is opened next.
func TestFilesGoBackAfterACrash(t *testing.T) {
	for name, fails := range map[string]bool{"and do": false, "and cannot": true} {
		t.Run(name, func(t *testing.T) {
			m := newMemory()
			k := &keeper{back: engine.FilesBack{Before: "now", After: "then", Changed: []protocol.FileChange{{Path: "a", Change: "modified"}}}}
			var left *memory
			k.begun = func() { left = m.crash() }
			h := openOn(t, m, runner{say("fine")}, withFiles(k))
			defer h.close(t)
			h.createIn(t, "s", "/work")
			ctx := context.Background()
			if _, _, err := h.Rewind(ctx, "s", session.Command{Type: session.MoveHead, Data: &session.Move{Head: 1}, By: ann}, engine.RewindOptions{Files: true}); err != nil {
				t.Fatal(err)
			}

			asked := make(chan struct{})
			again := &keeper{back: engine.FilesBack{Changed: k.back.Changed}, asked: asked}
			if fails {
				again.fail = errors.New("the folder is gone")
			}
			h = openOn(t, left, runner{say("fine")}, withFiles(again))
			defer h.close(t)
			<-asked // by nobody but the journal
			if _, err := h.State(ctx, "s"); err != nil {
				t.Fatal(err)
			}
			records, err := h.Read(ctx, "s", 2, 10)
			if err != nil || len(records) != 1 {
				t.Fatalf("after the rewind come %v, %v", records, err)
			}
			switch d := records[0].Data.(type) {
			case *protocol.CheckpointRestored:
				want := [][]engine.FileStep{{{Before: "then", After: "now"}}}
				if fails || d.RewindID != protocol.ID(protocol.RewindPrefix, 2) || !cmp.Equal(d.Files, k.back.Changed) || !cmp.Equal(again.steps, want) {
					t.Errorf("%+v after %+v", d, again.steps)
				}
			case *protocol.CheckpointFailed:
				if !fails || d.RewindID != protocol.ID(protocol.RewindPrefix, 2) {
					t.Errorf("%+v", d)
				}
			default:
				t.Errorf("%+v", records[0])
			}
			if due, _, err := left.Due(ctx, time.Time{}, time.Now()); err != nil || len(due) != 0 {
				t.Errorf("it is still to be opened: %v, %v", due, err)
			}
		})
	}
}

// A move that cannot be recorded leaves the files alone.
func TestFilesStayIfTheMoveDoes(t *testing.T) {
	m := newMemory()
	var full atomic.Bool
	m.before = func(journal.Append) error {
		if full.Load() {
			return journal.ErrFull
		}
		return nil
	}
	k := &keeper{back: engine.FilesBack{Before: "now", After: "then"}}
	h := openOn(t, m, runner{say("fine")}, withFiles(k))
	defer h.close(t)
	h.createIn(t, "s", "/work")
	full.Store(true)
	rewind := func() error {
		_, _, err := h.Rewind(context.Background(), "s", session.Command{Type: session.MoveHead, Data: &session.Move{Head: 1}, By: ann}, engine.RewindOptions{Files: true})
		return err
	}
	if err := rewind(); err == nil || len(k.steps) > 0 {
		t.Errorf("the move came to %v, and of the files %v went back", err, k.steps)
	}
	full.Store(false)
	if err := rewind(); err != nil || len(k.steps) != 1 {
		t.Errorf("then it came to %v, and of the files %v went back", err, k.steps)
	}
}

// A session starts once, however many calls are its first.
func TestOneStart(t *testing.T) {
	h := open(t, t.TempDir(), runner{say("fine")})
	defer h.close(t)
	h.createIn(t, "s", "/work")
	ctx := context.Background()
	for range 3 {
		start := &session.Checkpointed{Saved: &protocol.CheckpointSaved{Hash: "a", Reason: "start"}}
		if _, err := h.Do(ctx, "s", session.Command{Type: session.Checkpoint, Data: start}); err != nil {
			t.Fatal(err)
		}
	}
	last, err := h.Last(ctx, "s")
	if err != nil || last != 2 {
		t.Errorf("the last record is %d, %v", last, err)
	}
}

// A call that was told to end and has not is waited for: what it did goes back too.
func TestFilesWaitForCallsThatEnd(t *testing.T) {
	k := &keeper{}
	began, let := make(chan struct{}, 9), make(chan struct{})
	h := open(t, t.TempDir(), runner{func(ctx context.Context, w *engine.Work, _ uint64) error {
		began <- struct{}{}
		<-ctx.Done()
		<-let
		_, err := w.Do(context.WithoutCancel(ctx), session.Command{Type: session.Checkpoint, Data: &session.Checkpointed{
			AgentID: w.Step.AgentID, TurnID: w.Step.TurnID, Saved: &protocol.CheckpointSaved{Hash: "b", FromHash: "a"},
		}})
		return err
	}}, withFiles(k))
	defer h.close(t)
	h.createIn(t, "s", "/work")
	h.send(t, "s", "go", "")
	<-began
	ctx := context.Background()
	if _, err := h.Do(ctx, "s", session.Command{Type: protocol.TypeControlCancel, Data: &protocol.ControlCancel{}, By: ann}); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, _, err := h.Rewind(ctx, "s", session.Command{Type: session.MoveHead, Data: &session.Move{Head: 1}, By: ann}, engine.RewindOptions{Files: true})
		done <- err
	}()
	if _, err := h.State(ctx, "s"); err != nil { // the session answers meanwhile
		t.Fatal(err)
	}
	close(let)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]engine.FileStep{{{Before: "a", After: "b"}}}, k.steps); diff != "" {
		t.Errorf("taken back (-want +got):\n%s", diff)
	}
}

// Nothing works on files that are back as long as that is not recorded.
func TestNothingWorksBeforeFilesAreRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		var full atomic.Bool
		full.Store(true)
		m.before = func(a journal.Append) error {
			if full.Load() && bytes.Contains(a.Records[0].Frame, []byte(protocol.TypeCheckpointRestored)) {
				return journal.ErrFull
			}
			return nil
		}
		k := &keeper{back: engine.FilesBack{Before: "now", After: "then"}}
		var began atomic.Int64
		h := openOn(t, m, runner{func(context.Context, *engine.Work, uint64) error { began.Add(1); return nil }}, withFiles(k))
		defer h.close(t)
		h.createIn(t, "s", "/work")
		ctx := context.Background()
		rewind := func() error {
			_, _, err := h.Rewind(ctx, "s", session.Command{Type: session.MoveHead, Data: &session.Move{Head: 1}, By: ann}, engine.RewindOptions{Files: true})
			return err
		}
		if err := rewind(); err != nil {
			t.Fatal(err)
		}
		h.send(t, "s", "go on", "")
		time.Sleep(time.Minute)
		if err := rewind(); protocol.AsError(err).Code != protocol.CodeSessionInvalidState || began.Load() != 0 {
			t.Errorf("a second rewind came to %v, and %d calls began", err, began.Load())
		}
		full.Store(false)
		time.Sleep(time.Minute)
		if err := rewind(); err != nil || began.Load() != 1 {
			t.Errorf("then a rewind came to %v, and %d calls began", err, began.Load())
		}
	})
}

// A session that is taken in from elsewhere takes no files back here.
func TestAdoptedSessionRestoresNothing(t *testing.T) {
	m := newMemory()
	var left *memory
	k := &keeper{back: engine.FilesBack{Before: "now", After: "then"}, begun: func() { left = m.crash() }}
	h := openOn(t, m, runner{say("fine")}, withFiles(k))
	defer h.close(t)
	h.createIn(t, "s", "/work")
	ctx := context.Background()
	if _, _, err := h.Rewind(ctx, "s", session.Command{Type: session.MoveHead, Data: &session.Move{Head: 1}, By: ann}, engine.RewindOptions{Files: true}); err != nil {
		t.Fatal(err)
	}
	page, err := left.Read(ctx, "s", 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	ours := &keeper{}
	other := openOn(t, newMemory(), runner{say("fine")}, withFiles(ours))
	defer other.close(t)
	var copied [][]byte
	for _, r := range page {
		copied = append(copied, r.Frame)
	}
	if err := other.Adopt(ctx, "s", engine.Adoption{Frames: copied, By: ann}); err != nil {
		t.Fatal(err)
	}
	if _, err := other.State(ctx, "s"); err != nil || len(ours.steps) > 0 {
		t.Errorf("it took back %v, %v", ours.steps, err)
	}
}
