package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Prompt is a text that a server has ready for people to start from.
type Prompt struct {
	Server      string           `json:"server"`
	Name        string           `json:"name"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Arguments   []PromptArgument `json:"arguments,omitempty"`
}

// PromptArgument is something to be filled in.
type PromptArgument struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// PromptMessage is a part of a prompt that was filled in.
type PromptMessage struct {
	Role string `json:"role"` // user or assistant
	Text string `json:"text"`
}

// Prompts gives those of all servers.
func (h *Host) Prompts() []Prompt {
	var out []Prompt
	for _, l := range h.all() {
		out = append(out, l.offered().prompts...)
	}
	return out
}

// GetPrompt has a server fill in a prompt. Every failure is a *tool.Error, or
// the context's.
func (h *Host) GetPrompt(ctx context.Context, server, prompt string, arguments map[string]string) ([]PromptMessage, error) {
	l, err := h.find(server)
	if err != nil {
		return nil, err
	}
	c, err := l.use(ctx)
	if err != nil {
		return nil, err
	}
	during, done := c.within(ctx)
	defer done()
	answer, err := c.session.GetPrompt(during, &sdk.GetPromptParams{Name: prompt, Arguments: arguments})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, c.refused(err, "the prompt "+clip(prompt, 200), true)
	}
	var out []PromptMessage
	for _, m := range answer.Messages {
		if m == nil {
			continue
		}
		r := rendering{conn: c}
		r.content(m.Content)
		out = append(out, PromptMessage{Role: clip(string(m.Role), 40), Text: r.whole()})
	}
	return out, nil
}

func (l *link) askPrompts(ctx context.Context, c *conn, o *offer) error {
	return pages(func(cursor string) (string, bool, error) {
		r, err := c.session.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
		if err != nil {
			return "", false, err
		}
		for _, p := range r.Prompts {
			if p == nil || len(o.prompts) == maxPrompts {
				continue
			}
			made := Prompt{
				Server: l.server.Name, Name: p.Name,
				Title: clip(c.plain(p.Title), 200), Description: clip(c.plain(p.Description), maxDescription),
			}
			for _, a := range p.Arguments {
				if a != nil {
					made.Arguments = append(made.Arguments, PromptArgument{Name: a.Name, Description: clip(c.plain(a.Description), 500), Required: a.Required})
				}
			}
			o.prompts = append(o.prompts, made)
		}
		return r.NextCursor, len(o.prompts) == maxPrompts, nil
	})
}
