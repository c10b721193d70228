package session

import (
	"encoding/json"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// firstLayer is where a turn of a pipeline begins. A direct turn is executed at
// once; the others first find out what is asked.
func firstLayer(p protocol.Pipeline) protocol.Layer {
	if p == protocol.PipelineDirect {
		return protocol.LayerExecution
	}
	return protocol.LayerCognitive
}

// enter makes a layer the current one, leaving the one before.
func (t *Turn) enter(layer protocol.Layer, description string, d *draft) {
	if t.Layer == layer {
		return
	}
	t.leave(layer, d)
	d.add(protocol.TypeLayerStart, &protocol.LayerStart{Layer: layer, Description: description, TurnID: t.ID})
}

func (t *Turn) leave(next protocol.Layer, d *draft) {
	if t.Layer == "" {
		return
	}
	d.add(protocol.TypeLayerComplete, &protocol.LayerComplete{
		Layer: t.Layer, NextLayer: next, DurationMS: d.now.Sub(t.LayerSince).Milliseconds(), TurnID: t.ID,
	})
}

// statistics sums up a turn.
func (s *State) statistics(t *Turn, now time.Time) protocol.Statistics {
	sum := protocol.Statistics{
		ExecutionTimeMS: now.Sub(t.Started).Milliseconds(), TokensUsed: t.Usage.Tokens(), CostUSD: t.Usage.CostUSD, Usage: t.Usage,
	}
	if p := s.Plans.Current; p != nil && p.TurnID == t.ID {
		sum.TotalTodos, sum.Completed, sum.Failed = len(p.Todos), p.count(protocol.TodoStatusCompleted), p.count(protocol.TodoStatusFailed)
	}
	return sum
}

// partial is what a turn that ends before its time has got done; nil if it had
// no plan.
func (s *State) partial(t *Turn) *protocol.PartialResults {
	p := s.Plans.Current
	if p == nil || p.TurnID != t.ID {
		return nil
	}
	results := map[string]json.RawMessage{}
	for _, todo := range p.Todos {
		if todo.Status == protocol.TodoStatusCompleted && len(todo.ResultSummary) > 0 {
			results[todo.ID] = todo.ResultSummary
		}
	}
	data, err := json.Marshal(results)
	if err != nil {
		data = nil // a summary is JSON already
	}
	return &protocol.PartialResults{CompletedTodos: p.ids(protocol.TodoStatusCompleted), AvailableData: data}
}
