package engine_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// runs is a runner of one function.
type runs func(ctx context.Context, w *engine.Work)

func (r runs) Run(ctx context.Context, w *engine.Work) { r(ctx, w) }

// has says whether an append brings a record of this type.
func has(t testing.TB, a journal.Append, want protocol.Type) bool {
	t.Helper()
	for _, r := range a.Records {
		record, err := protocol.DecodeRecord(r.Frame)
		if err != nil {
			t.Fatal(err)
		}
		if record.Type == want {
			return true
		}
	}
	return false
}

// untilClosed reads to the end.
func (v *viewer) untilClosed(t testing.TB) *engine.Closed {
	t.Helper()
	for {
		frames, err := v.sub.Next(context.Background())
		if err != nil {
			var closed *engine.Closed
			if !asClosed(err, &closed) {
				t.Fatal(err)
			}
			return closed
		}
		for _, f := range frames {
			e, data, err := protocol.DecodeFrame(f.JSON)
			if err != nil {
				t.Fatal(err)
			}
			v.note(t, e, data)
		}
		if len(frames) == 0 {
			<-v.wake
		}
	}
}

// Another writer is noticed by the append of a step. That step is ended, and
// must not wait for the session that waits for it.
func TestFencedByTheAppendOfAStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		var fenced atomic.Bool
		m.before = func(a journal.Append) error {
			if has(t, a, protocol.TypeModelCompleted) && !fenced.Swap(true) {
				return journal.ErrConflict
			}
			return nil
		}
		h := openOn(t, m, runner{say("words")})
		defer h.close(t)
		h.create(t, "s")
		v := h.attach(t, "s", "")
		defer v.sub.Close()
		h.send(t, "s", "hi", "")
		if c := v.untilClosed(t); c.Code != protocol.CloseStopping {
			t.Errorf("closed with %d, want one that says reconnect", c.Code)
		}
		again := h.attach(t, "s", protocol.MessageID(v.seen))
		defer again.sub.Close()
		again.until(t, protocol.TypeComplete)
	})
}

// A conflict means that we do not know what is stored. The work goes on from
// what is, even if nobody watches.
func TestFencedWorkGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		var fenced atomic.Bool
		done := make(chan struct{})
		m.before = func(a journal.Append) error {
			if has(t, a, protocol.TypeModelCompleted) && !fenced.Swap(true) {
				return journal.ErrConflict
			}
			return nil
		}
		m.after = func(a journal.Append) {
			if has(t, a, protocol.TypeComplete) {
				close(done)
			}
		}
		h := openOn(t, m, runner{say("words")})
		defer h.close(t)
		h.create(t, "s")
		h.send(t, "s", "hi", "")
		<-done
	})
}

// stubborn is a runner that goes on for a while after it was told to stop.
type stubborn struct {
	started, stopping, release chan struct{}
	runs                       atomic.Int64
}

func newStubborn() *stubborn {
	return &stubborn{started: make(chan struct{}, 9), stopping: make(chan struct{}, 9), release: make(chan struct{})}
}

func (s *stubborn) Run(ctx context.Context, _ *engine.Work) {
	s.runs.Add(1)
	s.started <- struct{}{}
	<-ctx.Done()
	s.stopping <- struct{}{}
	<-s.release
}

// Commands are still treated while a session's steps are being stopped, but
// they start nothing, and no step a second time.
func TestNothingStartsWhileStepsStop(t *testing.T) {
	for name, stop := range map[string]func(*house) error{
		"delete": func(h *house) error { return h.Delete(context.Background(), "s") },
		"close":  func(h *house) error { return h.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newStubborn()
				h := openOn(t, newMemory(), r)
				defer h.close(t)
				h.create(t, "s")
				v := h.attach(t, "s", "")
				defer v.sub.Close()
				h.send(t, "s", "work", "")
				<-r.started
				stopped := make(chan error)
				go func() { stopped <- stop(h) }()
				<-r.stopping
				_, _ = h.Do(context.Background(), "s", session.Command{
					Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: "more", When: protocol.WhenInterrupt},
				})
				synctest.Wait()
				if n := r.runs.Load(); n != 1 {
					t.Errorf("%d steps were started", n)
				}
				close(r.release)
				if err := <-stopped; err != nil {
					t.Error(err)
				}
				synctest.Wait()
				if n := r.runs.Load(); n != 1 {
					t.Errorf("%d steps were started in the end", n)
				}
			})
		})
	}
}

// A session that could not be deleted goes on.
func TestFailedDeleteChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.beforeDelete = func() error { return journal.ErrReadOnly }
		called := make(chan struct{}, 9)
		h := openOn(t, m, runner{func(ctx context.Context, w *engine.Work, call uint64) error {
			called <- struct{}{}
			if w.Step.Attempt == 1 {
				_ = say("half")(ctx, w, call)
				<-ctx.Done()
				return ctx.Err()
			}
			return say("whole")(ctx, w, call)
		}})
		defer h.close(t)
		h.create(t, "s")
		v := h.attach(t, "s", "")
		defer v.sub.Close()
		h.send(t, "s", "hi", "")
		<-called
		if err := h.Delete(context.Background(), "s"); err == nil {
			t.Fatal("deleted on a read-only disk")
		}
		if c := v.until(t, protocol.TypeComplete).(*protocol.Complete); c.Response.Text != "whole" {
			t.Errorf("answer %q", c.Response.Text)
		}
	})
}

// Whoever asks a session that is just being deleted is told that it is.
func TestCommandBehindADelete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		deleting, release := make(chan struct{}), make(chan struct{})
		m.beforeDelete = func() error { close(deleting); <-release; return nil }
		h := openOn(t, m, runner{say("x")})
		defer h.close(t)
		h.create(t, "s")
		deleted := make(chan error)
		go func() { deleted <- h.Delete(context.Background(), "s") }()
		<-deleting
		answers := make(chan error)
		go func() { _, err := h.State(context.Background(), "s"); answers <- err }()
		go func() {
			_, err := h.Attach(context.Background(), "s", engine.Attach{})
			answers <- err
		}()
		synctest.Wait()
		close(release)
		if err := <-deleted; err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := <-answers; protocol.AsError(err).Code != protocol.CodeSessionExpired {
				t.Errorf("got %v, want 3002", err)
			}
		}
	})
}

// A stop keeps all that was on the screen, also a text too long for a record.
func TestStopKeepsALongText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("long text ", 10_000)
		m := newMemory()
		h := openOn(t, m, runner{func(ctx context.Context, w *engine.Work, call uint64) error {
			_ = say(long)(ctx, w, call)
			<-ctx.Done()
			return ctx.Err()
		}})
		h.create(t, "s")
		v := h.attach(t, "s", "")
		h.send(t, "s", "hi", "")
		v.until(t, protocol.TypeAgentResponse)
		stopped := make(chan error)
		go func() { stopped <- h.Close() }()
		v.untilClosed(t)
		v.sub.Close()
		if err := <-stopped; err != nil {
			t.Fatal(err)
		}
		var kept *protocol.Message
		for _, d := range v.data {
			if r, ok := d.(*protocol.MessageRecord); ok && r.Role == protocol.RoleAssistant {
				kept = &r.Message
			}
		}
		if kept == nil || !kept.Partial || kept.TextBlob == nil || string(h.blobs.data[kept.TextBlob.Hash]) != long {
			t.Errorf("kept %+v", kept)
		}
	})
}

// hanging is a journal that does not answer before it is given up.
type hanging struct{ *memory }

func (h hanging) Head(ctx context.Context, _ string) (journal.Head, error) {
	<-ctx.Done()
	return journal.Head{}, ctx.Err()
}

func TestCloseWhileASessionOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openOn(t, hanging{newMemory()}, runner{say()})
		answer := make(chan error)
		go func() { _, err := h.State(context.Background(), "s"); answer <- err }()
		synctest.Wait()
		h.close(t)
		if err := <-answer; protocol.AsError(err).Code != protocol.CodeConnectionFailed {
			t.Errorf("got %v, want one that says reconnect", err)
		}
	})
}

// Leaving twice is leaving once: the session is not taken from those who stay.
func TestLeaveTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openOn(t, newMemory(), runner{say("x")})
		defer h.close(t)
		h.create(t, "s")
		v := h.attach(t, "s", "")
		v.sub.Close()
		v.sub.Close()
		if n := h.Stats.Subscribers.Load(); n != 0 {
			t.Errorf("%d subscribers", n)
		}
	})
}

// A step that goes on writing when it was told to stop, and does not listen, is
// not waited for in vain: there is room for its text, or its message is closed.
func TestStepThatWritesOn(t *testing.T) {
	for name, stop := range map[string]func(*house) error{
		"delete": func(h *house) error { return h.Delete(context.Background(), "s") },
		"close":  func(h *house) error { return h.Close() },
		"cancel": func(h *house) error {
			_, err := h.Do(context.Background(), "s", session.Command{Type: protocol.TypeControlCancel, Data: &protocol.ControlCancel{}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				writing, ended := make(chan struct{}), make(chan struct{})
				h := openOn(t, newMemory(), runner{func(ctx context.Context, w *engine.Work, call uint64) error {
					defer close(ended)
					s, err := w.Write(ctx, "open_1", protocol.SayText)
					close(writing)
					<-ctx.Done()
					for i := 0; i < 4 && err == nil; i++ {
						err = s.Write(context.Background(), strings.Repeat("x", 1<<20))
					}
					return err
				}})
				defer h.close(t)
				h.create(t, "s")
				h.send(t, "s", "hi", "")
				<-writing
				if err := stop(h); err != nil {
					t.Fatal(err)
				}
				<-ended
			})
		})
	}
}

// A stop interrupts a call once: it does not start it anew to interrupt it again.
func TestStopInterruptsOnce(t *testing.T) {
	for range 200 {
		synctest.Test(t, func(t *testing.T) {
			m := newMemory()
			calls := make(chan struct{}, 9)
			h := openOn(t, m, runner{func(ctx context.Context, _ *engine.Work, _ uint64) error {
				calls <- struct{}{}
				<-ctx.Done()
				return ctx.Err()
			}})
			h.create(t, "s")
			h.send(t, "s", "work", "")
			<-calls
			interruptions := 0
			m.after = func(a journal.Append) {
				if has(t, a, protocol.TypeModelCompleted) {
					interruptions++
				}
			}
			h.close(t)
			if len(calls) > 0 || interruptions != 1 {
				t.Errorf("%d more calls, %d interruptions", len(calls), interruptions)
			}
		})
	}
}
