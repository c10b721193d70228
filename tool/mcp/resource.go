package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/parley-dev/parley/tool"
)

// maxResources is how many of a server are listed.
const maxResources = 200

// listResources lists what servers have to read.
type listResources struct{ host *Host }

// Info says what it is.
func (listResources) Info() tool.Info {
	return tool.Info{
		Name: "mcp_list_resources",
		Description: "Lists the resources of MCP servers: documents and data that can be read with mcp_read_resource. " +
			"Templates are listed too; fill in the part in braces to get a URI.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
			"server":{"type":"string","description":"The server to ask; all that are connected if it is left out."}}}`),
		Class: tool.ClassMCP, Effect: tool.EffectRead, Timeout: askTime,
	}
}

// Run asks the servers. One that fails is named; the others are listed.
func (t listResources) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	in, err := tool.Decode[struct{ Server string }](t.Info(), call.Input)
	if err != nil {
		return tool.Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return tool.Result{}, err
	}
	links := t.host.all()
	if in.Server != "" {
		l, err := t.host.find(in.Server)
		if err != nil {
			return tool.Result{}, err
		}
		links = []*link{l}
	}
	var text strings.Builder
	for _, l := range links {
		if in.Server == "" && !l.offered().resources {
			continue
		}
		lines, err := l.resources(ctx)
		switch {
		case ctx.Err() != nil:
			return tool.Result{}, ctx.Err()
		case err != nil && in.Server != "":
			return tool.Result{}, err
		case err != nil:
			lines = []string{"[" + err.Error() + "]"}
		}
		fmt.Fprintf(&text, "%s:\n", l.server.Name)
		for _, line := range lines {
			text.WriteString("  " + line + "\n")
		}
	}
	if text.Len() == 0 {
		text.WriteString("no MCP server has resources now\n")
	}
	return tool.Result{Text: clip(text.String(), tool.MaxText)}, nil
}

// resources describes those of a server, a line each.
func (l *link) resources(ctx context.Context) ([]string, error) {
	c, err := l.use(ctx)
	if err != nil {
		return nil, err
	}
	ctx, done := c.within(ctx)
	defer done()
	var lines []string
	add := func(uri, name, words string) {
		lines = append(lines, c.plain(clip(uri, maxReason)+"  "+clip(name, 200)+"  "+clip(words, 300)))
	}
	err = pages(func(cursor string) (string, bool, error) {
		r, err := c.session.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return "", false, err
		}
		for _, one := range r.Resources {
			if one != nil {
				add(one.URI, one.Name, one.Description)
			}
		}
		return r.NextCursor, len(lines) >= maxResources, nil
	})
	if err != nil {
		return nil, c.refused(err, "listing resources", true)
	}
	// Not every server that has resources has templates.
	if r, err := c.session.ListResourceTemplates(ctx, nil); err == nil {
		for _, one := range r.ResourceTemplates {
			if one != nil {
				add(one.URITemplate, one.Name, one.Description)
			}
		}
	}
	if len(lines) > maxResources {
		lines = append(lines[:maxResources], "[and more]")
	}
	if len(lines) == 0 {
		lines = []string{"none now"}
	}
	return lines, nil
}

// readResource reads one.
type readResource struct{ host *Host }

// Info says what it is.
func (readResource) Info() tool.Info {
	return tool.Info{
		Name:        "mcp_read_resource",
		Description: "Reads a resource of an MCP server: a document or data that mcp_list_resources or a tool's answer named by its URI.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["server","uri"],"properties":{
			"server":{"type":"string","minLength":1,"description":"The server that has it."},
			"uri":{"type":"string","minLength":1,"maxLength":4096,"description":"The resource's URI."}}}`),
		Class: tool.ClassMCP, Effect: tool.EffectRead, Timeout: callTime,
	}
}

// Run reads it.
func (t readResource) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	in, err := tool.Decode[struct{ Server, URI string }](t.Info(), call.Input)
	if err != nil {
		return tool.Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return tool.Result{}, err
	}
	l, err := t.host.find(in.Server)
	if err != nil {
		return tool.Result{}, err
	}
	c, err := l.use(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	during, done := c.within(ctx)
	defer done()
	answer, err := c.session.ReadResource(during, &sdk.ReadResourceParams{URI: in.URI})
	if ctx.Err() != nil {
		return tool.Result{}, ctx.Err()
	}
	if err != nil {
		return tool.Result{}, c.refused(err, "reading "+clip(in.URI, 200), true)
	}
	out := rendering{conn: c}
	for _, part := range answer.Contents {
		if part != nil {
			out.resource(part)
		}
	}
	return tool.Result{Text: out.whole(), Images: out.images}, nil
}
