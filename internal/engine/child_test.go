package engine_test

import (
	"context"
	"testing"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// delegator hands the work of the session "above" on to the session "below".
type delegator struct {
	runner
	came chan protocol.Record // gets how the work below ended
}

func (d delegator) Run(ctx context.Context, w *engine.Work) {
	if w.SessionID != "above" {
		d.runner.Run(ctx, w)
		return
	}
	if _, err := w.Do(ctx, session.Command{Type: session.ModelBegin, Data: &session.ModelBegun{TurnID: w.Step.TurnID, Model: "test"}}); err != nil {
		return
	}
	end, err := w.Delegate(ctx, "below", "k", protocol.SessionCreated{Owner: "ann"}, "do it", func(protocol.Record) {})
	if err == nil && d.came != nil {
		d.came <- end
		<-ctx.Done()
	}
}

// Work that was handed on ends with the session that wanted it, however that
// goes.
func TestHandedOnWorkIsNotLeftBehind(t *testing.T) {
	for name, end := range map[string]func(h *house) error{
		"cancelled": func(h *house) error {
			_, err := h.Do(context.Background(), "above", session.Command{Type: protocol.TypeControlCancel, Data: &protocol.ControlCancel{}, By: ann})
			return err
		},
		"deleted": func(h *house) error { return h.Delete(context.Background(), "above") },
		"rewound with files": func(h *house) error {
			m := &session.Move{Head: 1}
			_, _, err := h.Rewind(context.Background(), "above", session.Command{Type: session.MoveHead, Data: m, By: ann}, engine.RewindOptions{Files: true})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			began, ended := make(chan struct{}, 9), make(chan error, 9)
			h := open(t, t.TempDir(), delegator{runner: runner{stuck(began, ended)}}, withFiles(&keeper{}))
			defer h.close(t)
			h.createIn(t, "above", "/work")
			h.send(t, "above", "go", "")
			<-began
			v := h.attach(t, "below", protocol.MessageID(1))
			if err := end(h); err != nil {
				t.Fatal(err)
			}
			if f := v.until(t, protocol.TypeFailed).(*protocol.Failed); f.Status != protocol.StatusCancelled {
				t.Errorf("it ended as %+v", f)
			}
			v.sub.Close()
		})
	}
}

// A server that stops leaves handed-on work as it is, and whoever takes it up
// tells the goal no second time.
func TestHandedOnWorkSurvivesAStop(t *testing.T) {
	dir := t.TempDir()
	began, ended := make(chan struct{}, 9), make(chan error, 9)
	h := open(t, dir, delegator{runner: runner{stuck(began, ended)}})
	h.create(t, "above")
	h.send(t, "above", "go", "")
	<-began
	h.close(t)
	came := make(chan protocol.Record, 1)
	h = open(t, dir, delegator{runner: runner{say("fine")}, came: came})
	defer h.close(t)
	if end := <-came; end.Type != protocol.TypeComplete {
		t.Errorf("it ended as %+v", end.Data)
	}
	records, err := h.Read(context.Background(), "below", 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, r := range records {
		if m, ok := r.Data.(*protocol.MessageRecord); ok && m.Role == protocol.RoleUser {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the goal was told %d times", told)
	}
}
