package session

import (
	"slices"
	"strings"
	"time"

	"github.com/parley-dev/parley/protocol"
)

const (
	// maxAttempts is how often one model call is tried before its turn fails.
	maxAttempts = 5
	retryFirst  = time.Second
	retryMost   = 30 * time.Second
	// retryAfterMost is how long a provider may ask us to wait.
	retryAfterMost = time.Hour
)

// codeOverflow is how a model says that the past is too long for it.
const codeOverflow = "MODEL_CONTEXT_OVERFLOW"

// stopMaxTokens is why a model stopped that may not say more.
const stopMaxTokens = "max_tokens"

// errStale refuses the answer of an effect that nobody waits for any more.
func errStale(what string) error {
	return protocol.Errorf(protocol.CodeSessionInvalidState, "%s belongs to work that has ended", what)
}

func (s *State) modelBegin(b *ModelBegun, _ Command, d *draft) error {
	t := s.Turns.turn(b.TurnID)
	if t == nil || t.Loop.Call != nil || t.Loop.busy() || s.Turns.Resting || s.Contexts.Condensing != nil {
		return errStale("a model call")
	}
	d.of(t.Loop.AgentID, t.MonitorID)
	d.add(protocol.TypeModelStarted, &protocol.ModelStarted{
		TurnID: t.ID, Layer: t.Layer, Model: b.Model, Attempt: t.Loop.Attempts + 1, Purpose: b.Purpose,
	})
	return nil
}

func (s *State) modelEnd(e *ModelEnded, _ Command, d *draft) error {
	t := s.Turns.turn(e.TurnID)
	if t == nil || t.Loop.Call == nil || t.Loop.Call.Seq != e.Call {
		return errStale("the answer of a model")
	}
	d.of(t.Loop.AgentID, t.MonitorID)
	open := d.take(writtenBy(e.Call))
	if e.Error == nil && e.StopReason == stopMaxTokens && len(e.Uses) == 0 && len(open) == 0 {
		e.Error = &CallError{Code: "MODEL_OUTPUT_LIMIT", Message: "the model reached its output limit before it said anything"}
	}
	switch {
	case e.Error != nil:
		s.callFailed(t, e, open, d)
	case len(e.Uses) > 0:
		s.wants(t, e, open, d)
	default:
		s.answered(t, e, open, d)
	}
	return nil
}

// wants takes an answer that asks for tools.
func (s *State) wants(t *Turn, e *ModelEnded, open []OpenText, d *draft) {
	for _, o := range open {
		d.message(finished(t.ID, o, false))
	}
	completed := t.completed(e, d.now)
	completed.ToolCalls, completed.Vendor = s.calls(e, d.next), e.Vendor
	d.add(protocol.TypeModelCompleted, completed)
	s.take(t, e, completed.ToolCalls, d)
}

// answered takes the model's last words: they end the turn, unless a person
// spoke meanwhile. What was thought aloud stands before them.
func (s *State) answered(t *Turn, e *ModelEnded, open []OpenText, d *draft) {
	answer := -1
	for i, o := range open {
		if o.Say == protocol.SayText {
			answer = i
		}
	}
	for i, o := range open {
		if i != answer {
			d.message(finished(t.ID, o, false))
		}
	}
	steered := t.Loop.Steered
	completed := t.completed(e, d.now)
	completed.Vendor = e.Vendor
	d.add(protocol.TypeModelCompleted, completed)
	if !steered {
		t.enter(protocol.LayerResponse, "answering", d)
	}
	response := protocol.Response{Format: "text"}
	if answer >= 0 {
		seq := d.message(finished(t.ID, open[answer], false))
		response = respond(open[answer].Text, protocol.MessageID(seq))
	}
	if steered {
		return
	}
	t.leave("", d)
	d.add(protocol.TypeComplete, &protocol.Complete{
		Status: "success", Response: response, Statistics: s.statistics(t, d.now), TurnID: t.ID,
	})
	s.startQueued(d)
}

// responseLimit is how much of an answer `complete` repeats; the whole stands
// in its message.
const responseLimit = 4096

func respond(text, messageID string) protocol.Response {
	r := protocol.Response{Format: "text", Text: text, MessageID: messageID}
	if len(text) > responseLimit {
		cut := responseLimit
		for cut > 0 && text[cut]&0xC0 == 0x80 {
			cut--
		}
		r.Text, r.Truncated = text[:cut], true
	}
	r.Summary = titleOf(text)
	return r
}

func (s *State) callFailed(t *Turn, e *ModelEnded, open []OpenText, d *draft) {
	for _, o := range open {
		d.message(finished(t.ID, o, true))
	}
	completed := t.completed(e, d.now)
	completed.Error = &protocol.TurnError{Code: e.Error.Code, Message: e.Error.Message, Recoverable: e.Error.Retryable}
	if e.Error.Code == codeOverflow && t.Overflows == 0 && !t.NoCondense && s.Contexts.Condensing == nil {
		d.add(protocol.TypeModelCompleted, completed)
		s.beginCondense(t.ID, d) // and then once more
		return
	}
	if e.Error.Retryable && t.Loop.Attempts+1 < maxAttempts {
		wait := max(min(e.Error.RetryAfter, retryAfterMost), backoff(t.Loop.Attempts))
		at := protocol.At(d.clock.Add(wait))
		completed.RetryAt = &at
		d.add(protocol.TypeModelCompleted, completed)
		d.message(protocol.MessageRecord{TurnID: t.ID, Role: protocol.RoleSystem, Message: protocol.Message{
			Say: protocol.SayAPIReqRetryDelayed, Text: e.Error.Message,
		}})
		return
	}
	d.add(protocol.TypeModelCompleted, completed)
	s.askOn(t, protocol.AskAPIReqFailed, fieldRetry, "The model failed: "+strings.TrimRight(e.Error.Message, ". ")+". Try again?", d)
}

// fieldRetry is the question whether a model that failed is called once more.
const fieldRetry = "retry"

// retryModel does what a person says about a model that failed; without an
// answer the turn fails as well.
func (s *State) retryModel(t *Turn, r protocol.HitlResolved, d *draft) {
	if string(r.Value) == "true" {
		d.message(protocol.MessageRecord{TurnID: t.ID, Role: protocol.RoleSystem, Message: protocol.Message{
			Say: protocol.SayAPIReqRetried, Text: "tried again, as " + r.By + " wants",
		}})
		return // the fold forgets the attempts before
	}
	failure := protocol.TurnError{Code: "MODEL_FAILED", Message: "the model failed", Recoverable: true}
	if t.Failure != nil {
		failure = *t.Failure
	}
	s.failTurn(t, failure, d)
	s.startQueued(d)
}

func backoff(attempts int) time.Duration {
	return min(retryFirst<<attempts, retryMost)
}

// suspend records that what ran runs no more: after a crash, or because the
// server stops. What was written so far is kept; Next lists the work again.
func (s *State) suspend(c Command, d *draft) error {
	only, _ := c.Data.(*Suspended)
	if k := s.Contexts.Condensing; k != nil && only.includes(k.step()) {
		s.breakCondense("the server stopped while the summary was written", d)
		if k.Attempts >= condenseMost {
			s.condenseFailed("the server stopped each time the summary was written", d)
		}
	}
	t := s.Turns.Current
	if t == nil {
		d.breakOff("", anyText)
		return nil
	}
	d.of(t.Loop.AgentID, t.MonitorID)
	if only == nil {
		d.breakOff(t.ID, anyText)
	}
	for _, l := range t.loops() {
		for _, call := range l.Tools {
			if call.Status == ToolRunning && only.includes(call.step()) {
				d.of(l.AgentID, t.MonitorID)
				d.breakOff(t.ID, writtenBy(call.Seq))
				s.interrupted(t, t.loop(l.AgentID), call, d)
			}
		}
	}
	if t.Loop.Call == nil || !only.includes(t.modelStep()) {
		return nil
	}
	d.of(t.Loop.AgentID, t.MonitorID)
	d.breakOff(t.ID, writtenBy(t.Loop.Call.Seq))
	completed := t.completed(&ModelEnded{StopReason: "interrupted"}, d.now)
	completed.Error = &protocol.TurnError{Code: "INTERRUPTED", Message: "the server stopped while the model was answering", Recoverable: true}
	d.add(protocol.TypeModelCompleted, completed)
	if t.Loop.Attempts >= maxAttempts {
		s.failTurn(t, protocol.TurnError{
			Code: "INTERRUPTED", Message: "the server stopped each time the model was called; send the message again to retry", Recoverable: true,
		}, d)
		s.startQueued(d)
	}
	return nil
}

func (s *State) cancel(data *protocol.ControlCancel, c Command, d *draft) error {
	if s.Turns.Current == nil && s.Contexts.Condensing != nil {
		s.dropCondense("cancelled by "+c.By.name(), d)
		return nil
	}
	if s.Turns.Current == nil {
		return protocol.Errorf(protocol.CodeSessionInvalidState, "nothing is running that could be cancelled")
	}
	s.cancelTurn(s.Turns.Current, c, data.Reason, d)
	s.startQueued(d)
	return nil
}

func (s *State) cancelTurn(t *Turn, c Command, reason string, d *draft) {
	d.of(t.Loop.AgentID, t.MonitorID)
	d.breakOff(t.ID, anyText)
	s.dropCondense("the turn was cancelled", d)
	if t.Loop.Call != nil {
		completed := t.completed(&ModelEnded{StopReason: "cancelled"}, d.now)
		completed.Error = &protocol.TurnError{Code: "CANCELLED", Message: "cancelled by " + c.By.name()}
		d.add(protocol.TypeModelCompleted, completed)
	}
	s.withdraw(t, "the turn was cancelled", d)
	if reason == "" {
		reason = "cancelled by " + c.By.name()
	}
	statistics := s.statistics(t, d.now)
	d.add(protocol.TypeFailed, &protocol.Failed{
		Status: protocol.StatusCancelled, TurnID: t.ID, By: c.By.User, Statistics: &statistics, PartialResults: s.partial(t),
		Error: protocol.TurnError{Code: "CANCELLED", Message: reason},
	})
}

// withdraw ends what a turn that ends has left: its questions, and its tools.
func (s *State) withdraw(t *Turn, why string, d *draft) {
	for _, o := range slices.Clone(s.Requests.Open) {
		d.add(protocol.TypeHitlResolved, &protocol.HitlResolved{
			RequestID: o.RequestID, Action: protocol.ActionWithdraw, Reason: why, By: "server",
		})
	}
	for _, l := range t.loops() {
		for _, call := range l.Tools {
			if call.Status != ToolDone {
				d.of(l.AgentID, t.MonitorID)
				d.add(protocol.TypeToolCompleted, &protocol.ToolCompleted{
					CallID: call.ID, TurnID: t.ID, Tool: call.Tool, TodoID: call.TodoID, Output: why,
					Error: &protocol.TurnError{Code: "CANCELLED", Message: why},
				})
			}
		}
	}
	d.of(t.Loop.AgentID, t.MonitorID)
}

// loops gives a copy of all loops, to walk while the turn changes.
func (t *Turn) loops() []Loop {
	out := []Loop{t.Loop.clone()}
	for _, l := range t.Tasks {
		out = append(out, l.clone())
	}
	return out
}

func (s *State) failTurn(t *Turn, e protocol.TurnError, d *draft) {
	d.breakOff(t.ID, anyText)
	s.withdraw(t, "the turn failed", d)
	d.message(protocol.MessageRecord{TurnID: t.ID, Role: protocol.RoleSystem, Message: protocol.Message{
		Say: protocol.SayError, Text: e.Message,
	}})
	statistics := s.statistics(t, d.now)
	d.add(protocol.TypeFailed, &protocol.Failed{
		Status: protocol.StatusFailed, Error: e, TurnID: t.ID, Statistics: &statistics, PartialResults: s.partial(t),
	})
}

func (a Actor) name() string {
	if a.User == "" {
		return "the user"
	}
	return a.User
}

// finished makes the message that replaces an open one.
func finished(turn string, o OpenText, partial bool) protocol.MessageRecord {
	return protocol.MessageRecord{
		OpenID: o.OpenID, TurnID: turn, Role: protocol.RoleAssistant,
		Message: protocol.Message{Say: o.Say, Text: o.Text, Partial: partial},
	}
}

func (t *Turn) completed(e *ModelEnded, now time.Time) *protocol.ModelCompleted {
	call := t.Loop.Call
	return &protocol.ModelCompleted{
		TurnID: t.ID, Call: protocol.MessageID(call.Seq), Model: call.Model, StopReason: e.StopReason,
		Usage: e.Usage, ContextWindow: e.ContextWindow, DurationMS: now.Sub(call.Started).Milliseconds(),
	}
}
