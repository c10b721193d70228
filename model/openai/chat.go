package openai

import (
	"encoding/base64"
	"encoding/json"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/internal/wire"
)

// chatRequest is the body of a chat completion.
type chatRequest struct {
	Model    string        `json:"model"`
	Messages []chatMessage `json:"messages"`
	Tools    []chatTool    `json:"tools,omitempty"`
	// ToolChoice is a word, or names a function.
	ToolChoice any `json:"tool_choice,omitempty"`
	// OpenAI renamed the limit; most others know the old name only.
	MaxTokens           int64         `json:"max_tokens,omitempty"`
	MaxCompletionTokens int64         `json:"max_completion_tokens,omitempty"`
	ReasoningEffort     string        `json:"reasoning_effort,omitempty"`
	Stream              bool          `json:"stream"`
	StreamOptions       streamOptions `json:"stream_options"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type chatMessage struct {
	Role string `json:"role"`
	// Content is a text, or a list of parts.
	Content    any        `json:"content,omitempty"`
	ToolCalls  []chatCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	// What some servers want back of their models' thoughts.
	ReasoningContent string            `json:"reasoning_content,omitempty"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details,omitempty"`
}

type chatPart struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

type chatCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type chatTool struct {
	Type     string       `json:"type"`
	Function functionSpec `json:"function"`
}

type functionSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

// thought is what is kept of a chat model's reasoning.
type thought struct {
	Content string            `json:"content,omitempty"`
	Details []json.RawMessage `json:"details,omitempty"`
}

func (m *Model) chatRequest(req model.Request, turns []model.Message) *chatRequest {
	body := &chatRequest{
		Model: m.config.Name, Stream: true, StreamOptions: streamOptions{IncludeUsage: true},
		ReasoningEffort: m.config.Effort,
	}
	if m.own {
		body.MaxCompletionTokens = req.MaxTokens
	} else {
		body.MaxTokens = req.MaxTokens
	}
	for _, t := range req.Tools {
		body.Tools = append(body.Tools, chatTool{Type: "function", Function: functionSpec{t.Name, t.Description, schemaOf(t)}})
	}
	if len(body.Tools) > 0 {
		body.ToolChoice = choose(req.ToolChoice, func(name string) any {
			return map[string]any{"type": "function", "function": map[string]string{"name": name}}
		})
	}
	if req.System != "" {
		body.Messages = append(body.Messages, chatMessage{Role: "system", Content: req.System})
	}
	work := workFrom(turns)
	for i, t := range turns {
		if t.Role == model.RoleAssistant {
			body.Messages = append(body.Messages, chatAnswer(t, i >= work))
		} else {
			body.Messages = append(body.Messages, chatUser(t)...)
		}
	}
	return body
}

// workFrom is where the work that goes on began: the last words of the user.
// Thoughts before it are over, and cost tokens.
func workFrom(turns []model.Message) int {
	for i := len(turns) - 1; i >= 0; i-- {
		if turns[i].Role == model.RoleUser && turns[i].Blocks[0].Kind != model.BlockToolResult {
			return i
		}
	}
	return 0
}

// chatAnswer is what the model said.
func chatAnswer(t model.Message, thoughts bool) chatMessage {
	out := chatMessage{Role: "assistant"}
	text := ""
	for _, b := range t.Blocks {
		switch b.Kind {
		case model.BlockText:
			if text != "" {
				text += "\n\n"
			}
			text += b.Text
		case model.BlockToolUse:
			out.ToolCalls = append(out.ToolCalls, chatCall{
				ID: wire.CallID(b.ToolUse.ID), Type: "function",
				Function: chatFunction{Name: b.ToolUse.Name, Arguments: wire.Arguments(b.ToolUse.Input)},
			})
		case model.BlockVendor:
			var kept thought
			if thoughts && json.Unmarshal(b.Vendor, &kept) == nil {
				out.ReasoningContent, out.ReasoningDetails = kept.Content, kept.Details
			}
		}
	}
	if text != "" {
		out.Content = text
	}
	return out
}

// chatUser is what was said to the model. A result takes words only, so its
// pictures follow all results, in the user's name.
func chatUser(t model.Message) []chatMessage {
	var out []chatMessage
	var parts []chatPart
	pictures := false
	show := func(img model.Image) {
		pictures = true
		parts = append(parts, chatPart{Type: "image_url", ImageURL: &imageURL{dataURL(img)}})
	}
	for _, b := range t.Blocks {
		switch b.Kind {
		case model.BlockToolResult:
			out = append(out, chatMessage{Role: "tool", ToolCallID: wire.CallID(b.ToolResult.ToolUseID), Content: resultText(b.ToolResult)})
			for _, img := range b.ToolResult.Images {
				show(img)
			}
		case model.BlockText:
			parts = append(parts, chatPart{Type: "text", Text: b.Text})
		case model.BlockImage:
			show(*b.Image)
		}
	}
	switch {
	case len(parts) == 0:
	case pictures:
		out = append(out, chatMessage{Role: "user", Content: parts})
	default: // as a plain text, which every server takes
		text := parts[0].Text
		for _, p := range parts[1:] {
			text += "\n\n" + p.Text
		}
		out = append(out, chatMessage{Role: "user", Content: text})
	}
	return out
}

// resultText says what a call gave; a failure has to be said in words here.
func resultText(r *model.ToolResult) string {
	switch {
	case r.IsError && r.Text != "":
		return "Error: " + r.Text
	case r.IsError:
		return "Error: the call failed and gave no reason."
	case r.Text == "" && len(r.Images) > 0:
		return "The result is shown as a picture."
	case r.Text == "":
		return "The call succeeded and gave nothing."
	}
	return r.Text
}

func dataURL(img model.Image) string {
	return "data:" + img.MediaType + ";base64," + base64.StdEncoding.EncodeToString(img.Data)
}

func schemaOf(t model.Tool) json.RawMessage {
	if len(t.Schema) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.Schema
}

func choose(choice string, named func(string) any) any {
	switch choice {
	case model.ChooseFreely:
		return nil
	case model.ChooseNone:
		return "none"
	case model.ChooseAny:
		return "required"
	}
	return named(choice)
}
