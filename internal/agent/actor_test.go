package agent_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

// doer is a model that wants to do something by itself, and then ends.
type doer struct{}

func (doer) Info() model.Info { return model.Info{Name: "doer", ContextWindow: 100_000} }

func (doer) Act(call model.ToolUse) (model.Act, bool) {
	return model.Act{Class: "execute", Effect: "effect", Preview: "it acts"}, call.Name == "act"
}

func (doer) Carry(context.Context, model.ToolUse, func(string)) (model.ToolResult, error) {
	return model.ToolResult{Text: "acted"}, nil
}

func (doer) Stream(_ context.Context, req model.Request, yield func(model.Event) error) error {
	if req.Messages[len(req.Messages)-1].Blocks[0].ToolResult != nil {
		return yield(model.Event{Kind: model.EventDone, StopReason: model.StopEndTurn})
	}
	if err := yield(model.Event{Kind: model.EventToolUse, ToolUse: &model.ToolUse{ID: "u", Name: "act", Input: json.RawMessage(`{}`)}}); err != nil {
		return err
	}
	return yield(model.Event{Kind: model.EventDone, StopReason: model.StopToolUse})
}

// What a model does by itself is asked about and recorded like a tool.
func TestActorAsks(t *testing.T) {
	e := set(t, doer{}, "", nil)
	asked, ok := outcome(t, e, "go").(*protocol.HitlApprovalRequest)
	if !ok || asked.Tool != "act" || asked.Preview != "it acts" || asked.Class != protocol.ClassExecute {
		t.Fatalf("%+v", asked)
	}
	wait := follow(t, e, "s")
	if _, err := e.Do(t.Context(), "s", session.Command{Type: protocol.TypeHitlApprovalResponse, Data: &protocol.HitlApprovalResponse{
		RequestID: asked.RequestID, Action: protocol.ActionApprove,
	}}); err != nil {
		t.Fatal(err)
	}
	var done *protocol.ToolCompleted
	wait(func(r protocol.Envelope, data any) bool {
		if d, ok := data.(*protocol.ToolCompleted); ok {
			done = d
		}
		return r.Type == protocol.TypeComplete
	})
	if done == nil || !done.OK || done.Output != "acted" {
		t.Errorf("%+v", done)
	}
}
