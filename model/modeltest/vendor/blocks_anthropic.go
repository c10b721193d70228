package vendor

import (
	"encoding/json"
	"fmt"
	"strings"
)

type textBlock struct {
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	Citations    json.RawMessage `json:"citations"`
	CacheControl *cacheMark      `json:"cache_control"`
}

type imageBlock struct {
	Type   string `json:"type"`
	Source struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	} `json:"source"`
	CacheControl *cacheMark `json:"cache_control"`
}

type useBlock struct {
	Type         string          `json:"type"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	CacheControl *cacheMark      `json:"cache_control"`
}

type resultBlock struct {
	Type         string          `json:"type"`
	ToolUseID    string          `json:"tool_use_id"`
	Content      json.RawMessage `json:"content"`
	IsError      bool            `json:"is_error"`
	CacheControl *cacheMark      `json:"cache_control"`
}

type thinkingBlock struct {
	Type      string `json:"type"`
	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
}

type redactedBlock struct {
	Type string `json:"type"`
	Data string `json:"data"`
}

// blocksOf says what each role may say.
var blocksOf = map[string]map[string]func() any{
	"user": {
		"text":        func() any { return new(textBlock) },
		"image":       func() any { return new(imageBlock) },
		"tool_result": func() any { return new(resultBlock) },
	},
	"assistant": {
		"text":              func() any { return new(textBlock) },
		"tool_use":          func() any { return new(useBlock) },
		"thinking":          func() any { return new(thinkingBlock) },
		"redacted_thinking": func() any { return new(redactedBlock) },
	},
	"result": {
		"text":  func() any { return new(textBlock) },
		"image": func() any { return new(imageBlock) },
	},
}

func (c *anthropicCheck) messages() error {
	last := len(c.request.Messages) - 1
	for i, m := range c.request.Messages {
		at := fmt.Sprintf("messages.%d", i)
		if want := []string{"user", "assistant"}[i%2]; m.Role != want {
			return fmt.Errorf("%s.role: it is %q, but roles alternate and the user begins: want %q", at, m.Role, want)
		}
		blocks, err := c.content(at+".content", m.Role, m.Content)
		if err != nil {
			return err
		}
		c.turns = append(c.turns, blocks)
		c.note(m.Role, blocks)
		if m.Role != "assistant" {
			continue
		}
		if i == last {
			return fmt.Errorf("%s: the last message must be the user's", at)
		}
		switch blocks[len(blocks)-1].(type) {
		case *thinkingBlock, *redactedBlock:
			return fmt.Errorf("%s: the final block in an assistant message cannot be a thought", at)
		}
	}
	return nil
}

func (c *anthropicCheck) content(at, role string, raw json.RawMessage) ([]any, error) {
	text, parts, err := texts(at, raw)
	if err != nil {
		return nil, err
	}
	if parts == nil {
		b := &textBlock{Type: "text", Text: text}
		return []any{b}, c.block(at, role, b)
	}
	var blocks []any
	for i, part := range parts {
		at := fmt.Sprintf("%s.%d", at, i)
		b, err := typed(at, part, blocksOf[role])
		if err != nil {
			return nil, err
		}
		if err := c.block(at, role, b); err != nil {
			return nil, err
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}

func (c *anthropicCheck) block(at, role string, b any) error {
	switch b := b.(type) {
	case *textBlock:
		if strings.TrimSpace(b.Text) == "" {
			return fmt.Errorf("%s.text: text content blocks must contain non-whitespace text", at)
		}
		return c.mark(at, b.CacheControl)
	case *imageBlock:
		c.seen.Images++
		if b.Source.Type != "base64" {
			return fmt.Errorf("%s.source.type: there is no %q", at, b.Source.Type)
		}
		if err := picture(at, b.Source.MediaType, b.Source.Data); err != nil {
			return err
		}
		return c.mark(at, b.CacheControl)
	case *useBlock:
		if !idForm.MatchString(b.ID) || !idForm.MatchString(b.Name) || !isObject(b.Input) {
			return fmt.Errorf("%s: a tool_use needs an id and a name of letters, digits, _ and -, and an object as input", at)
		}
		return c.mark(at, b.CacheControl)
	case *resultBlock:
		return c.result(at, b)
	case *thinkingBlock:
		c.seen.Thoughts++
		if b.Signature == "" || strings.HasPrefix(b.Signature, "sig_") && b.Signature != Sign(b.Thinking) {
			return fmt.Errorf("%s: invalid signature in thinking block", at)
		}
	case *redactedBlock:
		c.seen.Thoughts++
		if b.Data == "" {
			return fmt.Errorf("%s.data: it is missing", at)
		}
	}
	return nil
}

func (c *anthropicCheck) result(at string, b *resultBlock) error {
	if !idForm.MatchString(b.ToolUseID) {
		return fmt.Errorf("%s.tool_use_id: %q", at, b.ToolUseID)
	}
	if err := c.mark(at, b.CacheControl); err != nil || b.Content == nil {
		return err
	}
	_, err := c.content(at+".content", "result", b.Content)
	return err
}

// note keeps what tests ask about.
func (c *anthropicCheck) note(role string, blocks []any) {
	if role == "assistant" {
		c.seen.Answers++
		c.seen.Results = nil
		return
	}
	var said []string
	for _, b := range blocks {
		switch b := b.(type) {
		case *textBlock:
			said = append(said, b.Text)
		case *resultBlock:
			c.seen.Results = append(c.seen.Results, plainText(b.Content))
		}
	}
	if len(said) > 0 {
		c.seen.LastUser = strings.Join(said, "\n\n")
	}
}

// plainText is the words of a text or of a list of parts that was checked.
func plainText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &parts) // checked before
	var all []string
	for _, p := range parts {
		if p.Text != "" {
			all = append(all, p.Text)
		}
	}
	return strings.Join(all, "\n\n")
}
