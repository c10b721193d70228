package agent_test

import (
	"context"
	"testing"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

// stuck is a model that asks for the same impossible thing for ever.
type stuck struct {
	tool  string
	input string
}

func (stuck) Info() model.Info { return model.Info{Name: "stuck", ContextWindow: 100_000} }

func (s stuck) Stream(_ context.Context, _ model.Request, yield func(model.Event) error) error {
	use := &model.ToolUse{ID: "u", Name: s.tool, Input: []byte(s.input)}
	if err := yield(model.Event{Kind: model.EventToolUse, ToolUse: use}); err != nil {
		return err
	}
	return yield(model.Event{Kind: model.EventDone, StopReason: model.StopToolUse})
}

// A model that does not learn is stopped by a question, after as many mistakes as
// the settings allow: tools that do not exist, and inputs that are no JSON object.
func TestMistakesForEver(t *testing.T) {
	for name, m := range map[string]stuck{
		"an unknown tool": {"teleport", `{}`},
		"broken JSON":     {"sh", `"{\"command\": \"ls"`},
	} {
		e := set(t, m, "", map[string]any{"mistake_limit": 4})
		o, ok := outcome(t, e, "go").(*protocol.HitlInputRequest)
		if !ok || o.Ask != protocol.AskMistakeLimitReached {
			t.Fatalf("%s: asked %+v", name, o)
		}
		records, err := e.Read(t.Context(), "s", 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		calls, ran := 0, 0
		for _, r := range records {
			switch r.Type {
			case protocol.TypeModelStarted:
				calls++
			case protocol.TypeToolStarted:
				ran++
			}
		}
		if calls != 4 || ran != 0 {
			t.Errorf("%s: the model was asked %d times, %d tools ran", name, calls, ran)
		}
	}
}
