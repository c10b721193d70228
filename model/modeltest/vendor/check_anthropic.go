package vendor

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

type anthropicRequest struct {
	Model         string             `json:"model"`
	MaxTokens     int64              `json:"max_tokens"`
	System        json.RawMessage    `json:"system"`
	Messages      []anthropicMessage `json:"messages"`
	Tools         []anthropicTool    `json:"tools"`
	ToolChoice    *anthropicChoice   `json:"tool_choice"`
	Thinking      *anthropicThinking `json:"thinking"`
	OutputConfig  *anthropicEffort   `json:"output_config"`
	Metadata      json.RawMessage    `json:"metadata"`
	StopSequences []string           `json:"stop_sequences"`
	Temperature   *float64           `json:"temperature"`
	TopP          *float64           `json:"top_p"`
	TopK          *int64             `json:"top_k"`
	ServiceTier   string             `json:"service_tier"`
	Stream        bool               `json:"stream"`
}

type anthropicMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

type anthropicTool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema"`
	CacheControl *cacheMark      `json:"cache_control"`
}

type anthropicChoice struct {
	Type                   string `json:"type"`
	Name                   string `json:"name"`
	DisableParallelToolUse bool   `json:"disable_parallel_tool_use"`
}

type anthropicThinking struct {
	Type         string `json:"type"`
	BudgetTokens *int64 `json:"budget_tokens"`
	Display      string `json:"display"`
}

type anthropicEffort struct {
	Effort string `json:"effort"`
}

type cacheMark struct {
	Type string `json:"type"`
	TTL  string `json:"ttl"`
}

// checkAnthropic reads a request and says what it is, or why it is refused.
func checkAnthropic(body []byte) (Seen, error) {
	var r anthropicRequest
	if err := read("body", body, &r); err != nil {
		return Seen{}, err
	}
	c := anthropicCheck{request: r, seen: Seen{Format: Anthropic, Model: r.Model}}
	for _, step := range []func() error{c.head, c.system, c.tools, c.messages, c.pairs, c.thinking, c.marks} {
		if err := step(); err != nil {
			return Seen{}, err
		}
	}
	return c.seen, nil
}

type anthropicCheck struct {
	request anthropicRequest
	turns   [][]any // the blocks of each message
	cached  int     // cache marks
	seen    Seen
}

func (c *anthropicCheck) head() error {
	switch r := c.request; {
	case r.Model == "":
		return errors.New("model: it is missing")
	case r.MaxTokens < 1:
		return errors.New("max_tokens: it must be 1 or more")
	case len(r.Messages) == 0:
		return errors.New("messages: at least one message is required")
	case !r.Stream:
		return errors.New("stream: this server only streams")
	}
	return nil
}

func (c *anthropicCheck) system() error {
	if c.request.System == nil {
		return nil
	}
	text, parts, err := texts("system", c.request.System)
	if err != nil {
		return err
	}
	c.seen.System = text
	for i, raw := range parts {
		b, err := typed(fmt.Sprintf("system.%d", i), raw, map[string]func() any{"text": func() any { return new(textBlock) }})
		if err != nil {
			return err
		}
		if err := c.block(fmt.Sprintf("system.%d", i), "system", b); err != nil {
			return err
		}
		c.seen.System += b.(*textBlock).Text
	}
	return nil
}

func (c *anthropicCheck) tools() error {
	for i, t := range c.request.Tools {
		if err := named(fmt.Sprintf("tools.%d", i), t.Name, 128, t.InputSchema); err != nil {
			return err
		}
		if err := c.mark(fmt.Sprintf("tools.%d", i), t.CacheControl); err != nil {
			return err
		}
		c.seen.Tools = append(c.seen.Tools, t.Name)
	}
	if err := unique("tools", c.seen.Tools); err != nil {
		return err
	}
	choice := c.request.ToolChoice
	if choice == nil {
		return nil
	}
	if len(c.seen.Tools) == 0 {
		return errors.New("tool_choice: it may only be given with tools")
	}
	if (choice.Type == "tool") != (choice.Name != "") {
		return fmt.Errorf("tool_choice: a name goes with type tool, not with %q", choice.Type)
	}
	switch choice.Type {
	case "auto":
	case "none", "any":
		c.seen.Choice = choice.Type
	case "tool":
		if !slices.Contains(c.seen.Tools, choice.Name) {
			return fmt.Errorf("tool_choice: there is no tool %q among the tools", choice.Name)
		}
		c.seen.Choice = choice.Name
	default:
		return fmt.Errorf("tool_choice.type: there is no %q", choice.Type)
	}
	return nil
}

// thinking is held to where the API takes it.
func (c *anthropicCheck) thinking() error {
	t := c.request.Thinking
	if t == nil || t.Type == "disabled" {
		return nil
	}
	switch {
	case t.Type != "enabled" && t.Type != "adaptive":
		return fmt.Errorf("thinking.type: there is no %q", t.Type)
	case (t.Type == "enabled") != (t.BudgetTokens != nil):
		return errors.New("thinking.budget_tokens: it goes with type enabled")
	case t.BudgetTokens != nil && (*t.BudgetTokens < 1024 || *t.BudgetTokens >= c.request.MaxTokens):
		return errors.New("thinking.budget_tokens: it must be from 1024 and below max_tokens")
	case c.seen.Choice != "" && c.seen.Choice != "none":
		return errors.New("thinking: it may not be enabled when tool_choice forces tool use")
	case t.Type == "adaptive" || len(c.turns) < 2:
		return nil
	}
	if _, ok := c.turns[len(c.turns)-1][0].(*resultBlock); !ok {
		return nil
	}
	switch c.turns[len(c.turns)-2][0].(type) {
	case *thinkingBlock, *redactedBlock:
		return nil
	}
	return fmt.Errorf("messages.%d: when thinking is enabled, work with tools must begin with the thought it began with", len(c.turns)-2)
}

func (c *anthropicCheck) mark(at string, m *cacheMark) error {
	if m == nil {
		return nil
	}
	c.cached++
	if m.Type != "ephemeral" || m.TTL != "" && m.TTL != "5m" && m.TTL != "1h" {
		return fmt.Errorf("%s.cache_control: it must be of type ephemeral, with a ttl of 5m or 1h", at)
	}
	return nil
}

func (c *anthropicCheck) marks() error {
	const most = 4
	if c.cached > most {
		return fmt.Errorf("a maximum of %d blocks with cache_control may be provided; found %d", most, c.cached)
	}
	return nil
}

// pairs holds every call to its result, in the very next message.
func (c *anthropicCheck) pairs() error {
	var open []string
	seen := map[string]bool{}
	for i, blocks := range c.turns {
		at := fmt.Sprintf("messages.%d", i)
		var calls []string
		results := true // still among those that lead the message
		for j, b := range blocks {
			switch b := b.(type) {
			case *useBlock:
				if seen[b.ID] {
					return fmt.Errorf("%s: tool_use ids must be unique; %s comes again", at, b.ID)
				}
				seen[b.ID] = true
				calls = append(calls, b.ID)
				if len(c.seen.Tools) == 0 {
					return fmt.Errorf("%s: requests with tool_use blocks must define tools", at)
				}
			case *resultBlock:
				k := slices.Index(open, b.ToolUseID)
				if k < 0 {
					return fmt.Errorf("%s.content.%d: the tool_result %s has no tool_use in the message before, or is its second", at, j, b.ToolUseID)
				}
				if !results {
					return fmt.Errorf("%s.content.%d: tool_result blocks must stand before everything else", at, j)
				}
				open = slices.Delete(open, k, k+1)
				continue
			}
			results = false
		}
		if len(open) > 0 {
			return fmt.Errorf("%s: tool_use ids were found without tool_result blocks immediately after: %s", at, strings.Join(open, ", "))
		}
		open = calls
	}
	if len(open) > 0 {
		return fmt.Errorf("messages: tool_use ids were found without tool_result blocks immediately after: %s", strings.Join(open, ", "))
	}
	return nil
}
