package session_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// todo is a todo of a test's plan. Words say more of it: "after x y", "approve",
// "retries n".
func todo(id, tool string, words ...string) protocol.Todo {
	t := protocol.Todo{ID: id, Task: "do " + id, Tool: tool, DependsOn: []string{}}
	for _, w := range words {
		if after, ok := strings.CutPrefix(w, "after "); ok {
			t.DependsOn = strings.Fields(after)
		} else if _, err := fmt.Sscanf(w, "retries %d", &t.MaxRetries); err != nil {
			t.RequiresApproval = w == "approve"
		}
	}
	return t
}

// planned is a session whose model has proposed a plan.
func planned(t testing.TB, todos ...protocol.Todo) *bench {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"summary": "a plan", "todos": todos})
	if err != nil {
		t.Fatal(err)
	}
	b := benchOf(t, protocol.PipelineAuto)
	b.wants(t, use("p", "propose_plan", string(raw)))
	return b
}

// planRuns is one in which a person has approved it.
func planRuns(t testing.TB, todos ...protocol.Todo) *bench {
	t.Helper()
	b := planned(t, todos...)
	b.must(t, review(b.asked(t, protocol.TypeHitlPlanReview).RequestID, "approve", ""))
	return b
}

// statuses is how the todos stand.
func statuses(b *bench) string {
	var out []string
	for _, it := range b.state.Plans.Current.Todos {
		out = append(out, it.ID+" "+string(it.Status))
	}
	return strings.Join(out, ", ")
}

func pause() session.Command {
	return session.Command{Type: protocol.TypeControlPause, By: ann, Data: &protocol.ControlPause{Reason: "lunch"}}
}

func resume(changes ...protocol.PlanChange) session.Command {
	return session.Command{Type: protocol.TypeControlResume, By: ann, Data: &protocol.ControlResume{Modifications: changes}}
}

func edit(changes ...protocol.PlanChange) session.Command {
	return session.Command{Type: protocol.TypePlanEdit, By: ann, Data: &protocol.PlanEdit{Changes: changes}}
}

func skip(id string) session.Command {
	return session.Command{Type: protocol.TypeControlSkip, By: ann, Data: &protocol.ControlSkip{TodoID: id}}
}

func retry(id string) session.Command {
	return session.Command{Type: protocol.TypeControlRetry, By: ann, Data: &protocol.ControlRetry{TodoID: id}}
}

// starts begins the call of a todo.
func (b *bench) starts(t testing.TB, id string) session.Step {
	t.Helper()
	for _, step := range b.state.Next() {
		if step.Kind == session.StepTool && step.Tool.TodoID == id {
			if step.Tool.Status == session.ToolReady {
				b.must(t, session.Command{Type: session.ToolBegin, Data: &session.ToolBegun{TurnID: step.TurnID, CallID: step.Tool.ID}})
			}
			return step
		}
	}
	t.Fatalf("todo %s has nothing to run: %s", id, statuses(b))
	return session.Step{}
}

// ends carries a todo out.
func (b *bench) ends(t testing.TB, id string, ok bool) []protocol.Record {
	t.Helper()
	return b.must(t, toolEnds(b.starts(t, id), ok))
}

func (b *bench) stand(t testing.TB, want string) {
	t.Helper()
	if got := statuses(b); got != want {
		t.Errorf("the todos are: %s\nwant: %s", got, want)
	}
}

// What a person says of a todo that asks first.
func TestApprovalOfATodo(t *testing.T) {
	for action, want := range map[string]string{
		"approve": "a in_progress, b pending, c in_progress",
		"skip":    "a skipped, b in_progress, c in_progress",
		"reject":  "a failed, b pending, c in_progress", // and is not tried again by itself
	} {
		b := planRuns(t, todo("a", "act", "approve", "retries 2"), todo("b", "act", "after a"), todo("c", "act"))
		o := b.asked(t, protocol.TypeHitlApprovalRequest)
		if o.TodoID != "a" || o.Todo == nil || o.Todo.ID != "a" {
			t.Errorf("asked %+v", o)
		}
		b.must(t, approval(o.RequestID, action))
		b.stand(t, want)
	}
}

// A plan that nobody has to look at runs at once, and is told before it does;
// its calls ask as if the model had made them.
func TestPlanWithoutReview(t *testing.T) {
	for policy, reviewed := range map[string]bool{"": true, "always": true, "never": false, "over:1.5": false, "over:1": true, "over:0.50": true} {
		b := benchOf(t, protocol.PipelineAuto)
		b.must(t, session.Command{Type: protocol.TypeUpdateSession, Data: &protocol.UpdateSession{PlanReview: &policy}})
		records := b.wants(t, use("p", "propose_plan", `{"summary":"s","todos":[
			{"id":"a","task":"look","tool":"look","estimated_cost_usd":0.75},
			{"id":"b","task":"act","tool":"act","estimated_cost_usd":0.5},
			{"id":"c","task":"dear","tool":"act","estimated_cost_usd":-3,"depends_on":["a"]}]}`))
		for _, it := range found[protocol.PlanGenerated](t, records).Todos {
			if it.Status != protocol.TodoStatusPending {
				t.Errorf("%q: plan_generated says that %s is %s", policy, it.ID, it.Status)
			}
		}
		if reviewed {
			b.asked(t, protocol.TypeHitlPlanReview)
			b.stand(t, "a pending, b pending, c pending")
			continue
		}
		b.stand(t, "a in_progress, b in_progress, c pending")
		if o := b.asked(t, protocol.TypeHitlApprovalRequest); o.TodoID != "b" {
			t.Errorf("%q: asked %+v", policy, o)
		}
	}
}

// A pause starts nothing; what runs goes on, and its result counts. Resuming
// goes on from there.
func TestPauseOfAPlan(t *testing.T) {
	b := planRuns(t, todo("a", "act"), todo("b", "act"), todo("c", "act", "after a"), todo("d", "act", "approve"))
	running := b.starts(t, "a")
	waiting := b.state.Next()[1]
	p := found[protocol.HitlPaused](t, b.must(t, pause()))
	if p.PausedBy != "ann" || p.Reason != "lunch" || p.CurrentTodo != "a" || !p.CanResume {
		t.Errorf("paused: %+v", p)
	}
	b.refused(t, protocol.CodeSessionInvalidState, pause())
	if got := b.does(session.StepTool); len(got) != 1 || b.state.Status() != protocol.StatusPaused {
		t.Errorf("while paused (%s) run %v, want the call that ran", b.state.Status(), got)
	}
	b.refused(t, protocol.CodeSessionInvalidState, session.Command{Type: session.ToolBegin, Data: &session.ToolBegun{TurnID: waiting.TurnID, CallID: waiting.Tool.ID}})
	b.must(t, toolEnds(running, true))
	b.must(t, approval(b.asked(t, protocol.TypeHitlApprovalRequest).RequestID, "approve"))
	b.stand(t, "a completed, b in_progress, c pending, d in_progress")
	if steps := b.state.Next(); len(steps) > 0 {
		t.Errorf("while paused there is to do: %+v", steps)
	}
	if !b.state.Wake().IsZero() {
		t.Errorf("a paused session is due at %s", b.state.Wake())
	}
	if r := found[protocol.Resumed](t, b.must(t, resume())); r.ResumedBy != "ann" {
		t.Errorf("resumed: %+v", r)
	}
	b.stand(t, "a completed, b in_progress, c in_progress, d in_progress")
	b.refused(t, protocol.CodeSessionInvalidState, resume())
	for _, id := range []string{"b", "c", "d"} {
		b.ends(t, id, true)
	}
	b.answer(t, "done")
	if b.state.Status() != protocol.StatusCompleted {
		t.Errorf("the end is %s", b.state.Status())
	}
}

// A model that answers while the session is paused is heard; its tools wait.
func TestPauseOfAModelCall(t *testing.T) {
	b := benchOf(t, protocol.PipelineDirect)
	turn, call := b.call(t)
	b.must(t, pause())
	if got := b.does(session.StepModel); len(got) != 1 {
		t.Errorf("the call that ran is not listed: %v", got)
	}
	b.must(t, session.Command{Type: session.ModelEnd, Data: &session.ModelEnded{TurnID: turn, Call: call, Uses: []session.ToolUse{use("u", "look", `{}`)}}})
	if steps := b.state.Next(); len(steps) > 0 {
		t.Errorf("while paused there is to do: %+v", steps)
	}
	b.must(t, resume())
	if ran := b.run(t, true); ran != 1 {
		t.Errorf("%d calls ran after resuming", ran)
	}
	b.must(t, pause())
	b.refused(t, protocol.CodeSessionInvalidState, session.Command{Type: session.ModelBegin, Data: &session.ModelBegun{TurnID: turn}})
	if steps := b.state.Next(); len(steps) > 0 {
		t.Errorf("while paused there is to do: %+v", steps)
	}
	b.must(t, resume())
	b.answer(t, "done")
}

// Time goes on while the session is paused: deadlines pass, retries wait.
func TestPauseDoesNotStopTheClock(t *testing.T) {
	b := planRuns(t, todo("a", "act", "retries 1"), todo("b", "act", "approve"))
	b.ends(t, "a", false)
	b.must(t, pause())
	if got := b.does(session.StepTick); len(got) > 0 {
		t.Errorf("a retry is due while paused: %v", got)
	}
	b.expired(t)
	b.stand(t, "a pending, b skipped")
	b.must(t, session.Command{Type: session.Tick})
	b.stand(t, "a pending, b skipped")
	b.must(t, resume())
	b.stand(t, "a in_progress, b skipped")
}

func words(s string) *string        { return &s }
func needs(ids ...string) *[]string { return &ids }

// A plan can be changed while a person looks at it, and while it runs.
func TestPlanEdits(t *testing.T) {
	add := protocol.PlanChange{Action: protocol.ChangeAdd, TodoID: "new", Task: words("more"), Tool: words("act"), DependsOn: needs("b")}
	remove := protocol.PlanChange{Action: protocol.ChangeRemove, TodoID: "c"}
	update := protocol.PlanChange{Action: protocol.ChangeUpdate, TodoID: "b", Task: words("otherwise"), Input: []byte(`{"x":1}`)}
	plan := []protocol.Todo{todo("a", "act"), todo("b", "look", "after a"), todo("c", "act", "after b")}

	b := planned(t, plan...)
	before := b.asked(t, protocol.TypeHitlPlanReview)
	m := found[protocol.PlanModified](t, b.must(t, edit(add, remove, update)))
	if m.OldVersion != 1 || m.NewVersion != 2 || m.By != "ann" || len(m.UpdatedTodos) != 3 || len(m.Changes) != 3 {
		t.Errorf("modified: %+v", m)
	}
	after := b.asked(t, protocol.TypeHitlPlanReview)
	if after.RequestID == before.RequestID || after.Plan.Todos[1].Task != "otherwise" {
		t.Errorf("the plan that a person is asked about is %+v", after.Plan)
	}
	b.refused(t, protocol.CodeRequestExpired, review(before.RequestID, "approve", ""))
	b.must(t, review(after.RequestID, "approve", ""))
	b.stand(t, "a in_progress, b pending, new pending")

	b.refused(t, protocol.CodeSessionInvalidState, edit(protocol.PlanChange{Action: protocol.ChangeRemove, TodoID: "a"}))
	b.refused(t, protocol.CodeSessionInvalidState, edit(protocol.PlanChange{Action: protocol.ChangeUpdate, TodoID: "a", Task: words("x")}))
	for name, bad := range map[string][]protocol.PlanChange{
		"no changes":        {},
		"no such todo":      {{Action: protocol.ChangeUpdate, TodoID: "z", Task: words("x")}},
		"exists already":    {{Action: protocol.ChangeAdd, TodoID: "b", Task: words("x"), Tool: words("act")}},
		"unknown tool":      {{Action: protocol.ChangeAdd, TodoID: "z", Task: words("x"), Tool: words("rocket")}},
		"no tool":           {{Action: protocol.ChangeAdd, TodoID: "z", Task: words("x")}},
		"no task":           {{Action: protocol.ChangeAdd, TodoID: "z", Tool: words("act")}},
		"unknown dependant": {{Action: protocol.ChangeUpdate, TodoID: "b", DependsOn: needs("z")}},
		"a circle":          {{Action: protocol.ChangeUpdate, TodoID: "b", DependsOn: needs("new")}},
		"a circle of one":   {{Action: protocol.ChangeUpdate, TodoID: "b", DependsOn: needs("b")}},
		"removed and used":  {{Action: protocol.ChangeRemove, TodoID: "b"}},
		"good, then bad":    {update, {Action: protocol.ChangeRemove, TodoID: "z"}},
	} {
		t.Log(name)
		b.refused(t, protocol.CodeInvalidMessage, edit(bad...))
	}
	b.refused(t, protocol.CodeInvalidMessage, session.Command{Type: protocol.TypePlanEdit, Data: &protocol.PlanEdit{PlanID: "plan_9", Changes: []protocol.PlanChange{add}}})

	// What is added while the plan runs starts when it can, and not before it is told.
	free := protocol.PlanChange{Action: protocol.ChangeAdd, TodoID: "free", Task: words("at once"), Tool: words("act")}
	records := b.must(t, edit(free))
	m = found[protocol.PlanModified](t, records)
	if added := m.UpdatedTodos[len(m.UpdatedTodos)-1]; added.ID != "free" || added.Status != protocol.TodoStatusPending {
		t.Errorf("plan_modified tells of %+v, which has not begun", added)
	}
	if s := found[protocol.TodoStarted](t, records); s.TodoID != "free" {
		t.Errorf("started %+v", s)
	}
	b.stand(t, "a in_progress, b pending, new pending, free in_progress")
}

// A plan that is stuck goes on when its failed todo is changed.
func TestEditOfAFailedTodo(t *testing.T) {
	b := planRuns(t, todo("a", "act"), todo("b", "act", "after a"))
	b.ends(t, "a", false)
	stuck := b.asked(t, protocol.TypeHitlInputRequest)
	b.must(t, edit(protocol.PlanChange{Action: protocol.ChangeUpdate, TodoID: "a", Input: []byte(`{"better":true}`)}))
	b.refused(t, protocol.CodeRequestExpired, input(stuck.RequestID, `"retry"`))
	b.stand(t, "a in_progress, b pending")
	b.ends(t, "a", true)
	b.ends(t, "b", true)
	b.answer(t, "done")
}

// Resuming with changes is a change and a resume, or neither.
func TestResumeWithModifications(t *testing.T) {
	b := planRuns(t, todo("a", "act"), todo("b", "act", "after a"))
	b.ends(t, "a", true)
	b.must(t, pause())
	b.refused(t, protocol.CodeInvalidMessage, resume(protocol.PlanChange{Action: protocol.ChangeRemove, TodoID: "z"}))
	b.refused(t, protocol.CodeSessionInvalidState, resume(protocol.PlanChange{Action: protocol.ChangeRemove, TodoID: "a"}))
	if b.state.Status() != protocol.StatusPaused {
		t.Fatalf("after a refused resume it is %s", b.state.Status())
	}
	records := b.must(t, resume(protocol.PlanChange{Action: protocol.ChangeAdd, TodoID: "c", Task: words("more"), Tool: words("act")}))
	if got := types(records)[:2]; got[0] != protocol.TypePlanModified || got[1] != protocol.TypeResumed {
		t.Errorf("resumed with %v", got)
	}
	b.stand(t, "a completed, b in_progress, c in_progress")

	none := benchOf(t, protocol.PipelineDirect)
	none.must(t, pause())
	none.refused(t, protocol.CodeSessionInvalidState, resume(protocol.PlanChange{Action: protocol.ChangeRemove, TodoID: "a"}))
	none.must(t, resume())
}

// Each state of a todo says whether it can be tried again and left out.
func TestRetryAndSkip(t *testing.T) {
	no := protocol.CodeSessionInvalidState
	for name, c := range map[string]struct {
		make        func(t testing.TB) *bench
		retry, skip protocol.Code // 0: allowed
	}{
		"there is no such todo": {func(t testing.TB) *bench { return planRuns(t, todo("z", "act")) }, protocol.CodeInvalidMessage, protocol.CodeInvalidMessage},
		"no plan":               {func(t testing.TB) *bench { return benchOf(t, protocol.PipelineAuto) }, no, no},
		"under review":          {func(t testing.TB) *bench { return planned(t, todo("x", "act"), todo("y", "act")) }, no, 0},
		"waits for another":     {func(t testing.TB) *bench { return planRuns(t, todo("y", "act"), todo("x", "act", "after y")) }, no, 0},
		"is asked about":        {func(t testing.TB) *bench { return planRuns(t, todo("x", "act", "approve")) }, no, 0},
		"may run":               {func(t testing.TB) *bench { return planRuns(t, todo("x", "act")) }, no, 0},
		"runs": {func(t testing.TB) *bench {
			b := planRuns(t, todo("x", "act"))
			b.starts(t, "x")
			return b
		}, no, 0},
		"completed": {func(t testing.TB) *bench {
			b := planRuns(t, todo("x", "act"), todo("y", "act"))
			b.ends(t, "x", true)
			return b
		}, no, no},
		"failed": {func(t testing.TB) *bench {
			b := planRuns(t, todo("x", "act"), todo("y", "act"))
			b.ends(t, "x", false)
			return b
		}, 0, 0},
		"failed, and the plan is stuck": {func(t testing.TB) *bench {
			b := planRuns(t, todo("x", "act"))
			b.ends(t, "x", false)
			return b
		}, 0, 0},
		"waits for its next try": {func(t testing.TB) *bench {
			b := planRuns(t, todo("x", "act", "retries 1"))
			b.ends(t, "x", false)
			return b
		}, 0, 0},
		"left out": {func(t testing.TB) *bench {
			b := planRuns(t, todo("x", "act"), todo("y", "act"))
			b.must(t, skip("x"))
			return b
		}, 0, no},
		"left out, and another went on": {func(t testing.TB) *bench {
			b := planRuns(t, todo("x", "act"), todo("y", "act", "after x"))
			b.must(t, skip("x"))
			return b
		}, no, no},
		"failed, and paused": {func(t testing.TB) *bench {
			b := planRuns(t, todo("x", "act"), todo("y", "act"))
			b.ends(t, "x", false)
			b.must(t, pause())
			return b
		}, 0, 0},
		"cancelled": {func(t testing.TB) *bench {
			b := planRuns(t, todo("x", "act"))
			b.must(t, session.Command{Type: protocol.TypeControlCancel, Data: &protocol.ControlCancel{}})
			return b
		}, no, no},
	} {
		t.Run(name, func(t *testing.T) {
			for _, try := range []struct {
				code  protocol.Code
				c     session.Command
				after protocol.TodoStatus
			}{{c.retry, retry("x"), protocol.TodoStatusInProgress}, {c.skip, skip("x"), protocol.TodoStatusSkipped}} {
				b := c.make(t)
				if try.code != 0 {
					b.refused(t, try.code, try.c)
					continue
				}
				running := b.does(session.StepTool)
				b.must(t, try.c)
				if b.state.Turns.Resting && try.after == protocol.TodoStatusInProgress {
					try.after = protocol.TodoStatusPending // it starts when the work goes on
				}
				if got := statuses(b); !strings.Contains(got, "x "+string(try.after)) {
					t.Errorf("%s: %s", try.c.Type, got)
				}
				for _, o := range b.state.Requests.Open {
					if o.TodoID == "x" || o.Field == "failed_todos" {
						t.Errorf("%s left a question open: %+v", try.c.Type, o)
					}
				}
				if try.after == protocol.TodoStatusSkipped && len(running) == 1 && len(b.does(session.StepTool)) == 1 && name == "runs" {
					t.Error("what was left out still runs")
				}
			}
		})
	}
}
