package session

import (
	"encoding/json"
	"slices"

	"github.com/parley-dev/parley/protocol"
)

func (s *State) tick(Command, *draft) error { return nil } // settle does the rest

// openPlan gives the plan that is running or waits to, for a command about it.
func (s *State) openPlan() (*Turn, *Plan, error) {
	t, p := s.Turns.Current, s.Plans.Current
	if t == nil || p == nil || p.Kind != "" || p.TurnID != t.ID || p.Status != protocol.PlanStatusApproved && !s.reviewing() {
		return nil, nil, protocol.Errorf(protocol.CodeSessionInvalidState, "there is no plan under way")
	}
	return t, p, nil
}

// reviewing says whether a person is looking at the plan.
func (s *State) reviewing() bool {
	return slices.ContainsFunc(s.Requests.Open, func(o protocol.Request) bool { return o.Type == protocol.TypeHitlPlanReview })
}

func (s *State) openTodo(id string) (*Turn, *Plan, *protocol.Todo, error) {
	t, p, err := s.openPlan()
	if err != nil {
		return nil, nil, nil, err
	}
	todo := p.todo(id)
	if todo == nil {
		return nil, nil, nil, protocol.Errorf(protocol.CodeInvalidMessage, "the plan has no todo %q", id)
	}
	return t, p, todo, nil
}

// retryTodo has a failed todo started again.
func (s *State) retryTodo(r *protocol.ControlRetry, _ Command, d *draft) error {
	t, p, todo, err := s.openTodo(r.TodoID)
	if err != nil {
		return err
	}
	retryable := todo.Status == protocol.TodoStatusFailed ||
		todo.Status == protocol.TodoStatusSkipped && !p.reliedOn(todo.ID) ||
		todo.Status == protocol.TodoStatusPending && !todo.RetryAt.IsZero()
	if p.Status != protocol.PlanStatusApproved || !retryable {
		return protocol.Errorf(protocol.CodeSessionInvalidState, "todo %q is %s and cannot be tried again now", todo.ID, todo.Status)
	}
	s.unstick(d)
	s.again(t, *todo, d)
	return nil
}

// again puts a todo back among those that wait to be started. It starts as soon
// as there is room, and the session is not paused.
func (s *State) again(t *Turn, todo protocol.Todo, d *draft) {
	d.of(protocol.MainAgent(t.MonitorID), t.MonitorID)
	failed := protocol.TodoFailed{
		TodoID: todo.ID, Task: todo.Task, Status: protocol.TodoStatusPending, RetryCount: todo.RetryCount + 1, MaxRetries: todo.MaxRetries,
		RetryAt: protocol.At(d.clock), Error: protocol.TurnError{Code: "SKIPPED", Message: "it was left out, and is wanted after all", Recoverable: true},
	}
	if todo.Error != nil {
		failed.Error = *todo.Error
	}
	d.add(protocol.TypeTodoFailed, &failed)
}

// skip leaves a todo out; what depends on it goes on without it.
func (s *State) skip(k *protocol.ControlSkip, c Command, d *draft) error {
	t, _, todo, err := s.openTodo(k.TodoID)
	if err != nil {
		return err
	}
	if settled(todo) || todo.Status == protocol.TodoStatusCancelled {
		return protocol.Errorf(protocol.CodeSessionInvalidState, "todo %q is %s already", todo.ID, todo.Status)
	}
	s.unstick(d)
	reason := k.Reason
	if reason == "" {
		reason = "left out by " + c.By.name()
	}
	s.dropTask(t, todo.ID, reason, d)
	s.skipTodo(t, *todo, reason, c.By.name(), d)
	s.tellProgress(d)
	return nil
}

// dropTask ends what runs or is asked for a todo.
func (s *State) dropTask(t *Turn, todo, why string, d *draft) {
	for _, o := range slices.Clone(s.Requests.Open) {
		if o.TodoID == todo {
			d.add(protocol.TypeHitlResolved, &protocol.HitlResolved{
				RequestID: o.RequestID, Action: protocol.ActionWithdraw, Reason: why, By: "server",
			})
		}
	}
	l := t.loop("task-" + todo)
	if l == nil {
		return
	}
	for _, call := range slices.Clone(l.Tools) {
		if call.Status != ToolDone {
			d.of(l.AgentID, t.MonitorID)
			if call.Seq > 0 {
				d.breakOff(t.ID, writtenBy(call.Seq))
			}
			d.add(protocol.TypeToolCompleted, &protocol.ToolCompleted{
				CallID: call.ID, TurnID: t.ID, Tool: call.Tool, TodoID: todo, Output: why,
				Error: &protocol.TurnError{Code: "SKIPPED", Message: why},
			})
		}
	}
}

// unstick withdraws the question what to do about failed todos: someone does it.
func (s *State) unstick(d *draft) {
	for _, o := range slices.Clone(s.Requests.Open) {
		if o.Field == fieldStuck {
			d.add(protocol.TypeHitlResolved, &protocol.HitlResolved{
				RequestID: o.RequestID, Action: protocol.ActionWithdraw, Reason: "someone took care of it", By: "server",
			})
		}
	}
}

// answerEnd is the answer that ends a plan in which todos failed.
const answerEnd = `"end"`

// unstuck does what a person says about failed todos.
func (s *State) unstuck(t *Turn, r protocol.HitlResolved, d *draft) {
	p := s.Plans.Current
	for _, id := range p.ids(protocol.TodoStatusFailed) {
		todo := p.todo(id)
		switch plain(r.Value) {
		case "retry":
			s.again(t, *todo, d)
		case "skip":
			s.skipTodo(t, *todo, "left out by "+r.By, r.By, d)
		}
	}
}

// planEdit changes the todos of a plan that waits or runs.
func (s *State) planEdit(e *protocol.PlanEdit, c Command, d *draft) error {
	t, p, err := s.openPlan()
	if err != nil {
		return err
	}
	if e.PlanID != "" && e.PlanID != p.ID {
		return protocol.Errorf(protocol.CodeInvalidMessage, "the plan under way is %q, not %q", p.ID, e.PlanID)
	}
	return s.modify(t, p, e.Changes, c, d)
}

// modify makes a new version of the plan. A plan that waits is reviewed anew.
func (s *State) modify(t *Turn, p *Plan, edits []protocol.PlanChange, c Command, d *draft) error {
	todos, err := edited(p.Todos, edits)
	if err != nil {
		return err
	}
	d.of(protocol.MainAgent(t.MonitorID), t.MonitorID)
	d.add(protocol.TypePlanModified, &protocol.PlanModified{
		PlanID: p.ID, OldVersion: p.Version, NewVersion: p.Version + 1, Changes: edits, UpdatedTodos: todos, By: c.By.name(),
	})
	if p.Status != protocol.PlanStatusPendingApproval {
		s.unstick(d)
		return nil
	}
	for _, o := range slices.Clone(s.Requests.Open) {
		if o.Type == protocol.TypeHitlPlanReview {
			d.add(protocol.TypeHitlResolved, &protocol.HitlResolved{
				RequestID: o.RequestID, Action: protocol.ActionWithdraw, Reason: "the plan was changed", By: "server",
			})
		}
	}
	s.review(t, d)
	return nil
}

// edited gives the todos after some edits. Only what has not begun can change,
// and only to what could have been planned: a tool that the plan knows.
func edited(todos []protocol.Todo, edits []protocol.PlanChange) ([]protocol.Todo, error) {
	if len(edits) == 0 {
		return nil, protocol.Errorf(protocol.CodeInvalidMessage, "there are no changes")
	}
	catalog := catalogOf(todos)
	out := slices.Clone(todos)
	for _, e := range edits {
		i := slices.IndexFunc(out, func(t protocol.Todo) bool { return t.ID == e.TodoID })
		switch {
		case e.Action == protocol.ChangeAdd && i < 0:
			out = append(out, change(protocol.Todo{ID: e.TodoID, Status: protocol.TodoStatusPending, DependsOn: []string{}}, e))
			continue
		case i < 0 || e.Action == protocol.ChangeAdd:
			return nil, protocol.Errorf(protocol.CodeInvalidMessage, "%s: todo %q", e.Action, e.TodoID)
		case out[i].Status != protocol.TodoStatusPending && out[i].Status != protocol.TodoStatusFailed:
			return nil, protocol.Errorf(protocol.CodeSessionInvalidState, "todo %q is %s and cannot be changed", e.TodoID, out[i].Status)
		}
		if e.Action == protocol.ChangeRemove {
			out = slices.Delete(out, i, i+1)
		} else {
			out[i] = change(out[i], e)
		}
	}
	if err := checkTodos(out, catalog); err != nil {
		return nil, protocol.Errorf(protocol.CodeInvalidMessage, "%s", err)
	}
	return out, nil
}

// catalogOf is the tools that a plan uses.
func catalogOf(todos []protocol.Todo) []ToolSpec {
	var out []ToolSpec
	for _, t := range todos {
		out = append(out, ToolSpec{Name: t.Tool, Class: t.Class, Effect: t.Effect})
	}
	return out
}

func change(t protocol.Todo, e protocol.PlanChange) protocol.Todo {
	set(&t.Task, e.Task)
	set(&t.Tool, e.Tool)
	set(&t.DependsOn, e.DependsOn)
	set(&t.Priority, e.Priority)
	set(&t.EstimatedDurationSec, e.EstimatedDurationSec)
	set(&t.EstimatedCostUSD, e.EstimatedCostUSD)
	set(&t.RequiresApproval, e.RequiresApproval)
	set(&t.MaxRetries, e.MaxRetries)
	if len(e.Input) > 0 {
		t.Input = json.RawMessage(e.Input)
	}
	if t.Status == protocol.TodoStatusFailed {
		t.Status, t.RetryCount, t.Error = protocol.TodoStatusPending, 0, nil
	}
	return t
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}
