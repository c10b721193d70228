package session_test

import (
	"testing"
	"time"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// A clock that was set back does not put off what is due: neither work that a
// crash interrupted, nor the next try of a call.
func TestClockSetBack(t *testing.T) {
	b := newBench(t)
	b.say(t, "work")
	turn, call := b.begin(t)
	b.now = b.now.Add(-24 * time.Hour)
	b.say(t, "meanwhile")
	if wake := b.state.Wake(); wake.IsZero() || wake.After(b.now) {
		t.Errorf("interrupted work is due at %s, now is %s", wake, b.now)
	}
	b.must(t, session.Command{Type: session.ModelEnd, Data: &session.ModelEnded{
		TurnID: turn, Call: call, Error: &session.CallError{Code: "MODEL_OVERLOADED", Retryable: true},
	}})
	step := b.state.Next()[0]
	if wait := step.NotBefore.Sub(b.now); wait <= 0 || wait > time.Minute {
		t.Errorf("the next try waits %s", wait)
	}
	for i, r := range b.records[1:] {
		if r.Time.Before(b.records[i].Time) {
			t.Errorf("record %d is older than the one before", r.Seq)
		}
	}
}

// While a call only waits for its next try, the session is due then, and not
// before.
func TestWaitingForTheNextTry(t *testing.T) {
	b := newBench(t)
	b.say(t, "work")
	turn, call := b.begin(t)
	b.must(t, session.Command{Type: session.ModelEnd, Data: &session.ModelEnded{
		TurnID: turn, Call: call, Error: &session.CallError{Retryable: true, RetryAfter: 10 * time.Minute},
	}})
	if wake, want := b.state.Wake(), b.state.Next()[0].NotBefore; !wake.Equal(want) || !wake.After(b.now) {
		t.Errorf("due at %s, the next try is at %s", wake, want)
	}
	b.begin(t)
	if wake := b.state.Wake(); wake.IsZero() || wake.After(b.now) {
		t.Errorf("a call in flight is due at %s, now is %s", wake, b.now)
	}
}

// What a provider asks for is believed within reason.
func TestEndlessRetryAfter(t *testing.T) {
	b := newBench(t)
	b.say(t, "work")
	turn, call := b.begin(t)
	b.must(t, session.Command{Type: session.ModelEnd, Data: &session.ModelEnded{
		TurnID: turn, Call: call, Error: &session.CallError{Retryable: true, RetryAfter: 1 << 62},
	}})
	if wait := b.state.Next()[0].NotBefore.Sub(b.now); wait <= 0 || wait > 24*time.Hour {
		t.Errorf("the next try waits %s", wait)
	}
}

// A fork of a session in the middle of a turn rests.
func TestForkRests(t *testing.T) {
	b := newBench(t)
	b.say(t, "work")
	b.begin(t)
	r := protocol.Record{
		Seq: b.state.Ledger.Last + 1, Type: protocol.TypeForked, Time: b.now,
		Data: &protocol.Forked{Owner: "bob", From: "original"},
	}
	b.state.Ledger.Apply(r)
	b.state.Apply(r)
	if steps := b.state.Next(); len(steps) != 0 || b.state.Status() != protocol.StatusPaused {
		t.Errorf("the fork is %s and runs %v", b.state.Status(), steps)
	}
	if wake := b.state.Wake(); !wake.IsZero() {
		t.Errorf("the fork is due at %s", wake)
	}
}
