package session

import (
	"slices"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// parallelTodos is how many todos run at the same time.
const parallelTodos = 4

// Plan is what a turn has set out to do.
type Plan struct {
	protocol.PlanState
	Todos []protocol.Todo `json:"todos,omitempty"`
	// CallID is the propose_plan that waits for the plan's end.
	CallID string `json:"call_id,omitempty"`
	// ApprovedBy is who let it run.
	ApprovedBy string `json:"approved_by,omitempty"`
	// Progress is when it was last told how far it has come.
	Progress time.Time `json:"progress"`
}

// Plans is the plan of the turn, if there is one.
type Plans struct {
	Current *Plan `json:"current,omitempty"`
}

func (p Plans) clone() Plans {
	if p.Current != nil {
		plan := *p.Current
		plan.Todos = slices.Clone(plan.Todos)
		p.Current = &plan
	}
	return p
}

func (p *Plans) apply(r protocol.Record) {
	switch d := r.Data.(type) {
	case *protocol.TurnStarted:
		p.Current = nil
		return
	case *protocol.PlanGenerated:
		p.Current = &Plan{Todos: slices.Clone(d.Todos), CallID: d.CallID, PlanState: protocol.PlanState{
			ID: d.PlanID, Status: d.Status, Version: d.Version, TotalTodos: len(d.Todos), Summary: d.Summary,
			EstimatedDurationSec: d.EstimatedDurationSec, EstimatedCostUSD: d.EstimatedCostUSD,
			MermaidDiagram: d.MermaidDiagram, TurnID: d.TurnID, AgentID: r.AgentID, Kind: d.Kind,
		}}
		return
	}
	if p.Current != nil {
		p.Current.apply(r)
	}
}

func (p *Plan) apply(r protocol.Record) {
	switch d := r.Data.(type) {
	case *protocol.PlanModified:
		p.Todos, p.Version, p.TotalTodos = slices.Clone(d.UpdatedTodos), d.NewVersion, len(d.UpdatedTodos)
		p.MermaidDiagram = mermaid(p.Todos)
		if d.CallID != "" {
			p.CallID = d.CallID
		}
		if d.Summary != "" {
			p.Summary = d.Summary
		}
	case *protocol.PlanApproved:
		p.Status, p.ApprovedBy = protocol.PlanStatusApproved, d.ApprovedBy
	case *protocol.PlanRejected:
		p.Status = protocol.PlanStatusRejected
	case *protocol.ExecutionProgress:
		p.Progress = r.Time
		if d.Status != "" {
			p.Status = d.Status
		}
	case *protocol.Complete, *protocol.Failed:
		if p.Kind == protocol.PlanChecklist {
			return // it shows how far the agent has come
		}
		if p.Status == protocol.PlanStatusApproved || p.Status == protocol.PlanStatusPendingApproval {
			p.Status = protocol.PlanStatusCancelled
		}
		for i := range p.Todos {
			if t := &p.Todos[i]; t.Status == protocol.TodoStatusInProgress || t.Status == protocol.TodoStatusPending {
				t.Status = protocol.TodoStatusCancelled
			}
		}
	default:
		p.applyTodo(r)
	}
}

func (p *Plan) applyTodo(r protocol.Record) {
	switch d := r.Data.(type) {
	case *protocol.TodoStarted:
		if t := p.todo(d.TodoID); t != nil {
			t.Status, t.AgentID, t.StartedAt, t.RetryAt = protocol.TodoStatusInProgress, d.AgentID, protocol.At(r.Time), protocol.Time{}
			t.EndedAt, t.Error = protocol.Time{}, nil
		}
	case *protocol.TodoProgress:
		if t := p.todo(d.TodoID); t != nil {
			t.ProgressPercentage, t.CurrentStep = d.ProgressPercentage, d.CurrentStep
			t.ItemsProcessed, t.ItemsTotal = d.ItemsProcessed, d.ItemsTotal
		}
	case *protocol.TodoCompleted:
		if t := p.todo(d.TodoID); t != nil {
			t.Status, t.ResultSummary, t.EndedAt, t.ProgressPercentage = d.Status, d.ResultSummary, protocol.At(r.Time), 100
			t.ResultID = d.ResultID
		}
	case *protocol.TodoFailed:
		if t := p.todo(d.TodoID); t != nil {
			failure := d.Error
			t.Status, t.Error, t.RetryCount, t.RetryAt, t.EndedAt = d.Status, &failure, d.RetryCount, d.RetryAt, protocol.At(r.Time)
		}
	case *protocol.TodoSkipped:
		if t := p.todo(d.TodoID); t != nil {
			t.Status, t.EndedAt, t.RetryAt = d.Status, protocol.At(r.Time), protocol.Time{}
		}
	}
}

func (p *Plan) todo(id string) *protocol.Todo {
	for i := range p.Todos {
		if p.Todos[i].ID == id {
			return &p.Todos[i]
		}
	}
	return nil
}

// settled says that a todo lets what depends on it go on.
func settled(t *protocol.Todo) bool {
	return t != nil && (t.Status == protocol.TodoStatusCompleted || t.Status == protocol.TodoStatusSkipped)
}

// free says whether everything that a todo depends on is settled.
func (p *Plan) free(t *protocol.Todo) bool {
	for _, id := range t.DependsOn {
		if !settled(p.todo(id)) {
			return false
		}
	}
	return true
}

// given says where the results are that a todo can build on.
func (p *Plan) given(t *protocol.Todo) map[string]string {
	if len(t.DependsOn) == 0 {
		return nil
	}
	out := make(map[string]string, len(t.DependsOn))
	for _, id := range t.DependsOn {
		if dep := p.todo(id); dep != nil {
			out[id] = dep.ResultID
		}
	}
	return out
}

// reliedOn says whether something that depends on a todo has begun.
func (p *Plan) reliedOn(id string) bool {
	return slices.ContainsFunc(p.Todos, func(t protocol.Todo) bool {
		return t.Status != protocol.TodoStatusPending && slices.Contains(t.DependsOn, id)
	})
}

// open gives the todos that have not begun and do not wait for another one.
func (p *Plan) open() []*protocol.Todo {
	done := make(map[string]bool, len(p.Todos))
	for i := range p.Todos {
		done[p.Todos[i].ID] = settled(&p.Todos[i])
	}
	var out []*protocol.Todo
	for i := range p.Todos {
		t := &p.Todos[i]
		if t.Status == protocol.TodoStatusPending && !slices.ContainsFunc(t.DependsOn, func(id string) bool { return !done[id] }) {
			out = append(out, t)
		}
	}
	return out
}

// ready gives the todo to start next: the free one with the highest priority,
// the first of them in the plan's order.
func (p *Plan) ready(now time.Time) *protocol.Todo {
	var best *protocol.Todo
	for _, t := range p.open() {
		if !t.RetryAt.After(now) && (best == nil || t.Priority > best.Priority) {
			best = t
		}
	}
	return best
}

// waits gives the todos that are tried again later.
func (p *Plan) waits() []protocol.Todo {
	var out []protocol.Todo
	for _, t := range p.open() {
		if !t.RetryAt.IsZero() {
			out = append(out, *t)
		}
	}
	return out
}

// count gives how many todos are in a state.
func (p *Plan) count(status protocol.TodoStatus) (n int) {
	for _, t := range p.Todos {
		if t.Status == status {
			n++
		}
	}
	return n
}

// ids gives the todos in a state.
func (p *Plan) ids(status protocol.TodoStatus) []string {
	out := []string{}
	for _, t := range p.Todos {
		if t.Status == status {
			out = append(out, t.ID)
		}
	}
	return out
}

// rest puts what was being worked on back among what has not begun. A todo
// whose call acts on the world and had started does so again only if a person
// says so.
func (p *Plan) rest(tasks []Loop) {
	if p.Kind == protocol.PlanChecklist {
		return
	}
	for i := range p.Todos {
		t := &p.Todos[i]
		if t.Status != protocol.TodoStatusInProgress {
			continue
		}
		t.Status, t.AgentID, t.StartedAt, t.ProgressPercentage, t.CurrentStep = protocol.TodoStatusPending, "", protocol.Time{}, 0, ""
		for _, l := range tasks {
			t.RequiresApproval = t.RequiresApproval || l.TodoID == t.ID && l.acted()
		}
	}
}
