package anthropic

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/internal/wire"
)

// request is the body of a call.
type request struct {
	Model        string        `json:"model"`
	MaxTokens    int64         `json:"max_tokens"`
	System       []block       `json:"system,omitempty"`
	Messages     []message     `json:"messages"`
	Tools        []tool        `json:"tools,omitempty"`
	ToolChoice   *toolChoice   `json:"tool_choice,omitempty"`
	Thinking     *thinking     `json:"thinking,omitempty"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
	Stream       bool          `json:"stream"`
}

type tool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"input_schema"`
	CacheControl *cacheControl   `json:"cache_control,omitempty"`
}

type toolChoice struct {
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
}

type thinking struct {
	Type         string `json:"type"`
	BudgetTokens int64  `json:"budget_tokens,omitempty"`
}

type outputConfig struct {
	Effort string `json:"effort"`
}

type cacheControl struct {
	Type string `json:"type"`
}

func ephemeral() *cacheControl { return &cacheControl{Type: "ephemeral"} }

// What an answer may have if nobody says otherwise.
const (
	outputUsual = 32_000
	outputLeast = 4_096
)

func (m *Model) request(req model.Request) (*request, error) {
	turns := wire.Turns(req.Messages, adapter, m.config.Name)
	if len(turns) == 0 {
		return nil, &model.Error{Kind: model.Invalid, Message: "There is nothing to answer: the conversation has no words."}
	}
	body := &request{
		Model: m.config.Name, MaxTokens: m.maxTokens(req), Stream: true,
		Tools: tools(req.Tools), ToolChoice: choose(req.ToolChoice),
	}
	if len(body.Tools) == 0 {
		// The API wants to be told of every tool that the history uses, also
		// when none may be called now.
		if body.Tools = used(turns); len(body.Tools) > 0 {
			body.ToolChoice = &toolChoice{Type: "none"}
		} else {
			body.ToolChoice = nil
		}
	}
	body.Thinking = m.thinking(body, turns)
	if m.config.Effort != "" {
		body.OutputConfig = &outputConfig{Effort: m.config.Effort}
	}
	for _, t := range turns {
		body.Messages = append(body.Messages, said(t, body.thinks()))
	}
	if req.System != "" {
		body.System = []block{{Type: "text", Text: req.System}}
	}
	body.cache()
	return body, nil
}

// maxTokens is what the answer may have: what was asked for, else what fits
// beside the history.
func (m *Model) maxTokens(req model.Request) int64 {
	info := m.config.Info
	most := info.MaxOutput
	if most <= 0 {
		most = outputLeast * 2
	}
	if req.MaxTokens > 0 {
		return min(req.MaxTokens, max(most, outputLeast))
	}
	most = min(most, outputUsual)
	if info.ContextWindow > 0 {
		most = min(most, max(outputLeast, info.ContextWindow-model.Estimate(req)*5/4))
	}
	return most
}

func tools(offered []model.Tool) []tool {
	var out []tool
	for _, t := range offered {
		schema := t.Schema
		if len(schema) == 0 {
			schema = anyObject()
		}
		out = append(out, tool{Name: t.Name, Description: t.Description, InputSchema: schema})
	}
	return out
}

func anyObject() json.RawMessage { return json.RawMessage(`{"type":"object"}`) }

// used are the tools that a history calls.
func used(turns []model.Message) []tool {
	var out []tool
	seen := map[string]bool{}
	for _, t := range turns {
		for _, b := range t.Blocks {
			if b.ToolUse != nil && !seen[b.ToolUse.Name] {
				seen[b.ToolUse.Name] = true
				out = append(out, tool{Name: b.ToolUse.Name, InputSchema: anyObject()})
			}
		}
	}
	return out
}

func choose(choice string) *toolChoice {
	switch choice {
	case model.ChooseFreely:
		return nil
	case model.ChooseNone:
		return &toolChoice{Type: "none"}
	case model.ChooseAny:
		return &toolChoice{Type: "any"}
	}
	return &toolChoice{Type: "tool", Name: choice}
}

// leastBudget is the vendor's.
const leastBudget = 1024

func budgetOf(thinking string) (int64, error) {
	switch thinking {
	case "", "adaptive", "off":
		return 0, nil
	}
	n, err := strconv.ParseInt(thinking, 10, 64)
	if err != nil || n < leastBudget {
		return 0, &model.Error{Kind: model.Invalid, Message: fmt.Sprintf(
			"thinking is %q; it must be adaptive, off, or a number of tokens from %d", thinking, leastBudget)}
	}
	return n, nil
}

// thinking is left out where the API refuses it: when a tool is forced, and in
// the middle of work that began without thoughts, or with another model's.
func (m *Model) thinking(body *request, turns []model.Message) *thinking {
	switch {
	case m.config.Thinking == "off":
		return &thinking{Type: "disabled"}
	case m.config.Thinking == "" || body.forced() || !thoughtful(turns):
		return nil
	case m.budget > 0 && body.MaxTokens <= leastBudget:
		return nil
	case m.budget > 0:
		return &thinking{Type: "enabled", BudgetTokens: min(m.budget, body.MaxTokens-1)}
	}
	return &thinking{Type: "adaptive"}
}

// thoughtful says whether the work that goes on, if any does, began with a
// thought that this model can take back.
func thoughtful(turns []model.Message) bool {
	last := turns[len(turns)-1]
	if last.Blocks[0].Kind != model.BlockToolResult || len(turns) < 2 {
		return true
	}
	return turns[len(turns)-2].Blocks[0].Kind == model.BlockVendor
}

// thinks says whether thoughts may be given back. Unless they are switched off, a
// model may think by its own habit.
func (r *request) thinks() bool {
	return !r.forced() && (r.Thinking == nil || r.Thinking.Type != "disabled")
}

// forced says that the model must call a tool.
func (r *request) forced() bool {
	return r.ToolChoice != nil && (r.ToolChoice.Type == "any" || r.ToolChoice.Type == "tool")
}

// cache marks where the next call will find the same words again: after the
// tools, after the system prompt, and after the two newest turns of the user.
func (r *request) cache() {
	if n := len(r.Tools); n > 0 {
		r.Tools[n-1].CacheControl = ephemeral()
	}
	if n := len(r.System); n > 0 {
		r.System[n-1].CacheControl = ephemeral()
	}
	marks := 2
	for i := len(r.Messages) - 1; i >= 0 && marks > 0; i-- {
		if msg := r.Messages[i]; msg.Role == "user" {
			msg.Content[len(msg.Content)-1].CacheControl = ephemeral()
			marks--
		}
	}
}
