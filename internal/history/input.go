package history

import (
	"encoding/json"

	"github.com/parley-dev/parley/protocol"
)

// InputsOf gives the inputs of calls that a record tells, as the message store
// shows them, by the keys that InputKeys looks for: the record that begins a
// call does not repeat them. Nil if it tells none.
func InputsOf(r protocol.Record) map[string]map[string]any {
	var out map[string]map[string]any
	add := func(key, tool string, input json.RawMessage) {
		if len(input) == 0 {
			return
		}
		if out == nil {
			out = map[string]map[string]any{}
		}
		out[key] = summary(tool, input)
	}
	switch d := r.Data.(type) {
	case *protocol.ModelCompleted:
		for _, c := range d.ToolCalls {
			add(c.CallID, c.Tool, c.Input)
		}
	case *protocol.PlanGenerated:
		for _, t := range d.Todos {
			add(todoKey+t.ID, t.Tool, t.Input)
		}
	case *protocol.PlanModified:
		for _, t := range d.UpdatedTodos {
			add(todoKey+t.ID, t.Tool, t.Input)
		}
	}
	return out
}

const todoKey = "todo/"

// InputKeys says under which keys the input of a call is found; the first that
// is known counts. The newest visible record is right.
func InputKeys(call, todo string) []string {
	var keys []string
	if call != "" {
		keys = append(keys, call)
	}
	if todo != "" {
		keys = append(keys, todoKey+todo)
	}
	return keys
}
