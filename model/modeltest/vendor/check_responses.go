package vendor

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

type responsesRequest struct {
	Model             string            `json:"model"`
	Instructions      string            `json:"instructions"`
	Input             []json.RawMessage `json:"input"`
	Tools             []responsesTool   `json:"tools"`
	ToolChoice        json.RawMessage   `json:"tool_choice"`
	ParallelToolCalls *bool             `json:"parallel_tool_calls"`
	MaxOutputTokens   *int64            `json:"max_output_tokens"`
	Reasoning         *struct {
		Effort  string `json:"effort"`
		Summary string `json:"summary"`
	} `json:"reasoning"`
	Include     []string `json:"include"`
	Store       *bool    `json:"store"`
	Stream      bool     `json:"stream"`
	Temperature *float64 `json:"temperature"`
	TopP        *float64 `json:"top_p"`
	Truncation  string   `json:"truncation"`
}

type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict"`
}

type messageItem struct {
	Type    string          `json:"type"`
	ID      string          `json:"id"`
	Role    string          `json:"role"`
	Status  string          `json:"status"`
	Content json.RawMessage `json:"content"`
}

type callItem struct {
	Type      string  `json:"type"`
	ID        string  `json:"id"`
	CallID    string  `json:"call_id"`
	Name      string  `json:"name"`
	Arguments *string `json:"arguments"`
	Status    string  `json:"status"`
}

type outputItem struct {
	Type   string          `json:"type"`
	ID     string          `json:"id"`
	CallID string          `json:"call_id"`
	Output json.RawMessage `json:"output"`
	Status string          `json:"status"`
}

type thoughtItem struct {
	Type             string            `json:"type"`
	ID               string            `json:"id"`
	Summary          []json.RawMessage `json:"summary"`
	Content          []json.RawMessage `json:"content"`
	EncryptedContent *string           `json:"encrypted_content"`
	Status           string            `json:"status"`
}

var responsesItems = map[string]func() any{
	"message":              func() any { return new(messageItem) },
	"":                     func() any { return new(messageItem) },
	"function_call":        func() any { return new(callItem) },
	"function_call_output": func() any { return new(outputItem) },
	"reasoning":            func() any { return new(thoughtItem) },
}

type inputImage struct {
	Type     string `json:"type"`
	ImageURL string `json:"image_url"`
	Detail   string `json:"detail"`
}

type outputText struct {
	Type        string            `json:"type"`
	Text        string            `json:"text"`
	Annotations []json.RawMessage `json:"annotations"`
}

// responsesParts says what each role may say.
var responsesParts = map[string]map[string]func() any{
	"user": {
		"input_text":  func() any { return new(chatText) },
		"input_image": func() any { return new(inputImage) },
	},
	"system":    {"input_text": func() any { return new(chatText) }},
	"developer": {"input_text": func() any { return new(chatText) }},
	"assistant": {
		"output_text": func() any { return new(outputText) },
		"refusal":     func() any { return new(outputText) },
	},
}

// checkResponses reads a request and says what it is, or why it is refused.
func checkResponses(body []byte) (Seen, error) {
	var r responsesRequest
	if err := read("body", body, &r); err != nil {
		return Seen{}, err
	}
	c := responsesCheck{request: r, calls: map[string]bool{}, seen: Seen{Format: Responses, Model: r.Model, System: r.Instructions}}
	for _, step := range []func() error{c.head, c.tools, c.input} {
		if err := step(); err != nil {
			return Seen{}, err
		}
	}
	return c.seen, nil
}

type responsesCheck struct {
	request responsesRequest
	calls   map[string]bool // id of each call → its output has come
	thought string          // a reasoning item whose next item has not come
	answer  bool            // inside what the assistant said
	seen    Seen
}

func (c *responsesCheck) head() error {
	switch r := c.request; {
	case r.Model == "":
		return errors.New("missing required parameter: model")
	case len(r.Input) == 0:
		return errors.New("input: it is empty")
	case r.MaxOutputTokens != nil && *r.MaxOutputTokens < 16:
		return errors.New("max_output_tokens: it must be 16 or more")
	case !r.Stream:
		return errors.New("stream: this server only streams")
	}
	for _, what := range c.request.Include {
		if what != "reasoning.encrypted_content" {
			return fmt.Errorf("include: there is no %q here", what)
		}
	}
	return nil
}

func (c *responsesCheck) tools() error {
	for i, t := range c.request.Tools {
		if t.Type != "function" {
			return fmt.Errorf("tools[%d].type: there is no %q", i, t.Type)
		}
		if err := named(fmt.Sprintf("tools[%d]", i), t.Name, 64, t.Parameters); err != nil {
			return err
		}
		c.seen.Tools = append(c.seen.Tools, t.Name)
	}
	if err := unique("tools", c.seen.Tools); err != nil {
		return err
	}
	var named struct {
		Type string `json:"type"`
		Name string `json:"name"`
	}
	choice, err := openaiChoice(c.request.ToolChoice, c.seen.Tools, &named, func() (string, string) { return named.Type, named.Name })
	c.seen.Choice = choice
	return err
}

func (c *responsesCheck) input() error {
	for i, raw := range c.request.Input {
		at := fmt.Sprintf("input[%d]", i)
		item, err := typed(at, raw, responsesItems)
		if err != nil {
			return err
		}
		if err := c.item(at, item); err != nil {
			return err
		}
	}
	for id, answered := range c.calls {
		if !answered {
			return fmt.Errorf("input: no tool output found for function call %s", id)
		}
	}
	if c.answer {
		return errors.New("input: it ends with the assistant; there is nothing to answer")
	}
	return c.alone("input")
}

// alone is the fault of a thought that nothing of its answer follows.
func (c *responsesCheck) alone(at string) error {
	if c.thought == "" {
		return nil
	}
	return fmt.Errorf("%s: the reasoning item %s was provided without its required following item", at, c.thought)
}

func (c *responsesCheck) item(at string, item any) error {
	switch item := item.(type) {
	case *messageItem:
		return c.message(at, item)
	case *callItem:
		if _, twice := c.calls[item.CallID]; twice || !idForm.MatchString(item.CallID) || len(item.CallID) > 64 ||
			!idForm.MatchString(item.Name) || item.Arguments == nil {
			return fmt.Errorf("%s: a function_call needs a call_id of its own, a name and arguments", at)
		}
		c.calls[item.CallID] = false
		c.begin()
		c.thought = ""
	case *outputItem:
		answered, known := c.calls[item.CallID]
		if !known || answered {
			return fmt.Errorf("%s: no tool call found for function call output with call_id %s, or it has one already", at, item.CallID)
		}
		c.calls[item.CallID] = true
		c.answer = false
		return c.output(at, item)
	case *thoughtItem:
		return c.reasoning(at, item)
	}
	return nil
}

func (c *responsesCheck) message(at string, m *messageItem) error {
	kinds, ok := responsesParts[m.Role]
	if !ok {
		return fmt.Errorf("%s.role: there is no %q", at, m.Role)
	}
	said, err := c.content(at+".content", m.Content, kinds)
	if err != nil {
		return err
	}
	if m.Role == "assistant" {
		c.begin()
		c.thought = ""
		return nil
	}
	if err := c.alone(at); err != nil {
		return err
	}
	c.answer = false
	if m.Role != "user" {
		c.seen.System += said
	} else if strings.TrimSpace(said) != "" {
		c.seen.LastUser = said
	}
	return nil
}

func (c *responsesCheck) reasoning(at string, t *thoughtItem) error {
	switch {
	case !strings.HasPrefix(t.ID, "rs_") || t.Summary == nil:
		return fmt.Errorf("%s: a reasoning item needs its id and a summary, which may be empty", at)
	case (c.request.Store == nil || !*c.request.Store) && (t.EncryptedContent == nil || *t.EncryptedContent == ""):
		return fmt.Errorf("%s: item %s not found: items are not persisted when store is false", at, t.ID)
	}
	for _, raw := range t.Summary {
		if _, err := typed(at+".summary", raw, map[string]func() any{"summary_text": func() any { return new(chatText) }}); err != nil {
			return err
		}
	}
	if t.EncryptedContent != nil {
		if err := c.sealed(at, *t.EncryptedContent, t.Summary); err != nil {
			return err
		}
	}
	c.begin()
	c.thought = t.ID
	c.seen.Thoughts++
	return nil
}

// sealed holds a thought of this server's own to what it was.
func (c *responsesCheck) sealed(at, content string, summary []json.RawMessage) error {
	if !strings.HasPrefix(content, "sealed_") || len(summary) == 0 {
		return nil
	}
	var first chatText
	if json.Unmarshal(summary[0], &first) == nil && content == seal(first.Text) {
		return nil
	}
	return fmt.Errorf("%s.encrypted_content: it could not be verified", at)
}

func (c *responsesCheck) output(at string, item *outputItem) error {
	said, err := c.content(at+".output", item.Output, responsesParts["user"])
	c.seen.Results = append(c.seen.Results, said)
	return err
}

func (c *responsesCheck) content(at string, raw json.RawMessage, kinds map[string]func() any) (string, error) {
	text, parts, err := texts(at, raw)
	if err != nil || parts == nil {
		return text, err
	}
	var said []string
	for i, part := range parts {
		at := fmt.Sprintf("%s[%d]", at, i)
		p, err := typed(at, part, kinds)
		if err != nil {
			return "", err
		}
		switch p := p.(type) {
		case *chatText:
			said = append(said, p.Text)
		case *outputText:
			said = append(said, p.Text)
		case *inputImage:
			c.seen.Images++
			if err := dataURL(at, p.ImageURL); err != nil {
				return "", err
			}
		}
	}
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), "\n\n"), nil
}

// begin notes that the assistant speaks.
func (c *responsesCheck) begin() {
	if !c.answer {
		c.seen.Answers++
		c.seen.Results = nil
	}
	c.answer = true
}
