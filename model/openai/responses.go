package openai

import (
	"encoding/json"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/internal/wire"
)

// responsesRequest is the body of a call of the Responses API.
type responsesRequest struct {
	Model           string          `json:"model"`
	Instructions    string          `json:"instructions,omitempty"`
	Input           []any           `json:"input"`
	Tools           []responsesTool `json:"tools,omitempty"`
	ToolChoice      any             `json:"tool_choice,omitempty"`
	MaxOutputTokens int64           `json:"max_output_tokens,omitempty"`
	Reasoning       *reasoning      `json:"reasoning,omitempty"`
	Include         []string        `json:"include,omitempty"`
	Store           bool            `json:"store"`
	Stream          bool            `json:"stream"`
}

type reasoning struct {
	Effort  string `json:"effort,omitempty"`
	Summary string `json:"summary,omitempty"`
}

type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	// Strict is said, since the API's own default rewrites schemas.
	Strict bool `json:"strict"`
}

type inputMessage struct {
	Type    string      `json:"type"`
	Role    string      `json:"role"`
	Content []inputPart `json:"content"`
}

type inputPart struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
}

type functionCall struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type functionOutput struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	// Output is a text, or a list of parts.
	Output any `json:"output"`
}

func (m *Model) responsesRequest(req model.Request, turns []model.Message) *responsesRequest {
	body := &responsesRequest{
		Model: m.config.Name, Instructions: req.System, MaxOutputTokens: req.MaxTokens, Stream: true,
	}
	const least = 16 // the API's
	if body.MaxOutputTokens > 0 {
		body.MaxOutputTokens = max(body.MaxOutputTokens, least)
	}
	if m.config.Info.Reasoning {
		body.Include = []string{"reasoning.encrypted_content"}
	}
	if m.config.Effort != "" || m.config.Summary != "" {
		body.Reasoning = &reasoning{Effort: m.config.Effort, Summary: m.config.Summary}
	}
	for _, t := range req.Tools {
		body.Tools = append(body.Tools, responsesTool{Type: "function", Name: t.Name, Description: t.Description, Parameters: schemaOf(t)})
	}
	if len(body.Tools) > 0 {
		body.ToolChoice = choose(req.ToolChoice, func(name string) any {
			return map[string]string{"type": "function", "name": name}
		})
	}
	for _, t := range turns {
		if t.Role == model.RoleAssistant {
			body.Input = append(body.Input, responsesAnswer(t)...)
		} else {
			body.Input = append(body.Input, responsesUser(t)...)
		}
	}
	return body
}

// responsesAnswer is what the model said, its thoughts in their places.
func responsesAnswer(t model.Message) []any {
	var out []any
	for _, b := range t.Blocks {
		switch b.Kind {
		case model.BlockText:
			out = append(out, inputMessage{Type: "message", Role: "assistant", Content: []inputPart{{Type: "output_text", Text: b.Text}}})
		case model.BlockToolUse:
			out = append(out, functionCall{
				Type: "function_call", CallID: wire.CallID(b.ToolUse.ID),
				Name: b.ToolUse.Name, Arguments: wire.Arguments(b.ToolUse.Input),
			})
		case model.BlockVendor:
			out = append(out, b.Vendor)
		}
	}
	return out
}

func responsesUser(t model.Message) []any {
	var out []any
	var parts []inputPart
	for _, b := range t.Blocks {
		switch b.Kind {
		case model.BlockToolResult:
			out = append(out, functionOutput{Type: "function_call_output", CallID: wire.CallID(b.ToolResult.ToolUseID), Output: output(b.ToolResult)})
		case model.BlockText:
			parts = append(parts, inputPart{Type: "input_text", Text: b.Text})
		case model.BlockImage:
			parts = append(parts, inputPart{Type: "input_image", ImageURL: dataURL(*b.Image)})
		}
	}
	if len(parts) > 0 {
		out = append(out, inputMessage{Type: "message", Role: "user", Content: parts})
	}
	return out
}

func output(r *model.ToolResult) any {
	if len(r.Images) == 0 {
		return resultText(r)
	}
	parts := []inputPart{{Type: "input_text", Text: resultText(r)}}
	for _, img := range r.Images {
		parts = append(parts, inputPart{Type: "input_image", ImageURL: dataURL(img)})
	}
	return parts
}
