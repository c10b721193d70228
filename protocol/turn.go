package protocol

import "encoding/json"

// MessageAccepted says that a user's message went to an agent.
type MessageAccepted struct {
	AgentID string `json:"agent_id"`
	TurnID  string `json:"turn_id"`
	// Steered marks a message that joined a running turn.
	Steered bool   `json:"steered,omitempty"`
	By      string `json:"by,omitempty"`
}

// MessageQueued keeps a user's message until its turn can start.
type MessageQueued struct {
	Position int    `json:"position"`
	Content  string `json:"content"`
	// ContentBlob holds the whole content when it was too long for a record.
	ContentBlob *BlobRef `json:"content_blob,omitempty"`
	Images      []string `json:"images,omitempty"`
	By          string   `json:"by,omitempty"`
}

// QueueChanged gives the ids of the waiting messages in their new order. An id
// missing from it was deleted or has started.
type QueueChanged struct {
	Queue  []string `json:"queue"`
	Reason string   `json:"reason"`
	By     string   `json:"by,omitempty"`
}

// TurnStarted begins the work on one input by one agent.
type TurnStarted struct {
	TurnID   string   `json:"turn_id"`
	AgentID  string   `json:"agent_id"`
	Pipeline Pipeline `json:"pipeline"`
	// Input is the message_id of the message_accepted or message_queued that brought the words.
	Input string `json:"input,omitempty"`
}

// LayerStart begins a stage of a turn.
type LayerStart struct {
	Layer       Layer  `json:"layer"`
	Description string `json:"description,omitempty"`
	TurnID      string `json:"turn_id"`
}

// LayerComplete ends a stage of a turn.
type LayerComplete struct {
	Layer      Layer           `json:"layer"`
	Result     json.RawMessage `json:"result,omitempty"`
	NextLayer  Layer           `json:"next_layer,omitempty"`
	DurationMS int64           `json:"duration_ms"`
	TurnID     string          `json:"turn_id"`
}

// ModelStarted is recorded before a model is called.
type ModelStarted struct {
	TurnID  string `json:"turn_id"`
	Layer   Layer  `json:"layer,omitempty"`
	Model   string `json:"model"`
	Attempt int    `json:"attempt"`
	// Purpose says what the call is for: turn, record_intent, propose_plan, respond.
	Purpose string `json:"purpose,omitempty"`
}

// ModelCompleted ends a model call.
type ModelCompleted struct {
	TurnID string `json:"turn_id"`
	// Call is the message_id of the model_started it ends.
	Call       string `json:"call"`
	Model      string `json:"model"`
	StopReason string `json:"stop_reason"`
	Usage      Usage  `json:"usage"`
	DurationMS int64  `json:"duration_ms"`
	// ContextWindow is how many tokens the model can take.
	ContextWindow int64      `json:"context_window,omitempty"`
	Error         *TurnError `json:"error,omitempty"`
	// RetryAt is when the call is tried again, if it is.
	RetryAt *Time `json:"retry_at,omitempty"`
	// ToolCalls is what the model wants to be done next.
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	// Vendor is what the model's adapter wants to see again, word for word.
	Vendor []json.RawMessage `json:"vendor,omitempty"`
}

// TurnError is what went wrong inside a turn; its code is a word.
type TurnError struct {
	Code        string `json:"code"`
	Message     string `json:"message"`
	FailedTodo  string `json:"failed_todo,omitempty"`
	Recoverable bool   `json:"recoverable"`
}

// Complete ends a turn that did what was asked.
type Complete struct {
	Status      string     `json:"status"`
	Response    Response   `json:"response"`
	Statistics  Statistics `json:"statistics"`
	ReportPaths []string   `json:"report_paths,omitempty"`
	TurnID      string     `json:"turn_id"`
}

// Response is the answer of a turn. A text longer than the limit is cut: the
// whole stands in the message that MessageID names.
type Response struct {
	Format      string       `json:"format"`
	Text        string       `json:"text"`
	Truncated   bool         `json:"truncated,omitempty"`
	MessageID   string       `json:"message_id,omitempty"`
	Summary     string       `json:"summary,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	NextActions []string     `json:"next_actions,omitempty"`
}

// Attachment is a file that belongs to an answer.
type Attachment struct {
	Type  string `json:"type"`
	Title string `json:"title,omitempty"`
	URL   string `json:"url"`
}

// Statistics sums up a turn.
type Statistics struct {
	TotalTodos      int     `json:"total_todos"`
	Completed       int     `json:"completed"`
	Failed          int     `json:"failed"`
	ExecutionTimeMS int64   `json:"execution_time_ms"`
	TokensUsed      int64   `json:"tokens_used"`
	CostUSD         float64 `json:"cost_usd"`
	Usage           Usage   `json:"usage"`
}

// Failed ends a turn that did not do what was asked: failed or cancelled.
type Failed struct {
	Status         Status          `json:"status"`
	Error          TurnError       `json:"error"`
	PartialResults *PartialResults `json:"partial_results,omitempty"`
	Statistics     *Statistics     `json:"statistics,omitempty"`
	TurnID         string          `json:"turn_id"`
	By             string          `json:"by,omitempty"`
}

// PartialResults is what a failed turn has got done.
type PartialResults struct {
	CompletedTodos []string        `json:"completed_todos"`
	AvailableData  json.RawMessage `json:"available_data,omitempty"`
}
