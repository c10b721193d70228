package protocol

import "encoding/json"

// TodoStarted begins the work on a todo.
type TodoStarted struct {
	TodoID               string  `json:"todo_id"`
	Task                 string  `json:"task"`
	Tool                 string  `json:"tool,omitempty"`
	Profile              string  `json:"profile,omitempty"`
	EstimatedDurationSec float64 `json:"estimated_duration_sec,omitempty"`
	PlanID               string  `json:"plan_id,omitempty"`
	AgentID              string  `json:"agent_id,omitempty"`
	Attempt              int     `json:"attempt,omitempty"`
	TurnID               string  `json:"turn_id,omitempty"`
	// CallID and Approval tell of the tool call that the todo is.
	CallID   string    `json:"call_id,omitempty"`
	Approval Approval  `json:"approval,omitempty"`
	Class    ToolClass `json:"class,omitempty"`
	Effect   Effect    `json:"effect,omitempty"`
}

// TodoProgress says how far a todo has come.
type TodoProgress struct {
	TodoID             string  `json:"todo_id"`
	ProgressPercentage float64 `json:"progress_percentage"`
	CurrentStep        string  `json:"current_step,omitempty"`
	ItemsProcessed     int64   `json:"items_processed,omitempty"`
	ItemsTotal         int64   `json:"items_total,omitempty"`
}

// TodoCompleted ends a todo that did its task.
type TodoCompleted struct {
	TodoID        string          `json:"todo_id"`
	Task          string          `json:"task"`
	Status        TodoStatus      `json:"status"`
	ResultSummary json.RawMessage `json:"result_summary,omitempty"`
	DurationMS    int64           `json:"duration_ms"`
	// NextTodos are those that became ready.
	NextTodos []string `json:"next_todos"`
	// ResultID is the message_id of the tool_completed that holds the result.
	ResultID string `json:"result_id,omitempty"`
}

// TodoFailed ends an attempt at a todo.
type TodoFailed struct {
	TodoID     string     `json:"todo_id"`
	Task       string     `json:"task"`
	Status     TodoStatus `json:"status"`
	Error      TurnError  `json:"error"`
	RetryCount int        `json:"retry_count"`
	MaxRetries int        `json:"max_retries"`
	// RetryAt is when it is tried again by itself, if it is.
	RetryAt    Time  `json:"retry_at,omitzero"`
	DurationMS int64 `json:"duration_ms,omitempty"`
}

// TodoSkipped leaves a todo out.
type TodoSkipped struct {
	TodoID    string     `json:"todo_id"`
	Task      string     `json:"task"`
	Status    TodoStatus `json:"status"`
	Reason    string     `json:"reason,omitempty"`
	SkippedBy string     `json:"skipped_by,omitempty"`
	NextTodos []string   `json:"next_todos,omitempty"`
}

// ExecutionProgress counts the todos of the running plan.
type ExecutionProgress struct {
	TotalTodos         int          `json:"total_todos"`
	Completed          int          `json:"completed"`
	InProgress         int          `json:"in_progress"`
	Pending            int          `json:"pending"`
	Failed             int          `json:"failed"`
	Skipped            int          `json:"skipped"`
	Cancelled          int          `json:"cancelled,omitempty"`
	ProgressPercentage float64      `json:"progress_percentage"`
	CurrentTodo        *CurrentTodo `json:"current_todo,omitempty"`
	PlanID             string       `json:"plan_id,omitempty"`
	// Status is the plan's, once it has ended.
	Status PlanStatus `json:"status,omitempty"`
}

// CurrentTodo names a todo that is being worked on.
type CurrentTodo struct {
	ID   string `json:"id"`
	Task string `json:"task"`
}
