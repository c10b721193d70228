package session

import (
	"encoding/json"

	"github.com/parley-dev/parley/protocol"
)

// intent is what a model gives to record_intent.
type intent struct {
	Intent        json.RawMessage `json:"intent"`
	Entities      json.RawMessage `json:"entities,omitempty"`
	NeedsPlan     bool            `json:"needs_plan"`
	Clarification *clarification  `json:"clarification,omitempty"`
}

type clarification struct {
	Ambiguity   string             `json:"ambiguity"`
	Question    string             `json:"question"`
	InputType   protocol.InputType `json:"input_type"`
	Suggestions []string           `json:"suggestions"`
}

// recordIntent notes what is asked, or asks back if that is not clear.
func (s *State) recordIntent(t *Turn, call protocol.ToolCall, _ *ModelEnded, d *draft) {
	var in intent
	if err := json.Unmarshal(call.Input, &in); err != nil || len(in.Intent) == 0 && in.Clarification == nil {
		s.refuse(t, call.CallID, call.Tool, "TOOL_INPUT_INVALID", "record_intent needs an intent, or a clarification", d)
		return
	}
	if c := in.Clarification; c != nil && c.Question != "" {
		s.clarify(t, call, c, d)
		return
	}
	result, _ := json.Marshal(intent{Intent: in.Intent, Entities: in.Entities, NeedsPlan: in.NeedsPlan})
	s.done(t, &t.Loop, &protocol.ToolCompleted{CallID: call.CallID, TurnID: t.ID, Tool: call.Tool, OK: true, Output: "noted"}, d)
	next := protocol.LayerResponse
	if in.NeedsPlan {
		next = protocol.LayerPlanning
	}
	d.add(protocol.TypeLayerComplete, &protocol.LayerComplete{
		Layer: protocol.LayerCognitive, Result: result, NextLayer: next, DurationMS: d.now.Sub(t.LayerSince).Milliseconds(), TurnID: t.ID,
	})
	d.add(protocol.TypeLayerStart, &protocol.LayerStart{Layer: next, Description: describe[next], TurnID: t.ID})
}

var describe = map[protocol.Layer]string{
	protocol.LayerCognitive: "working out what is asked",
	protocol.LayerPlanning:  "planning",
	protocol.LayerExecution: "carrying out the plan",
	protocol.LayerResponse:  "answering",
}

func (s *State) clarify(t *Turn, call protocol.ToolCall, c *clarification, d *draft) {
	kind := c.InputType
	if kind == "" {
		kind = protocol.InputText
	}
	id := protocol.ID(protocol.RequestPrefix, d.next)
	d.add(protocol.TypeHitlClarification, &protocol.HitlClarification{
		RequestID: id, OriginalInput: s.Turns.Words, Ambiguity: c.Ambiguity, Question: c.Question, InputType: kind,
		Suggestions: c.Suggestions, Required: true, CallID: call.CallID, TurnID: t.ID,
		TimeoutSec: int(inputTime.Seconds()), ExpiresAt: protocol.At(d.clock.Add(inputTime)),
	})
	d.ask(t.ID, id, protocol.AskFollowup, c.Question)
}

func (s *State) answerClarification(a *protocol.HitlClarificationResponse, c Command, d *draft) error {
	o, t, err := s.request(a.RequestID, protocol.TypeHitlClarification)
	if err != nil {
		return err
	}
	if err := checkValue(o, a.Value); err != nil {
		return err
	}
	s.resolve(t, o, protocol.HitlResolved{
		Action: protocol.ActionAnswer, Value: a.Value, Comment: a.Comment, By: c.By.name(), ClientID: c.By.ClientID,
	}, d)
	return nil
}
