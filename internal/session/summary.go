package session

import "github.com/parley-dev/parley/protocol"

// Summary is what a list of sessions shows of one. It is folded record by
// record, like the state, by the same rules.
type Summary struct{ State }

// Apply folds the next record of the session.
func (s *Summary) Apply(r protocol.Record) {
	r.Cause = nil // a list needs no memory of client messages
	s.Ledger.Apply(r)
	if r.Type == protocol.TypeRewound {
		s.Rest()
		return
	}
	s.State.Apply(r)
}
