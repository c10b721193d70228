package protocol

// Status is the state of a session. The last three say how its last turn
// ended; the session takes new messages all the same.
type Status string

const (
	StatusIdle      Status = "idle"
	StatusExecuting Status = "executing"
	StatusWaiting   Status = "waiting"
	StatusPaused    Status = "paused"
	StatusCompleted Status = "completed"
	StatusFailed    Status = "failed"
	StatusCancelled Status = "cancelled"
)

// Statuses lists every status of a session.
func Statuses() []Status {
	return []Status{StatusIdle, StatusExecuting, StatusWaiting, StatusPaused, StatusCompleted, StatusFailed, StatusCancelled}
}

// TaskState is a session's status in the words of an editor's task list.
type TaskState string

const (
	TaskStateIdle        TaskState = "idle"
	TaskStateActive      TaskState = "active"
	TaskStateInteractive TaskState = "interactive"
	TaskStateResumable   TaskState = "resumable"
)

// TaskState gives the task word for a status.
func (s Status) TaskState() TaskState {
	switch s {
	case StatusExecuting:
		return TaskStateActive
	case StatusWaiting:
		return TaskStateInteractive
	case StatusPaused:
		return TaskStateResumable
	}
	return TaskStateIdle
}

// Layer is a stage of a turn.
type Layer string

const (
	LayerCognitive Layer = "cognitive"
	LayerPlanning  Layer = "planning"
	LayerExecution Layer = "execution"
	LayerResponse  Layer = "response"
)

// PlanStatus is the state of a plan.
type PlanStatus string

const (
	PlanStatusPendingApproval PlanStatus = "pending_approval"
	PlanStatusApproved        PlanStatus = "approved"
	PlanStatusCompleted       PlanStatus = "completed"
	PlanStatusFailed          PlanStatus = "failed"
	PlanStatusRejected        PlanStatus = "rejected"
	PlanStatusCancelled       PlanStatus = "cancelled"
)

// TodoStatus is the state of a todo.
type TodoStatus string

const (
	TodoStatusPending    TodoStatus = "pending"
	TodoStatusInProgress TodoStatus = "in_progress"
	TodoStatusCompleted  TodoStatus = "completed"
	TodoStatusFailed     TodoStatus = "failed"
	TodoStatusSkipped    TodoStatus = "skipped"
	TodoStatusCancelled  TodoStatus = "cancelled"
)

// Pipeline is how a session's turns are worked on.
type Pipeline string

const (
	PipelineAuto    Pipeline = "auto"
	PipelineDirect  Pipeline = "direct"
	PipelinePlanned Pipeline = "planned"
)
