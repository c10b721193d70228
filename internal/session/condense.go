package session

import (
	"fmt"

	"github.com/parley-dev/parley/protocol"
)

// PurposeCondense is a model call that writes a summary.
const PurposeCondense = "condense"

// condenseMost is how often a summary is tried before it is given up.
const condenseMost = 3

// What effects answer about the length of the past.
const (
	CondenseWant  protocol.Type = "effect.condense_want"  // *CondenseWanted: the past is too long for a turn
	CondenseBegin protocol.Type = "effect.condense_begin" // *CondenseBegun: about to call the model
	CondenseEnd   protocol.Type = "effect.condense_end"   // *CondenseEnded: the summary, or why there is none
	Truncate      protocol.Type = "effect.truncate"       // *Truncated: leave the oldest part out
)

// CondenseWanted says that a turn cannot go on before the past is shorter.
type CondenseWanted struct{ TurnID string }

// CondenseBegun says that the model that writes the summary is about to be called.
type CondenseBegun struct{ ID, Model string }

// CondenseEnded says what came of a summary.
type CondenseEnded struct {
	ID         string
	Call       uint64 // sequence of its model_started
	Summary    string
	KeepsFrom  uint64 // the first record that is still told word for word
	PrevTokens int64
	NewTokens  int64
	StopReason string
	Usage      protocol.Usage
	Error      *CallError
}

// Truncated leaves out what came before a record.
type Truncated struct {
	TurnID     string
	KeepsFrom  uint64
	Removed    int // messages
	PrevTokens int64
	NewTokens  int64
}

// condense starts a summary because a person wants it.
func (s *State) condense(c *protocol.Condense, _ Command, d *draft) error {
	agent := protocol.MainAgent(protocol.DefaultMonitor)
	switch {
	case c.AgentID != "" && c.AgentID != agent:
		return protocol.Errorf(protocol.CodeInvalidMessage, "no agent %q has a history of its own; it is %s", c.AgentID, agent)
	case s.Contexts.Condensing != nil:
		return protocol.Errorf(protocol.CodeSessionInvalidState, "the history is being condensed already")
	case !s.Turns.Heard:
		return protocol.Errorf(protocol.CodeSessionInvalidState, "nothing has been said that could be condensed")
	}
	d.of(agent, protocol.DefaultMonitor)
	s.beginCondense("", d)
	return nil
}

// condenseWant starts a summary because a turn needs it.
func (s *State) condenseWant(w *CondenseWanted, _ Command, d *draft) error {
	t := s.Turns.turn(w.TurnID)
	if t == nil || t.Loop.Call != nil || s.Contexts.Condensing != nil {
		return errStale("a wish to condense")
	}
	d.of(t.Loop.AgentID, t.MonitorID)
	s.beginCondense(t.ID, d)
	return nil
}

func (s *State) beginCondense(turn string, d *draft) {
	d.message(protocol.MessageRecord{TurnID: turn, Role: protocol.RoleSystem, Message: protocol.Message{
		Say: protocol.SayCondenseContext, Partial: true,
	}})
}

func (s *State) condenseBegin(b *CondenseBegun, _ Command, d *draft) error {
	k := s.Contexts.Condensing
	if k == nil || k.ID != b.ID || k.Call != nil {
		return errStale("a summary")
	}
	d.of(k.AgentID, protocol.DefaultMonitor)
	d.add(protocol.TypeModelStarted, &protocol.ModelStarted{TurnID: k.TurnID, Model: b.Model, Attempt: k.Attempts + 1, Purpose: PurposeCondense})
	return nil
}

func (s *State) condenseEnd(e *CondenseEnded, _ Command, d *draft) error {
	k := s.Contexts.Condensing
	if k == nil || k.ID != e.ID || k.Call == nil || k.Call.Seq != e.Call {
		return errStale("a summary")
	}
	d.of(k.AgentID, protocol.DefaultMonitor)
	completed := k.completed(e, d)
	if e.Error == nil && e.Summary == "" {
		e.Error = &CallError{Code: "CONDENSE_EMPTY", Message: "the model wrote no summary", Retryable: true}
	}
	if e.Error == nil && e.NewTokens >= e.PrevTokens {
		e.Error = &CallError{Code: "CONDENSE_GREW", Message: fmt.Sprintf("the summary would make the history longer (%d tokens instead of %d)", e.NewTokens, e.PrevTokens)}
	}
	if e.Error == nil {
		d.add(protocol.TypeModelCompleted, completed)
		s.condensed(*k, protocol.Message{Say: protocol.SayCondenseContext, ContextCondense: &protocol.Condensed{
			Cost: e.Usage.CostUSD, PrevContextTokens: int(e.PrevTokens), NewContextTokens: int(e.NewTokens), Summary: e.Summary,
			CondenseID: k.ID, KeepsFrom: protocol.MessageID(e.KeepsFrom),
		}}, d)
		return nil
	}
	completed.Error = &protocol.TurnError{Code: e.Error.Code, Message: e.Error.Message, Recoverable: e.Error.Retryable}
	if again := e.Error.Retryable && k.Attempts+1 < condenseMost; again {
		at := protocol.At(d.clock.Add(max(min(e.Error.RetryAfter, retryAfterMost), backoff(k.Attempts))))
		completed.RetryAt = &at
		d.add(protocol.TypeModelCompleted, completed)
		return nil
	}
	d.add(protocol.TypeModelCompleted, completed)
	s.condenseFailed(e.Error.Message, d)
	return nil
}

func (k *Condensing) completed(e *CondenseEnded, d *draft) *protocol.ModelCompleted {
	return &protocol.ModelCompleted{
		TurnID: k.TurnID, Call: protocol.MessageID(k.Call.Seq), Model: k.Call.Model, StopReason: e.StopReason,
		Usage: e.Usage, DurationMS: d.now.Sub(k.Call.Started).Milliseconds(),
	}
}

// condensed gives the message of a summary its last version.
func (s *State) condensed(k Condensing, m protocol.Message, d *draft) {
	m.Ts, m.Type = k.Ts, protocol.KindSay
	d.of(k.AgentID, protocol.DefaultMonitor)
	d.add(protocol.TypeMessage, &protocol.MessageRecord{Action: protocol.MessageUpdated, TurnID: k.TurnID, Role: protocol.RoleSystem, Message: m})
}

// condenseFailed gives a summary up. The history is as it was.
func (s *State) condenseFailed(why string, d *draft) {
	s.condensed(*s.Contexts.Condensing, protocol.Message{Say: protocol.SayCondenseContextError, Text: why}, d)
}

// dropCondense ends a summary that nobody waits for any more.
func (s *State) dropCondense(why string, d *draft) {
	k := s.Contexts.Condensing
	if k == nil {
		return
	}
	agent, monitor := d.agent, d.monitor
	s.breakCondense(why, d)
	s.condenseFailed(why, d)
	d.of(agent, monitor)
}

// breakCondense ends the model call of a summary, if there is one.
func (s *State) breakCondense(why string, d *draft) {
	k := s.Contexts.Condensing
	if k == nil || k.Call == nil {
		return
	}
	d.of(k.AgentID, protocol.DefaultMonitor)
	completed := k.completed(&CondenseEnded{StopReason: "interrupted"}, d)
	completed.Error = &protocol.TurnError{Code: "INTERRUPTED", Message: why, Recoverable: true}
	d.add(protocol.TypeModelCompleted, completed)
}

// truncate leaves the oldest part of the past out of what the model is told.
func (s *State) truncate(e *Truncated, _ Command, d *draft) error {
	t := s.Turns.turn(e.TurnID)
	if t == nil || t.Loop.Call != nil || e.KeepsFrom > s.Ledger.Last {
		return errStale("a truncation")
	}
	d.of(t.Loop.AgentID, t.MonitorID)
	d.message(protocol.MessageRecord{TurnID: t.ID, Role: protocol.RoleSystem, Message: protocol.Message{
		Say: protocol.SaySlidingWindowTruncation,
		ContextTruncation: &protocol.Truncated{
			TruncationID: protocol.ID(protocol.TruncatePrefix, d.next), MessagesRemoved: e.Removed,
			PrevContextTokens: int(e.PrevTokens), NewContextTokens: int(e.NewTokens), KeepsFrom: protocol.MessageID(e.KeepsFrom),
		},
	}})
	return nil
}
