package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/parley-dev/parley/tool"
)

// What is taken from one server. A model could not use more anyway.
const (
	maxTools       = 128
	maxPrompts     = 128
	maxPages       = 64
	maxProblems    = 20
	maxDescription = 4 << 10
)

// offer is what a server has. It is replaced as a whole, never changed.
type offer struct {
	tools     []*remoteTool // by name
	prompts   []Prompt
	resources bool
	problems  []string
}

// ask has the server say what it offers and keeps it.
func (l *link) ask(ctx context.Context, c *conn) error {
	ctx, cancel := c.within(ctx)
	defer cancel()
	ctx, done := context.WithTimeout(ctx, askTime)
	defer done()
	var o offer
	has := sdk.ServerCapabilities{}
	if r := c.session.InitializeResult(); r != nil && r.Capabilities != nil {
		has = *r.Capabilities
	}
	o.resources = has.Resources != nil
	if has.Tools != nil {
		if err := l.askTools(ctx, c, &o); err != nil {
			return fmt.Errorf("it does not say which tools it has: %w", err)
		}
	}
	if has.Prompts != nil {
		if err := l.askPrompts(ctx, c, &o); err != nil {
			o.problem("it does not say which prompts it has: %s", c.reason(err.Error()))
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.offer = o
	return nil
}

// problem notes something that cannot be used.
func (o *offer) problem(format string, args ...any) {
	switch len(o.problems) {
	case maxProblems:
	case maxProblems - 1:
		o.problems = append(o.problems, "and more")
	default:
		o.problems = append(o.problems, clip(fmt.Sprintf(format, args...), 300))
	}
}

// pages asks for a list page by page, until it ends or is long enough.
func pages(each func(cursor string) (next string, enough bool, err error)) error {
	cursor := ""
	for range maxPages {
		next, enough, err := each(cursor)
		if err != nil || enough || next == "" {
			return err
		}
		cursor = next
	}
	return nil
}

func (l *link) askTools(ctx context.Context, c *conn, o *offer) error {
	var found []*sdk.Tool
	err := pages(func(cursor string) (string, bool, error) {
		r, err := c.session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return "", false, err
		}
		found = append(found, r.Tools...)
		return r.NextCursor, len(found) > maxTools, nil
	})
	if err != nil {
		return err
	}
	if len(found) > maxTools {
		o.problem("it has more than %d tools; the rest is left out", maxTools)
		found = found[:maxTools]
	}
	seen := map[string]bool{}
	for _, t := range found {
		made, why := l.tool(c, t)
		switch {
		case why == "" && seen[made.info.Name]:
			why = "there are two of this name; the first counts"
		case why == "":
			seen[made.info.Name] = true
			o.tools = append(o.tools, made)
			continue
		}
		o.problem("tool %q: %s", clip(strings.ToValidUTF8(t.Name, "?"), 80), why)
	}
	slices.SortFunc(o.tools, func(a, b *remoteTool) int { return strings.Compare(a.info.Name, b.info.Name) })
	return nil
}

// tool makes a tool of what a server says of one, or says why nobody could use
// it.
func (l *link) tool(c *conn, t *sdk.Tool) (made *remoteTool, why string) {
	if !named(t.Name) {
		return nil, "the name has no letter or digit that a model may use"
	}
	schema, why := inputSchema(t.InputSchema)
	if why != "" {
		return nil, why
	}
	words := clip(strings.TrimSpace(c.plain(t.Description)), maxDescription)
	if words == "" {
		words = t.Title
	}
	info := tool.Info{
		Name:        name(l.server.Name, t.Name),
		Description: fmt.Sprintf("%s\n\n(This is the tool %s of the MCP server %s.)", words, clip(c.plain(t.Name), 200), l.server.Name),
		Schema:      schema, Class: tool.ClassMCP, Effect: tool.EffectEffect, Timeout: callTime,
	}
	if a := t.Annotations; a != nil && a.ReadOnlyHint {
		info.Effect = tool.EffectRead
	} else if a != nil && a.IdempotentHint {
		info.Effect = tool.EffectIdempotent
	}
	info.Description = strings.TrimSpace(info.Description)
	return &remoteTool{link: l, own: t.Name, info: info}, ""
}
