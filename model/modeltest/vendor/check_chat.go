package vendor

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

type chatRequest struct {
	Model               string          `json:"model"`
	Messages            []chatMessage   `json:"messages"`
	Tools               []chatTool      `json:"tools"`
	ToolChoice          json.RawMessage `json:"tool_choice"`
	ParallelToolCalls   *bool           `json:"parallel_tool_calls"`
	MaxTokens           *int64          `json:"max_tokens"`
	MaxCompletionTokens *int64          `json:"max_completion_tokens"`
	ReasoningEffort     string          `json:"reasoning_effort"`
	Temperature         *float64        `json:"temperature"`
	TopP                *float64        `json:"top_p"`
	Store               *bool           `json:"store"`
	Stream              bool            `json:"stream"`
	StreamOptions       *struct {
		IncludeUsage       bool  `json:"include_usage"`
		IncludeObfuscation *bool `json:"include_obfuscation"`
	} `json:"stream_options"`
}

type chatMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Name       string          `json:"name"`
	ToolCalls  []chatCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
	// Fields of compatible servers, for an assistant's thoughts.
	ReasoningContent string            `json:"reasoning_content"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details"`
}

type chatCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string  `json:"name"`
		Arguments *string `json:"arguments"`
	} `json:"function"`
}

type chatTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      *bool           `json:"strict"`
	} `json:"function"`
}

type chatText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type chatImage struct {
	Type     string `json:"type"`
	ImageURL struct {
		URL    string `json:"url"`
		Detail string `json:"detail"`
	} `json:"image_url"`
}

// chatParts says what each role may say.
var chatParts = map[string]map[string]func() any{
	"user": {
		"text":      func() any { return new(chatText) },
		"image_url": func() any { return new(chatImage) },
	},
	"": {"text": func() any { return new(chatText) }},
}

// checkChat reads a request and says what it is, or why it is refused.
func checkChat(body []byte) (Seen, error) {
	var r chatRequest
	if err := read("body", body, &r); err != nil {
		return Seen{}, err
	}
	c := chatCheck{request: r, seen: Seen{Format: Chat, Model: r.Model}}
	for _, step := range []func() error{c.head, c.tools, c.messages} {
		if err := step(); err != nil {
			return Seen{}, err
		}
	}
	return c.seen, nil
}

type chatCheck struct {
	request chatRequest
	open    []string // calls without a result
	seen    Seen
}

func (c *chatCheck) head() error {
	switch r := c.request; {
	case r.Model == "":
		return errors.New("you must provide a model parameter")
	case len(r.Messages) == 0:
		return errors.New("messages: it is empty")
	case r.MaxTokens != nil && r.MaxCompletionTokens != nil:
		return errors.New("max_tokens and max_completion_tokens cannot both be set")
	case none(r.MaxTokens), none(r.MaxCompletionTokens):
		return errors.New("max_tokens: it must be 1 or more")
	case !r.Stream:
		return errors.New("stream: this server only streams")
	case r.ParallelToolCalls != nil && len(r.Tools) == 0:
		return errors.New("parallel_tool_calls is only allowed when tools are specified")
	}
	return nil
}

// none says that a limit leaves nothing.
func none(n *int64) bool { return n != nil && *n < 1 }

func (c *chatCheck) tools() error {
	for i, t := range c.request.Tools {
		at := fmt.Sprintf("tools[%d].function", i)
		if t.Type != "function" {
			return fmt.Errorf("tools[%d].type: there is no %q", i, t.Type)
		}
		schema := t.Function.Parameters
		if schema == nil {
			schema = json.RawMessage(`{"type":"object"}`)
		}
		if err := named(at, t.Function.Name, 64, schema); err != nil {
			return err
		}
		c.seen.Tools = append(c.seen.Tools, t.Function.Name)
	}
	if err := unique("tools", c.seen.Tools); err != nil {
		return err
	}
	var named struct {
		Type     string `json:"type"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	choice, err := openaiChoice(c.request.ToolChoice, c.seen.Tools, &named, func() (string, string) { return named.Type, named.Function.Name })
	c.seen.Choice = choice
	return err
}

// openaiChoice reads a word or the name of a function.
func openaiChoice(raw json.RawMessage, tools []string, into any, name func() (kind, name string)) (string, error) {
	if raw == nil {
		return "", nil
	}
	if len(tools) == 0 {
		return "", errors.New("tool_choice is only allowed when tools are specified")
	}
	var word string
	if json.Unmarshal(raw, &word) == nil {
		choice, ok := map[string]string{"auto": "", "none": "none", "required": "any"}[word]
		if !ok {
			return "", fmt.Errorf("tool_choice: there is no %q", word)
		}
		return choice, nil
	}
	if err := read("tool_choice", raw, into); err != nil {
		return "", err
	}
	kind, chosen := name()
	if kind != "function" || !slices.Contains(tools, chosen) {
		return "", fmt.Errorf("tool_choice: there is no function %q among the tools", chosen)
	}
	return chosen, nil
}

func (c *chatCheck) messages() error {
	for i, m := range c.request.Messages {
		at := fmt.Sprintf("messages[%d]", i)
		if m.Role != "tool" && len(c.open) > 0 {
			return c.unanswered(at)
		}
		if m.Role != "assistant" && (m.ToolCalls != nil || m.ReasoningContent != "" || m.ReasoningDetails != nil) {
			return fmt.Errorf("%s: only an assistant has tool_calls and thoughts", at)
		}
		if (m.Role == "tool") != (m.ToolCallID != "") {
			return fmt.Errorf("%s.tool_call_id: it goes with role tool", at)
		}
		if err := c.message(at, m); err != nil {
			return err
		}
	}
	if len(c.open) > 0 {
		return c.unanswered("messages")
	}
	if last := c.request.Messages[len(c.request.Messages)-1].Role; last != "user" && last != "tool" {
		return fmt.Errorf("messages: the last one is of role %q; there is nothing to answer", last)
	}
	return nil
}

func (c *chatCheck) unanswered(at string) error {
	return fmt.Errorf("%s: an assistant message with tool_calls must be followed by tool messages for each tool_call_id; there are none for %s",
		at, strings.Join(c.open, ", "))
}

func (c *chatCheck) message(at string, m chatMessage) error {
	var said string
	if m.Content != nil && string(m.Content) != "null" {
		var err error
		if said, err = c.content(at+".content", m.Role, m.Content); err != nil {
			return err
		}
	} else if m.Role != "assistant" {
		return fmt.Errorf("%s.content: it is missing", at)
	}
	switch m.Role {
	case "system", "developer":
		c.seen.System += said
	case "user":
		if strings.TrimSpace(said) != "" {
			c.seen.LastUser = said
		}
	case "assistant":
		return c.assistant(at, m, said)
	case "tool":
		k := slices.Index(c.open, m.ToolCallID)
		if k < 0 {
			return fmt.Errorf("%s: a message of role tool must answer a preceding tool_call; there is no open %q", at, m.ToolCallID)
		}
		c.open = slices.Delete(c.open, k, k+1)
		c.seen.Results = append(c.seen.Results, said)
	default:
		return fmt.Errorf("%s.role: there is no %q", at, m.Role)
	}
	return nil
}

func (c *chatCheck) content(at, role string, raw json.RawMessage) (string, error) {
	text, parts, err := texts(at, raw)
	if err != nil {
		return "", err
	}
	kinds, ok := chatParts[role]
	if !ok {
		kinds = chatParts[""]
	}
	said := []string{}
	if parts == nil {
		said = append(said, text)
	}
	for i, part := range parts {
		at := fmt.Sprintf("%s[%d]", at, i)
		p, err := typed(at, part, kinds)
		if err != nil {
			return "", err
		}
		switch p := p.(type) {
		case *chatText:
			said = append(said, p.Text)
		case *chatImage:
			c.seen.Images++
			if err := dataURL(at, p.ImageURL.URL); err != nil {
				return "", err
			}
		}
	}
	return strings.Join(said, "\n\n"), nil
}

func (c *chatCheck) assistant(at string, m chatMessage, said string) error {
	if said == "" && len(m.ToolCalls) == 0 {
		return fmt.Errorf("%s: an assistant message needs content or tool_calls", at)
	}
	if m.ToolCalls != nil && len(m.ToolCalls) == 0 {
		return fmt.Errorf("%s.tool_calls: an empty list", at)
	}
	for i, call := range m.ToolCalls {
		at := fmt.Sprintf("%s.tool_calls[%d]", at, i)
		switch {
		case call.Type != "function":
			return fmt.Errorf("%s.type: there is no %q", at, call.Type)
		case !idForm.MatchString(call.ID) || len(call.ID) > 40:
			return fmt.Errorf("%s.id: %q must be 1 to 40 letters, digits, _ or -", at, call.ID)
		case !idForm.MatchString(call.Function.Name) || call.Function.Arguments == nil:
			return fmt.Errorf("%s.function: it needs a name and arguments", at)
		}
		c.open = append(c.open, call.ID)
	}
	if err := unique(at+".tool_calls", c.open); err != nil {
		return err
	}
	if m.ReasoningContent != "" || len(m.ReasoningDetails) > 0 {
		c.seen.Thoughts++
	}
	c.seen.Answers++
	c.seen.Results = nil
	return nil
}
