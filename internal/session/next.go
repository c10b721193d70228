package session

import (
	"fmt"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// StepKind says what a step does.
type StepKind string

// StepModel calls the model of a turn.
const StepModel StepKind = "model"

// Step is something that should be running now. As long as Next lists a step
// with the same ID it is the same work: whoever runs it goes on, and stops when
// it is listed no more.
type Step struct {
	ID        string
	Kind      StepKind
	TurnID    string
	AgentID   string
	MonitorID string
	Model     string // what the session asks for; "" is the server's default
	Workspace string
	Layer     protocol.Layer
	Attempt   int
	// NotBefore delays the step; the zero time means at once.
	NotBefore time.Time
}

// Next lists what should be running.
func (s *State) Next() []Step {
	t := s.Turns.Current
	if t == nil || s.Turns.Resting {
		return nil
	}
	return []Step{{
		ID:   fmt.Sprintf("%s/model/%d.%d", t.ID, t.Calls, t.Attempts),
		Kind: StepModel, TurnID: t.ID, AgentID: t.AgentID, MonitorID: t.MonitorID,
		Model: s.Ledger.Model, Workspace: s.Ledger.Workspace, Layer: t.Layer,
		Attempt: t.Attempts + 1, NotBefore: t.RetryAt,
	}}
}
