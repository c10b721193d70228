package session

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// Loop is one agent at work: it asks its model, runs the tools that the model
// asked for, and asks again, until the model asks for none.
type Loop struct {
	AgentID string `json:"agent_id"`
	// TodoID is the todo that the loop works on: one tool call, no model.
	TodoID string `json:"todo_id,omitempty"`

	Calls    int       `json:"calls"`          // model calls that ended well
	Attempts int       `json:"attempts"`       // of the call that is due, ended badly
	Call     *Call     `json:"call,omitempty"` // in flight
	RetryAt  time.Time `json:"retry_at"`
	// Tools is what the model asked for last and what has not all ended yet.
	Tools []ToolCall `json:"tools,omitempty"`
	// Steered says that a person spoke since the last call began: the model has
	// to hear it before the turn can end.
	Steered bool `json:"steered,omitempty"`
}

// Call is a model call in flight.
type Call struct {
	Seq     uint64    `json:"seq"` // of its model_started
	Model   string    `json:"model"`
	Started time.Time `json:"started"`
}

// ToolStatus is how far a tool call has come.
type ToolStatus string

const (
	ToolAsking  ToolStatus = "asking"  // a person is asked whether it may run
	ToolReady   ToolStatus = "ready"   // it may run
	ToolRunning ToolStatus = "running" // it was started and has not ended
	ToolUnknown ToolStatus = "unknown" // it was interrupted; a person is asked whether it happened
	ToolDone    ToolStatus = "done"
)

// ToolCall is a tool that a model asked for. Its input stands in the record of
// the model's answer.
type ToolCall struct {
	ID       string             `json:"id"`
	Tool     string             `json:"tool"`
	Class    protocol.ToolClass `json:"class"`
	Effect   protocol.Effect    `json:"effect"`
	Status   ToolStatus         `json:"status"`
	Asked    uint64             `json:"asked"`              // sequence of the model_completed that asks for it
	Request  string             `json:"request,omitempty"`  // in which a person is asked
	TodoID   string             `json:"todo_id,omitempty"`  // whose input is the call's
	About    string             `json:"about,omitempty"`    // how the input begins, for a question about the call
	Attempts int                `json:"attempts"`           // that were interrupted
	Approved bool               `json:"approved,omitempty"` // a person saw this very call and let it run
	Barred   bool               `json:"barred,omitempty"`   // it may not run, and nobody is asked
	Seq      uint64             `json:"seq,omitempty"`      // of its tool_started
	Started  time.Time          `json:"started,omitempty"`  // when that was
}

// taskLoop is the work on a todo that is one tool call.
func taskLoop(r protocol.Record, d *protocol.TodoStarted) Loop {
	status := ToolReady
	if d.Approval == protocol.ApprovalAsk {
		status = ToolAsking
	}
	return Loop{AgentID: r.AgentID, TodoID: d.TodoID, Tools: []ToolCall{{
		ID: d.CallID, Tool: d.Tool, Class: d.Class, Effect: d.Effect, Status: status, TodoID: d.TodoID,
	}}}
}

func (l Loop) clone() Loop {
	if l.Call != nil {
		call := *l.Call
		l.Call = &call
	}
	l.Tools = slices.Clone(l.Tools)
	return l
}

func (l *Loop) apply(r protocol.Record) {
	switch d := r.Data.(type) {
	case *protocol.ModelStarted:
		if d.Purpose == PurposeCondense {
			return
		}
		l.Call = &Call{Seq: r.Seq, Model: d.Model, Started: r.Time}
		l.RetryAt, l.Steered, l.Tools = time.Time{}, false, nil
	case *protocol.ModelCompleted:
		if l.Call.is(d.Call) {
			l.callEnded(r.Seq, d)
		}
	case *protocol.MessageAccepted:
		l.Steered = l.Steered || d.Steered
	case *protocol.ToolStarted:
		if t := l.tool(d.CallID); t != nil {
			t.Status, t.Seq, t.Started = ToolRunning, r.Seq, r.Time
		}
	case *protocol.ToolCompleted:
		if t := l.tool(d.CallID); t != nil {
			t.ended(d)
		}
	case *protocol.HitlInputRequest:
		if t := l.tool(d.CallID); t != nil && t.Status == ToolRunning {
			t.Status = ToolUnknown
		}
	case *protocol.HitlApprovalRequest:
		if t := l.tool(d.CallID); t != nil {
			t.Request = d.RequestID
		}
	case *protocol.HitlResolved:
		if d.Field == fieldRetry {
			l.Attempts, l.RetryAt = 0, time.Time{}
		}
		for i := range l.Tools {
			if t := &l.Tools[i]; t.Status == ToolAsking && t.Request == d.RequestID && d.Action == protocol.ActionApprove {
				t.Status, t.Approved = ToolReady, d.By != Timeout
			}
		}
	}
}

func (l *Loop) callEnded(seq uint64, d *protocol.ModelCompleted) {
	l.Call = nil
	if d.Error != nil {
		l.Attempts++
		if d.RetryAt != nil {
			l.RetryAt = d.RetryAt.Time
		}
		return
	}
	l.Calls++
	l.Attempts = 0
	for _, c := range d.ToolCalls {
		status := ToolAsking
		if c.Approval == protocol.ApprovalAuto {
			status = ToolReady
		}
		l.Tools = append(l.Tools, ToolCall{ID: c.CallID, Tool: c.Tool, Class: c.Class, Effect: c.Effect, Status: status, Asked: seq, About: about(c.Input), Barred: c.Approval == protocol.ApprovalNone})
	}
}

// about is what a call is for, in few words: its command, or how its input begins.
func about(input json.RawMessage) string {
	var shell struct {
		Command string `json:"command"`
	}
	if json.Unmarshal(input, &shell) == nil && shell.Command != "" {
		return titleOf(shell.Command)
	}
	return titleOf(string(input))
}

func (t *ToolCall) ended(d *protocol.ToolCompleted) {
	if d.Retry {
		t.Status, t.Seq = ToolReady, 0
		t.Attempts++
		return
	}
	t.Status = ToolDone
}

func (l *Loop) tool(id string) *ToolCall {
	for i := range l.Tools {
		if l.Tools[i].ID == id {
			return &l.Tools[i]
		}
	}
	return nil
}

// busy says whether tools are left that have not ended.
func (l *Loop) busy() bool {
	return slices.ContainsFunc(l.Tools, func(t ToolCall) bool { return t.Status != ToolDone })
}

// acted says whether a call that acts on the world was started and has not
// ended, or nobody knows whether it has.
func (l *Loop) acted() bool {
	return slices.ContainsFunc(l.Tools, func(t ToolCall) bool {
		return t.Effect == protocol.EffectEffect && (t.Status == ToolRunning || t.Status == ToolUnknown)
	})
}

// inFlight says whether something was started and has not ended.
func (l *Loop) inFlight() bool {
	return l.Call != nil || slices.ContainsFunc(l.Tools, func(t ToolCall) bool { return t.Status == ToolRunning })
}

// rest leaves nothing running. Of a call that acts on the world nobody knows
// whether it came to its end: a person is asked.
func (l *Loop) rest() {
	l.Call, l.RetryAt = nil, time.Time{}
	for i := range l.Tools {
		t := &l.Tools[i]
		t.Request = ""
		if t.Status != ToolRunning {
			continue
		}
		if t.Status = ToolReady; t.Effect == protocol.EffectEffect {
			t.Status = ToolUnknown
		}
	}
}
