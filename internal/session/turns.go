package session

import (
	"time"

	"github.com/parley-dev/parley/protocol"
)

// Turns is the work on the main agent's conversation.
type Turns struct {
	Current *Turn           `json:"current,omitempty"`
	Ended   protocol.Status `json:"ended,omitempty"` // how the last one ended
	// Resting says that the current turn waits after a move of the head.
	Resting bool `json:"resting,omitempty"`
	// Heard says that a person has spoken: later words are feedback.
	Heard bool `json:"heard,omitempty"`
}

// Turn is one input worked on by one agent.
type Turn struct {
	ID        string            `json:"id"`
	AgentID   string            `json:"agent_id"`
	MonitorID string            `json:"monitor_id"`
	Pipeline  protocol.Pipeline `json:"pipeline"`
	Started   time.Time         `json:"started"`

	Layer      protocol.Layer `json:"layer,omitempty"`
	LayerSince time.Time      `json:"layer_since"`

	Calls    int            `json:"calls"`          // model calls that ended well
	Attempts int            `json:"attempts"`       // of the call that is due, ended badly
	Call     *Call          `json:"call,omitempty"` // in flight
	RetryAt  time.Time      `json:"retry_at"`
	Usage    protocol.Usage `json:"usage"`
}

// Call is a model call in flight.
type Call struct {
	Seq     uint64    `json:"seq"` // of its model_started
	Model   string    `json:"model"`
	Started time.Time `json:"started"`
}

func (t Turns) clone() Turns {
	if t.Current != nil {
		turn := *t.Current
		t.Current = &turn
	}
	return t
}

func (t *Turns) apply(r protocol.Record) {
	switch d := r.Data.(type) {
	case *protocol.TurnStarted:
		t.Current = &Turn{
			ID: d.TurnID, AgentID: d.AgentID, MonitorID: r.MonitorID,
			Pipeline: d.Pipeline, Started: r.Time,
		}
		t.Resting = false
	case *protocol.MessageRecord:
		if d.Role == protocol.RoleUser {
			t.Heard = true
		}
	case *protocol.LayerStart:
		if c := t.turn(d.TurnID); c != nil {
			c.Layer, c.LayerSince = d.Layer, r.Time
		}
	case *protocol.LayerComplete:
		if c := t.turn(d.TurnID); c != nil {
			c.Layer = ""
		}
	case *protocol.ModelStarted:
		if c := t.turn(d.TurnID); c != nil {
			c.Call = &Call{Seq: r.Seq, Model: d.Model, Started: r.Time}
			c.RetryAt = time.Time{}
		}
	case *protocol.ModelCompleted:
		if c := t.turn(d.TurnID); c != nil {
			c.callEnded(d)
		}
	case *protocol.Forked:
		t.rest()
	case *protocol.Complete:
		t.end(d.TurnID, protocol.StatusCompleted)
	case *protocol.Failed:
		t.end(d.TurnID, d.Status)
	}
}

func (c *Turn) callEnded(d *protocol.ModelCompleted) {
	c.Call = nil
	c.Usage = c.Usage.Add(d.Usage)
	if d.Error == nil {
		c.Calls++
		c.Attempts = 0
		return
	}
	c.Attempts++
	if d.RetryAt != nil {
		c.RetryAt = d.RetryAt.Time
	}
}

// InFlight says that something was started and has not ended.
func (t *Turns) InFlight() bool { return t.Current != nil && t.Current.Call != nil }

func (t *Turns) turn(id string) *Turn {
	if t.Current != nil && t.Current.ID == id {
		return t.Current
	}
	return nil
}

func (t *Turns) end(id string, how protocol.Status) {
	if t.turn(id) != nil {
		t.Current, t.Ended, t.Resting = nil, how, false
	}
}

func (t *Turns) rest() {
	if t.Current == nil {
		t.Ended = ""
		return
	}
	t.Resting = true
	t.Current.Call = nil
}

func (t *Turns) status() protocol.Status {
	switch {
	case t.Current != nil && t.Resting:
		return protocol.StatusPaused
	case t.Current != nil:
		return protocol.StatusExecuting
	case t.Ended != "":
		return t.Ended
	}
	return protocol.StatusIdle
}
