package session

import (
	"time"

	"github.com/parley-dev/parley/protocol"
)

// FoldVersion changes whenever the same records would give another state, so
// that snapshots of an older fold are not used.
const FoldVersion = 1

// State is a session, folded. It is made of sub-states; each has an Apply of
// its own for the records that concern it.
type State struct {
	Ledger Ledger `json:"ledger"`
	Turns  Turns  `json:"turns"`
	Queue  Queue  `json:"queue"`
}

// Apply folds one record of the visible path. Moves of the head never come
// here: see Fold.
func (s *State) Apply(r protocol.Record) {
	s.Turns.apply(r)
	s.Queue.apply(r)
}

// Rest is called where the path joins after a move of the head: what ran there
// does not run any more, and nothing starts by itself.
func (s *State) Rest() {
	s.Turns.rest()
}

// Exists says whether the session has been created.
func (s *State) Exists() bool { return s.Ledger.Last > 0 }

// Status is the session's state in one word.
func (s *State) Status() protocol.Status { return s.Turns.status() }

// Wake says when the session must be opened next even if nobody asks; the zero
// time means never. Work that a crash would interrupt is due at once: at a time
// that has passed on every clock, also on one that was set back.
func (s *State) Wake() time.Time {
	t := s.Turns.Current
	switch {
	case t == nil || s.Turns.Resting:
		return time.Time{}
	case t.Call == nil && !t.RetryAt.IsZero():
		return t.RetryAt
	}
	return time.Unix(0, 0).UTC()
}

// Busy says whether something runs or should.
func (s *State) Busy() bool { return len(s.Next()) > 0 }

// WakeAfter says what Wake will be once these records are applied.
func (s *State) WakeAfter(records []protocol.Record) time.Time {
	after := State{Turns: s.Turns.clone()}
	for _, r := range records {
		after.Turns.apply(r)
	}
	return after.Wake()
}
