package session

import (
	"encoding/json"
	"fmt"

	"github.com/parley-dev/parley/protocol"
)

// outcomes are the answers to the question what became of an interrupted call.
const (
	outcomeRetry = "retry"
	outcomeDone  = "done"
	outcomeSkip  = "skip"
)

// maxInterrupted is how often a call that may run again is started anew after
// a crash, before it counts as failed.
const maxInterrupted = 5

// calls gives the records' form of what a model asks for.
func (s *State) calls(e *ModelEnded, seq uint64) []protocol.ToolCall {
	calls := make([]protocol.ToolCall, len(e.Uses))
	for i, u := range e.Uses {
		calls[i] = protocol.ToolCall{
			CallID: fmt.Sprintf("call_%010d_%d", seq, i+1), UseID: u.ID, Tool: u.Tool, Input: u.Input,
			Class: u.Class, Effect: u.Effect, Approval: s.approval(u, e.Always, e.Limits),
		}
	}
	return calls
}

// take deals with each call of an answer: some run at once, some ask first,
// some are answered here.
func (s *State) take(t *Turn, e *ModelEnded, calls []protocol.ToolCall, d *draft) {
	for i, call := range calls {
		u := e.Uses[i]
		switch call.Approval {
		case protocol.ApprovalAsk:
			s.askApproval(t, call, u.Preview, u.Guard, d)
		case protocol.ApprovalCore:
			coreTools[call.Tool](s, t, call, e, d)
			if s.Turns.Current != t {
				return // it ended the turn
			}
		case protocol.ApprovalNone:
			problem := u.Problem
			if problem == "" {
				problem = fmt.Sprintf("a person said that %s may never be used in this session", u.Tool)
			}
			s.refuse(t, call.CallID, u.Tool, "TOOL_NOT_ALLOWED", problem, d)
		}
	}
	switch {
	case t.Mistakes >= e.Limits.mistakes():
		s.askOn(t, protocol.AskMistakeLimitReached, "guidance",
			"The model keeps asking for things that cannot be done. What should it do instead?", d)
	case t.Auto >= e.Limits.auto():
		s.askOn(t, protocol.AskAutoApprovalMaxReached, "go_on",
			fmt.Sprintf("%d tools have run without anybody being asked. Go on?", t.Auto), d)
	}
}

// refuse ends a call that never ran.
func (s *State) refuse(t *Turn, call, tool, code, why string, d *draft) {
	l, _ := t.call(call)
	if l == nil {
		return
	}
	s.done(t, l, &protocol.ToolCompleted{
		CallID: call, TurnID: t.ID, Tool: tool, TodoID: l.TodoID, Output: why,
		Error: &protocol.TurnError{Code: code, Message: why, Recoverable: true},
	}, d)
}

func (s *State) toolBegin(b *ToolBegun, _ Command, d *draft) error {
	t := s.Turns.turn(b.TurnID)
	if t == nil {
		return errStale("a tool call")
	}
	l, call := t.call(b.CallID)
	if call == nil || call.Status != ToolReady || s.Turns.Resting {
		return errStale("a tool call")
	}
	d.of(l.AgentID, t.MonitorID)
	t.enter(protocol.LayerExecution, "using tools", d)
	d.add(protocol.TypeToolStarted, &protocol.ToolStarted{
		TurnID: t.ID, CallID: call.ID, Tool: call.Tool, Effect: call.Effect, Class: call.Class, Attempt: call.Attempts + 1,
		TodoID: call.TodoID, ChildID: b.ChildID,
	})
	return nil
}

// toolStep notes how far a todo has come. Other calls show it only while it is
// seen.
func (s *State) toolStep(e *ToolStepped, _ Command, d *draft) error {
	t := s.Turns.turn(e.TurnID)
	if t == nil {
		return errStale("the progress of a tool")
	}
	l, call := t.call(e.CallID)
	if call == nil || call.Status != ToolRunning {
		return errStale("the progress of a tool")
	}
	if call.TodoID != "" {
		d.of(l.AgentID, t.MonitorID)
		progress := e.Progress
		progress.TodoID = call.TodoID
		d.add(protocol.TypeTodoProgress, &progress)
	}
	return nil
}

func (s *State) toolEnd(e *ToolEnded, _ Command, d *draft) error {
	t := s.Turns.turn(e.TurnID)
	if t == nil {
		return errStale("the result of a tool")
	}
	l, call := t.call(e.CallID)
	if call == nil || call.Status != ToolRunning {
		return errStale("the result of a tool")
	}
	d.of(l.AgentID, t.MonitorID)
	for _, o := range d.take(writtenBy(call.Seq)) {
		d.message(finished(t.ID, o, false))
	}
	s.done(t, l, &protocol.ToolCompleted{
		CallID: call.ID, TurnID: t.ID, Tool: call.Tool, TodoID: call.TodoID, OK: e.OK, Output: e.Output, Summary: e.Summary, Images: e.Images, Error: e.Error,
		DurationMS: d.now.Sub(call.Started).Milliseconds(),
	}, d)
	return nil
}

// done ends a call, and with it the todo that it is.
func (s *State) done(t *Turn, l *Loop, c *protocol.ToolCompleted, d *draft) {
	todo := l.TodoID
	d.of(l.AgentID, t.MonitorID)
	d.add(protocol.TypeToolCompleted, c)
	if todo == "" || c.Retry || s.Plans.Current == nil {
		return
	}
	if it := s.Plans.Current.todo(todo); it != nil {
		s.todoEnded(t, *it, c, d)
	}
}

// interrupted says what becomes of a call that was running when the server
// stopped: what may run again does; of the rest nobody knows whether it
// happened, so a person is asked.
func (s *State) interrupted(t *Turn, l *Loop, call ToolCall, d *draft) {
	d.of(l.AgentID, t.MonitorID)
	if call.Effect != protocol.EffectEffect {
		retry := call.Tool == ToolDelegate || call.Attempts+1 < maxInterrupted // what was handed on goes on meanwhile
		s.done(t, l, &protocol.ToolCompleted{
			CallID: call.ID, TurnID: t.ID, Tool: call.Tool, TodoID: call.TodoID, Retry: retry,
			Output: "The server stopped each time this was running.",
			Error:  &protocol.TurnError{Code: "INTERRUPTED", Message: "the server stopped while the tool was running", Recoverable: true},
		}, d)
		return
	}
	s.askOutcome(t, call, "The server stopped while %s was running (%s), so it is not known whether it happened; it may even be running still.", d)
}

// askOutcome asks a person what became of a call.
func (s *State) askOutcome(t *Turn, call ToolCall, why string, d *draft) {
	id := protocol.ID(protocol.RequestPrefix, d.next)
	what := call.About
	if p := s.Plans.Current; p != nil && call.TodoID != "" {
		if todo := p.todo(call.TodoID); todo != nil {
			what = about(todo.Input)
		}
	}
	question := fmt.Sprintf(why, call.Tool, what) + " Run it again, take it as done, or leave it out?"
	d.add(protocol.TypeHitlInputRequest, &protocol.HitlInputRequest{
		RequestID: id, Field: "outcome", Question: question, InputType: protocol.InputChoice, Required: true,
		Options: []protocol.Option{
			{Value: outcomeRetry, Label: "Run it again"}, {Value: outcomeDone, Label: "It is done"}, {Value: outcomeSkip, Label: "Leave it out"},
		},
		CallID: call.ID, TodoID: call.TodoID, TurnID: t.ID, Ask: protocol.AskResumeTask,
	})
	d.ask(t.ID, id, protocol.AskResumeTask, question)
}

// askUserInput is what a model gives to ask_user.
type askUserInput struct {
	Question    string             `json:"question"`
	InputType   protocol.InputType `json:"input_type"`
	Options     []protocol.Option  `json:"options"`
	Suggestions []string           `json:"suggestions"`
	Default     json.RawMessage    `json:"default_value"`
}

// askUser puts a model's question to a person.
func (s *State) askUser(t *Turn, call protocol.ToolCall, _ *ModelEnded, d *draft) {
	var in askUserInput
	if err := json.Unmarshal(call.Input, &in); err != nil || in.Question == "" {
		s.refuse(t, call.CallID, call.Tool, "TOOL_INPUT_INVALID", "ask_user needs a question", d)
		return
	}
	if in.InputType == "" {
		in.InputType = protocol.InputText
		if len(in.Options) > 0 {
			in.InputType = protocol.InputChoice
		}
	}
	if string(in.Default) == "null" {
		in.Default = nil
	}
	if err := checkValue(protocol.Request{InputType: in.InputType, Options: in.Options}, in.Default); err != nil {
		s.refuse(t, call.CallID, call.Tool, "TOOL_INPUT_INVALID", "the default_value does not fit the question: "+protocol.AsError(err).Message, d)
		return
	}
	id := protocol.ID(protocol.RequestPrefix, d.next)
	d.add(protocol.TypeHitlInputRequest, &protocol.HitlInputRequest{
		RequestID: id, Field: "answer", Question: in.Question, InputType: in.InputType, Options: in.Options, Suggestions: in.Suggestions,
		Required: true, DefaultValue: in.Default, CallID: call.CallID, TurnID: t.ID, Ask: protocol.AskFollowup,
		TimeoutSec: int(inputTime.Seconds()), ExpiresAt: protocol.At(d.clock.Add(inputTime)),
	})
	d.ask(t.ID, id, protocol.AskFollowup, in.Question)
}

// askOn stops an agent until a person lets it go on.
func (s *State) askOn(t *Turn, ask protocol.Ask, field, question string, d *draft) {
	id := protocol.ID(protocol.RequestPrefix, d.next)
	kind := protocol.InputConfirm
	if ask == protocol.AskMistakeLimitReached {
		kind = protocol.InputText
	}
	d.add(protocol.TypeHitlInputRequest, &protocol.HitlInputRequest{
		RequestID: id, Field: field, Question: question, InputType: kind, Required: true, TurnID: t.ID, Ask: ask,
		TimeoutSec: int(inputTime.Seconds()), ExpiresAt: protocol.At(d.clock.Add(inputTime)),
	})
	d.ask(t.ID, id, ask, question)
}
