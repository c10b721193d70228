package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// moody thinks and answers slowly; its first call in a turn fails half way.
var moody = runs(func(ctx context.Context, w *engine.Work) {
	begun, err := w.Do(ctx, session.Command{Type: session.ModelBegin, Data: &session.ModelBegun{TurnID: w.Step.TurnID, Model: "m"}})
	if err != nil {
		return
	}
	ended := &session.ModelEnded{TurnID: w.Step.TurnID, Call: begun[0].Seq}
	for i, say := range []protocol.Say{protocol.SayReasoning, protocol.SayText} {
		s, err := w.Write(ctx, fmt.Sprintf("%s_%d", protocol.ID(protocol.OpenPrefix, begun[0].Seq), i), say)
		if err != nil {
			return
		}
		for _, piece := range []string{"one ", "two ", "three"} {
			if s.Write(ctx, piece) != nil {
				return
			}
			time.Sleep(time.Second)
		}
		if w.Step.Attempt == 1 {
			ended.Error = &session.CallError{Code: "MODEL_OVERLOADED", Message: "busy", Retryable: true}
			break
		}
		s.End()
	}
	for { // as an agent would: until it is recorded or not wanted
		_, err := w.Do(ctx, session.Command{Type: session.ModelEnd, Data: ended})
		if err == nil || ctx.Err() != nil || protocol.AsError(err).Code != protocol.CodeExecutionFailed {
			return
		}
		time.Sleep(time.Second)
	}
})

// insist makes a session and says two things in it, as a client that was told
// nothing and asks again, and waits until both are answered.
func insist(t *testing.T, m *memory, r engine.Runner) {
	t.Helper()
	done := make(chan struct{}, 100)
	before := m.after
	m.after = func(a journal.Append) {
		if before != nil {
			before(a)
		}
		if slices.Contains(types(t, a), protocol.TypeComplete) {
			done <- struct{}{}
		}
	}
	h := openOn(t, m, r)
	defer h.close(t)
	_, err := h.Create(context.Background(), "s", protocol.SessionCreated{Owner: "ann"}, session.Actor{User: "ann"}, nil)
	if err != nil && protocol.AsError(err).Code != protocol.CodeSessionInvalidState {
		t.Fatal(err)
	}
	h.send(t, "s", "first", "k1")
	h.send(t, "s", "second", "k2")
	for {
		state, err := h.State(context.Background(), "s")
		if err != nil {
			t.Fatal(err)
		}
		if state.TaskState == protocol.TaskStateIdle {
			return
		}
		<-done
	}
}

// crashes runs f and gives what a crash would have left at each change.
func crashes(m *memory, f func()) []*memory {
	var left []*memory
	m.after = func(journal.Append) { left = append(left, m.crash()) }
	m.beforeParts = func([]journal.Part) error {
		left = append(left, m.crash())
		return nil
	}
	f()
	m.after, m.beforeParts = nil, nil
	return left
}

// A crash at any point, and another one at any point of the recovery: what was
// asked for is done, once.
func TestCrashAtEveryPoint(t *testing.T) {
	points := 0
	check := func(t *testing.T, m *memory) {
		t.Helper()
		points++
		s := tell(t, m.crash(), "s")
		if !slices.Equal(s.said, []string{"first", "second"}) {
			t.Errorf("people said %q", s.said)
		}
		if !slices.Equal(s.answers, []string{"one two three", "one two three"}) || s.completed != 2 {
			t.Errorf("%d turns were completed, with %q", s.completed, s.answers)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		first := crashes(m, func() { insist(t, m, moody) })
		check(t, m)
		for _, m := range first {
			second := crashes(m, func() { insist(t, m, moody) })
			check(t, m)
			for _, m := range second {
				insist(t, m, moody)
				check(t, m)
			}
		}
	})
	if points < 100 {
		t.Errorf("only %d points were tried", points)
	}
}
