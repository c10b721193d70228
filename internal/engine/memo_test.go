package engine_test

import (
	"context"
	"testing"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// forgetful tells what it remembers, keeps which call it is, and asks for a tool
// that there is not, so that it is called again.
type forgetful struct {
	remembers chan any
	calls     chan uint64
}

func (f forgetful) Run(ctx context.Context, w *engine.Work) {
	begun, err := w.Do(ctx, session.Command{Type: session.ModelBegin, Data: &session.ModelBegun{TurnID: w.Step.TurnID, Model: "test"}})
	if err != nil {
		return
	}
	memo, _ := w.Memo(ctx)
	call := begun[0].Seq
	_ = w.Keep(ctx, call)
	f.remembers <- memo
	f.calls <- call
	end := &session.ModelEnded{TurnID: w.Step.TurnID, Call: call, StopReason: "end_turn"}
	switch {
	case memo == nil:
		end.Uses = []session.ToolUse{{ID: "u", Tool: "none", Problem: "there is no such tool"}}
	case w.Step.TurnID != "turn_0000000003": // the first turn ends, the second is stopped
		<-ctx.Done()
		return
	}
	_, _ = w.Do(ctx, session.Command{Type: session.ModelEnd, Data: end})
}

// A memo lasts for a turn, and not beyond a move of the head.
func TestMemo(t *testing.T) {
	f := forgetful{make(chan any, 16), make(chan uint64, 16)}
	h := open(t, t.TempDir(), f)
	defer h.close(t)
	h.create(t, "s")
	v := h.attach(t, "s", "")
	next := func(want any) uint64 {
		t.Helper()
		if got := <-f.remembers; got != want {
			t.Fatalf("it remembers %v, not %v", got, want)
		}
		return <-f.calls
	}
	h.send(t, "s", "once", "")
	next(next(nil))
	v.until(t, protocol.TypeComplete)
	v.sub.Close()
	h.send(t, "s", "again", "")
	first := next(nil)
	next(first)
	h.move(t, "s", session.Move{Head: first})
	if _, err := h.Do(context.Background(), "s", session.Command{Type: protocol.TypeControlResume, Data: &protocol.ControlResume{}, By: ann}); err != nil {
		t.Fatal(err)
	}
	next(next(nil))
}
