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

// Approval says what lets a tool call run.
type Approval string

const (
	ApprovalAuto Approval = "auto" // settings or a remembered choice allow it
	ApprovalAsk  Approval = "ask"  // a person is asked
	ApprovalCore Approval = "core" // the session itself carries it out
	ApprovalNone Approval = "none" // it cannot run: unknown, malformed, or forbidden
)

// ToolCall is a tool that a model asked for.
type ToolCall struct {
	CallID string `json:"call_id"`
	// UseID is the model's own id of the call.
	UseID    string          `json:"use_id,omitempty"`
	Tool     string          `json:"tool"`
	Input    json.RawMessage `json:"input,omitempty"`
	Class    ToolClass       `json:"class,omitempty"`
	Effect   Effect          `json:"effect,omitempty"`
	Approval Approval        `json:"approval"`
}

// ToolStarted is recorded before a tool is called.
type ToolStarted struct {
	TurnID  string          `json:"turn_id"`
	CallID  string          `json:"call_id"`
	Tool    string          `json:"tool"`
	Input   json.RawMessage `json:"input,omitempty"`
	Effect  Effect          `json:"effect"`
	Class   ToolClass       `json:"class"`
	TodoID  string          `json:"todo_id,omitempty"`
	Attempt int             `json:"attempt"`
	Preview string          `json:"preview,omitempty"`
	// ChildID is the session that the call hands the work to.
	ChildID string `json:"child_id,omitempty"`
}

// ToolCompleted ends a tool call.
type ToolCompleted struct {
	CallID string `json:"call_id"`
	TurnID string `json:"turn_id,omitempty"`
	TodoID string `json:"todo_id,omitempty"`
	Tool   string `json:"tool"`
	OK     bool   `json:"ok"`
	// Output is what the model sees; its beginning only, if OutputBlob holds the whole.
	Output     string   `json:"output,omitempty"`
	OutputBlob *BlobRef `json:"output_blob,omitempty"`
	// Images are what the model is shown.
	Images     []string   `json:"images,omitempty"`
	Error      *TurnError `json:"error,omitempty"`
	DurationMS int64      `json:"duration_ms"`
	// Summary is a few facts for people and for plans.
	Summary json.RawMessage `json:"summary,omitempty"`
	// Retry says that this attempt was interrupted and the call runs again: it
	// is no result.
	Retry bool `json:"retry,omitempty"`
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
	// OpenID, Index and FromIndex are set when Text is the next piece of what
	// the tool prints: an open message, with the rules of its deltas.
	OpenID    string `json:"open_id,omitempty"`
	Index     int    `json:"index,omitempty"`
	FromIndex *int   `json:"from_index,omitempty"`
}
