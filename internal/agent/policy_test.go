package agent_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
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
	"github.com/parley-dev/parley/tool"
)

// shell is a tool that runs nothing.
type shell struct{}

func (shell) Info() tool.Info {
	return tool.Info{Name: "sh", Description: "runs", Schema: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}}}`), Class: tool.ClassExecute, Effect: tool.EffectEffect}
}

func (shell) Run(_ context.Context, call tool.Call) (tool.Result, error) {
	if strings.Contains(string(call.Input), "long") {
		return tool.Result{Text: strings.Repeat("line\n", 1000)}, nil
	}
	return tool.Result{Text: "ran"}, nil
}

// caller is a model that calls sh with what it is told, and then ends.
type caller struct {
	mu   sync.Mutex
	last model.Request
}

func (c *caller) Info() model.Info {
	return model.Info{Name: "caller", ContextWindow: 100_000, InputPrice: 1e6}
}

func (c *caller) Stream(_ context.Context, req model.Request, yield func(model.Event) error) error {
	c.mu.Lock()
	c.last = req
	c.mu.Unlock()
	done := model.Event{Kind: model.EventDone, StopReason: model.StopEndTurn, Usage: model.Usage{InputTokens: 10, CostUSD: 1}}
	if last := req.Messages[len(req.Messages)-1]; last.Blocks[0].ToolResult == nil {
		input, _ := json.Marshal(map[string]string{"command": last.Text()})
		done.StopReason = model.StopToolUse
		if err := yield(model.Event{Kind: model.EventToolUse, ToolUse: &model.ToolUse{ID: "u", Name: "sh", Input: input}}); err != nil {
			return err
		}
		return yield(done)
	}
	if err := yield(model.Event{Kind: model.EventTextDelta, Text: "done"}); err != nil {
		return err
	}
	return yield(done)
}

// set is a server with these settings of ann's.
func set(t *testing.T, m model.Model, workspace string, values map[string]any) *engine.Engine {
	t.Helper()
	store, err := sqlite.Open(sqlite.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	kept := settings.Open(settings.Options{Dir: t.TempDir()})
	raw := map[string]json.RawMessage{}
	for k, v := range values {
		if raw[k], err = json.Marshal(v); err != nil {
			t.Fatal(err)
		}
	}
	if err := kept.Update("ann", raw, true); err != nil {
		t.Fatal(err)
	}
	models := agent.NewModels([]model.Provider{{Prefix: "m", Open: func(context.Context, string) (model.Model, error) { return m, nil }}}, "m")
	e := engine.New(engine.Options{Store: store, Blobs: lost{}, Runner: &agent.Agent{
		Models: models, Tools: []tool.Tool{shell{}}, Blobs: lost{}, Logger: slog.New(slog.DiscardHandler), Settings: kept,
	}})
	t.Cleanup(func() { e.Close(); store.Close() })
	e.Start()
	if _, err := e.Create(t.Context(), "s", protocol.SessionCreated{Owner: "ann", Model: "m", Workspace: workspace}, session.Actor{}, nil); err != nil {
		t.Fatal(err)
	}
	return e
}

// outcome says something and gives what it led to: a question, or the end.
func outcome(t *testing.T, e *engine.Engine, words string) (got any) {
	t.Helper()
	wait := follow(t, e, "s")
	if _, err := e.Do(t.Context(), "s", session.Command{Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: words}}); err != nil {
		t.Fatal(err)
	}
	wait(func(r protocol.Envelope, data any) bool {
		got = data
		switch r.Type {
		case protocol.TypeComplete, protocol.TypeFailed, protocol.TypeHitlApprovalRequest, protocol.TypeHitlInputRequest:
			return true
		}
		return false
	})
	return got
}

func TestCommandsBySettings(t *testing.T) {
	rules := map[string]any{"allowed_commands": []string{"git status", "ls"}, "denied_commands": []string{"rm -rf"}}
	for command, want := range map[string]string{
		"git status":             "runs",
		"git status -s":          "runs",
		"git statusx":            "asks",
		"ls; rm x":               "asks",
		"ls $(reboot)":           "asks",
		"make":                   "asks",
		"sudo rm -rf /":          "is refused",
		"git status && rm -rf .": "is refused",
	} {
		e := set(t, &caller{}, "", rules)
		got := map[bool]string{true: "asks"}[isAsked(outcome(t, e, command))]
		if got == "" {
			got = "runs"
			records, _ := e.Read(t.Context(), "s", 0, 100)
			for _, r := range records {
				if d, ok := r.Data.(*protocol.ToolCompleted); ok && d.Error != nil {
					got = "is refused"
				}
			}
		}
		if got != want {
			t.Errorf("%q %s, want: %s", command, got, want)
		}
	}
}

func isAsked(data any) bool {
	_, ok := data.(*protocol.HitlApprovalRequest)
	return ok
}

// A class that the owner lets run does; a mode without it has no such tool.
func TestClassesAndModes(t *testing.T) {
	if got := outcome(t, set(t, &caller{}, "", map[string]any{"auto_approval_enabled": true, "auto_approve": []string{"read", "execute"}}), "make"); isAsked(got) {
		t.Error("an approved class asks")
	}
	m := &caller{}
	e := set(t, m, "", map[string]any{"mode": "architect", "custom_instructions": "always rhyme", "language": "ko"})
	if _, ok := outcome(t, e, "make").(*protocol.Complete); !ok {
		t.Error("a mode without the tool did not refuse it")
	}
	if len(m.last.Tools) == 0 || strings.Contains(toolNames(m.last.Tools), "sh") || !strings.Contains(m.last.System, "Speak Korean to people, whatever language they write in.\n\nalways rhyme") || !strings.Contains(m.last.System, "You plan.") {
		t.Errorf("the model was told %q with %s", m.last.System, toolNames(m.last.Tools))
	}
}

func toolNames(tools []model.Tool) string {
	var out []string
	for _, t := range tools {
		out = append(out, t.Name)
	}
	return strings.Join(out, " ")
}

// A soft limit asks once; a hard one ends the turn if nobody lifts it.
func TestBudgets(t *testing.T) {
	budget := map[string]any{"auto_approval_enabled": true, "auto_approve": []string{"execute"}, "budgets": map[string]any{"turn": map[string]any{"soft_usd": 0.5, "hard_usd": 5}}}
	e := set(t, &caller{}, "", budget)
	o, ok := outcome(t, e, "make").(*protocol.HitlInputRequest)
	if !ok || !strings.Contains(o.Question, "$1.00") {
		t.Fatalf("asked %+v", o)
	}
	wait := follow(t, e, "s")
	if _, err := e.Do(t.Context(), "s", session.Command{Type: protocol.TypeHitlInputResponse, Data: &protocol.HitlInputResponse{RequestID: o.RequestID, Value: []byte("true")}}); err != nil {
		t.Fatal(err)
	}
	wait(func(r protocol.Envelope, _ any) bool { return r.Type == protocol.TypeComplete })

	e = set(t, &caller{}, "", map[string]any{"budgets": map[string]any{"session": map[string]any{"hard_tokens": 5}}, "auto_approval_enabled": true, "auto_approve": []string{"execute"}})
	o, ok = outcome(t, e, "make").(*protocol.HitlInputRequest)
	if !ok || o.Field != "budget_hard" {
		t.Fatalf("asked %+v", o)
	}
	wait = follow(t, e, "s")
	if _, err := e.Do(t.Context(), "s", session.Command{Type: protocol.TypeHitlInputResponse, Data: &protocol.HitlInputResponse{RequestID: o.RequestID, Value: []byte("false")}}); err != nil {
		t.Fatal(err)
	}
	wait(func(r protocol.Envelope, _ any) bool { return r.Type == protocol.TypeFailed })
}

func TestWorkspaceInstructs(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"AGENTS.md":                          "Use tabs.",
		".parley/skills/release/SKILL.md":    "---\nname: release\ndescription: How to cut a release.\n---\nSteps…",
		".agents/skills/plain/SKILL.md":      "# Plain things\nmore",
		".parley/skills/not-a-skill/NOTE.md": "nothing",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "outside")); err != nil {
		t.Fatal(err)
	}
	m := &caller{}
	outcome(t, set(t, m, dir, map[string]any{"mode": "ask"}), "hello")
	for _, want := range []string{"Use tabs.", ".parley/skills/release/SKILL.md: How to cut a release.", ".agents/skills/plain/SKILL.md: Plain things"} {
		if !strings.Contains(m.last.System, want) {
			t.Errorf("the model was not told %q in %q", want, m.last.System)
		}
	}
}

func TestLongOutputIsShortened(t *testing.T) {
	e := set(t, &caller{}, "", map[string]any{"terminal_output_lines": 20, "auto_approval_enabled": true, "auto_approve": []string{"execute"}})
	outcome(t, e, "long")
	records, err := e.Read(t.Context(), "s", 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	seen := false
	for _, r := range records {
		if d, ok := r.Data.(*protocol.ToolCompleted); ok {
			seen = true
			if strings.Count(d.Output, "line\n") != 19 || !strings.Contains(d.Output, "981 lines left out") {
				t.Errorf("the model reads %d lines: %.160q", strings.Count(d.Output, "line\n"), d.Output)
			}
		}
	}
	if !seen {
		t.Error("the tool did not run")
	}
}
