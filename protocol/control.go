package protocol

import "encoding/json"

// ControlPause stops the work at the next safe point.
type ControlPause struct {
	Reason string `json:"reason,omitempty"`
}

// ControlResume goes on, after changing the plan if it says so.
type ControlResume struct {
	Modifications []PlanChange `json:"modifications,omitempty"`
}

// ControlRetry tries a failed todo again.
type ControlRetry struct {
	TodoID string `json:"todo_id"`
}

// ControlSkip leaves a todo out.
type ControlSkip struct {
	TodoID string `json:"todo_id"`
	Reason string `json:"reason,omitempty"`
}

// InterruptAgent stops one agent, named by its id or its role.
type InterruptAgent struct {
	AgentID string `json:"agent_id,omitempty"`
	Role    string `json:"role,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// Reset stops what runs and rewinds to the start.
type Reset struct {
	Reason string `json:"reason,omitempty"`
}

// PlanEdit changes the plan.
type PlanEdit struct {
	PlanID  string       `json:"plan_id,omitempty"`
	Changes []PlanChange `json:"changes"`
}

// QueueEdit puts waiting messages in another order, or removes some.
type QueueEdit struct {
	// Order names the first ones; the rest follow as they were.
	Order  []string `json:"order,omitempty"`
	Remove []string `json:"remove,omitempty"`
}

// UpdateSettings changes the caller's settings; null removes one.
type UpdateSettings struct {
	Settings map[string]json.RawMessage `json:"settings"`
}

// SetProvider changes the model, or the provider with its default model.
type SetProvider struct {
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
}

// SettingsChanged names the settings that have changed.
type SettingsChanged struct {
	Keys []string `json:"keys"`
}
