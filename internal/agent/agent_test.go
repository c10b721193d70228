package agent_test

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/parley-dev/parley/internal/agent"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/journal/sqlite"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/internal/settings"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// canned is a model that gives the same events each time.
type canned []model.Event

func (c canned) Info() model.Info { return model.Info{Name: "canned", ContextWindow: 100_000} }

func (c canned) Stream(_ context.Context, _ model.Request, yield func(model.Event) error) error {
	for _, e := range c {
		if err := yield(e); err != nil {
			return err
		}
	}
	return nil
}

// lost is a store of blobs that loses them.
type lost struct{}

func (lost) Put(context.Context, []byte) (string, error) { return strings.Repeat("0", 64), nil }

func (lost) Get(string) ([]byte, error) { return nil, errors.New("the blob is gone") }

// first runs one turn of a session and gives its first record of a type.
func first[T any](t *testing.T, m model.Model, words string) *T {
	t.Helper()
	store, err := sqlite.Open(sqlite.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	models := agent.NewModels([]model.Provider{{Prefix: "canned", Open: func(context.Context, string) (model.Model, error) { return m, nil }}}, "canned")
	e := engine.New(engine.Options{
		Store: store, Blobs: lost{}, Runner: &agent.Agent{Models: models, Blobs: lost{}, Logger: slog.New(slog.DiscardHandler), Settings: settings.Open(settings.Options{Dir: t.TempDir()})},
	})
	defer e.Close()
	e.Start()
	ctx := t.Context()
	if _, err := e.Create(ctx, "s", protocol.SessionCreated{Owner: "ann"}, session.Actor{}, nil); err != nil {
		t.Fatal(err)
	}
	wake := make(chan struct{}, 1)
	sub, err := e.Attach(ctx, "s", engine.Attach{Notify: func() {
		select {
		case wake <- struct{}{}:
		default:
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if _, err := e.Do(ctx, "s", session.Command{Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: words}}); err != nil {
		t.Fatal(err)
	}
	for {
		frames, err := sub.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range frames {
			if _, data, err := protocol.DecodeFrame(f.JSON); err != nil {
				t.Fatal(err)
			} else if found, ok := data.(*T); ok {
				return found
			}
		}
		if len(frames) == 0 {
			<-wake
		}
	}
}

func TestAnswer(t *testing.T) {
	c := first[protocol.Complete](t, canned{
		{Kind: model.EventReasoningDelta, Text: "hm"},
		{Kind: model.EventTextDelta, Text: "hel"},
		{Kind: model.EventTextDelta, Text: "lo"},
		{Kind: model.EventDone, StopReason: model.StopEndTurn, Usage: model.Usage{InputTokens: 3, OutputTokens: 2}},
	}, "hi")
	if c.Response.Text != "hello" || c.Statistics.TokensUsed != 5 {
		t.Errorf("complete %+v", c)
	}
}

// What goes wrong before the model is called is told, not only logged.
func TestHistoryThatCannotBeRead(t *testing.T) {
	m := first[protocol.ModelCompleted](t, canned{}, strings.Repeat("long words ", 10_000))
	if m.Error == nil || !strings.Contains(m.Error.Message, "the blob is gone") || m.RetryAt == nil {
		t.Errorf("the call ended with %+v", m)
	}
}

// A result that no record can hold fails its turn; it is not offered for ever.
func TestResultThatCannotBeRecorded(t *testing.T) {
	f := first[protocol.Failed](t, canned{{Kind: model.EventDone, Usage: model.Usage{CostUSD: math.NaN()}}}, "hi")
	if f.Status != protocol.StatusFailed {
		t.Errorf("failed %+v", f)
	}
}
