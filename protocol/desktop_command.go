package protocol

import "encoding/json"

// WindowMessage is what a person says to the agent of a window.
type WindowMessage struct {
	WindowID string   `json:"window_id"`
	Content  string   `json:"content"`
	Images   []string `json:"images,omitempty"`
}

// ComponentAction is a click in a window.
type ComponentAction struct {
	WindowID string `json:"window_id"`
	Action   string `json:"action"`
	// ActionID lets the click run beside others of the same window.
	ActionID      string          `json:"action_id,omitempty"`
	FormID        string          `json:"form_id,omitempty"`
	FormData      json.RawMessage `json:"form_data,omitempty"`
	ComponentPath []string        `json:"component_path,omitempty"`
}

// RenderingFeedback says whether a window could be drawn.
type RenderingFeedback struct {
	WindowID  string `json:"window_id"`
	RequestID string `json:"request_id,omitempty"`
	Renderer  string `json:"renderer,omitempty"`
	Success   bool   `json:"success"`
	Error     string `json:"error,omitempty"`
	Image     string `json:"image,omitempty"`
}

// ToastAction closes a toast that offered to repeat cached actions.
type ToastAction struct {
	ToastID string `json:"toast_id"`
	EventID string `json:"event_id,omitempty"`
	Action  string `json:"action"`
}

// UserInteraction is a batch of what a person did on the desktop.
type UserInteraction struct {
	Interactions []Interaction `json:"interactions"`
}

// AppProtocolResponse is what the app in a window answers.
type AppProtocolResponse struct {
	RequestID string          `json:"request_id"`
	WindowID  string          `json:"window_id"`
	Response  json.RawMessage `json:"response,omitempty"`
	Error     string          `json:"error,omitempty"`
}

// AppProtocolReady says that the app in a window takes requests.
type AppProtocolReady struct {
	WindowID string          `json:"window_id"`
	Manifest json.RawMessage `json:"manifest,omitempty"`
}

// SubscribeMonitor asks for the records of one monitor only.
type SubscribeMonitor struct {
	MonitorID string `json:"monitor_id"`
}

// RemoveMonitor closes a monitor other than the default one.
type RemoveMonitor struct {
	MonitorID string `json:"monitor_id"`
	Reason    string `json:"reason,omitempty"`
}
