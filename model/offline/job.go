package offline

import (
	"encoding/json"
	"fmt"
	"slices"
)

// job is work that takes tools.
type job struct {
	domain, category string
	entities         []entity
	summary          string
	// missing is what has to be asked before anything can be done.
	missing *question
	todos   []todo
	// quick says that the first todo alone is an answer, where nobody asks for
	// a plan.
	quick bool
}

// entity is something that the person's words name.
type entity struct {
	Type       string  `json:"type"`
	Value      string  `json:"value"`
	Confidence float64 `json:"confidence"`
}

// question is put to the person: as a clarification of what they want, or in
// the middle of the work.
type question struct {
	Ambiguity   string   `json:"ambiguity"`
	Question    string   `json:"question"`
	InputType   string   `json:"input_type"`
	Suggestions []string `json:"suggestions,omitempty"`
}

// todo is one call of a plan.
type todo struct {
	ID        string          `json:"id"`
	Task      string          `json:"task"`
	Tool      string          `json:"tool"`
	Input     json.RawMessage `json:"input"`
	DependsOn []string        `json:"depends_on"`
	Priority  int             `json:"priority"`
	Seconds   float64         `json:"estimated_duration_sec"`
	Cost      float64         `json:"estimated_cost_usd"`
	Approval  bool            `json:"requires_approval,omitempty"`
	Retries   int             `json:"max_retries,omitempty"`
}

// plan is what propose_plan is given.
type plan struct {
	Summary string `json:"summary"`
	Todos   []todo `json:"todos"`
}

func newTodo(task, tool string, input any) todo {
	return todo{Task: task, Tool: tool, Input: call{input: input}.json(), Seconds: 1}
}

// shell is a todo that runs a command which changes nothing.
func shell(task, command string) todo {
	return newTodo(task, runCommand, map[string]any{"command": command, "description": task})
}

// change is a todo that runs a command of which a person should know.
func change(task, command string) todo {
	t := shell(task, command)
	t.Approval = true
	return t
}

func listTodo(task, path string) todo {
	return newTodo(task, listFiles, map[string]any{"path": path})
}

// stages numbers todos: those of one stage run at the same time, after all of
// the stage before.
func stages(all ...[]todo) []todo {
	var out []todo
	var before []string
	for i, stage := range all {
		var ids []string
		for _, t := range stage {
			t.ID = todoID(len(out) + 1)
			t.DependsOn = slices.Clone(before)
			if t.DependsOn == nil {
				t.DependsOn = []string{}
			}
			t.Priority = max(1, 10-2*i)
			out, ids = append(out, t), append(ids, t.ID)
		}
		if len(ids) > 0 {
			before = ids
		}
	}
	return out
}

func todoID(n int) string { return fmt.Sprintf("todo_%03d", n) }

// wanting is a job that cannot begin.
func wanting(domain, category, ambiguity, ask string, suggestions ...string) *job {
	return &job{domain: domain, category: category, missing: &question{
		Ambiguity: ambiguity, Question: ask, InputType: "text", Suggestions: suggestions,
	}}
}

// call is what a todo comes to without a plan.
func (t todo) call() call { return call{tool: t.Tool, input: t.Input} }

// mayUse keeps to tools that there are: those of the request, and in a plan
// those that every server has.
func (a ask) mayUse(tool string) bool {
	if a.purpose == proposePlan || a.purpose == recordIntent {
		return tool == listFiles || tool == runCommand || a.offers(tool)
	}
	return a.offers(tool)
}

// takes says whether a tool may be called with just these inputs: a server may
// have one of the same name and another form.
func (a ask) takes(tool string, names ...string) bool {
	t, ok := a.tool(tool)
	if !ok {
		return false
	}
	var form struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if json.Unmarshal(t.Schema, &form) != nil {
		return false
	}
	for _, name := range names {
		if _, ok := form.Properties[name]; !ok {
			return false
		}
	}
	return !slices.ContainsFunc(form.Required, func(name string) bool { return !slices.Contains(names, name) })
}
