package protocol

import "encoding/json"

// SessionState is the payload of `session_state`: everything up to
// LastMessageID, folded.
type SessionState struct {
	Status        Status        `json:"status"`
	TaskState     TaskState     `json:"task_state"`
	CurrentLayer  Layer         `json:"current_layer,omitempty"`
	Plan          *PlanState    `json:"plan"`
	Todos         []Todo        `json:"todos"`
	HitlPending   *Request      `json:"hitl_pending"`
	HitlRequests  []Request     `json:"hitl_requests"`
	LastMessageID string        `json:"last_message_id"`
	OpenMessages  []OpenMessage `json:"open_messages"`
	Agents        []Agent       `json:"agents"`
	Monitors      []Monitor     `json:"monitors"`
	Windows       []Window      `json:"windows"`
	Queue         []QueueItem   `json:"queue"`
	Usage         Usage         `json:"usage"`
	Context       Context       `json:"context"`
	Checkpoint    string        `json:"checkpoint,omitempty"`
	Title         string        `json:"title"`
	Model         string        `json:"model"`
	Pipeline      Pipeline      `json:"pipeline"`
	Mode          string        `json:"mode"`
	AutoApprove   []string      `json:"auto_approve"`
	PlanReview    string        `json:"plan_review"`
	Pinned        bool          `json:"pinned,omitempty"`
	KeepDays      int           `json:"keep_days,omitempty"`
	Owner         string        `json:"owner"`
	Workspace     string        `json:"workspace,omitempty"`
	SessionID     string        `json:"session_id"`
	CreatedAt     Time          `json:"created_at"`
	UpdatedAt     Time          `json:"updated_at"`
	ParentID      string        `json:"parent_id,omitempty"`
	RootID        string        `json:"root_id,omitempty"`
	ForkedFrom    string        `json:"forked_from,omitempty"`
	// Settings are those that hold for this session alone, by key; model, mode and
	// auto_approve are among them if they are set.
	Settings map[string]json.RawMessage `json:"settings,omitempty"`
	// Resync says that the cursor the client came with is not one of this
	// session: it should forget what it had.
	Resync bool `json:"resync,omitempty"`
}

// OpenMessage is a text that is still being written.
type OpenMessage struct {
	OpenID    string `json:"open_id"`
	AgentID   string `json:"agent_id"`
	Say       Say    `json:"say"`
	Text      string `json:"text"`
	NextIndex int    `json:"next_index"`
}

// Agent is one worker of a session.
type Agent struct {
	AgentID   string `json:"agent_id"`
	Kind      string `json:"kind"`
	MonitorID string `json:"monitor_id,omitempty"`
	Status    string `json:"status"`
}

// Monitor is a virtual desktop of a session.
type Monitor struct {
	MonitorID string `json:"monitor_id"`
}

// QueueItem is a user's message that waits for its turn.
type QueueItem struct {
	MessageID string `json:"message_id"`
	Content   string `json:"content"`
	// ContentBlob holds the whole content when it was too long for a record.
	ContentBlob *BlobRef `json:"content_blob,omitempty"`
	Images      []string `json:"images,omitempty"`
	MonitorID   string   `json:"monitor_id,omitempty"`
	By          string   `json:"by,omitempty"`
	Timestamp   Time     `json:"timestamp"`
}

// Context says how full the model's window is.
type Context struct {
	Tokens int64 `json:"tokens"`
	Window int64 `json:"window"`
}

// Ack answers a command that carried its own message_id.
type Ack struct {
	InReplyTo string `json:"in_reply_to"`
	OK        bool   `json:"ok"`
	// MessageID is the first record the command gave.
	MessageID string `json:"message_id,omitempty"`
	// Result is what REST answers to the same command, where it answers more
	// than that it was done.
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// Delta is the payload of `agent_response` and `agent_thinking`: the next piece
// of an open message.
type Delta struct {
	OpenID string `json:"open_id"`
	Index  int    `json:"index"`
	Delta  string `json:"delta"`
	// FromIndex is set in a joined delta, which a client gets when it joins or
	// fell behind: it stands for all deltas from there to Index, and its text
	// replaces what they brought.
	FromIndex  *int `json:"from_index,omitempty"`
	IsComplete bool `json:"is_complete"`
}

// Empty is the payload of types that carry none.
type Empty struct{}

// AuthResult answers `auth`.
type AuthResult struct {
	OK    bool   `json:"ok"`
	User  string `json:"user,omitempty"`
	Role  string `json:"role,omitempty"`
	Error *Error `json:"error,omitempty"`
}
