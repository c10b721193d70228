package protocol

// Rewind moves the head of the session: to a record, or to a visible message
// by its ts or its index.
type Rewind struct {
	To    string `json:"to,omitempty"`
	Ts    *int64 `json:"ts,omitempty"`
	Index *int   `json:"index,omitempty"`
	// IncludeTarget keeps the target itself.
	IncludeTarget bool `json:"include_target,omitempty"`
	// Files takes the workspace back too.
	Files bool `json:"files,omitempty"`
	// Preview only says what would happen.
	Preview bool `json:"preview,omitempty"`
}

// RewindUndo moves the head to just before a rewind: the latest if none is named.
type RewindUndo struct {
	RewindID string `json:"rewind_id,omitempty"`
}

// Fork copies the session up to a record: up to its head if none is named.
type Fork struct {
	At        string `json:"at,omitempty"`
	SessionID string `json:"session_id,omitempty"`
	Title     string `json:"title,omitempty"`
}

// Condense replaces what a model sees of the past by a summary.
type Condense struct {
	AgentID string `json:"agent_id,omitempty"`
}

// EditMessage rewinds to before a message and says it anew.
type EditMessage struct {
	Ts        *int64   `json:"ts,omitempty"`
	MessageID string   `json:"message_id,omitempty"`
	Content   string   `json:"content"`
	Images    []string `json:"images,omitempty"`
	Files     bool     `json:"files,omitempty"`
}

// DeleteMessage rewinds to before a message.
type DeleteMessage struct {
	Ts        *int64 `json:"ts,omitempty"`
	MessageID string `json:"message_id,omitempty"`
	Files     bool   `json:"files,omitempty"`
}

// CheckpointRestore takes the workspace back to a checkpoint.
type CheckpointRestore struct {
	CheckpointID string `json:"checkpoint_id"`
	// Conversation takes the conversation back too.
	Conversation bool `json:"conversation,omitempty"`
	Preview      bool `json:"preview,omitempty"`
}
