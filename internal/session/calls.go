package session

import (
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

// errStale refuses the answer of an effect that nobody waits for any more.
func errStale(what string) error {
	return protocol.Errorf(protocol.CodeSessionInvalidState, "%s belongs to work that has ended", what)
}

func (s *State) modelBegin(b *ModelBegun, _ Command, d *draft) error {
	t := s.Turns.turn(b.TurnID)
	if t == nil || t.Call != nil || s.Turns.Resting {
		return errStale("a model call")
	}
	d.of(t.AgentID, t.MonitorID)
	d.add(protocol.TypeModelStarted, &protocol.ModelStarted{
		TurnID: t.ID, Layer: t.Layer, Model: b.Model, Attempt: t.Attempts + 1,
	})
	return nil
}

func (s *State) modelEnd(e *ModelEnded, c Command, d *draft) error {
	t := s.Turns.turn(e.TurnID)
	if t == nil || t.Call == nil || t.Call.Seq != e.Call {
		return errStale("the answer of a model")
	}
	d.of(t.AgentID, t.MonitorID)
	if e.Error != nil {
		s.callFailed(t, e, c.Open, d)
		return nil
	}
	s.answered(t, e, c.Open, d)
	return nil
}

// answered closes a turn with the model's words. What was thought aloud stands
// before them.
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
	completed := t.completed(e, d.now)
	d.add(protocol.TypeModelCompleted, completed)
	t.leave(protocol.LayerResponse, d)
	d.add(protocol.TypeLayerStart, &protocol.LayerStart{Layer: protocol.LayerResponse, Description: "answering", TurnID: t.ID})
	response := protocol.Response{Format: "text"}
	if answer >= 0 {
		seq := d.message(finished(t.ID, open[answer], false))
		response = respond(open[answer].Text, protocol.MessageID(seq))
	}
	d.add(protocol.TypeLayerComplete, &protocol.LayerComplete{Layer: protocol.LayerResponse, TurnID: t.ID})
	d.add(protocol.TypeComplete, &protocol.Complete{
		Status: "success", Response: response, Statistics: t.statistics(completed.Usage, d.now), TurnID: t.ID,
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
	if e.Error.Retryable && t.Attempts+1 < maxAttempts {
		wait := max(min(e.Error.RetryAfter, retryAfterMost), backoff(t.Attempts))
		at := protocol.At(d.clock.Add(wait))
		completed.RetryAt = &at
		d.add(protocol.TypeModelCompleted, completed)
		d.message(protocol.MessageRecord{TurnID: t.ID, Role: protocol.RoleSystem, Message: protocol.Message{
			Say: protocol.SayAPIReqRetryDelayed, Text: e.Error.Message,
		}})
		return
	}
	d.add(protocol.TypeModelCompleted, completed)
	s.failTurn(t, completed.Usage, *completed.Error, d)
	s.startQueued(d)
}

func backoff(attempts int) time.Duration {
	return min(retryFirst<<attempts, retryMost)
}

// suspend records that what ran runs no more: after a crash, or because the
// server stops. What was written so far is kept; Next lists the work again.
func (s *State) suspend(c Command, d *draft) error {
	t := s.Turns.Current
	if t == nil {
		for _, o := range c.Open {
			d.of(o.AgentID, protocol.DefaultMonitor)
			d.message(finished("", o, true))
		}
		return nil
	}
	d.of(t.AgentID, t.MonitorID)
	for _, o := range c.Open {
		d.message(finished(t.ID, o, true))
	}
	if t.Call == nil {
		return nil
	}
	completed := t.completed(&ModelEnded{StopReason: "interrupted"}, d.now)
	completed.Error = &protocol.TurnError{Code: "INTERRUPTED", Message: "the server stopped while the model was answering", Recoverable: true}
	d.add(protocol.TypeModelCompleted, completed)
	if t.Attempts+1 >= maxAttempts {
		s.failTurn(t, completed.Usage, protocol.TurnError{
			Code: "INTERRUPTED", Message: "the server stopped each time the model was called; send the message again to retry", Recoverable: true,
		}, d)
		s.startQueued(d)
	}
	return nil
}

func (s *State) cancel(data *protocol.ControlCancel, c Command, d *draft) error {
	if s.Turns.Current == nil {
		return protocol.Errorf(protocol.CodeSessionInvalidState, "nothing is running that could be cancelled")
	}
	s.cancelTurn(c, data.Reason, d)
	s.startQueued(d)
	return nil
}

func (s *State) cancelTurn(c Command, reason string, d *draft) {
	t := s.Turns.Current
	d.of(t.AgentID, t.MonitorID)
	for _, o := range c.Open {
		d.message(finished(t.ID, o, true))
	}
	if t.Call != nil {
		completed := t.completed(&ModelEnded{StopReason: "cancelled"}, d.now)
		completed.Error = &protocol.TurnError{Code: "CANCELLED", Message: "cancelled by " + c.By.name()}
		d.add(protocol.TypeModelCompleted, completed)
	}
	if reason == "" {
		reason = "cancelled by " + c.By.name()
	}
	statistics := t.statistics(protocol.Usage{}, d.now)
	d.add(protocol.TypeFailed, &protocol.Failed{
		Status: protocol.StatusCancelled, TurnID: t.ID, By: c.By.User, Statistics: &statistics,
		Error: protocol.TurnError{Code: "CANCELLED", Message: reason},
	})
}

func (s *State) failTurn(t *Turn, last protocol.Usage, e protocol.TurnError, d *draft) {
	d.message(protocol.MessageRecord{TurnID: t.ID, Role: protocol.RoleSystem, Message: protocol.Message{
		Say: protocol.SayError, Text: e.Message,
	}})
	statistics := t.statistics(last, d.now)
	d.add(protocol.TypeFailed, &protocol.Failed{
		Status: protocol.StatusFailed, Error: e, TurnID: t.ID, Statistics: &statistics,
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
	return &protocol.ModelCompleted{
		TurnID: t.ID, Call: protocol.MessageID(t.Call.Seq), Model: t.Call.Model, StopReason: e.StopReason,
		Usage: e.Usage, ContextWindow: e.ContextWindow, DurationMS: now.Sub(t.Call.Started).Milliseconds(),
	}
}

func (t *Turn) leave(next protocol.Layer, d *draft) {
	d.add(protocol.TypeLayerComplete, &protocol.LayerComplete{
		Layer: t.Layer, NextLayer: next, DurationMS: d.now.Sub(t.LayerSince).Milliseconds(), TurnID: t.ID,
	})
}

func (t *Turn) statistics(last protocol.Usage, now time.Time) protocol.Statistics {
	u := t.Usage.Add(last)
	return protocol.Statistics{
		ExecutionTimeMS: now.Sub(t.Started).Milliseconds(), TokensUsed: u.Tokens(), CostUSD: u.CostUSD, Usage: u,
	}
}

// firstLayer is where a turn of a pipeline begins. A direct turn is executed at
// once; the others first find out what is asked.
func firstLayer(p protocol.Pipeline) protocol.Layer {
	if p == protocol.PipelineDirect {
		return protocol.LayerExecution
	}
	return protocol.LayerCognitive
}
