package protocol

// What the commands about the past answer, in `ack.result` and over REST.

// RewindResult is what a move of the head comes to.
type RewindResult struct {
	// RewindID names it, for undoing; a preview has none.
	RewindID       string       `json:"rewind_id,omitempty"`
	Head           string       `json:"head"`
	MessagesHidden int          `json:"messages_hidden"`
	MessagesShown  int          `json:"messages_shown"`
	TodosChanged   int          `json:"todos_changed"`
	Status         Status       `json:"status"`
	Files          []FileChange `json:"files"`
	// Kept are files that a person has changed meanwhile and that stay as they are.
	Kept []KeptFile `json:"kept,omitempty"`
}

// KeptFile is a file that was not taken back.
type KeptFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	// Offer is where the version lies that would have taken its place.
	Offer string `json:"offer,omitempty"`
}

// Branch is a way that a session has gone.
type Branch struct {
	// Head is its last record: rewinding to it, with the target kept, goes back there.
	Head    string `json:"head"`
	Current bool   `json:"current"`
	// LeftBy is the rewind that left it; empty for the current one.
	LeftBy string `json:"left_by,omitempty"`
	// Since is the first record that is not on the current one.
	Since     string `json:"since,omitempty"`
	Records   int    `json:"records"`
	UpdatedAt Time   `json:"updated_at"`
	// Words is how the last thing said by a person there begins.
	Words string `json:"words,omitempty"`
}

// Condensation is what a summary came to.
type Condensation struct {
	CondenseID        string `json:"condense_id"`
	PrevContextTokens int    `json:"prev_context_tokens"`
	NewContextTokens  int    `json:"new_context_tokens"`
	Summary           string `json:"summary"`
}
