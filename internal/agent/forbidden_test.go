package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

// planner is a model that plans to run what it is told.
type planner struct{}

func (planner) Info() model.Info { return model.Info{Name: "planner", ContextWindow: 100_000} }

func (planner) Stream(_ context.Context, req model.Request, yield func(model.Event) error) error {
	done := model.Event{Kind: model.EventDone, StopReason: model.StopEndTurn}
	last := req.Messages[len(req.Messages)-1]
	if last.Blocks[0].ToolResult != nil {
		if err := yield(model.Event{Kind: model.EventTextDelta, Text: "done"}); err != nil {
			return err
		}
		return yield(done)
	}
	input, _ := json.Marshal(map[string]any{"summary": "work", "todos": []any{map[string]any{
		"id": "1", "task": "run it", "tool": "sh", "input": map[string]string{"command": last.Text()}, "depends_on": []string{},
	}}})
	if err := yield(model.Event{Kind: model.EventToolUse, ToolUse: &model.ToolUse{ID: "u", Name: "propose_plan", Input: input}}); err != nil {
		return err
	}
	done.StopReason = model.StopToolUse
	return yield(done)
}

// A plan is no way around the commands that the settings forbid.
func TestPlansRunNoForbiddenCommand(t *testing.T) {
	for command, want := range map[string]bool{"ls": true, "rm -rf /": false} {
		e := set(t, planner{}, "", map[string]any{"denied_commands": []string{"rm -rf"}})
		never, all := "never", []string{"execute"}
		if _, err := e.Do(t.Context(), "s", session.Command{Type: protocol.TypeUpdateSession, Data: &protocol.UpdateSession{PlanReview: &never, AutoApprove: &all}}); err != nil {
			t.Fatal(err)
		}
		outcome(t, e, command)
		records, err := e.Read(t.Context(), "s", 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		ran, why := false, ""
		for _, r := range records {
			if d, ok := r.Data.(*protocol.ToolCompleted); ok && d.TodoID == "1" {
				ran, why = d.OK, d.Output
			}
		}
		if ran != want || !want && !strings.Contains(why, "forbid") {
			t.Errorf("%q: ran is %v, and it was said: %s", command, ran, why)
		}
	}
}
