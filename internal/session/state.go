package session

import (
	"time"

	"github.com/parley-dev/parley/protocol"
)

// FoldVersion changes whenever the same records would give another state, so
// that snapshots of an older fold are not used.
const FoldVersion = 5

// State is a session, folded. It is made of sub-states; each has an Apply of
// its own for the records that concern it.
type State struct {
	Ledger   Ledger   `json:"ledger"`
	Turns    Turns    `json:"turns"`
	Queue    Queue    `json:"queue"`
	Requests Requests `json:"requests"`
	Plans    Plans    `json:"plans"`
	Contexts Contexts `json:"contexts"`
}

// Apply folds one record of the visible path. Moves of the head never come
// here: see Fold.
func (s *State) Apply(r protocol.Record) {
	if r.Type == protocol.TypeForked {
		s.Rest()
		return
	}
	s.Turns.apply(r)
	s.Queue.apply(r)
	s.Requests.apply(r)
	s.Plans.apply(r)
	s.Contexts.apply(r)
}

// clone gives a state that can be changed without changing this one. What the
// ledger remembers of client messages is shared: a decision does not add to it.
func (s *State) clone() *State {
	return &State{
		Ledger: s.Ledger.clone(), Turns: s.Turns.clone(), Queue: s.Queue.clone(),
		Requests: s.Requests.clone(), Plans: s.Plans.clone(), Contexts: s.Contexts.clone(),
	}
}

// Rest is called where the path joins after a move of the head: what ran there
// does not run any more, and nothing starts by itself. What people were asked is
// asked anew by the records that follow the move: see land.
func (s *State) Rest() {
	if s.Plans.Current != nil && s.Turns.Current != nil {
		s.Plans.Current.rest(s.Turns.Current.Tasks)
	}
	s.Turns.rest()
	s.Requests.Open = nil
	s.Contexts.rest()
}

// Exists says whether the session has been created.
func (s *State) Exists() bool { return s.Ledger.Last > 0 }

// Status is the session's state in one word.
func (s *State) Status() protocol.Status {
	switch t := s.Turns.Current; {
	case t != nil && s.Turns.Resting:
		return protocol.StatusPaused
	case t != nil && len(s.Requests.Open) > 0 && len(s.work(t)) == 0:
		return protocol.StatusWaiting
	case t != nil, s.Contexts.Condensing != nil:
		return protocol.StatusExecuting
	case s.Turns.Ended != "":
		return s.Turns.Ended
	}
	return protocol.StatusIdle
}

// InFlight says that something was started and has not ended.
func (s *State) InFlight() bool {
	return s.Turns.inFlight() || s.Contexts.Condensing != nil && s.Contexts.Condensing.Call != nil
}

// Wake says when the session must be opened next even if nobody asks; the zero
// time means never. Work that a crash would interrupt is due at once: at a time
// that has passed on every clock, also on one that was set back.
func (s *State) Wake() time.Time {
	wake := s.Requests.deadline()
	if s.InFlight() || s.Ledger.Restoring != nil {
		return time.Unix(0, 0).UTC()
	}
	for _, step := range s.Next() {
		at := step.NotBefore
		if at.IsZero() {
			at = time.Unix(0, 0).UTC()
		}
		if wake.IsZero() || at.Before(wake) {
			wake = at
		}
	}
	return wake
}
