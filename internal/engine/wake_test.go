package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// completed is closed when a turn of the journal is.
func completed(t testing.TB, m *memory) <-chan struct{} {
	done := make(chan struct{})
	m.after = func(a journal.Append) {
		if has(t, a, protocol.TypeComplete) {
			close(done)
		}
	}
	return done
}

// interrupted is a journal of a server that was killed in the middle of a turn.
func interrupted(t *testing.T, id string) *memory {
	m := newMemory()
	begun := make(chan struct{})
	h := openOn(t, m, runner{func(ctx context.Context, _ *engine.Work, _ uint64) error {
		close(begun)
		<-ctx.Done()
		return ctx.Err()
	}})
	h.create(t, id)
	h.send(t, id, "work", "")
	<-begun
	left := m.crash()
	h.close(t)
	return left
}

// Work that a crash interrupted is taken up, even if the disk is full at first
// and nobody ever connects.
func TestRecoveryIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := interrupted(t, "s")
		full := 5
		m.before = func(journal.Append) error {
			if full--; full >= 0 {
				return journal.ErrFull
			}
			return nil
		}
		done := completed(t, m)
		h := openOn(t, m, runner{say("done")})
		defer h.close(t)
		<-done
	})
}

// One session that cannot be opened does not hold up the others.
func TestRecoveryOfManySessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := interrupted(t, "a-broken")
		for _, id := range []string{"b", "c", "d"} {
			m.sessions[id] = interrupted(t, id).sessions[id]
		}
		m.sessions["a-broken"].frames[1] = []byte(`{"type":"nonsense"}`)
		done := make(chan struct{}, 3)
		m.after = func(a journal.Append) {
			if has(t, a, protocol.TypeComplete) {
				done <- struct{}{}
			}
		}
		h := openOn(t, m, runner{say("done")})
		defer h.close(t)
		for range 3 {
			<-done
		}
	})
}

// overloaded fails the first call of each turn and asks to be left alone.
func overloaded(wait time.Duration, called *atomic.Int64) engine.Runner {
	return runs(func(ctx context.Context, w *engine.Work) {
		called.Add(1)
		begun, err := w.Do(ctx, session.Command{Type: session.ModelBegin, Data: &session.ModelBegun{TurnID: w.Step.TurnID, Model: "m"}})
		if err != nil {
			return
		}
		ended := &session.ModelEnded{TurnID: w.Step.TurnID, Call: begun[0].Seq}
		if w.Step.Attempt == 1 {
			ended.Error = &session.CallError{Code: "MODEL_OVERLOADED", Message: "busy", Retryable: true, RetryAfter: wait}
		}
		_, _ = w.Do(ctx, session.Command{Type: session.ModelEnd, Data: ended})
	})
}

// A session that only waits for its next try leaves memory and is back in time.
func TestRetrySurvivesEviction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		done := completed(t, m)
		var called atomic.Int64
		h := openOn(t, m, overloaded(30*time.Minute, &called), func(o *engine.Options) { o.IdleAfter = time.Second })
		defer h.close(t)
		h.create(t, "s")
		start := time.Now()
		h.send(t, "s", "hi", "")
		time.Sleep(10 * time.Minute)
		if n := h.Stats.Live.Load(); n != 0 {
			t.Errorf("%d sessions are in memory while nothing is to be done", n)
		}
		<-done
		if waited := time.Since(start); waited < 30*time.Minute || waited > 31*time.Minute {
			t.Errorf("tried again after %s", waited)
		}
		if n := called.Load(); n != 2 {
			t.Errorf("%d calls", n)
		}
	})
}

func TestRetrySurvivesRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		var called atomic.Int64
		h := openOn(t, m, overloaded(30*time.Minute, &called))
		h.create(t, "s")
		start := time.Now()
		h.send(t, "s", "hi", "")
		synctest.Wait()
		left := m.crash()
		h.close(t)
		done := completed(t, left)
		h = openOn(t, left, overloaded(30*time.Minute, &called))
		defer h.close(t)
		<-done
		if waited := time.Since(start); waited < 30*time.Minute || waited > 31*time.Minute {
			t.Errorf("tried again after %s", waited)
		}
		if n := called.Load(); n != 2 {
			t.Errorf("%d calls", n)
		}
	})
}
