package agent

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/internal/settings"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
	"github.com/parley-dev/parley/tool"
)

// actor is a model that can do one thing by itself.
type actor struct {
	model.Model
	closed bool
}

func (*actor) Info() model.Info { return model.Info{Name: "actor"} }

func (*actor) Act(call model.ToolUse) (model.Act, bool) {
	return model.Act{Class: "execute", Effect: "effect", Preview: "it acts"}, call.Name == "act"
}

func (*actor) Carry(_ context.Context, call model.ToolUse, show func(string)) (model.ToolResult, error) {
	show("acting")
	return model.ToolResult{Text: "acted on " + string(call.Input), IsError: true}, nil
}

func (a *actor) Close() error { a.closed = true; return errors.New("held on") }

func acting(t *testing.T, m model.Model) *Agent {
	t.Helper()
	open := func(context.Context, string) (model.Model, error) { return m, nil }
	return &Agent{
		Models:   NewModels([]model.Provider{{Prefix: "m", Open: open}}, "m"),
		Settings: settings.Open(settings.Options{Dir: t.TempDir()}),
	}
}

func TestWeighAct(t *testing.T) {
	a, step := acting(t, nil), session.Step{Purpose: session.PurposeTurn}
	use := &model.ToolUse{ID: "u", Name: "act", Input: json.RawMessage(`{"command":"rm -rf build"}`)}
	p := a.policy(step)
	p.DeniedCommands = nil
	if got := a.weigh(t.Context(), &actor{}, step, p, use); got.Class != protocol.ClassExecute || got.Effect != protocol.EffectEffect || got.Preview != "it acts" || got.Problem != "" || got.Allowed {
		t.Errorf("%+v", got)
	}
	p.AllowedCommands = []string{"rm"}
	if got := a.weigh(t.Context(), &actor{}, step, p, use); !got.Allowed {
		t.Errorf("the settings allow it: %+v", got)
	}
	p.DeniedCommands = []string{"rm -rf"}
	if got := a.weigh(t.Context(), &actor{}, step, p, use); got.Problem == "" {
		t.Errorf("the settings forbid it: %+v", got)
	}
	p.DeniedCommands, p.mode.ToolGroups = nil, []string{"read"}
	if got := a.weigh(t.Context(), &actor{}, step, p, use); got.Problem == "" {
		t.Errorf("the mode forbids it: %+v", got)
	}
	// What is not the actor's own, and what another model asks for, is a tool.
	for _, got := range []session.ToolUse{
		a.weigh(t.Context(), &actor{}, step, a.policy(step), &model.ToolUse{Name: "other", Input: json.RawMessage(`{}`)}),
		a.weigh(t.Context(), &loud{}, step, a.policy(step), use),
	} {
		if got.Problem == "" || got.Class != "" {
			t.Errorf("there is no such tool: %+v", got)
		}
	}
}

// loud is a model that does nothing by itself.
type loud struct{ model.Model }

func TestPerformAct(t *testing.T) {
	step, shown := session.Step{}, ""
	call := tool.Call{ID: "c", Input: json.RawMessage(`{}`), Emit: func(e tool.Event) { shown += e.Output }}
	a := acting(t, &actor{})
	got, err := a.perform(t.Context(), step, a.policy(step), "act", call)
	if err != nil || got.Text != "acted on {}" || !got.IsError || shown != "acting" {
		t.Errorf("%+v, %v, shown %q", got, err, shown)
	}
	for name, m := range map[string]model.Model{"act": &loud{}, "other": &actor{}} {
		var e *tool.Error
		a := acting(t, m)
		if _, err := a.perform(t.Context(), step, a.policy(step), name, call); !errors.As(err, &e) || e.Code != tool.CodeNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestModelsClose(t *testing.T) {
	m := &actor{}
	a := acting(t, m)
	if _, err := a.Models.Open(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if err := a.Models.Close(); err == nil || !m.closed {
		t.Errorf("%v, closed %v", err, m.closed)
	}
}
