package protocol

// CheckpointSaved keeps the workspace as it was.
type CheckpointSaved struct {
	ID   string `json:"id"`
	Hash string `json:"hash"`
	// FromHash is the checkpoint before it.
	FromHash     string `json:"from_hash,omitempty"`
	Reason       string `json:"reason"`
	FilesChanged int    `json:"files_changed"`
	// Incomplete says that some files could not be kept; NotCaptured names them.
	Incomplete  bool     `json:"incomplete,omitempty"`
	NotCaptured []string `json:"not_captured,omitempty"`
	TurnID      string   `json:"turn_id,omitempty"`
	DurationMS  int64    `json:"duration_ms"`
}

// CheckpointFailed says that the workspace could not be kept.
type CheckpointFailed struct {
	Reason     string    `json:"reason"`
	Error      TurnError `json:"error"`
	TurnID     string    `json:"turn_id,omitempty"`
	DurationMS int64     `json:"duration_ms"`
}
