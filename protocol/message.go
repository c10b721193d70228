package protocol

import "encoding/json"

// MessageKind says whether a message asks for an answer or only says something.
type MessageKind string

const (
	KindAsk MessageKind = "ask"
	KindSay MessageKind = "say"
)

// MessageRecord is the payload of the record `message`.
type MessageRecord struct {
	Action  MessageAction `json:"action"`
	Message Message       `json:"message"`
	// OpenID names the open message that this one finishes.
	OpenID string `json:"open_id,omitempty"`
	// RequestID names the request that this ask belongs to.
	RequestID string `json:"request_id,omitempty"`
	TurnID    string `json:"turn_id,omitempty"`
	// Role is who speaks: user, assistant or system.
	Role Role `json:"role,omitempty"`
}

// MessageAction tells a new message from a new version of one (same ts).
type MessageAction string

const (
	MessageCreated MessageAction = "created"
	MessageUpdated MessageAction = "updated"
)

// Role is who speaks.
type Role string

const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleSystem    Role = "system"
)

// Message is one entry of the ui history. Its field names are those that
// editors' task folders use.
type Message struct {
	// Ts is milliseconds since 1970, unique and rising in a session.
	Ts     int64       `json:"ts"`
	Type   MessageKind `json:"type"`
	Ask    Ask         `json:"ask,omitempty"`
	Say    Say         `json:"say,omitempty"`
	Text   string      `json:"text,omitempty"`
	Images []string    `json:"images,omitempty"`
	// TextBlob holds the whole text when it was too long for a record; Text is
	// then its beginning.
	TextBlob *BlobRef `json:"text_blob,omitempty"`
	// Partial marks a text whose writing was interrupted.
	Partial                  bool            `json:"partial,omitempty"`
	Reasoning                string          `json:"reasoning,omitempty"`
	ConversationHistoryIndex *int            `json:"conversationHistoryIndex,omitempty"`
	Checkpoint               json.RawMessage `json:"checkpoint,omitempty"`
	ProgressStatus           *ProgressStatus `json:"progressStatus,omitempty"`
	ContextCondense          *Condensed      `json:"contextCondense,omitempty"`
	ContextTruncation        *Truncated      `json:"contextTruncation,omitempty"`
	IsProtected              bool            `json:"isProtected,omitempty"`
	APIProtocol              string          `json:"apiProtocol,omitempty"`
	IsAnswered               bool            `json:"isAnswered,omitempty"`
}

// BlobRef points to a payload kept beside the journal, by the hash of its content.
type BlobRef struct {
	Hash      string `json:"hash"`
	Size      int64  `json:"size"`
	MediaType string `json:"media_type,omitempty"`
}

// ProgressStatus is how far a tool has come.
type ProgressStatus struct {
	Icon string `json:"icon,omitempty"`
	Text string `json:"text,omitempty"`
}

// Condensed says what a summary covers.
type Condensed struct {
	Cost              float64 `json:"cost"`
	PrevContextTokens int     `json:"prevContextTokens"`
	NewContextTokens  int     `json:"newContextTokens"`
	Summary           string  `json:"summary"`
	CondenseID        string  `json:"condenseId,omitempty"`
	// KeepsFrom is the first record that the model is still told word for word.
	KeepsFrom string `json:"keepsFrom,omitempty"`
}

// Truncated says what a sliding window hides.
type Truncated struct {
	TruncationID      string `json:"truncationId"`
	MessagesRemoved   int    `json:"messagesRemoved"`
	PrevContextTokens int    `json:"prevContextTokens"`
	NewContextTokens  int    `json:"newContextTokens"`
	// KeepsFrom is the first record that the model is still told.
	KeepsFrom string `json:"keepsFrom,omitempty"`
}
