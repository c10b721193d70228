// Package session is the core: what a session is, and what may happen to it.
//
// It is pure: no clock, no randomness, no I/O, no lock, no goroutine.
//
//	Decide   a command against the state gives records, or an error and nothing
//	Apply    a record changes the state; it cannot fail
//	Next     the state says what should be running now
//
// Whoever owns a session stores what Decide gives before it applies it, and
// runs what Next lists; the answers come back as commands that name the turn
// they belong to, and stale ones are refused.
//
// The state is a fold of the visible path plus a ledger of all records (see
// Ledger). It holds open things and counters, never the transcript, so its
// size does not grow with the conversation.
package session
