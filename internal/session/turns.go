package session

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// Turns is the work on the main agent's conversation.
type Turns struct {
	Current *Turn           `json:"current,omitempty"`
	Ended   protocol.Status `json:"ended,omitempty"` // how the last one ended
	// Resting says that the current turn waits: someone paused it, or the head
	// was moved.
	Resting bool `json:"resting,omitempty"`
	// Heard says that a person has spoken: later words are feedback.
	Heard bool `json:"heard,omitempty"`
	// Words is how a person's last message begins.
	Words string `json:"words,omitempty"`
}

// Turn is one input worked on by one agent.
type Turn struct {
	ID        string            `json:"id"`
	MonitorID string            `json:"monitor_id"`
	Pipeline  protocol.Pipeline `json:"pipeline"`
	Started   time.Time         `json:"started"`

	Layer      protocol.Layer `json:"layer,omitempty"`
	LayerSince time.Time      `json:"layer_since"`

	Loop     Loop           `json:"loop"` // of the main agent
	Usage    protocol.Usage `json:"usage"`
	Tasks    []Loop         `json:"tasks,omitempty"` // one for each todo that is being worked on
	Auto     int            `json:"auto"`            // approvals that nobody was asked for, in a row
	Mistakes int            `json:"mistakes"`        // of the model, in a row

	Intent      bool   `json:"intent,omitempty"`      // it is known what is asked
	NeedsPlan   bool   `json:"needs_plan,omitempty"`  // and that it takes a plan
	BadPlans    int    `json:"bad_plans,omitempty"`   // plans that could not be carried out, in a row
	Instruction string `json:"instruction,omitempty"` // what a person wants changed in the plan
	GaveUp      bool   `json:"gave_up,omitempty"`     // a person ended a plan in which todos failed
	NoCondense  bool   `json:"no_condense,omitempty"` // summing up the past was tried and failed
	// Allowed is which budgets it may pass.
	Allowed Allowance `json:"allowed,omitempty"`
	// Failure is why the model failed last.
	Failure *protocol.TurnError `json:"failure,omitempty"`
	// Overflows counts the calls for which the past was too long.
	Overflows int `json:"overflows,omitempty"`
}

func (t Turns) clone() Turns {
	if t.Current != nil {
		turn := *t.Current
		turn.Loop = turn.Loop.clone()
		turn.Tasks = slices.Clone(turn.Tasks)
		for i := range turn.Tasks {
			turn.Tasks[i] = turn.Tasks[i].clone()
		}
		t.Current = &turn
	}
	return t
}

func (t *Turns) apply(r protocol.Record) {
	switch d := r.Data.(type) {
	case *protocol.TurnStarted:
		t.Current = &Turn{
			ID: d.TurnID, MonitorID: r.MonitorID, Pipeline: d.Pipeline, Started: r.Time,
			Loop: Loop{AgentID: d.AgentID},
		}
		t.Resting = false
	case *protocol.MessageRecord:
		if d.Role == protocol.RoleUser {
			t.Heard, t.Words = true, firstWords(d.Message.Text)
		}
		if c := t.Current; c != nil && d.Message.Say == protocol.SayCondenseContextError {
			c.NoCondense = true
		}
	case *protocol.HitlPaused:
		t.Resting = t.Current != nil
	case *protocol.Resumed:
		t.Resting = false
	case *protocol.Complete:
		t.end(d.TurnID, protocol.StatusCompleted)
	case *protocol.Failed:
		t.end(d.TurnID, d.Status)
	default:
		if t.Current != nil {
			t.Current.apply(r)
		}
	}
}

func (c *Turn) apply(r protocol.Record) {
	switch d := r.Data.(type) {
	case *protocol.LayerStart:
		c.Layer, c.LayerSince = d.Layer, r.Time
	case *protocol.LayerComplete:
		c.Layer = ""
		c.noteIntent(d)
	case *protocol.ModelCompleted:
		c.Usage = c.Usage.Add(d.Usage)
		if c.Failure = d.Error; d.Error != nil && d.Error.Code == codeOverflow {
			c.Overflows++
		}
		for _, call := range d.ToolCalls {
			c.count(call.Approval)
		}
	case *protocol.HitlResolved:
		c.Auto, c.Mistakes = 0, 0 // a person looked at it
		c.Instruction = d.Instruction
		c.Allowed.allow(d)
		c.GaveUp = d.Field == fieldStuck && string(d.Value) == answerEnd
	case *protocol.PlanGenerated:
		c.BadPlans = 0
	case *protocol.ToolCompleted:
		if d.Error != nil && d.Error.Code == codePlanInvalid {
			c.BadPlans++
		}
	case *protocol.TodoStarted:
		c.Tasks = append(c.Tasks, taskLoop(r, d))
		return
	case *protocol.TodoCompleted:
		c.endTask(d.TodoID)
	case *protocol.TodoFailed:
		c.endTask(d.TodoID)
	case *protocol.TodoSkipped:
		c.endTask(d.TodoID)
	}
	if l := c.loop(r.AgentID); l != nil {
		l.apply(r)
	}
}

// loop gives the loop of an agent.
func (c *Turn) loop(agent string) *Loop {
	if agent == c.Loop.AgentID {
		return &c.Loop
	}
	for i := range c.Tasks {
		if c.Tasks[i].AgentID == agent {
			return &c.Tasks[i]
		}
	}
	return nil
}

// call finds a tool call, and whose it is.
func (c *Turn) call(id string) (*Loop, *ToolCall) {
	if t := c.Loop.tool(id); t != nil {
		return &c.Loop, t
	}
	for i := range c.Tasks {
		if t := c.Tasks[i].tool(id); t != nil {
			return &c.Tasks[i], t
		}
	}
	return nil, nil
}

func (c *Turn) endTask(todo string) {
	c.Tasks = slices.DeleteFunc(c.Tasks, func(l Loop) bool { return l.TodoID == todo })
}

// noteIntent learns from the cognitive layer's result what is asked.
func (c *Turn) noteIntent(d *protocol.LayerComplete) {
	var result struct {
		Intent    json.RawMessage `json:"intent"`
		NeedsPlan bool            `json:"needs_plan"`
	}
	if d.Layer == protocol.LayerCognitive && json.Unmarshal(d.Result, &result) == nil && len(result.Intent) > 0 {
		c.Intent, c.NeedsPlan = true, result.NeedsPlan
	}
}

// count keeps the score of what went without a person, and of what went wrong.
func (c *Turn) count(a protocol.Approval) {
	switch a {
	case protocol.ApprovalAuto:
		c.Auto++
		c.Mistakes = 0
	case protocol.ApprovalNone:
		c.Mistakes++
	}
}

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
	t.Current.Loop.rest()
	t.Current.Tasks = nil // their todos are pending again
}

// inFlight says that something was started and has not ended.
func (t *Turns) inFlight() bool {
	c := t.Current
	return c != nil && (c.Loop.inFlight() || slices.ContainsFunc(c.Tasks, func(l Loop) bool { return l.inFlight() }))
}
