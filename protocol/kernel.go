package protocol

import "encoding/json"

// KernelStatus says what a Jupyter kernel does.
type KernelStatus struct {
	KernelID string `json:"kernel_id"`
	// State is starting, idle, busy, restarting or dead.
	State    string `json:"state"`
	Name     string `json:"name,omitempty"`
	Language string `json:"language,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// CellExecuted is a cell that has run.
type CellExecuted struct {
	KernelID       string `json:"kernel_id"`
	Notebook       string `json:"notebook,omitempty"`
	CellID         string `json:"cell_id,omitempty"`
	Code           string `json:"code"`
	ExecutionCount int    `json:"execution_count"`
	// Status is ok, error or aborted.
	Status string `json:"status"`
	// Outputs are in the shape of a notebook's outputs.
	Outputs     []json.RawMessage `json:"outputs,omitempty"`
	OutputsBlob *BlobRef          `json:"outputs_blob,omitempty"`
	Error       *TurnError        `json:"error,omitempty"`
	TurnID      string            `json:"turn_id,omitempty"`
	DurationMS  int64             `json:"duration_ms"`
}
