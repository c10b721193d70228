package protocol

import "encoding/json"

// Auth is the first message of a connection that did not bring a token.
type Auth struct {
	Token  string `json:"token,omitempty"`
	APIKey string `json:"api_key,omitempty"`
}

// UserMessage is what a person says to the session's agent.
type UserMessage struct {
	Content      string        `json:"content"`
	Images       []string      `json:"images,omitempty"`
	MonitorID    string        `json:"monitor_id,omitempty"`
	Interactions []Interaction `json:"interactions,omitempty"`
	When         When          `json:"when,omitempty"`
}

// When says what becomes of a message that comes while the agent works.
type When string

const (
	WhenSteer     When = "steer"
	WhenQueue     When = "queue"
	WhenInterrupt When = "interrupt"
)

// ControlCancel stops what runs. `interrupt` is the same.
type ControlCancel struct {
	Reason string `json:"reason,omitempty"`
}

// UpdateSession changes what is set.
type UpdateSession struct {
	Title       *string   `json:"title,omitempty"`
	Model       *string   `json:"model,omitempty"`
	Pipeline    *Pipeline `json:"pipeline,omitempty"`
	Mode        *string   `json:"mode,omitempty"`
	AutoApprove *[]string `json:"auto_approve,omitempty"`
	PlanReview  *string   `json:"plan_review,omitempty"`
	Pinned      *bool     `json:"pinned,omitempty"`
	KeepDays    *int      `json:"keep_days,omitempty"`
	// Settings are changes of those that hold for this session alone; null
	// removes one.
	Settings map[string]json.RawMessage `json:"settings,omitempty"`
}
