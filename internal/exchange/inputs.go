package exchange

import (
	"encoding/json"

	"github.com/parley-dev/parley/protocol"
)

// inputs puts back what calls are given: the record that begins a call does not
// repeat what the model, or the plan, said.
type inputs struct{ calls, todos map[string]json.RawMessage }

func newInputs() inputs {
	return inputs{map[string]json.RawMessage{}, map[string]json.RawMessage{}}
}

// fill takes the next visible record.
func (in inputs) fill(r protocol.Record) {
	switch d := r.Data.(type) {
	case *protocol.ModelCompleted:
		for _, c := range d.ToolCalls {
			in.calls[c.CallID] = c.Input
		}
	case *protocol.PlanGenerated:
		in.plan(d.Todos)
	case *protocol.PlanModified:
		in.plan(d.UpdatedTodos)
	case *protocol.ToolStarted:
		if len(d.Input) > 0 {
			return
		}
		var known bool
		if d.Input, known = in.calls[d.CallID]; !known && d.TodoID != "" {
			d.Input = in.todos[d.TodoID]
		}
	case *protocol.ToolCompleted:
		if !d.Retry {
			delete(in.calls, d.CallID)
		}
	}
}

func (in inputs) plan(todos []protocol.Todo) {
	for _, t := range todos {
		in.todos[t.ID] = t.Input
	}
}
