package session_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// graphWorld plays a plan with tools that fail as often as they are told to, and
// checks what is recorded against the graph, from the records alone.
type graphWorld struct {
	*bench
	random   *rand.Rand
	plan     []protocol.Todo
	failures map[string]int // how often the todo fails
	checked  int            // records looked at
	status   map[string]protocol.TodoStatus
	attempts map[string]int
	retryAt  map[string]time.Time
	calls    map[string]string // call → todo, of tools that run
	paused   bool
	most     int // todos that ran at the same time
	retried  int
}

const (
	parallelMost = 4
	backoffMost  = 30 * time.Second
)

func newGraphWorld(t *testing.T, seed uint64) *graphWorld {
	w := &graphWorld{
		random: rand.New(rand.NewPCG(7, seed)), failures: map[string]int{}, status: map[string]protocol.TodoStatus{},
		attempts: map[string]int{}, retryAt: map[string]time.Time{}, calls: map[string]string{},
	}
	for i := range 1 + w.random.IntN(14) {
		it := todo(fmt.Sprintf("t%02d", i), "act")
		it.Priority, it.MaxRetries, it.RequiresApproval = w.random.IntN(4), w.random.IntN(3), w.random.IntN(6) == 0
		for j := range i {
			if w.random.IntN(4) == 0 {
				it.DependsOn = append(it.DependsOn, fmt.Sprintf("t%02d", j))
			}
		}
		if w.random.IntN(3) == 0 {
			w.failures[it.ID] = 1 + w.random.IntN(4)
		}
		w.plan = append(w.plan, it)
		w.status[it.ID] = protocol.TodoStatusPending
	}
	w.random.Shuffle(len(w.plan), func(i, j int) { w.plan[i], w.plan[j] = w.plan[j], w.plan[i] })
	w.bench = planned(t, w.plan...)
	return w
}

func (w *graphWorld) todo(id string) protocol.Todo {
	return w.plan[slices.IndexFunc(w.plan, func(it protocol.Todo) bool { return it.ID == id })]
}

// step does one thing at random; false if nothing is left but to end the turn.
func (w *graphWorld) step(t *testing.T) bool {
	w.now = w.now.Add(time.Duration(w.random.IntN(700)) * time.Millisecond)
	var can []session.Command
	for _, s := range w.state.Next() {
		switch {
		case s.Kind == session.StepTool && s.Tool.Status == session.ToolReady:
			can = append(can, session.Command{Type: session.ToolBegin, Data: &session.ToolBegun{TurnID: s.TurnID, CallID: s.Tool.ID}})
		case s.Kind == session.StepTool:
			can = append(can, toolEnds(s, w.attempts[s.Tool.TodoID] > w.failures[s.Tool.TodoID]))
		case s.Kind == session.StepTick && !s.NotBefore.After(w.now):
			can = append(can, session.Command{Type: session.Tick})
		case s.Kind == session.StepModel:
			return false
		}
	}
	for _, o := range w.state.Requests.Open {
		switch {
		case o.Type == protocol.TypeHitlPlanReview:
			can = append(can, review(o.RequestID, "approve", ""))
		case o.Type == protocol.TypeHitlApprovalRequest:
			can = append(can, approval(o.RequestID, "approve"))
		default: // the plan is stuck
			can = append(can, input(o.RequestID, `"end"`))
		}
	}
	if len(can) > 0 {
		w.must(t, can[w.random.IntN(len(can))])
		w.check(t)
	}
	return true
}

// check looks at the records that are new.
func (w *graphWorld) check(t *testing.T) {
	t.Helper()
	for _, r := range w.records[w.checked:] {
		w.checked++
		switch d := r.Data.(type) {
		case *protocol.HitlPaused:
			w.paused = true
		case *protocol.Resumed:
			w.paused = false
		case *protocol.TodoStarted:
			w.started(t, r, d)
		case *protocol.ToolStarted:
			w.calls[d.CallID] = d.TodoID
			if w.paused {
				t.Fatalf("%s ran while paused", d.TodoID)
			}
		case *protocol.ToolCompleted:
			delete(w.calls, d.CallID)
		case *protocol.TodoCompleted:
			w.status[d.TodoID] = d.Status
		case *protocol.TodoFailed:
			w.failed(t, r, d)
		}
	}
}

func (w *graphWorld) started(t *testing.T, r protocol.Record, d *protocol.TodoStarted) {
	it := w.todo(d.TodoID)
	switch {
	case w.status[d.TodoID] != protocol.TodoStatusPending:
		t.Fatalf("%s started while %s", d.TodoID, w.status[d.TodoID])
	case w.paused:
		t.Fatalf("%s started while paused", d.TodoID)
	case w.now.Before(w.retryAt[d.TodoID]):
		t.Fatalf("%s started at %s, before %s", d.TodoID, w.now, w.retryAt[d.TodoID])
	case !w.free(it):
		t.Fatalf("%s started before what it depends on: %v", d.TodoID, w.status)
	}
	for _, other := range w.plan {
		if other.Priority > it.Priority && w.status[other.ID] == protocol.TodoStatusPending && w.free(other) && !w.now.Before(w.retryAt[other.ID]) {
			t.Fatalf("%s started before %s, which is more urgent", it.ID, other.ID)
		}
	}
	w.status[d.TodoID] = protocol.TodoStatusInProgress
	w.attempts[d.TodoID]++
	if n := w.attempts[d.TodoID]; n > it.MaxRetries+1 || d.Attempt != n {
		t.Fatalf("%s, which may be tried %d times, is tried the %d. time and says %d", it.ID, it.MaxRetries+1, n, d.Attempt)
	}
	running := 0
	for _, s := range w.status {
		if s == protocol.TodoStatusInProgress {
			running++
		}
	}
	if w.most = max(w.most, running); running > parallelMost {
		t.Fatalf("%d todos run at the same time", running)
	}
}

func (w *graphWorld) free(it protocol.Todo) bool {
	return !slices.ContainsFunc(it.DependsOn, func(id string) bool { return w.status[id] != protocol.TodoStatusCompleted })
}

func (w *graphWorld) failed(t *testing.T, r protocol.Record, d *protocol.TodoFailed) {
	it, n := w.todo(d.TodoID), w.attempts[d.TodoID]
	w.status[d.TodoID] = d.Status
	if again := n <= it.MaxRetries; again != (d.Status == protocol.TodoStatusPending) {
		t.Fatalf("%s failed %d times of %d and is %s", d.TodoID, n, it.MaxRetries+1, d.Status)
	}
	if d.Status != protocol.TodoStatusPending {
		return
	}
	w.retried++
	full := min(time.Second<<(n-1), backoffMost)
	if wait := d.RetryAt.Sub(r.Time); wait < full/2 || wait > full {
		t.Fatalf("%s waits %s for try %d, want %s to %s", d.TodoID, wait, n+1, full/2, full)
	}
	w.retryAt[d.TodoID] = d.RetryAt.Time
}

// expected is what the graph says must become of each todo.
func (w *graphWorld) expected() map[string]protocol.TodoStatus {
	out := map[string]protocol.TodoStatus{}
	var of func(id string) protocol.TodoStatus
	of = func(id string) protocol.TodoStatus {
		it := w.todo(id)
		for _, dep := range it.DependsOn {
			if of(dep) != protocol.TodoStatusCompleted {
				return protocol.TodoStatusPending
			}
		}
		if w.failures[id] > it.MaxRetries {
			return protocol.TodoStatusFailed
		}
		return protocol.TodoStatusCompleted
	}
	for _, it := range w.plan {
		out[it.ID] = of(it.ID)
	}
	return out
}

// Two hundred plans: the order respects the graph and the priorities, at most
// four todos run at once, a failure stops what depends on it and nothing else,
// a pause starts nothing, retries come in their time and no more often than
// allowed, and a cancel ends everything.
func TestRandomPlans(t *testing.T) {
	most, retried, cancelled, stopped := 0, 0, 0, 0
	for seed := range uint64(200) {
		w := newGraphWorld(t, seed)
		mode, at := seed%3, 1+w.random.IntN(20)
		steps := 0
		for ; w.step(t); steps++ {
			if steps > 3000 {
				t.Fatalf("seed %d does not come to an end: %s", seed, statuses(w.bench))
			}
			if steps%at == 0 && mode == 1 && w.state.Turns.Current != nil {
				w.rest(t)
			}
			if steps == at && mode == 2 {
				w.cancelled(t)
				cancelled++
				break
			}
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
		most, retried = max(most, w.most), retried+w.retried
		if w.state.Turns.Current == nil {
			continue
		}
		for id, want := range w.expected() {
			if w.status[id] != want || w.state.Plans.Current.Todos[slices.IndexFunc(w.state.Plans.Current.Todos, func(it protocol.Todo) bool { return it.ID == id })].Status != want {
				t.Fatalf("seed %d: %s is %s, want %s in %s", seed, id, w.status[id], want, statuses(w.bench))
			}
			if want == protocol.TodoStatusPending {
				stopped++
			}
		}
		w.answer(t, "done")
	}
	if most != parallelMost || retried < 50 || cancelled < 30 || stopped < 50 {
		t.Errorf("too tame: %d at once, %d retries, %d cancelled, %d todos stopped by a failure", most, retried, cancelled, stopped)
	}
}

// rest pauses, lets what runs come to its end, waits, and resumes.
func (w *graphWorld) rest(t *testing.T) {
	w.must(t, pause())
	w.check(t)
	for range 5 {
		for _, s := range w.state.Next() {
			if s.Kind == session.StepTool {
				w.must(t, toolEnds(s, w.attempts[s.Tool.TodoID] > w.failures[s.Tool.TodoID]))
			}
		}
		w.now = w.now.Add(time.Minute / 4)
		w.must(t, session.Command{Type: session.Tick})
		w.check(t)
	}
	if len(w.calls) > 0 || len(w.does(session.StepTool)) > 0 || w.state.Status() != protocol.StatusPaused {
		t.Fatalf("%s: %v run while paused", w.state.Status(), w.calls)
	}
	w.must(t, resume())
	w.check(t)
}

// cancelled ends the turn in the middle.
func (w *graphWorld) cancelled(t *testing.T) {
	w.must(t, session.Command{Type: protocol.TypeControlCancel, By: ann, Data: &protocol.ControlCancel{}})
	w.check(t)
	if len(w.calls) > 0 || len(w.state.Next()) > 0 || len(w.state.Requests.Open) > 0 || !w.state.Wake().IsZero() {
		t.Fatalf("after a cancel: %v run, %v to do, %v asked", w.calls, w.state.Next(), w.state.Requests.Open)
	}
	for _, it := range w.state.Plans.Current.Todos {
		want := w.status[it.ID]
		if want == protocol.TodoStatusPending || want == protocol.TodoStatusInProgress {
			want = protocol.TodoStatusCancelled
		}
		if it.Status != want {
			t.Fatalf("after a cancel %s is %s, want %s", it.ID, it.Status, want)
		}
	}
	if w.state.Status() != protocol.StatusCancelled {
		t.Fatalf("after a cancel the session is %s", w.state.Status())
	}
}
