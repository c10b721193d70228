package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

// climber is a model that hands its work on in another mode.
type climber struct{ mode string }

func (climber) Info() model.Info { return model.Info{Name: "climber", ContextWindow: 100_000} }

func (c climber) Stream(_ context.Context, req model.Request, yield func(model.Event) error) error {
	done := model.Event{Kind: model.EventDone, StopReason: model.StopEndTurn}
	last := req.Messages[len(req.Messages)-1]
	if last.Blocks[0].ToolResult != nil || last.Text() == "below" {
		text := last.Text()
		if r := last.Blocks[0].ToolResult; r != nil {
			text = r.Text
		}
		if err := yield(model.Event{Kind: model.EventTextDelta, Text: text}); err != nil {
			return err
		}
		return yield(done)
	}
	if err := yield(model.Event{Kind: model.EventToolUse, ToolUse: &model.ToolUse{ID: "u", Name: "delegate", Input: []byte(`{"goal":"below","mode":"` + c.mode + `"}`)}}); err != nil {
		return err
	}
	done.StopReason = model.StopToolUse
	return yield(done)
}

// Work is not handed on to a session that may do more than this one.
func TestDelegateGrantsNoMore(t *testing.T) {
	for _, tt := range []struct{ mine, below, want string }{
		{"architect", "code", "more"}, {"architect", "nonsense", "no mode"}, {"architect", "ask", "below"}, {"code", "architect", "below"}, {"architect", "", "below"}, {"", "debug", "below"},
	} {
		e := set(t, climber{tt.below}, "", map[string]any{})
		if _, err := e.Do(t.Context(), "s", session.Command{Type: protocol.TypeUpdateSession, Data: &protocol.UpdateSession{Mode: &tt.mine}}); err != nil {
			t.Fatal(err)
		}
		c, ok := outcome(t, e, "go").(*protocol.Complete)
		if !ok || !strings.Contains(c.Response.Text, tt.want) {
			t.Errorf("from %q to %q: %+v", tt.mine, tt.below, c)
		}
	}
}
