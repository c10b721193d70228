package session

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// Timeout is who answers a request that nobody answered in time.
const Timeout = "timeout"

func errExpired(id string) error {
	return protocol.Errorf(protocol.CodeRequestExpired, "request %q is answered, expired or withdrawn; nothing changed", id).With("request_id", id)
}

func errAnswer(format string, args ...any) error {
	return protocol.Errorf(protocol.CodeInvalidResponse, format, args...)
}

// request finds an open request of a kind, and its turn.
func (s *State) request(id string, kinds ...protocol.Type) (protocol.Request, *Turn, error) {
	o, ok := s.Requests.find(id)
	t := s.Turns.turn(o.TurnID)
	if !ok || t == nil {
		return o, nil, errExpired(id)
	}
	if !slices.Contains(kinds, o.Type) {
		return o, nil, errAnswer("request %q is a %s; this is not an answer to it", id, o.Type)
	}
	return o, t, nil
}

func (s *State) answerApproval(a *protocol.HitlApprovalResponse, c Command, d *draft) error {
	o, t, err := s.request(a.RequestID, protocol.TypeHitlApprovalRequest)
	if err != nil {
		return err
	}
	if a.TodoID != "" && a.TodoID != o.TodoID {
		return errAnswer("request %q is not about todo %q", a.RequestID, a.TodoID)
	}
	if !slices.ContainsFunc(o.Options, func(opt protocol.Option) bool { return opt.Value == a.Action }) {
		return errAnswer("the answer must be one of approve, skip and reject, not %q", a.Action)
	}
	remember := a.Remember
	if a.Action != protocol.ActionApprove && remember != "" && remember != protocol.RememberOnce {
		remember = protocol.RememberNever // a no that is to last is not a yes next time
	}
	s.resolve(t, o, protocol.HitlResolved{
		Action: a.Action, Comment: a.Comment, Reason: a.Reason, Remember: remember, By: c.By.name(), ClientID: c.By.ClientID,
	}, d)
	return nil
}

func (s *State) answerDialog(a *protocol.DialogFeedback, c Command, d *draft) error {
	action := protocol.ActionReject
	if a.Confirmed {
		action = protocol.ActionApprove
	}
	return s.answerApproval(&protocol.HitlApprovalResponse{RequestID: a.RequestID, Action: action, Remember: a.Remember}, c, d)
}

func (s *State) answerInput(a *protocol.HitlInputResponse, c Command, d *draft) error {
	o, t, err := s.request(a.RequestID, protocol.TypeHitlInputRequest)
	if err != nil {
		return err
	}
	if a.Field != "" && a.Field != o.Field {
		return errAnswer("request %q asks for %q, not for %q", a.RequestID, o.Field, a.Field)
	}
	if err := checkValue(o, a.Value); err != nil {
		return err
	}
	s.resolve(t, o, protocol.HitlResolved{
		Action: protocol.ActionAnswer, Value: a.Value, Comment: a.Comment, By: c.By.name(), ClientID: c.By.ClientID,
	}, d)
	return nil
}

func (s *State) answerPrompt(a *protocol.UserPromptResponse, c Command, d *draft) error {
	var value any = a.Text
	if o, ok := s.Requests.find(a.RequestID); ok && len(a.SelectedValues) > 0 {
		if value = a.SelectedValues; o.InputType == protocol.InputChoice {
			value = a.SelectedValues[0]
		}
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return s.answerInput(&protocol.HitlInputResponse{RequestID: a.RequestID, Value: raw}, c, d)
}

// checkValue says whether a value is what a request asked for.
func checkValue(o protocol.Request, value json.RawMessage) error {
	if len(value) == 0 || string(value) == "null" {
		if o.Required {
			return errAnswer("request %q needs a value", o.RequestID)
		}
		return nil
	}
	var text string
	switch o.InputType {
	case protocol.InputConfirm:
		var yes bool
		if json.Unmarshal(value, &yes) != nil {
			return errAnswer("the value must be true or false")
		}
	case protocol.InputNumber:
		var n json.Number
		if json.Unmarshal(value, &n) != nil || strings.HasPrefix(string(value), `"`) {
			return errAnswer("the value must be a number")
		}
	case protocol.InputMultiChoice:
		var picked []string
		if json.Unmarshal(value, &picked) != nil || len(picked) == 0 && o.Required {
			return errAnswer("the value must be a list of options")
		}
		for _, p := range picked {
			if err := offered(o, p); err != nil {
				return err
			}
		}
	case protocol.InputChoice:
		if json.Unmarshal(value, &text) != nil {
			return errAnswer("the value must be one of the options")
		}
		return offered(o, text)
	case protocol.InputDate:
		if json.Unmarshal(value, &text) != nil || !isDate(text) {
			return errAnswer("the value must be a date such as 2026-02-06")
		}
	default:
		if json.Unmarshal(value, &text) != nil || o.Required && strings.TrimSpace(text) == "" {
			return errAnswer("the value must be a text")
		}
	}
	return nil
}

func isDate(text string) bool {
	if _, err := time.Parse(time.DateOnly, text); err == nil {
		return true
	}
	_, err := time.Parse(time.RFC3339, text)
	return err == nil
}

// offered says whether a value is among the options. Where there are none, as in
// a clarification, which only suggests, any word will do.
func offered(o protocol.Request, value string) error {
	if len(o.Options) == 0 && strings.TrimSpace(value) != "" {
		return nil
	}
	if slices.ContainsFunc(o.Options, func(opt protocol.Option) bool { return opt.Value == value }) {
		return nil
	}
	return errAnswer("%q is not one of the options", value)
}

// expire closes a request that nobody answered in time: with its default, if it
// has one.
func (s *State) expire(e *Expired, _ Command, d *draft) error {
	o, ok := s.Requests.find(e.RequestID)
	t := s.Turns.turn(o.TurnID)
	if !ok || t == nil || o.ExpiresAt.IsZero() || d.clock.Before(o.ExpiresAt.Time) {
		return errStale("a deadline")
	}
	r := protocol.HitlResolved{By: Timeout, Action: protocol.ActionExpire, Reason: "nobody answered in time"}
	switch {
	case len(o.DefaultValue) > 0:
		r.Action, r.Value = protocol.ActionAnswer, o.DefaultValue
	case o.Type == protocol.TypeHitlApprovalRequest:
		r.Action = protocol.ActionSkip
	case o.Type == protocol.TypeHitlPlanReview:
		r.Action = protocol.ActionReject
	}
	s.resolve(t, o, r, d)
	return nil
}

// resolve closes a request and does what the answer says.
func (s *State) resolve(t *Turn, o protocol.Request, r protocol.HitlResolved, d *draft) {
	d.of(o.AgentID, t.MonitorID)
	r.RequestID, r.Field = o.RequestID, o.Field
	if r.Remember != "" {
		r.Tool = o.Tool
	}
	d.add(protocol.TypeHitlResolved, &r)
	switch {
	case o.Type == protocol.TypeHitlPlanReview:
		s.reviewed(t, o, r, d)
	case o.Type == protocol.TypeHitlApprovalRequest:
		s.approved(t, o, r, d)
	case o.Field == fieldStuck:
		s.unstuck(t, r, d)
	case o.Field == fieldRetry:
		s.retryModel(t, r, d)
	case r.Action == protocol.ActionExpire:
		s.cancelTurn(t, Command{By: Actor{User: Timeout}}, "nobody answered: "+o.Question, d)
		s.startQueued(d)
	case o.Field == "outcome":
		s.outcome(t, o, r, d)
	case o.CallID != "":
		s.answeredCall(t, o, plain(r.Value), d)
	case o.Ask == protocol.AskMistakeLimitReached:
		d.message(protocol.MessageRecord{TurnID: t.ID, Role: protocol.RoleUser, Message: protocol.Message{
			Say: protocol.SayUserFeedback, Text: plain(r.Value),
		}})
	case string(r.Value) == "false": // do not go on
		s.cancelTurn(t, Command{By: Actor{User: r.By}}, "stopped after "+string(o.Ask), d)
		s.startQueued(d)
	}
}

// answeredCall gives a person's words to the call that asked for them.
func (s *State) answeredCall(t *Turn, o protocol.Request, words string, d *draft) {
	tool := toolAskUser
	if o.Type == protocol.TypeHitlClarification {
		tool = toolRecordIntent
	}
	s.done(t, &t.Loop, &protocol.ToolCompleted{CallID: o.CallID, TurnID: t.ID, Tool: tool, OK: true, Output: words}, d)
}

// approved lets a call run, or ends it.
func (s *State) approved(t *Turn, o protocol.Request, r protocol.HitlResolved, d *draft) {
	if r.Action == protocol.ActionApprove {
		return // the fold makes it ready
	}
	code, why := "SKIPPED", "a person left this out"
	if r.Action == protocol.ActionReject {
		code, why = "REJECTED", "a person does not want this"
	}
	if r.By == Timeout {
		why = "nobody answered whether this may run"
	}
	if r.Reason != "" && r.By != Timeout {
		why += ": " + r.Reason
	}
	s.refuse(t, o.CallID, o.Tool, code, why, d)
}

// outcome does what a person says became of an interrupted call.
func (s *State) outcome(t *Turn, o protocol.Request, r protocol.HitlResolved, d *draft) {
	l, call := t.call(o.CallID)
	if call == nil {
		return
	}
	done := &protocol.ToolCompleted{CallID: call.ID, TurnID: t.ID, Tool: call.Tool, TodoID: call.TodoID}
	switch plain(r.Value) {
	case outcomeRetry:
		done.Retry = true
		done.Error = &protocol.TurnError{Code: "INTERRUPTED", Message: "a person wants it to run again", Recoverable: true}
	case outcomeDone:
		done.OK, done.Output = true, "A person says that this was done before the server stopped; its output is lost."
	default:
		done.Output = "The server stopped while this was running, and a person left it out."
		done.Error = &protocol.TurnError{Code: "SKIPPED", Message: done.Output}
	}
	s.done(t, l, done, d)
}

// plain is a value as a model reads it: a text without quotes.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}
