package session

import (
	"slices"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// Requests is what people are asked and have not answered, oldest first.
type Requests struct {
	Open []protocol.Request `json:"open,omitempty"`
}

// How long a person has to answer.
const (
	reviewTime   = 5 * time.Minute
	approvalTime = 10 * time.Minute
	inputTime    = 5 * time.Minute
)

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

func (q Requests) clone() Requests { return Requests{Open: slices.Clone(q.Open)} }

func (q *Requests) apply(r protocol.Record) {
	switch d := r.Data.(type) {
	case *protocol.HitlPlanReview:
		plan := d.Plan
		q.add(r, protocol.Request{
			RequestID: d.RequestID, PlanID: d.PlanID, Plan: &plan, Message: d.Message, Options: protocol.Words(d.Options...),
			TimeoutSec: d.TimeoutSec, ExpiresAt: d.ExpiresAt, TurnID: d.TurnID, CallID: d.CallID,
		})
	case *protocol.HitlClarification:
		q.add(r, protocol.Request{
			RequestID: d.RequestID, OriginalInput: d.OriginalInput, Ambiguity: d.Ambiguity, Question: d.Question, InputType: d.InputType,
			Suggestions: d.Suggestions, Required: d.Required, TimeoutSec: d.TimeoutSec, ExpiresAt: d.ExpiresAt, TurnID: d.TurnID, CallID: d.CallID,
		})
	case *protocol.HitlApprovalRequest:
		q.add(r, protocol.Request{
			RequestID: d.RequestID, TodoID: d.TodoID, Todo: d.Todo, CallID: d.CallID, Tool: d.Tool, Class: d.Class, Input: d.Input, Preview: d.Preview,
			Reason: d.Reason, Options: protocol.Words(d.Options...), TimeoutSec: d.TimeoutSec, ExpiresAt: d.ExpiresAt, TurnID: d.TurnID,
		})
	case *protocol.HitlInputRequest:
		q.add(r, protocol.Request{
			RequestID: d.RequestID, Field: d.Field, Question: d.Question, InputType: d.InputType, Options: d.Options,
			Required: d.Required, DefaultValue: d.DefaultValue, TimeoutSec: d.TimeoutSec, ExpiresAt: d.ExpiresAt,
			TodoID: d.TodoID, CallID: d.CallID, TurnID: d.TurnID, Ask: d.Ask, Suggestions: d.Suggestions,
		})
	case *protocol.MessageRecord:
		for i := range q.Open {
			if d.RequestID != "" && q.Open[i].RequestID == d.RequestID {
				q.Open[i].Ask, q.Open[i].Ts = d.Message.Ask, d.Message.Ts
			}
		}
	case *protocol.HitlResolved:
		q.Open = slices.DeleteFunc(q.Open, func(o protocol.Request) bool { return o.RequestID == d.RequestID })
	case *protocol.Complete, *protocol.Failed:
		q.Open = nil
	}
}

func (q *Requests) add(r protocol.Record, o protocol.Request) {
	o.Type, o.AgentID, o.CreatedAt = r.Type, r.AgentID, protocol.At(r.Time)
	q.Open = append(q.Open, o)
}

func (q *Requests) find(id string) (protocol.Request, bool) {
	i := slices.IndexFunc(q.Open, func(o protocol.Request) bool { return o.RequestID == id })
	if i < 0 {
		return protocol.Request{}, false
	}
	return q.Open[i], true
}

// deadline is when the next request expires; the zero time if none does.
func (q *Requests) deadline() time.Time {
	var next time.Time
	for _, o := range q.Open {
		if at := o.ExpiresAt.Time; !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next
}

// pending is the oldest open request, for clients that show one at a time.
func (q *Requests) pending() *protocol.Request {
	if len(q.Open) == 0 {
		return nil
	}
	first := q.Open[0]
	return &first
}
