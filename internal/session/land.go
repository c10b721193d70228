package session

import (
	"fmt"

	"github.com/parley-dev/parley/protocol"
)

// reissue asks anew what people were being asked where the head is now, under
// new ids and with new deadlines, and settles calls that the move has cut off
// from what decides on them. A todo's own questions come when it starts again.
func (s *State) reissue(asked []protocol.Request, d *draft) {
	t := s.Turns.Current
	if t == nil {
		return
	}
	d.of(t.Loop.AgentID, t.MonitorID)
	waits := map[string]bool{}
	for _, o := range asked {
		if o.TodoID != "" {
			continue
		}
		s.askAgain(t, o, d)
		waits[o.CallID] = true
	}
	for _, call := range t.Loop.clone().Tools {
		if waits[call.ID] || call.Status != ToolAsking && call.Status != ToolUnknown {
			continue
		}
		p := s.Plans.Current
		switch {
		case call.Status == ToolUnknown:
			s.askOutcome(t, call, "The session went back to a moment at which %s was running (%s), so it is not known whether it happened.", d)
		case call.Barred:
			s.refuse(t, call.ID, call.Tool, "TOOL_NOT_ALLOWED", "This may not run. Ask again to hear why.", d)
		case !isCore(call.Tool):
			s.askApproval(t, protocol.ToolCall{CallID: call.ID, Tool: call.Tool, Class: call.Class}, call.About, "", d)
		case p == nil || p.CallID != call.ID || p.Status != protocol.PlanStatusApproved:
			s.refuse(t, call.ID, call.Tool, "INTERRUPTED", "The session was rewound before this was dealt with. Ask again if it is still wanted.", d)
		}
	}
}

// askAgain puts an open request under a new id. Its message stays the same one.
func (s *State) askAgain(t *Turn, o protocol.Request, d *draft) {
	id := protocol.ID(protocol.RequestPrefix, d.next)
	expires := protocol.Time{}
	if o.TimeoutSec > 0 {
		expires = protocol.At(d.clock.Add(seconds(o.TimeoutSec)))
	}
	switch o.Type {
	case protocol.TypeHitlPlanReview:
		r := &protocol.HitlPlanReview{
			RequestID: id, PlanID: o.PlanID, Message: o.Message, Options: values(o.Options),
			TimeoutSec: o.TimeoutSec, ExpiresAt: expires, TurnID: t.ID, CallID: o.CallID,
		}
		if o.Plan != nil {
			r.Plan = *o.Plan
		}
		d.add(o.Type, r)
	case protocol.TypeHitlClarification:
		d.add(o.Type, &protocol.HitlClarification{
			RequestID: id, OriginalInput: o.OriginalInput, Ambiguity: o.Ambiguity, Question: o.Question, InputType: o.InputType,
			Suggestions: o.Suggestions, Required: o.Required, TimeoutSec: o.TimeoutSec, ExpiresAt: expires, TurnID: t.ID, CallID: o.CallID,
		})
	case protocol.TypeHitlApprovalRequest:
		d.add(o.Type, &protocol.HitlApprovalRequest{
			RequestID: id, CallID: o.CallID, Tool: o.Tool, Class: o.Class, Input: o.Input, Preview: o.Preview, Reason: o.Reason,
			Options: values(o.Options), TimeoutSec: o.TimeoutSec, ExpiresAt: expires, TurnID: t.ID,
		})
	case protocol.TypeHitlInputRequest:
		d.add(o.Type, &protocol.HitlInputRequest{
			RequestID: id, Field: o.Field, Question: o.Question, InputType: o.InputType, Options: o.Options, Suggestions: o.Suggestions,
			Required: o.Required, DefaultValue: o.DefaultValue, TimeoutSec: o.TimeoutSec, ExpiresAt: expires,
			CallID: o.CallID, TurnID: t.ID, Ask: o.Ask,
		})
	}
	if o.Ts == 0 { // the move fell between a request and its message
		d.ask(t.ID, id, askKind(o), askText(o))
		return
	}
	d.add(protocol.TypeMessage, &protocol.MessageRecord{
		Action: protocol.MessageUpdated, TurnID: t.ID, RequestID: id, Role: protocol.RoleAssistant,
		Message: protocol.Message{Ts: o.Ts, Type: protocol.KindAsk, Ask: askKind(o), Text: askText(o)},
	})
}

func values(options []protocol.Option) []string {
	out := make([]string, len(options))
	for i, o := range options {
		out[i] = o.Value
	}
	return out
}

// askKind is the kind of the message that goes with a request.
func askKind(o protocol.Request) protocol.Ask {
	switch {
	case o.Ask != "":
		return o.Ask
	case o.Type == protocol.TypeHitlApprovalRequest:
		return askOf(o.Class)
	}
	return protocol.AskFollowup
}

// askText is what that message says.
func askText(o protocol.Request) string {
	switch {
	case o.Plan != nil:
		return fmt.Sprintf("May this plan run? %s", o.Plan.Summary)
	case o.Question != "":
		return o.Question
	case o.Preview != "":
		return o.Preview
	}
	return string(o.Input)
}
