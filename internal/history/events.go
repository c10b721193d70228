package history

import (
	"maps"

	"github.com/parley-dev/parley/protocol"
)

// TaskEvent is something that automation waits for, in the words and the shape
// of the events of an editor's task. The first value of the payload is the
// session's id; a message holds it in itself.
type TaskEvent struct {
	EventName string `json:"eventName"`
	Payload   []any  `json:"payload"`
}

// The events of a task.
const (
	TaskCreated           = "taskCreated"
	TaskStarted           = "taskStarted"   // a turn began
	TaskCompleted         = "taskCompleted" // a turn ended with an answer
	TaskAborted           = "taskAborted"   // a turn failed, or was cancelled
	TaskActive            = "taskActive"
	TaskInteractive       = "taskInteractive" // it waits for a person
	TaskResumable         = "taskResumable"   // it rests within a turn
	TaskIdle              = "taskIdle"
	TaskPaused            = "taskPaused" // by a person, or while another session does its work
	TaskUnpaused          = "taskUnpaused"
	TaskSpawned           = "taskSpawned"
	TaskMessage           = "message"
	TaskModeSwitched      = "taskModeSwitched"
	TaskAskResponded      = "taskAskResponded"
	TaskUserMessage       = "taskUserMessage"
	TaskToolFailed        = "taskToolFailed"
	TaskTokenUsageUpdated = "taskTokenUsageUpdated"
)

// TokenUsage is what a task used, over all its turns.
type TokenUsage struct {
	TotalTokensIn    int64   `json:"totalTokensIn"`
	TotalTokensOut   int64   `json:"totalTokensOut"`
	TotalCacheWrites int64   `json:"totalCacheWrites"`
	TotalCacheReads  int64   `json:"totalCacheReads"`
	TotalCost        float64 `json:"totalCost"`
	// ContextTokens is how long the newest call and its answer were.
	ContextTokens int64 `json:"contextTokens"`
}

// ToolCount is how often a tool was run to its end, and how often in vain.
type ToolCount struct {
	Attempts int `json:"attempts"`
	Failures int `json:"failures"`
}

// MessageEvent is the payload of a message.
type MessageEvent struct {
	TaskID  string                 `json:"taskId"`
	Action  protocol.MessageAction `json:"action"`
	Message protocol.Message       `json:"message"`
}

// Tasks folds a session's records to task events. Unlike the other folds it
// takes all records, hidden ones too: what was announced is not taken back, and
// what was used stays used.
type Tasks struct {
	session string
	child   bool // the session works for another one
	state   protocol.TaskState
	usage   protocol.Usage
	context int64
	tools   map[string]ToolCount
	running map[string]string           // calls that were started: the session that they hand work to, or ""
	asked   map[string]protocol.Message // open requests: the message that asks
}

// NewTasks begins a fold for the session of this id.
func NewTasks(session string) *Tasks {
	return &Tasks{
		session: session, state: protocol.TaskStateIdle,
		tools: map[string]ToolCount{}, running: map[string]string{}, asked: map[string]protocol.Message{},
	}
}

// Add folds the next record and gives what it means, in order. Status is the
// session's once the record is applied.
func (t *Tasks) Add(r protocol.Record, status protocol.Status) []TaskEvent {
	events := t.told(r)
	if state := status.TaskState(); state != t.state {
		t.state = state
		events = append(events, t.event(stateEvents[state]))
	}
	return events
}

// Rejoin says what the session's status is where the fold has come to, if what
// was said with each record was not certain.
func (t *Tasks) Rejoin(status protocol.Status) { t.state = status.TaskState() }

// stateEvents never changes.
var stateEvents = map[protocol.TaskState]string{
	protocol.TaskStateActive: TaskActive, protocol.TaskStateInteractive: TaskInteractive,
	protocol.TaskStateResumable: TaskResumable, protocol.TaskStateIdle: TaskIdle,
}

func (t *Tasks) event(name string, more ...any) TaskEvent {
	return TaskEvent{name, append([]any{t.session}, more...)}
}

func (t *Tasks) told(r protocol.Record) []TaskEvent {
	switch d := r.Data.(type) {
	case *protocol.SessionCreated:
		t.child = d.ParentID != ""
		return []TaskEvent{t.event(TaskCreated)}
	case *protocol.Forked:
		t.child, t.usage, t.context = false, protocol.Usage{}, 0
		clear(t.tools)
	case *protocol.SessionUpdated:
		if d.Mode != nil {
			return []TaskEvent{t.event(TaskModeSwitched, *d.Mode)}
		}
	case *protocol.MessageRecord:
		return t.message(d)
	case *protocol.HitlResolved:
		return t.resolved(d)
	case *protocol.TurnStarted:
		return []TaskEvent{t.event(TaskStarted)}
	case *protocol.HitlPaused:
		return []TaskEvent{t.event(TaskPaused)}
	case *protocol.Resumed:
		return []TaskEvent{t.event(TaskUnpaused)}
	case *protocol.ModelCompleted:
		return t.used(d)
	case *protocol.ToolStarted:
		return t.toolStarted(d)
	case *protocol.ToolCompleted:
		return t.toolCompleted(d)
	case *protocol.Complete:
		return []TaskEvent{t.event(TaskCompleted, t.tokens(), maps.Clone(t.tools), map[string]bool{"isSubtask": t.child})}
	case *protocol.Failed:
		return []TaskEvent{t.event(TaskAborted)}
	}
	return nil
}

func (t *Tasks) message(d *protocol.MessageRecord) []TaskEvent {
	if d.RequestID != "" {
		t.asked[d.RequestID] = d.Message
	}
	events := []TaskEvent{{TaskMessage, []any{MessageEvent{t.session, d.Action, d.Message}}}}
	if d.Role == protocol.RoleUser && d.Action == protocol.MessageCreated {
		events = append(events, t.event(TaskUserMessage))
	}
	return events
}

// nobody is who resolves a request whose time is over.
const nobody = "timeout"

// resolved tells that an ask is answered, and whether a person did that.
func (t *Tasks) resolved(d *protocol.HitlResolved) (events []TaskEvent) {
	if m, ok := t.asked[d.RequestID]; ok {
		delete(t.asked, d.RequestID)
		m.IsAnswered = true
		events = append(events, TaskEvent{TaskMessage, []any{MessageEvent{t.session, protocol.MessageUpdated, m}}})
	}
	if d.Action != protocol.ActionWithdraw && d.By != nobody {
		events = append(events, t.event(TaskAskResponded))
	}
	return events
}

func (t *Tasks) used(d *protocol.ModelCompleted) []TaskEvent {
	u := d.Usage
	if u == (protocol.Usage{}) {
		return nil
	}
	t.usage = t.usage.Add(u)
	t.context = u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens + u.OutputTokens
	return []TaskEvent{t.event(TaskTokenUsageUpdated, t.tokens(), maps.Clone(t.tools))}
}

func (t *Tasks) tokens() TokenUsage {
	return TokenUsage{
		TotalTokensIn: t.usage.InputTokens, TotalTokensOut: t.usage.OutputTokens, TotalCacheWrites: t.usage.CacheWriteTokens,
		TotalCacheReads: t.usage.CacheReadTokens, TotalCost: t.usage.CostUSD, ContextTokens: t.context,
	}
}

func (t *Tasks) toolStarted(d *protocol.ToolStarted) []TaskEvent {
	_, again := t.running[d.CallID]
	t.running[d.CallID] = d.ChildID
	if again || d.ChildID == "" {
		return nil
	}
	return []TaskEvent{t.event(TaskSpawned, d.ChildID), t.event(TaskPaused)}
}

// toolCompleted counts the calls that ran. What was refused or left out before
// it began is no failure of the tool.
func (t *Tasks) toolCompleted(d *protocol.ToolCompleted) (events []TaskEvent) {
	child, ran := t.running[d.CallID]
	if !ran || d.Retry {
		return nil
	}
	delete(t.running, d.CallID)
	n := t.tools[d.Tool]
	n.Attempts++
	if !d.OK {
		n.Failures++
		why := d.Output
		if d.Error != nil {
			why = d.Error.Message
		}
		events = append(events, t.event(TaskToolFailed, d.Tool, why))
	}
	t.tools[d.Tool] = n
	if child != "" {
		events = append(events, t.event(TaskUnpaused))
	}
	return events
}
