package protocol

import "encoding/json"

// InputType is the kind of answer a request wants.
type InputType string

const (
	InputText        InputType = "text"
	InputChoice      InputType = "choice"
	InputMultiChoice InputType = "multi_choice"
	InputNumber      InputType = "number"
	InputConfirm     InputType = "confirm"
	InputDate        InputType = "date"
)

// Request is an open request as session_state lists it. Type is the record
// that opened it; the other fields are those of that record.
type Request struct {
	RequestID     string          `json:"request_id"`
	Type          Type            `json:"type"`
	PlanID        string          `json:"plan_id,omitempty"`
	Plan          *PlanReview     `json:"plan,omitempty"`
	TodoID        string          `json:"todo_id,omitempty"`
	Todo          *Todo           `json:"todo,omitempty"`
	CallID        string          `json:"call_id,omitempty"`
	Tool          string          `json:"tool,omitempty"`
	Class         ToolClass       `json:"class,omitempty"`
	Input         json.RawMessage `json:"input,omitempty"`
	Preview       string          `json:"preview,omitempty"`
	Message       string          `json:"message,omitempty"`
	Reason        string          `json:"reason,omitempty"`
	Field         string          `json:"field,omitempty"`
	OriginalInput string          `json:"original_input,omitempty"`
	Ambiguity     string          `json:"ambiguity,omitempty"`
	Question      string          `json:"question,omitempty"`
	InputType     InputType       `json:"input_type,omitempty"`
	Options       []Option        `json:"options,omitempty"`
	Suggestions   []string        `json:"suggestions,omitempty"`
	DefaultValue  json.RawMessage `json:"default_value,omitempty"`
	Required      bool            `json:"required,omitempty"`
	// Ask is the kind of the message that asks, Ts that message's ts.
	Ask        Ask    `json:"ask,omitempty"`
	Ts         int64  `json:"ts,omitempty"`
	TimeoutSec int    `json:"timeout_sec,omitempty"`
	CreatedAt  Time   `json:"created_at"`
	ExpiresAt  Time   `json:"expires_at,omitzero"`
	AgentID    string `json:"agent_id,omitempty"`
	TurnID     string `json:"turn_id,omitempty"`
}

// PlanReview is a plan as a person sees it before it runs.
type PlanReview struct {
	Todos                []Todo              `json:"todos"`
	DependencyGraph      map[string][]string `json:"dependency_graph,omitempty"`
	EstimatedDurationSec float64             `json:"estimated_duration_sec,omitempty"`
	EstimatedCostUSD     float64             `json:"estimated_cost_usd,omitempty"`
	MermaidDiagram       string              `json:"mermaid_diagram,omitempty"`
	Summary              string              `json:"summary,omitempty"`
}

// HitlPlanReview asks whether a plan may run.
type HitlPlanReview struct {
	RequestID  string     `json:"request_id"`
	PlanID     string     `json:"plan_id"`
	Plan       PlanReview `json:"plan"`
	Message    string     `json:"message"`
	Options    []string   `json:"options"`
	TimeoutSec int        `json:"timeout_sec,omitempty"`
	ExpiresAt  Time       `json:"expires_at,omitzero"`
	TurnID     string     `json:"turn_id,omitempty"`
	// CallID names the call that waits for the answer.
	CallID string `json:"call_id,omitempty"`
}

// HitlApprovalRequest asks whether a todo or a tool call may run.
type HitlApprovalRequest struct {
	RequestID string `json:"request_id"`
	TodoID    string `json:"todo_id,omitempty"`
	Todo      *Todo  `json:"todo,omitempty"`
	// CallID, Tool, Class, Input and Preview tell which call waits.
	CallID     string          `json:"call_id,omitempty"`
	Tool       string          `json:"tool,omitempty"`
	Class      ToolClass       `json:"class,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"`
	Preview    string          `json:"preview,omitempty"`
	Reason     string          `json:"reason"`
	Options    []string        `json:"options"`
	TimeoutSec int             `json:"timeout_sec,omitempty"`
	ExpiresAt  Time            `json:"expires_at,omitzero"`
	TurnID     string          `json:"turn_id,omitempty"`
}

// HitlInputRequest asks for a value.
type HitlInputRequest struct {
	RequestID    string          `json:"request_id"`
	Field        string          `json:"field"`
	Question     string          `json:"question"`
	InputType    InputType       `json:"input_type"`
	Options      []Option        `json:"options,omitempty"`
	Required     bool            `json:"required"`
	DefaultValue json.RawMessage `json:"default_value,omitempty"`
	TimeoutSec   int             `json:"timeout_sec,omitempty"`
	ExpiresAt    Time            `json:"expires_at,omitzero"`
	TodoID       string          `json:"todo_id,omitempty"`
	// CallID names the call that waits for the answer.
	CallID string `json:"call_id,omitempty"`
	TurnID string `json:"turn_id,omitempty"`
	// Ask is the kind of the message that asks.
	Ask         Ask      `json:"ask,omitempty"`
	Suggestions []string `json:"suggestions,omitempty"`
}

// HitlClarification asks what was meant.
type HitlClarification struct {
	RequestID     string    `json:"request_id"`
	OriginalInput string    `json:"original_input"`
	Ambiguity     string    `json:"ambiguity"`
	Question      string    `json:"question"`
	InputType     InputType `json:"input_type"`
	Suggestions   []string  `json:"suggestions,omitempty"`
	Required      bool      `json:"required"`
	TimeoutSec    int       `json:"timeout_sec,omitempty"`
	ExpiresAt     Time      `json:"expires_at,omitzero"`
	TurnID        string    `json:"turn_id,omitempty"`
	// CallID names the call that waits for the answer.
	CallID string `json:"call_id,omitempty"`
}

// HitlResolved closes a request: answered, expired or withdrawn.
type HitlResolved struct {
	RequestID   string          `json:"request_id"`
	Action      string          `json:"action"`
	Value       json.RawMessage `json:"value,omitempty"`
	Instruction string          `json:"instruction,omitempty"`
	Comment     string          `json:"comment,omitempty"`
	Reason      string          `json:"reason,omitempty"`
	Remember    Remember        `json:"remember,omitempty"`
	// Field is what an input request asked for.
	Field string `json:"field,omitempty"`
	// Tool is the tool that a remembered choice is about.
	Tool     string `json:"tool,omitempty"`
	By       string `json:"by"`
	ClientID string `json:"client_id,omitempty"`
}

// HitlPaused stops the work until someone resumes it.
type HitlPaused struct {
	PausedBy       string   `json:"paused_by"`
	Reason         string   `json:"reason,omitempty"`
	CurrentTodo    string   `json:"current_todo,omitempty"`
	CompletedTodos []string `json:"completed_todos"`
	CanResume      bool     `json:"can_resume"`
	TurnID         string   `json:"turn_id,omitempty"`
}

// Resumed goes on with paused work.
type Resumed struct {
	ResumedBy string `json:"resumed_by"`
	TurnID    string `json:"turn_id,omitempty"`
}
