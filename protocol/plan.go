package protocol

import "encoding/json"

// PlanState is what session_state tells about the plan.
type PlanState struct {
	ID                   string     `json:"id"`
	Status               PlanStatus `json:"status"`
	Version              int        `json:"version"`
	TotalTodos           int        `json:"total_todos"`
	Summary              string     `json:"summary,omitempty"`
	EstimatedDurationSec float64    `json:"estimated_duration_sec,omitempty"`
	EstimatedCostUSD     float64    `json:"estimated_cost_usd,omitempty"`
	MermaidDiagram       string     `json:"mermaid_diagram,omitempty"`
	TurnID               string     `json:"turn_id,omitempty"`
	AgentID              string     `json:"agent_id,omitempty"`
	// Kind is checklist for todos that an agent keeps for itself: nothing runs
	// them. Empty for a plan that is carried out.
	Kind PlanKind `json:"kind,omitempty"`
}

// PlanKind tells a plan from a list.
type PlanKind string

// PlanChecklist is a list of todos that an agent works off by itself.
const PlanChecklist PlanKind = "checklist"

// Todo is one step of a plan: a tool call (Tool with Input), or a goal for a
// task agent (Profile).
type Todo struct {
	ID                   string          `json:"id"`
	Task                 string          `json:"task"`
	Tool                 string          `json:"tool,omitempty"`
	Input                json.RawMessage `json:"input,omitempty"`
	Profile              string          `json:"profile,omitempty"`
	Status               TodoStatus      `json:"status"`
	Priority             int             `json:"priority"`
	DependsOn            []string        `json:"depends_on"`
	EstimatedDurationSec float64         `json:"estimated_duration_sec,omitempty"`
	EstimatedCostUSD     float64         `json:"estimated_cost_usd,omitempty"`
	RequiresApproval     bool            `json:"requires_approval,omitempty"`
	MaxRetries           int             `json:"max_retries,omitempty"`
	RetryCount           int             `json:"retry_count,omitempty"`
	ProgressPercentage   float64         `json:"progress_percentage,omitempty"`
	CurrentStep          string          `json:"current_step,omitempty"`
	ItemsProcessed       int64           `json:"items_processed,omitempty"`
	ItemsTotal           int64           `json:"items_total,omitempty"`
	AgentID              string          `json:"agent_id,omitempty"`
	StartedAt            Time            `json:"started_at,omitzero"`
	EndedAt              Time            `json:"ended_at,omitzero"`
	ResultSummary        json.RawMessage `json:"result_summary,omitempty"`
	Error                *TurnError      `json:"error,omitempty"`
	// Class and Effect are those of the tool.
	Class  ToolClass `json:"class,omitempty"`
	Effect Effect    `json:"effect,omitempty"`
	// RetryAt is when it is tried again, if it is.
	RetryAt Time `json:"retry_at,omitzero"`
	// ResultID is the message_id of the tool_completed that holds its result.
	ResultID string `json:"result_id,omitempty"`
}

// PlanGenerated is a plan that passed its checks.
type PlanGenerated struct {
	PlanID  string     `json:"plan_id"`
	Version int        `json:"version"`
	Status  PlanStatus `json:"status"`
	Todos   []Todo     `json:"todos"`
	// DependencyGraph gives for each todo the ids it waits for.
	DependencyGraph      map[string][]string `json:"dependency_graph,omitempty"`
	EstimatedDurationSec float64             `json:"estimated_duration_sec,omitempty"`
	EstimatedCostUSD     float64             `json:"estimated_cost_usd,omitempty"`
	MermaidDiagram       string              `json:"mermaid_diagram,omitempty"`
	Summary              string              `json:"summary,omitempty"`
	TurnID               string              `json:"turn_id,omitempty"`
	// CallID is the propose_plan that waits for the plan's end.
	CallID string   `json:"call_id,omitempty"`
	Kind   PlanKind `json:"kind,omitempty"`
}

// PlanModified is a new version of the plan.
type PlanModified struct {
	PlanID     string       `json:"plan_id"`
	OldVersion int          `json:"old_version"`
	NewVersion int          `json:"new_version"`
	Changes    []PlanChange `json:"changes"`
	// UpdatedTodos is the whole plan as it now is.
	UpdatedTodos []Todo `json:"updated_todos"`
	// Summary is the new one, if the plan got one.
	Summary string `json:"summary,omitempty"`
	// Instruction holds the words of the person who asked for the change.
	Instruction string `json:"instruction,omitempty"`
	By          string `json:"by,omitempty"`
	// CallID is the propose_plan that brought the new version, if one did.
	CallID string `json:"call_id,omitempty"`
}

// ChangeAction says what a change does to a todo.
type ChangeAction string

const (
	ChangeAdd    ChangeAction = "add"
	ChangeRemove ChangeAction = "remove"
	ChangeUpdate ChangeAction = "update"
)

// PlanChange is one edit of a plan; fields that are not given stay as they are.
type PlanChange struct {
	Action               ChangeAction    `json:"action"`
	TodoID               string          `json:"todo_id,omitempty"`
	Task                 *string         `json:"task,omitempty"`
	Tool                 *string         `json:"tool,omitempty"`
	Input                json.RawMessage `json:"input,omitempty"`
	Profile              *string         `json:"profile,omitempty"`
	DependsOn            *[]string       `json:"depends_on,omitempty"`
	Priority             *int            `json:"priority,omitempty"`
	EstimatedDurationSec *float64        `json:"estimated_duration_sec,omitempty"`
	EstimatedCostUSD     *float64        `json:"estimated_cost_usd,omitempty"`
	RequiresApproval     *bool           `json:"requires_approval,omitempty"`
	MaxRetries           *int            `json:"max_retries,omitempty"`
}

// PlanApproved lets a plan run.
type PlanApproved struct {
	PlanID            string `json:"plan_id"`
	ApprovedBy        string `json:"approved_by"`
	ExecutionStarting bool   `json:"execution_starting"`
}

// PlanRejected ends a plan before it ran.
type PlanRejected struct {
	PlanID     string `json:"plan_id"`
	RejectedBy string `json:"rejected_by"`
	Reason     string `json:"reason,omitempty"`
}
