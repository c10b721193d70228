package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-dev/parley/protocol"
)

const (
	codePlanInvalid = "PLAN_INVALID"
	// badPlansMost is how many plans in a row may be ones that cannot be
	// carried out.
	badPlansMost = 3

	maxTodos     = 1000
	maxTodoInput = 64 << 10
)

// proposal is what a model gives to propose_plan.
type proposal struct {
	Summary string          `json:"summary"`
	Todos   []protocol.Todo `json:"todos"`
}

// readPlan checks a proposal before anyone sees it. The error is for the model.
func readPlan(input json.RawMessage, catalog []ToolSpec) (proposal, error) {
	var p proposal
	if err := json.Unmarshal(input, &p); err != nil {
		return p, fmt.Errorf("the plan is not of the right form: %w", err)
	}
	return p, checkTodos(p.Todos, catalog)
}

// checkTodos says what is wrong with the todos of a plan.
func checkTodos(todos []protocol.Todo, catalog []ToolSpec) error {
	switch {
	case len(todos) == 0:
		return fmt.Errorf("the plan has no todos")
	case len(todos) > maxTodos:
		return fmt.Errorf("the plan has %d todos; %d are the most", len(todos), maxTodos)
	}
	byID := map[string]int{}
	for i := range todos {
		t := &todos[i]
		if t.ID == "" || strings.TrimSpace(t.Task) == "" {
			return fmt.Errorf("todo %d needs an id and a task", i+1)
		}
		if _, twice := byID[t.ID]; twice {
			return fmt.Errorf("the id %q is used twice", t.ID)
		}
		byID[t.ID] = i
		if err := checkTodo(t, catalog); err != nil {
			return err
		}
	}
	for _, t := range todos {
		for _, id := range t.DependsOn {
			if _, ok := byID[id]; !ok {
				return fmt.Errorf("todo %q depends on %q, which is not in the plan", t.ID, id)
			}
		}
	}
	if cycle := findCycle(todos, byID); cycle != "" {
		return fmt.Errorf("the todos depend on each other in a circle: %s", cycle)
	}
	return nil
}

func checkTodo(t *protocol.Todo, catalog []ToolSpec) error {
	if len(t.Input) > maxTodoInput {
		return fmt.Errorf("the input of todo %q has %d bytes; %d are the most", t.ID, len(t.Input), maxTodoInput)
	}
	if t.Tool == "" && t.Profile != "" {
		t.Tool = ToolDelegate
		t.Input, _ = json.Marshal(map[string]string{"goal": t.Task, "mode": t.Profile})
	}
	if t.Tool == "" {
		return fmt.Errorf("todo %q names neither a tool nor a profile", t.ID)
	}
	i := slices.IndexFunc(catalog, func(s ToolSpec) bool { return s.Name == t.Tool })
	if i < 0 {
		return fmt.Errorf("todo %q uses the tool %q, which does not exist", t.ID, t.Tool)
	}
	if len(t.Input) == 0 {
		t.Input = json.RawMessage(`{}`)
	}
	t.Class, t.Effect = catalog[i].Class, catalog[i].Effect
	t.MaxRetries = min(max(t.MaxRetries, 0), 10)
	t.EstimatedCostUSD, t.EstimatedDurationSec = max(t.EstimatedCostUSD, 0), max(t.EstimatedDurationSec, 0) // none makes up for another
	if t.DependsOn == nil {
		t.DependsOn = []string{}
	}
	return nil
}

// findCycle names a circle of dependencies, if there is one.
func findCycle(todos []protocol.Todo, byID map[string]int) string {
	const unseen, open, closed = 0, 1, 2
	state := make([]int, len(todos))
	var path []string
	var visit func(i int) string
	visit = func(i int) string {
		path = append(path, todos[i].ID)
		state[i] = open
		for _, id := range todos[i].DependsOn {
			switch j := byID[id]; state[j] {
			case open:
				return strings.Join(append(path[slices.Index(path, id):], id), " → ")
			case unseen:
				if cycle := visit(j); cycle != "" {
					return cycle
				}
			}
		}
		state[i] = closed
		path = path[:len(path)-1]
		return ""
	}
	for i := range todos {
		if state[i] == unseen {
			if cycle := visit(i); cycle != "" {
				return cycle
			}
		}
	}
	return ""
}

// graph gives for each todo the ids it waits for.
func graph(todos []protocol.Todo) map[string][]string {
	g := make(map[string][]string, len(todos))
	for _, t := range todos {
		g[t.ID] = t.DependsOn
	}
	return g
}

// mermaid draws the plan.
func mermaid(todos []protocol.Todo) string {
	var b strings.Builder
	b.WriteString("graph LR\n")
	node := map[string]string{}
	for i, t := range todos {
		node[t.ID] = fmt.Sprintf("t%d", i+1)
		fmt.Fprintf(&b, "  t%d[\"%s\"]\n", i+1, label(t.Task))
	}
	for _, t := range todos {
		for _, id := range t.DependsOn {
			fmt.Fprintf(&b, "  %s --> %s\n", node[id], node[t.ID])
		}
	}
	return b.String()
}

// label makes a task safe inside a quoted Mermaid label.
func label(task string) string {
	const most = 60
	runes := []rune(strings.Join(strings.Fields(task), " "))
	if len(runes) > most {
		runes = append(runes[:most], '…')
	}
	return strings.NewReplacer(`"`, "#quot;", "&", "#amp;", "<", "#lt;", ">", "#gt;", "`", "#96;", ";", "#59;", "#", "#35;").Replace(string(runes))
}

// estimate adds up durations along the longest chain, and costs over all todos.
func estimate(todos []protocol.Todo) (seconds, cost float64) {
	ends := map[string]float64{}
	var end func(t protocol.Todo) float64
	byID := map[string]protocol.Todo{}
	for _, t := range todos {
		byID[t.ID] = t
	}
	end = func(t protocol.Todo) float64 {
		if v, ok := ends[t.ID]; ok {
			return v
		}
		latest := 0.0
		for _, id := range t.DependsOn {
			latest = max(latest, end(byID[id]))
		}
		ends[t.ID] = latest + t.EstimatedDurationSec
		return ends[t.ID]
	}
	for _, t := range todos {
		seconds = max(seconds, end(t))
		cost += t.EstimatedCostUSD
	}
	return seconds, cost
}

// propose takes a model's plan: a first one, or a new version of one that a
// person wants changed.
func (s *State) propose(t *Turn, call protocol.ToolCall, e *ModelEnded, d *draft) {
	if running := s.Plans.Current; running != nil && running.Status == protocol.PlanStatusApproved && running.Kind == "" {
		s.refuse(t, call.CallID, call.Tool, codePlanInvalid, "a plan is running already", d)
		return
	}
	p, err := readPlan(call.Input, e.Catalog)
	if err != nil {
		s.refuse(t, call.CallID, call.Tool, codePlanInvalid, err.Error(), d)
		if t.BadPlans >= badPlansMost {
			s.failTurn(t, protocol.TurnError{Code: codePlanInvalid, Message: "the model made no plan that could be carried out: " + err.Error(), Recoverable: true}, d)
			s.startQueued(d)
		}
		return
	}
	for i := range p.Todos {
		p.Todos[i] = fresh(p.Todos[i])
	}
	t.enter(protocol.LayerPlanning, "planning", d)
	if old := s.Plans.Current; old != nil && old.Status == protocol.PlanStatusPendingApproval {
		d.add(protocol.TypePlanModified, &protocol.PlanModified{
			PlanID: old.ID, OldVersion: old.Version, NewVersion: old.Version + 1, Changes: changes(old.Todos, p.Todos),
			UpdatedTodos: p.Todos, Summary: p.Summary, Instruction: t.Instruction, By: d.agent, CallID: call.CallID,
		})
	} else {
		seconds, cost := estimate(p.Todos)
		d.add(protocol.TypePlanGenerated, &protocol.PlanGenerated{
			PlanID: protocol.ID(protocol.PlanPrefix, d.next), Version: 1, Status: protocol.PlanStatusPendingApproval, Todos: p.Todos,
			DependencyGraph: graph(p.Todos), EstimatedDurationSec: seconds, EstimatedCostUSD: cost,
			MermaidDiagram: mermaid(p.Todos), Summary: p.Summary, TurnID: t.ID, CallID: call.CallID,
		})
	}
	if _, cost := estimate(p.Todos); !s.Ledger.needsReview(cost) {
		d.add(protocol.TypePlanApproved, &protocol.PlanApproved{PlanID: s.Plans.Current.ID, ApprovedBy: byPolicy, ExecutionStarting: true})
		t.enter(protocol.LayerExecution, describe[protocol.LayerExecution], d)
		return
	}
	s.review(t, d)
}

// byPolicy is who approves a plan that no person has to look at.
const byPolicy = "policy"

// fresh is a todo as it begins.
func fresh(t protocol.Todo) protocol.Todo {
	return protocol.Todo{
		ID: t.ID, Task: t.Task, Tool: t.Tool, Profile: t.Profile, Input: t.Input, Class: t.Class, Effect: t.Effect, Status: protocol.TodoStatusPending,
		Priority: t.Priority, DependsOn: t.DependsOn, EstimatedDurationSec: t.EstimatedDurationSec, EstimatedCostUSD: t.EstimatedCostUSD,
		RequiresApproval: t.RequiresApproval, MaxRetries: t.MaxRetries,
	}
}

// review asks a person whether the plan may run.
func (s *State) review(t *Turn, d *draft) {
	p := s.Plans.Current
	id := protocol.ID(protocol.RequestPrefix, d.next)
	seconds, cost := estimate(p.Todos)
	d.add(protocol.TypeHitlPlanReview, &protocol.HitlPlanReview{
		RequestID: id, PlanID: p.ID, Message: "Please look at the plan before it runs.",
		Plan: protocol.PlanReview{
			Todos: slices.Clone(p.Todos), DependencyGraph: graph(p.Todos), EstimatedDurationSec: seconds, EstimatedCostUSD: cost,
			MermaidDiagram: p.MermaidDiagram, Summary: p.Summary,
		},
		Options:    []string{protocol.ActionApprove, protocol.ActionModify, protocol.ActionReject},
		TimeoutSec: int(reviewTime.Seconds()), ExpiresAt: protocol.At(d.clock.Add(reviewTime)), TurnID: t.ID, CallID: p.CallID,
	})
	d.ask(t.ID, id, protocol.AskFollowup, "May this plan run? "+p.Summary)
}

// changes tells two versions of a plan apart.
func changes(old, new []protocol.Todo) []protocol.PlanChange {
	find := func(todos []protocol.Todo, id string) *protocol.Todo {
		for i := range todos {
			if todos[i].ID == id {
				return &todos[i]
			}
		}
		return nil
	}
	out := []protocol.PlanChange{}
	for i := range new {
		t := &new[i]
		was := find(old, t.ID)
		switch {
		case was == nil:
			out = append(out, protocol.PlanChange{Action: protocol.ChangeAdd, TodoID: t.ID, Task: &t.Task, Tool: &t.Tool})
		case was.Task != t.Task || was.Tool != t.Tool || string(was.Input) != string(t.Input) || !slices.Equal(was.DependsOn, t.DependsOn) || was.Priority != t.Priority:
			out = append(out, protocol.PlanChange{Action: protocol.ChangeUpdate, TodoID: t.ID, Task: &t.Task, Tool: &t.Tool})
		}
	}
	for _, t := range old {
		if find(new, t.ID) == nil {
			out = append(out, protocol.PlanChange{Action: protocol.ChangeRemove, TodoID: t.ID})
		}
	}
	return out
}
