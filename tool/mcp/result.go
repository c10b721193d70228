package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/parley-dev/parley/tool"
)

// pictures are the kinds that a model can look at.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// result makes of a server's answer what a model is told: texts as they are,
// pictures beside them, and a line for whatever a model cannot take.
func (c *conn) result(r *sdk.CallToolResult, own string) tool.Result {
	out := rendering{conn: c}
	for _, part := range r.Content {
		out.content(part)
	}
	if r.StructuredContent != nil && len(out.parts) == 0 {
		if raw, err := json.Marshal(r.StructuredContent); err == nil {
			out.text(string(raw))
		}
	}
	if len(out.parts) == 0 {
		out.note("%s of the MCP server %s gave nothing back", own, c.server)
	}
	summary, _ := json.Marshal(map[string]any{"server": clip(c.server, 200), "tool": clip(own, 200)}) // plain data: always can
	return tool.Result{Text: out.whole(), Images: out.images, IsError: r.IsError, Summary: summary}
}

// rendering is an answer that is being written down.
type rendering struct {
	*conn
	parts  []string
	images []tool.Image
	size   int
	left   int // bytes that had no place
}

func (o *rendering) content(part sdk.Content) {
	switch p := part.(type) {
	case *sdk.TextContent:
		o.text(p.Text)
	case *sdk.ImageContent:
		o.image(p.MIMEType, p.Data, "an image")
	case *sdk.AudioContent:
		o.note("audio of type %s with %d bytes is left out", p.MIMEType, len(p.Data))
	case *sdk.ResourceLink:
		o.link(p.URI, p.Name, p.MIMEType, p.Description)
	case *sdk.EmbeddedResource:
		if p.Resource != nil {
			o.resource(p.Resource)
		}
	}
}

func (o *rendering) resource(r *sdk.ResourceContents) {
	if r.Blob != nil {
		o.image(r.MIMEType, r.Blob, "the resource "+clip(r.URI, maxReason))
		return
	}
	o.text(fmt.Sprintf("[resource %s]\n%s", clip(r.URI, maxReason), r.Text))
}

func (o *rendering) link(uri, name, kind, words string) {
	line := "[resource " + clip(uri, maxReason)
	for _, more := range []string{name, kind, words} {
		if more != "" {
			line += "; " + clip(more, maxReason)
		}
	}
	o.text(line + "]")
}

// image adds a picture if a model can look at it, and else says what there was.
func (o *rendering) image(kind string, data []byte, what string) {
	switch {
	case !slices.Contains(pictures, kind) || len(data) == 0:
		o.note("%s of type %q with %d bytes is left out: it cannot be shown", what, clip(kind, 80), len(data))
	case len(data) > tool.MaxImage:
		o.note("%s with %d bytes is left out: at most %d are allowed", what, len(data), tool.MaxImage)
	case len(o.images) == tool.MaxImages:
		o.note("%s is left out: there are more than %d", what, tool.MaxImages)
	default:
		o.images = append(o.images, tool.Image{MediaType: kind, Data: data})
		o.note("%s of type %s", what, kind)
	}
}

func (o *rendering) note(format string, args ...any) {
	o.text("[" + fmt.Sprintf(format, args...) + "]")
}

// text adds a piece, as far as there is room.
func (o *rendering) text(s string) {
	const room = tool.MaxText - 200 // for the words about what is left out
	s = o.plain(s)
	if most := max(0, room-o.size); len(s) > most {
		cut := strings.ToValidUTF8(s[:most], "")
		o.left += len(s) - len(cut)
		s = cut
	}
	o.size += len(s) + 1
	o.parts = append(o.parts, s)
}

func (o *rendering) whole() string {
	if o.left > 0 {
		o.parts = append(o.parts, fmt.Sprintf("[… %d bytes left out; ask for less at a time …]", o.left))
	}
	text := strings.Join(o.parts, "\n")
	if strings.TrimSpace(text) == "" {
		return "[an empty text]"
	}
	return text
}
