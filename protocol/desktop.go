package protocol

import "encoding/json"

// Window is an open window of a session.
type Window struct {
	WindowID  string          `json:"window_id"`
	MonitorID string          `json:"monitor_id,omitempty"`
	Title     string          `json:"title"`
	Bounds    *Bounds         `json:"bounds,omitempty"`
	Renderer  string          `json:"renderer,omitempty"`
	Content   json.RawMessage `json:"content,omitempty"`
	AgentID   string          `json:"agent_id,omitempty"`
	// GroupID joins windows that share one agent.
	GroupID   string `json:"group_id,omitempty"`
	Minimized bool   `json:"minimized,omitempty"`
	Locked    bool   `json:"locked,omitempty"`
}

// Bounds is where a window stands.
type Bounds struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// Interaction is something a person did on the desktop.
type Interaction struct {
	// Type is such as window.close, window.focus, window.move, window.resize, draw.
	Type      string          `json:"type"`
	Timestamp Time            `json:"timestamp,omitzero"`
	WindowID  string          `json:"window_id,omitempty"`
	Bounds    *Bounds         `json:"bounds,omitempty"`
	Details   string          `json:"details,omitempty"`
	Image     string          `json:"image,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
}

// WindowAgentStatus tells of the agent behind a window.
type WindowAgentStatus struct {
	WindowID string `json:"window_id"`
	AgentID  string `json:"agent_id"`
	// Status is assigned, active or released.
	Status  string `json:"status"`
	GroupID string `json:"group_id,omitempty"`
}

// Actions are what an agent does to the desktop, in order.
type Actions struct {
	Actions []Action `json:"actions"`
	TurnID  string   `json:"turn_id,omitempty"`
}

// Action is one change of the desktop.
type Action struct {
	// Type is such as window.create, window.set_content, notification.show.
	Type     string          `json:"type"`
	WindowID string          `json:"window_id,omitempty"`
	Params   json.RawMessage `json:"params,omitempty"`
}

// MonitorAdded opens a virtual desktop.
type MonitorAdded struct {
	MonitorID string `json:"monitor_id"`
	AgentID   string `json:"agent_id"`
	By        string `json:"by,omitempty"`
}

// MonitorRemoved closes a virtual desktop.
type MonitorRemoved struct {
	MonitorID string `json:"monitor_id"`
	Reason    string `json:"reason,omitempty"`
	By        string `json:"by,omitempty"`
}

// ConnectionStatus tells whether the model provider answers.
type ConnectionStatus struct {
	// Status is connected, disconnected or error.
	Status   string `json:"status"`
	Provider string `json:"provider"`
	Model    string `json:"model,omitempty"`
	Message  string `json:"message,omitempty"`
}

// AppProtocolRequest asks the app in a window for its state, or to do something.
type AppProtocolRequest struct {
	RequestID string `json:"request_id"`
	WindowID  string `json:"window_id"`
	// Kind is manifest, query or command.
	Kind      string          `json:"kind"`
	Name      string          `json:"name,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	TimeoutMS int64           `json:"timeout_ms,omitempty"`
}
