package protocol

import "encoding/json"

// Answers to requests. The words a request offers are in its options.
const (
	ActionApprove = "approve"
	ActionModify  = "modify"
	ActionReject  = "reject"
	ActionSkip    = "skip"
	// ActionAnswer closes an input request or a clarification.
	ActionAnswer = "answer"
	// ActionExpire and ActionWithdraw close a request that nobody answered.
	ActionExpire   = "expire"
	ActionWithdraw = "withdraw"
)

// Remember says how long an approval holds.
type Remember string

const (
	RememberOnce    Remember = "once"
	RememberSession Remember = "session"
	RememberAlways  Remember = "always"
	RememberNever   Remember = "never"
)

// HitlPlanResponse answers a plan review.
type HitlPlanResponse struct {
	RequestID string `json:"request_id"`
	Action    string `json:"action"`
	// Instruction says what to change, with action modify.
	Instruction string `json:"instruction,omitempty"`
	Comment     string `json:"comment,omitempty"`
	Reason      string `json:"reason,omitempty"`
}

// HitlApprovalResponse answers an approval request.
type HitlApprovalResponse struct {
	RequestID string   `json:"request_id"`
	TodoID    string   `json:"todo_id,omitempty"`
	Action    string   `json:"action"`
	Comment   string   `json:"comment,omitempty"`
	Reason    string   `json:"reason,omitempty"`
	Remember  Remember `json:"remember,omitempty"`
}

// HitlInputResponse answers an input request.
type HitlInputResponse struct {
	RequestID string          `json:"request_id"`
	Field     string          `json:"field,omitempty"`
	Value     json.RawMessage `json:"value"`
	Comment   string          `json:"comment,omitempty"`
}

// HitlClarificationResponse answers a clarification.
type HitlClarificationResponse struct {
	RequestID string          `json:"request_id"`
	Value     json.RawMessage `json:"value"`
	Comment   string          `json:"comment,omitempty"`
}

// DialogFeedback answers an approval request from a yes-or-no dialog.
type DialogFeedback struct {
	RequestID string   `json:"request_id"`
	Confirmed bool     `json:"confirmed"`
	Remember  Remember `json:"remember,omitempty"`
}

// UserPromptResponse answers an input request from a prompt window.
type UserPromptResponse struct {
	RequestID      string   `json:"request_id"`
	SelectedValues []string `json:"selected_values,omitempty"`
	Text           string   `json:"text,omitempty"`
	// Dismissed closes the prompt without an answer.
	Dismissed bool `json:"dismissed,omitempty"`
}
