package session

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// StepKind says what a step does.
type StepKind string

const (
	StepModel  StepKind = "model"  // calls the model of an agent
	StepTool   StepKind = "tool"   // runs a tool
	StepExpire StepKind = "expire" // gives up waiting for a person
	StepTick   StepKind = "tick"   // tries again what failed

	StepCondense StepKind = "condense" // has a model sum up the past
)

// What a model call is for.
const (
	PurposeTurn    = "turn"
	PurposeIntent  = toolRecordIntent
	PurposePlan    = toolProposePlan
	PurposeRespond = "respond"
)

// Step is something that should be running now. As long as Next lists a step
// with the same ID it is the same work: whoever runs it goes on, and stops when
// it is listed no more.
type Step struct {
	ID        string
	Kind      StepKind
	TurnID    string
	AgentID   string
	MonitorID string
	Model     string // what the session asks for; "" is the server's default
	Workspace string
	Owner     string
	Mode      string
	Own       map[string]json.RawMessage // the session's own settings; model and mode are among them
	Depth     int                        // how many sessions are above this one
	Layer     protocol.Layer
	Pipeline  protocol.Pipeline
	Purpose   string // of a StepModel
	Attempt   int
	// Tool is the call to run, of a StepTool; Input is what it is given, if it
	// is a todo.
	Tool  ToolCall
	Input json.RawMessage
	// Results gives for each todo that this one depends on the message_id of
	// its result; empty for one that was left out.
	Results map[string]string
	// RequestID is the request that expires, of a StepExpire.
	RequestID string
	// Condense is the summary to write, of a StepCondense; NoCondense says, of a
	// StepModel, that one was tried in this turn and failed.
	Condense   string
	NoCondense bool
	// Allowed is which budgets the turn may pass.
	Allowed Allowance
	// NotBefore delays the step; the zero time means at once.
	NotBefore time.Time
}

// Next lists what should be running. While a turn rests, what was started goes
// on and nothing else starts.
func (s *State) Next() []Step {
	var steps []Step
	if t := s.Turns.Current; t != nil {
		steps = s.work(t)
	}
	if k := s.Contexts.Condensing; k != nil {
		steps = append(steps, Step{
			ID: k.step(), Kind: StepCondense, TurnID: k.TurnID, AgentID: k.AgentID, MonitorID: protocol.DefaultMonitor,
			Model: s.Ledger.Model, Workspace: s.Ledger.Workspace, Owner: s.Ledger.Owner, Pipeline: s.Ledger.Pipeline, Mode: s.Ledger.Mode, Own: s.Ledger.Own(), Depth: s.Ledger.Depth,
			Purpose: PurposeCondense, Attempt: k.Attempts + 1, NotBefore: k.RetryAt, Condense: k.ID,
		})
	}
	for _, o := range s.Requests.Open {
		if !o.ExpiresAt.IsZero() {
			steps = append(steps, Step{ID: o.RequestID, Kind: StepExpire, RequestID: o.RequestID, NotBefore: o.ExpiresAt.Time})
		}
	}
	return append(steps, s.retries()...)
}

// retries lists the todos that are tried again later.
func (s *State) retries() []Step {
	p := s.Plans.Current
	if p == nil || p.Kind != "" || s.Turns.Current == nil || s.Turns.Resting || p.Status != protocol.PlanStatusApproved {
		return nil
	}
	var steps []Step
	for _, t := range p.waits() {
		steps = append(steps, Step{ID: fmt.Sprintf("%s/%s/retry/%d", p.ID, t.ID, t.RetryCount), Kind: StepTick, NotBefore: t.RetryAt.Time})
	}
	return steps
}

// work lists the models and tools of a turn.
func (s *State) work(t *Turn) []Step {
	steps := s.loopWork(t, &t.Loop)
	for i := range t.Tasks {
		steps = append(steps, s.loopWork(t, &t.Tasks[i])...)
	}
	return steps
}

func (s *State) loopWork(t *Turn, l *Loop) []Step {
	base := Step{
		TurnID: t.ID, AgentID: l.AgentID, MonitorID: t.MonitorID, Pipeline: t.Pipeline,
		Model: s.Ledger.Model, Workspace: s.Ledger.Workspace, Owner: s.Ledger.Owner, Layer: t.Layer,
		Mode: s.Ledger.Mode, Own: s.Ledger.Own(), Depth: s.Ledger.Depth,
	}
	var steps []Step
	for _, call := range l.Tools {
		if call.Status != ToolRunning && (call.Status != ToolReady || s.Turns.Resting) {
			continue
		}
		step := base
		step.ID = call.step()
		step.Kind, step.Tool, step.Attempt = StepTool, call, call.Attempts+1
		if p := s.Plans.Current; p != nil && call.TodoID != "" {
			if todo := p.todo(call.TodoID); todo != nil {
				step.Input, step.Results = todo.Input, p.given(todo)
			}
		}
		steps = append(steps, step)
	}
	if l.TodoID != "" || l.busy() || l.Call == nil && (s.Turns.Resting || s.Contexts.Condensing != nil) || s.blocked(l.AgentID) {
		return steps
	}
	step := base
	step.Purpose, step.NoCondense, step.Allowed = s.purpose(t), t.NoCondense, t.Allowed
	step.ID = t.modelStep()
	step.Kind, step.Attempt, step.NotBefore = StepModel, l.Attempts+1, l.RetryAt
	return append(steps, step)
}

func (t *Turn) modelStep() string {
	return fmt.Sprintf("%s/model/%d.%d", t.ID, t.Loop.Calls, t.Loop.Attempts)
}

func (k *Condensing) step() string { return fmt.Sprintf("%s/%d", k.ID, k.Attempts) }

func (c ToolCall) step() string { return fmt.Sprintf("%s/%d", c.ID, c.Attempts) }

// purpose says what the main agent's next model call is for.
func (s *State) purpose(t *Turn) string {
	if t.Pipeline != protocol.PipelinePlanned {
		return PurposeTurn
	}
	p := s.Plans.Current
	switch {
	case !t.Intent:
		return PurposeIntent
	case t.NeedsPlan && (p == nil || p.Status == protocol.PlanStatusPendingApproval):
		return PurposePlan
	}
	return PurposeRespond
}

// blocked says whether an agent waits for a person before it may think on.
func (s *State) blocked(agent string) bool {
	for _, o := range s.Requests.Open {
		if o.AgentID == agent && o.CallID == "" {
			return true
		}
	}
	return false
}
