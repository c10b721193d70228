package anthropic

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/internal/wire"
)

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is a part of a message. Own stands for the whole of it: a block that the
// vendor wrote and gets back as it was.
type block struct {
	Type string `json:"type"`
	Text string `json:"text,omitempty"`

	Source *source `json:"source,omitempty"`

	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`

	ToolUseID string  `json:"tool_use_id,omitempty"`
	Content   []block `json:"content,omitempty"`
	IsError   bool    `json:"is_error,omitempty"`

	CacheControl *cacheControl   `json:"cache_control,omitempty"`
	Own          json.RawMessage `json:"-"`
}

// MarshalJSON writes the vendor's own block word for word.
func (b block) MarshalJSON() ([]byte, error) {
	if b.Own != nil {
		return b.Own, nil
	}
	type fields block
	return json.Marshal(fields(b))
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

// said is one turn; thoughts are the vendor's own blocks in it.
func said(t model.Message, thoughts bool) message {
	out := message{Role: string(t.Role)}
	for _, b := range t.Blocks {
		switch b.Kind {
		case model.BlockText:
			out.Content = append(out.Content, block{Type: "text", Text: b.Text})
		case model.BlockImage:
			out.Content = append(out.Content, picture(*b.Image))
		case model.BlockToolUse:
			out.Content = append(out.Content, block{
				Type: "tool_use", ID: wire.CallID(b.ToolUse.ID), Name: b.ToolUse.Name, Input: wire.Object(b.ToolUse.Input),
			})
		case model.BlockToolResult:
			out.Content = append(out.Content, result(b.ToolResult))
		case model.BlockVendor:
			if thoughts {
				out.Content = append(out.Content, block{Own: b.Vendor})
			}
		}
	}
	return out
}

func result(r *model.ToolResult) block {
	b := block{Type: "tool_result", ToolUseID: wire.CallID(r.ToolUseID), IsError: r.IsError}
	if text := r.Text; strings.TrimSpace(text) != "" {
		b.Content = append(b.Content, block{Type: "text", Text: text})
	}
	for _, img := range r.Images {
		b.Content = append(b.Content, picture(img))
	}
	return b
}

// picture shows an image, or says that there is one that cannot be shown.
func picture(img model.Image) block {
	if !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, img.MediaType) || len(img.Data) == 0 {
		return block{Type: "text", Text: wire.Unseen(img)}
	}
	return block{Type: "image", Source: &source{Type: "base64", MediaType: img.MediaType, Data: img.Data}}
}
