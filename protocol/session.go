package protocol

import "encoding/json"

// SessionCreated is the first record of a session.
type SessionCreated struct {
	Owner       string   `json:"owner"`
	Title       string   `json:"title,omitempty"`
	Workspace   string   `json:"workspace,omitempty"`
	Model       string   `json:"model,omitempty"`
	Pipeline    Pipeline `json:"pipeline,omitempty"`
	Mode        string   `json:"mode,omitempty"`
	AutoApprove []string `json:"auto_approve,omitzero"`
	// PlanReview says when a person has to look at a plan before it runs:
	// always, never, or over:USD for those that cost more. Empty is always.
	PlanReview string `json:"plan_review,omitempty"`
	// Settings are those that hold for this session alone, by key; of those that
	// have a field here the field is used.
	Settings map[string]json.RawMessage `json:"settings,omitempty"`
	ParentID string                     `json:"parent_id,omitempty"`
	RootID   string                     `json:"root_id,omitempty"`
	// Depth is how many sessions are above it.
	Depth int `json:"depth,omitempty"`
	// ImportedFrom says which format a session was read from that was not made
	// here, and what it was called there.
	ImportedFrom string `json:"imported_from,omitempty"`
	Version      string `json:"version"`
}

// SessionUpdated changes what is set; nil fields stay as they were.
type SessionUpdated struct {
	Title       *string   `json:"title,omitempty"`
	Model       *string   `json:"model,omitempty"`
	Pipeline    *Pipeline `json:"pipeline,omitempty"`
	Mode        *string   `json:"mode,omitempty"`
	AutoApprove *[]string `json:"auto_approve,omitempty"`
	PlanReview  *string   `json:"plan_review,omitempty"`
	// Pinned keeps the session whatever the limits on age, size and number are.
	Pinned *bool `json:"pinned,omitempty"`
	// KeepDays is for how many days without a change this session is kept, whatever
	// holds for others; 0 is what holds for others.
	KeepDays *int `json:"keep_days,omitempty"`
	// Settings are changes of those that hold for this session alone; null
	// removes one.
	Settings map[string]json.RawMessage `json:"settings,omitempty"`
	By       string                     `json:"by,omitempty"`
}

// Forked is the first own record of a forked session.
type Forked struct {
	From  string `json:"from"`
	At    string `json:"at"`
	Owner string `json:"owner"`
	Title string `json:"title,omitempty"`
}

// Span is an inclusive interval of sequence numbers.
type Span [2]uint64

// Rewound moves the head of a session. Nothing is removed.
type Rewound struct {
	RewindID string `json:"rewind_id"`
	// Head is the record that what comes next follows; From is the one that was
	// last before the rewind began, where undoing it leads.
	Head   string       `json:"head"`
	From   string       `json:"from,omitempty"`
	Hidden []Span       `json:"hidden"`
	Shown  []Span       `json:"shown"`
	Undoes string       `json:"undoes,omitempty"`
	Files  []FileChange `json:"files,omitempty"`
	// FilesBefore and FilesAfter are the workspace just before the files are
	// taken back, and what it is to be after.
	FilesBefore string `json:"files_before,omitempty"`
	FilesAfter  string `json:"files_after,omitempty"`
	// Restoring says that the files go back once this is stored; a
	// checkpoint_restored, or a checkpoint_failed, says what came of it.
	Restoring bool   `json:"restoring,omitempty"`
	By        string `json:"by,omitempty"`
}

// FileChange says what happens to one file of the workspace.
type FileChange struct {
	Path   string `json:"path"`
	Change string `json:"change"`
}

// Usage counts what models cost.
type Usage struct {
	InputTokens      int64   `json:"input_tokens"`
	OutputTokens     int64   `json:"output_tokens"`
	CacheReadTokens  int64   `json:"cache_read_tokens,omitempty"`
	CacheWriteTokens int64   `json:"cache_write_tokens,omitempty"`
	CostUSD          float64 `json:"cost_usd"`
}

// Add gives the sum of both.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens,
		u.CacheReadTokens + v.CacheReadTokens, u.CacheWriteTokens + v.CacheWriteTokens, u.CostUSD + v.CostUSD,
	}
}

// Tokens is the number of tokens in and out.
func (u Usage) Tokens() int64 { return u.InputTokens + u.OutputTokens }
