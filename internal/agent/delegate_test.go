package agent_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/agent"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/journal/sqlite"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/internal/settings"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

// boss is a model that hands on what it is told to hand on.
type boss struct{}

func (boss) Info() model.Info { return model.Info{Name: "boss", ContextWindow: 100_000} }

func (boss) Stream(_ context.Context, req model.Request, yield func(model.Event) error) error {
	last := req.Messages[len(req.Messages)-1]
	done := model.Event{Kind: model.EventDone, StopReason: model.StopEndTurn, Usage: model.Usage{InputTokens: 1, OutputTokens: 1}}
	use := func(name, input string) error {
		done.StopReason = model.StopToolUse
		if err := yield(model.Event{Kind: model.EventToolUse, ToolUse: &model.ToolUse{ID: "u", Name: name, Input: []byte(input)}}); err != nil {
			return err
		}
		return yield(done)
	}
	text := "I did: " + last.Text()
	switch {
	case last.Blocks[0].ToolResult != nil:
		text = "They say: " + last.Blocks[0].ToolResult.Text
	case strings.HasPrefix(last.Text(), "hand on: "):
		return use("delegate", `{"goal":"`+strings.TrimPrefix(last.Text(), "hand on: ")+`","title":"a part"}`)
	case last.Text() == "list":
		return use("update_todos", `{"todos":[{"task":"first","status":"in_progress"},{"id":"b","task":"second"}]}`)
	}
	if err := yield(model.Event{Kind: model.EventTextDelta, Text: text}); err != nil {
		return err
	}
	return yield(done)
}

func bossHouse(t *testing.T) *engine.Engine {
	t.Helper()
	store, err := sqlite.Open(sqlite.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	models := agent.NewModels([]model.Provider{{Prefix: "b", Open: func(context.Context, string) (model.Model, error) { return boss{}, nil }}}, "b")
	e := engine.New(engine.Options{
		Store: store, Blobs: lost{}, Runner: &agent.Agent{Models: models, Blobs: lost{}, Logger: slog.New(slog.DiscardHandler), Settings: settings.Open(settings.Options{Dir: t.TempDir()})},
	})
	t.Cleanup(func() { e.Close(); store.Close() })
	e.Start()
	if _, err := e.Create(t.Context(), "s", protocol.SessionCreated{Owner: "ann", AutoApprove: []string{"write"}}, session.Actor{}, nil); err != nil {
		t.Fatal(err)
	}
	return e
}

// tell says something and gives how the turn ended.
func tell(t *testing.T, e *engine.Engine, words string) (end any) {
	t.Helper()
	wait := follow(t, e, "s")
	if _, err := e.Do(t.Context(), "s", session.Command{Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: words}}); err != nil {
		t.Fatal(err)
	}
	wait(func(r protocol.Envelope, data any) bool {
		end = data
		return r.Type == protocol.TypeComplete || r.Type == protocol.TypeFailed
	})
	return end
}

// Work that is handed on is done in a session of its own, and its answer comes
// back; and so down to a limit.
func TestDelegate(t *testing.T) {
	e := bossHouse(t)
	c, ok := tell(t, e, "hand on: count the files").(*protocol.Complete)
	if !ok || c.Response.Text != "They say: I did: count the files" {
		t.Fatalf("ended as %+v", c)
	}
	child := ""
	records, err := e.Read(t.Context(), "s", 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if d, ok := r.Data.(*protocol.ToolStarted); ok {
			child = d.ChildID
		}
	}
	below, err := e.State(t.Context(), child)
	if err != nil || below.ParentID != "s" || below.RootID != "s" || below.Title != "a part" || below.Owner != "ann" || len(below.AutoApprove) != 1 {
		t.Errorf("the session below is %+v (%v)", below, err)
	}
	deep, ok := tell(t, e, "hand on: hand on: hand on: hand on: too deep").(*protocol.Complete)
	if !ok || !strings.Contains(deep.Response.Text, "delegate") { // the deepest is not offered the tool
		t.Errorf("ended as %+v", deep)
	}
}

func TestChecklist(t *testing.T) {
	e := bossHouse(t)
	tell(t, e, "list")
	s, err := e.State(t.Context(), "s")
	if err != nil || s.Plan == nil || s.Plan.Kind != protocol.PlanChecklist || len(s.Todos) != 2 ||
		s.Todos[0].Status != protocol.TodoStatusInProgress || s.Todos[1].ID != "b" || s.Status != protocol.StatusCompleted {
		t.Errorf("%+v, todos %+v (%v)", s.Plan, s.Todos, err)
	}
}
