package protocol

// CheckpointSaved keeps the workspace as it was.
type CheckpointSaved struct {
	ID   string `json:"id"`
	Hash string `json:"hash"`
	// FromHash is the checkpoint before it: what lies between the two is what the
	// agent did. The one where a session started has none.
	FromHash string `json:"from_hash,omitempty"`
	// Paths are the files that were looked at; all if it is empty.
	Paths        []string `json:"paths,omitempty"`
	Reason       string   `json:"reason"`
	FilesChanged int      `json:"files_changed"`
	// Incomplete says that not all files could be looked at in time. NotCaptured
	// names some that lie there and are not in the checkpoint.
	Incomplete  bool     `json:"incomplete,omitempty"`
	NotCaptured []string `json:"not_captured,omitempty"`
	// NotCapturedMore is how many there are beside those.
	NotCapturedMore int    `json:"not_captured_more,omitempty"`
	TurnID          string `json:"turn_id,omitempty"`
	DurationMS      int64  `json:"duration_ms"`
}

// CheckpointRestored says that the files went back as a rewind asked.
type CheckpointRestored struct {
	RewindID string       `json:"rewind_id"`
	Files    []FileChange `json:"files"`
	// Kept are files that stay as they are, and why.
	Kept       []KeptFile `json:"kept,omitempty"`
	DurationMS int64      `json:"duration_ms"`
}

// CheckpointFailed says that the workspace could not be kept, or, for a rewind,
// not be taken back.
type CheckpointFailed struct {
	Reason     string    `json:"reason"`
	RewindID   string    `json:"rewind_id,omitempty"`
	Error      TurnError `json:"error"`
	TurnID     string    `json:"turn_id,omitempty"`
	DurationMS int64     `json:"duration_ms"`
}
