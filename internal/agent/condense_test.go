package agent_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/parley-dev/parley/internal/agent"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/journal/sqlite"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/internal/settings"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

// forgetful is a model with a short memory, that says what it was told.
type forgetful struct {
	mu       sync.Mutex
	requests []model.Request
	summary  func() (string, error)
}

func (f *forgetful) Info() model.Info { return model.Info{Name: "forgetful", ContextWindow: 1500} }

func (f *forgetful) Stream(_ context.Context, req model.Request, yield func(model.Event) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, req)
	text := strings.Repeat("word ", 150)
	if req.Purpose == "condense" {
		var err error
		if text, err = f.summary(); err != nil {
			return err
		}
	}
	if err := yield(model.Event{Kind: model.EventTextDelta, Text: text}); err != nil {
		return err
	}
	return yield(model.Event{Kind: model.EventDone, StopReason: model.StopEndTurn, Usage: model.Usage{InputTokens: model.Estimate(req), OutputTokens: 150}})
}

// talk says n things, one after the other, and gives the session's messages.
func (f *forgetful) talk(t *testing.T, n int) (*engine.Engine, []*protocol.MessageRecord) {
	t.Helper()
	store, err := sqlite.Open(sqlite.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	models := agent.NewModels([]model.Provider{{Prefix: "f", Open: func(context.Context, string) (model.Model, error) { return f, nil }}}, "f")
	e := engine.New(engine.Options{
		Store: store, Blobs: lost{}, Runner: &agent.Agent{Models: models, Blobs: lost{}, Logger: slog.New(slog.DiscardHandler), Settings: settings.Open(settings.Options{Dir: t.TempDir()})},
	})
	t.Cleanup(func() { e.Close(); store.Close() })
	e.Start()
	if _, err := e.Create(t.Context(), "s", protocol.SessionCreated{Owner: "ann", Pipeline: protocol.PipelineDirect}, session.Actor{}, nil); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		wait := follow(t, e, "s")
		if _, err := e.Do(t.Context(), "s", session.Command{Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: fmt.Sprintf("thing %d", i)}}); err != nil {
			t.Fatal(err)
		}
		wait(func(r protocol.Envelope, _ any) bool {
			return r.Type == protocol.TypeComplete || r.Type == protocol.TypeFailed
		})
	}
	return e, messages(t, e)
}

// follow watches a session from now on.
func follow(t *testing.T, e *engine.Engine, id string) func(func(protocol.Envelope, any) bool) {
	t.Helper()
	wake := make(chan struct{}, 1)
	sub, err := e.Attach(t.Context(), id, engine.Attach{Notify: func() {
		select {
		case wake <- struct{}{}:
		default:
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return func(is func(protocol.Envelope, any) bool) {
		t.Helper()
		defer sub.Close()
		for {
			frames, err := sub.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range frames {
				r, data, err := protocol.DecodeFrame(f.JSON)
				if err != nil {
					t.Fatal(err)
				}
				if is(r, data) {
					return
				}
			}
			if len(frames) == 0 {
				<-wake
			}
		}
	}
}

func messages(t *testing.T, e *engine.Engine) (out []*protocol.MessageRecord) {
	t.Helper()
	records, err := e.Read(t.Context(), "s", 0, 100_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if m, ok := r.Data.(*protocol.MessageRecord); ok {
			out = append(out, m)
		}
	}
	return out
}

func say(messages []*protocol.MessageRecord, kind protocol.Say) (out []*protocol.MessageRecord) {
	for _, m := range messages {
		if m.Message.Say == kind && !m.Message.Partial {
			out = append(out, m)
		}
	}
	return out
}

// A past that gets too long is summed up by itself, and the model goes on from
// the summary: what it is told never outgrows its window.
func TestCondensesByItself(t *testing.T) {
	f := &forgetful{summary: func() (string, error) { return "they said things", nil }}
	e, all := f.talk(t, 12)
	found := say(all, protocol.SayCondenseContext)
	if len(found) < 2 {
		t.Fatalf("%d summaries, want some", len(found))
	}
	for _, m := range found {
		c := m.Message.ContextCondense
		if c.CondenseID == "" || c.Summary != "they said things" || c.NewContextTokens >= c.PrevContextTokens || c.KeepsFrom == "" {
			t.Errorf("summary %+v", c)
		}
	}
	told := false
	for _, req := range f.requests {
		if n := model.Estimate(req); n > 1500 {
			t.Errorf("the model was told %d tokens", n)
		}
		for _, m := range req.Messages {
			told = told || strings.Contains(m.Text(), "they said things")
		}
	}
	if !told {
		t.Error("the model was never told a summary")
	}
	state, err := e.State(t.Context(), "s")
	if err != nil || state.Context.Window != 1500 || state.Context.Tokens == 0 || state.Context.Tokens > 1500 {
		t.Errorf("the meter shows %+v (%v)", state.Context, err)
	}
}

// A model that cannot sum up: the history stays as it was, it is said once, and
// the oldest part is left out instead.
func TestTruncatesWhereItCannotCondense(t *testing.T) {
	f := &forgetful{summary: func() (string, error) { return "", &model.Error{Kind: model.Invalid, Message: "no"} }}
	_, all := f.talk(t, 12)
	if n := len(say(all, protocol.SayCondenseContext)); n != 0 {
		t.Errorf("%d summaries", n)
	}
	failed, cut := say(all, protocol.SayCondenseContextError), say(all, protocol.SaySlidingWindowTruncation)
	if len(failed) == 0 || failed[0].Message.Text == "" || len(cut) == 0 {
		t.Fatalf("%d failed summaries, %d truncations", len(failed), len(cut))
	}
	c := cut[0].Message.ContextTruncation
	if c.TruncationID == "" || c.MessagesRemoved == 0 || c.NewContextTokens >= c.PrevContextTokens {
		t.Errorf("truncation %+v", c)
	}
	for _, req := range f.requests {
		if n := model.Estimate(req); req.Purpose != "condense" && n > 1500 {
			t.Errorf("the model was told %d tokens", n)
		}
	}
}

// By hand, at any time. A summary that fails leaves everything as it was.
func TestCondenseByHand(t *testing.T) {
	broken := true
	f := &forgetful{summary: func() (string, error) {
		if broken {
			return strings.Repeat("longer than before ", 1000), nil
		}
		return "short", nil
	}}
	e, _ := f.talk(t, 3)
	for _, want := range []protocol.Say{protocol.SayCondenseContextError, protocol.SayCondenseContext} {
		wait := follow(t, e, "s")
		if _, err := e.Do(t.Context(), "s", session.Command{Type: protocol.TypeCondense, Data: &protocol.Condense{}}); err != nil {
			t.Fatal(err)
		}
		wait(func(_ protocol.Envelope, data any) bool {
			m, ok := data.(*protocol.MessageRecord)
			return ok && m.Message.Say == want && !m.Message.Partial
		})
		f.mu.Lock()
		broken = false
		f.mu.Unlock()
	}
}
