package session

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// progressEvery is how often at most it is told how far a plan has come.
const progressEvery = time.Second

// settle does what follows by itself from where things stand: todos that are
// ready start, a plan in which nothing is left to do ends.
func (s *State) settle(d *draft) {
	for {
		t, p := s.Turns.Current, s.Plans.Current
		if t == nil || p == nil || s.Turns.Resting || p.Status != protocol.PlanStatusApproved || p.TurnID != t.ID || p.Kind != "" {
			return
		}
		if len(t.Tasks) < parallelTodos {
			if next := p.ready(d.clock); next != nil {
				s.startTodo(t, *next, d)
				continue
			}
		}
		if len(t.Tasks) > 0 || len(p.waits()) > 0 || s.stuckAsked() {
			return
		}
		if s.stuck(t, p, d) {
			return
		}
		s.endPlan(t, p, d)
	}
}

// startTodo begins the work on a todo.
func (s *State) startTodo(t *Turn, todo protocol.Todo, d *draft) {
	p := s.Plans.Current
	d.of("task-"+todo.ID, t.MonitorID)
	approval := protocol.ApprovalAuto // whoever approved the plan saw the call
	if p.ApprovedBy == byPolicy {
		approval = s.approval(ToolUse{Tool: todo.Tool, Class: todo.Class}, nil, Limits{})
	}
	if never := s.Ledger.Remembered[todo.Tool] == protocol.RememberNever; never || todo.RequiresApproval || approval == protocol.ApprovalNone {
		approval = protocol.ApprovalAsk
	}
	call := fmt.Sprintf("call_%010d_1", d.next)
	d.add(protocol.TypeTodoStarted, &protocol.TodoStarted{
		TodoID: todo.ID, Task: todo.Task, Tool: todo.Tool, EstimatedDurationSec: todo.EstimatedDurationSec,
		PlanID: p.ID, AgentID: d.agent, Attempt: todo.RetryCount + 1, TurnID: t.ID, CallID: call, Approval: approval,
		Class: todo.Class, Effect: todo.Effect,
	})
	if approval != protocol.ApprovalAsk {
		return
	}
	shown := *p.todo(todo.ID) // a copy: the plan's own goes on changing
	id := protocol.ID(protocol.RequestPrefix, d.next)
	d.add(protocol.TypeHitlApprovalRequest, &protocol.HitlApprovalRequest{
		RequestID: id, TodoID: todo.ID, Todo: &shown, CallID: call, Tool: todo.Tool, Class: todo.Class, Input: todo.Input,
		Reason:     "This todo needs an approval before it runs.",
		Options:    []string{protocol.ActionApprove, protocol.ActionSkip, protocol.ActionReject},
		TimeoutSec: int(approvalTime.Seconds()), ExpiresAt: protocol.At(d.clock.Add(approvalTime)), TurnID: t.ID,
	})
	d.ask(t.ID, id, askOf(todo.Class), todo.Task)
}

// todoEnded says what a finished call means for its todo.
func (s *State) todoEnded(t *Turn, todo protocol.Todo, c *protocol.ToolCompleted, d *draft) {
	duration := d.now.Sub(todo.StartedAt.Time).Milliseconds()
	switch {
	case c.OK:
		s.todoCompleted(todo, c, duration, d)
	case c.Error != nil && c.Error.Code == "SKIPPED":
		s.skipTodo(t, todo, c.Error.Message, "", d)
	default:
		s.todoFailed(todo, c, duration, d)
	}
	s.tellProgress(d)
}

func (s *State) todoCompleted(todo protocol.Todo, c *protocol.ToolCompleted, duration int64, d *draft) {
	summary := c.Summary
	if len(summary) == 0 {
		text, _ := json.Marshal(map[string]string{"output": titleOf(c.Output)})
		summary = text
	}
	d.add(protocol.TypeTodoCompleted, &protocol.TodoCompleted{
		TodoID: todo.ID, Task: todo.Task, Status: protocol.TodoStatusCompleted, ResultSummary: summary,
		DurationMS: duration, NextTodos: s.followers(todo.ID), ResultID: protocol.MessageID(d.next - 1),
	})
}

// followers are the todos that become ready when this one is settled.
func (s *State) followers(id string) []string {
	p := s.Plans.Current
	out := []string{}
	for i := range p.Todos {
		t := &p.Todos[i]
		if t.Status != protocol.TodoStatusPending || !slices.Contains(t.DependsOn, id) {
			continue
		}
		free := true
		for _, dep := range t.DependsOn {
			free = free && (dep == id || settled(p.todo(dep)))
		}
		if free {
			out = append(out, t.ID)
		}
	}
	return out
}

func (s *State) todoFailed(todo protocol.Todo, c *protocol.ToolCompleted, duration int64, d *draft) {
	failed := protocol.TodoFailed{
		TodoID: todo.ID, Task: todo.Task, Status: protocol.TodoStatusFailed, RetryCount: todo.RetryCount, MaxRetries: todo.MaxRetries,
		Error: protocol.TurnError{Code: "TOOL_EXECUTION_FAILED", Message: titleOf(c.Output), Recoverable: true}, DurationMS: duration,
	}
	if c.Error != nil {
		failed.Error = *c.Error
	}
	if failed.Error.Recoverable && failed.Error.Code != "REJECTED" && todo.RetryCount < todo.MaxRetries {
		failed.Status, failed.RetryCount = protocol.TodoStatusPending, todo.RetryCount+1
		failed.RetryAt = protocol.At(d.clock.Add(jitter(backoff(todo.RetryCount), s.Turns.Current.ID, todo.ID, todo.RetryCount)))
	}
	d.add(protocol.TypeTodoFailed, &failed)
}

// jitter spreads retries over the second half of their wait. It is taken from
// names, not from chance, so that deciding again gives the same.
func jitter(wait time.Duration, turn, todo string, n int) time.Duration {
	h := fnv.New32a()
	fmt.Fprint(h, turn, todo, n)
	return wait/2 + time.Duration(h.Sum32()%1000)*wait/2000
}

func (s *State) skipTodo(t *Turn, todo protocol.Todo, reason, by string, d *draft) {
	d.of(protocol.MainAgent(t.MonitorID), t.MonitorID)
	d.add(protocol.TypeTodoSkipped, &protocol.TodoSkipped{
		TodoID: todo.ID, Task: todo.Task, Status: protocol.TodoStatusSkipped, Reason: reason, SkippedBy: by, NextTodos: s.followers(todo.ID),
	})
}

// tellProgress says how far the plan has come, not more than once a second.
func (s *State) tellProgress(d *draft) {
	if p := s.Plans.Current; p != nil && d.now.Sub(p.Progress) >= progressEvery {
		d.add(protocol.TypeExecutionProgress, p.progress(""))
	}
}

func (p *Plan) progress(status protocol.PlanStatus) *protocol.ExecutionProgress {
	e := &protocol.ExecutionProgress{
		TotalTodos: len(p.Todos), Completed: p.count(protocol.TodoStatusCompleted), InProgress: p.count(protocol.TodoStatusInProgress),
		Pending: p.count(protocol.TodoStatusPending), Failed: p.count(protocol.TodoStatusFailed), Skipped: p.count(protocol.TodoStatusSkipped),
		Cancelled: p.count(protocol.TodoStatusCancelled), PlanID: p.ID, Status: status,
	}
	if n := len(p.Todos); n > 0 {
		e.ProgressPercentage = float64(100*(e.Completed+e.Skipped)) / float64(n)
	}
	for _, t := range p.Todos {
		if t.Status == protocol.TodoStatusInProgress {
			e.CurrentTodo = &protocol.CurrentTodo{ID: t.ID, Task: t.Task}
			break
		}
	}
	return e
}

// fieldStuck is what a person is asked when a plan cannot go on.
const fieldStuck = "failed_todos"

func (s *State) stuckAsked() bool {
	return slices.ContainsFunc(s.Requests.Open, func(o protocol.Request) bool { return o.Field == fieldStuck })
}

// stuck asks a person what to do about failed todos, once for each set of them.
func (s *State) stuck(t *Turn, p *Plan, d *draft) bool {
	failed := p.ids(protocol.TodoStatusFailed)
	if len(failed) == 0 || t.GaveUp {
		return false
	}
	d.of(protocol.MainAgent(t.MonitorID), t.MonitorID)
	id := protocol.ID(protocol.RequestPrefix, d.next)
	question := fmt.Sprintf("%d of %d todos failed and nothing else can run. Try them again, leave them out, or end the plan here?", len(failed), len(p.Todos))
	d.add(protocol.TypeHitlInputRequest, &protocol.HitlInputRequest{
		RequestID: id, Field: fieldStuck, Question: question, InputType: protocol.InputChoice, Required: true,
		Options: []protocol.Option{
			{Value: "retry", Label: "Try again"}, {Value: "skip", Label: "Leave out"}, {Value: "end", Label: "End the plan"},
		},
		DefaultValue: json.RawMessage(`"end"`), TurnID: t.ID, Ask: protocol.AskFollowup,
		TimeoutSec: int(inputTime.Seconds()), ExpiresAt: protocol.At(d.clock.Add(inputTime)),
	})
	d.ask(t.ID, id, protocol.AskFollowup, question)
	return true
}

// endPlan tells how the plan went, to people and to the model that proposed it.
func (s *State) endPlan(t *Turn, p *Plan, d *draft) {
	d.of(protocol.MainAgent(t.MonitorID), t.MonitorID)
	status := protocol.PlanStatusCompleted
	if p.count(protocol.TodoStatusFailed) > 0 {
		status = protocol.PlanStatusFailed
	}
	d.add(protocol.TypeExecutionProgress, p.progress(status))
	report, _ := json.Marshal(p.results())
	s.done(t, &t.Loop, &protocol.ToolCompleted{
		CallID: p.CallID, TurnID: t.ID, Tool: toolProposePlan, OK: status == protocol.PlanStatusCompleted, Output: string(report),
	}, d)
}

// results is what became of each todo, for the model.
func (p *Plan) results() []map[string]any {
	out := make([]map[string]any, len(p.Todos))
	for i, t := range p.Todos {
		r := map[string]any{"id": t.ID, "task": t.Task, "status": t.Status}
		if len(t.ResultSummary) > 0 {
			r["result"] = t.ResultSummary
		}
		if t.Error != nil {
			r["error"] = t.Error.Message
		}
		out[i] = r
	}
	return out
}
