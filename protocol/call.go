package protocol

import "encoding/json"

// Effect says what running a tool twice would mean.
type Effect string

const (
	EffectRead       Effect = "read"       // changes nothing
	EffectIdempotent Effect = "idempotent" // twice is the same as once
	EffectEffect     Effect = "effect"     // twice is twice
)

// ToolClass groups tools by what a person would want to be asked about.
type ToolClass string

const (
	ClassRead    ToolClass = "read"
	ClassWrite   ToolClass = "write"
	ClassExecute ToolClass = "execute"
	ClassBrowser ToolClass = "browser"
	ClassMCP     ToolClass = "mcp"
)

// ToolClasses lists every class of tools.
func ToolClasses() []ToolClass {
	return []ToolClass{ClassRead, ClassWrite, ClassExecute, ClassBrowser, ClassMCP}
}

// ToolStarted is recorded before a tool is called.
type ToolStarted struct {
	TurnID string `json:"turn_id"`
	// CallID is the model's own id of the call.
	CallID  string          `json:"call_id,omitempty"`
	Tool    string          `json:"tool"`
	Input   json.RawMessage `json:"input,omitempty"`
	Effect  Effect          `json:"effect"`
	Class   ToolClass       `json:"class"`
	TodoID  string          `json:"todo_id,omitempty"`
	Attempt int             `json:"attempt"`
	Preview string          `json:"preview,omitempty"`
}

// ToolCompleted ends a tool call.
type ToolCompleted struct {
	// CallID is the message_id of the tool_started it ends.
	CallID string `json:"call_id"`
	TurnID string `json:"turn_id,omitempty"`
	TodoID string `json:"todo_id,omitempty"`
	Tool   string `json:"tool"`
	OK     bool   `json:"ok"`
	// Output is what the model sees; its beginning only, if OutputBlob holds the whole.
	Output     string     `json:"output,omitempty"`
	OutputBlob *BlobRef   `json:"output_blob,omitempty"`
	Error      *TurnError `json:"error,omitempty"`
	DurationMS int64      `json:"duration_ms"`
}

// ToolProgress says what a running tool does.
type ToolProgress struct {
	CallID string `json:"call_id"`
	Tool   string `json:"tool"`
	// Status is running, complete or error.
	Status             string  `json:"status"`
	Text               string  `json:"text,omitempty"`
	ProgressPercentage float64 `json:"progress_percentage,omitempty"`
	TurnID             string  `json:"turn_id,omitempty"`
	TodoID             string  `json:"todo_id,omitempty"`
}
