package session

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/parley-dev/parley/protocol"
)

// updateTodos keeps the list that an agent works off by itself. The input is the
// whole list each time.
func (s *State) updateTodos(t *Turn, call protocol.ToolCall, _ *ModelEnded, d *draft) {
	todos, err := readChecklist(call.Input)
	if p := s.Plans.Current; err == nil && p != nil && p.Kind == "" && p.TurnID == t.ID && p.Status == protocol.PlanStatusApproved {
		err = fmt.Errorf("a plan is running, and its todos are kept by the session")
	}
	if err != nil {
		s.refuse(t, call.CallID, call.Tool, "TOOL_INPUT_INVALID", err.Error(), d)
		return
	}
	if old := s.Plans.Current; old != nil && old.Kind == protocol.PlanChecklist {
		d.add(protocol.TypePlanModified, &protocol.PlanModified{
			PlanID: old.ID, OldVersion: old.Version, NewVersion: old.Version + 1, Changes: changes(old.Todos, todos),
			UpdatedTodos: todos, By: d.agent,
		})
	} else {
		d.add(protocol.TypePlanGenerated, &protocol.PlanGenerated{
			PlanID: protocol.ID(protocol.PlanPrefix, d.next), Version: 1, Status: protocol.PlanStatusApproved, Todos: todos,
			TurnID: t.ID, Kind: protocol.PlanChecklist,
		})
	}
	s.done(t, &t.Loop, &protocol.ToolCompleted{CallID: call.CallID, TurnID: t.ID, Tool: call.Tool, OK: true, Output: "noted"}, d)
}

// readChecklist checks a list. The error is for the model.
func readChecklist(input json.RawMessage) ([]protocol.Todo, error) {
	var in struct {
		Todos []struct {
			ID     string              `json:"id"`
			Task   string              `json:"task"`
			Status protocol.TodoStatus `json:"status"`
		} `json:"todos"`
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, fmt.Errorf("the list is not of the right form: %w", err)
	}
	if n := len(in.Todos); n > maxTodos {
		return nil, fmt.Errorf("the list has %d todos; %d are the most", n, maxTodos)
	}
	todos, seen := []protocol.Todo{}, map[string]bool{}
	for i, it := range in.Todos {
		if it.ID == "" {
			it.ID = fmt.Sprint(i + 1)
		}
		switch it.Status {
		case "":
			it.Status = protocol.TodoStatusPending
		case protocol.TodoStatusPending, protocol.TodoStatusInProgress, protocol.TodoStatusCompleted,
			protocol.TodoStatusFailed, protocol.TodoStatusSkipped, protocol.TodoStatusCancelled:
		default:
			return nil, fmt.Errorf("todo %q has the status %q; it is one of pending, in_progress, completed, failed, skipped, cancelled", it.ID, it.Status)
		}
		if strings.TrimSpace(it.Task) == "" || seen[it.ID] {
			return nil, fmt.Errorf("todo %q needs a task and an id of its own", it.ID)
		}
		seen[it.ID] = true
		todos = append(todos, protocol.Todo{ID: it.ID, Task: it.Task, Status: it.Status, DependsOn: []string{}})
	}
	return todos, nil
}
