package engine

import (
	"context"
	"errors"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// Ledger is what is known of the step's session whatever its past is.
func (w *Work) Ledger(ctx context.Context) (l session.Ledger, err error) {
	err = w.l.call(ctx, func() { l = w.l.state.Ledger })
	return l, err
}

// Spending is what work has cost so far.
type Spending struct{ Turn, Session protocol.Usage }

// Spent says what the step's turn and session have cost.
func (w *Work) Spent(ctx context.Context) (s Spending, err error) {
	err = w.l.call(ctx, func() {
		s.Session = w.l.state.Ledger.Usage
		if t := w.l.state.Turns.Current; t != nil {
			s.Turn = t.Usage
		}
	})
	return s, err
}

// Delegate hands work to another session: it is made if there is none of that
// id, is told the goal, and is waited for. However often it is called with the
// same id and key, the goal is told once. If the step is not wanted any more, the
// other session's work is cancelled; if the server stops, it is not: whoever
// takes the step up again finds it.
//
// Each record of the other session that comes meanwhile is given to watch. The
// record that ended the work is what comes back.
func (w *Work) Delegate(ctx context.Context, id, key string, with protocol.SessionCreated, goal string, watch func(protocol.Record)) (protocol.Record, error) {
	e := w.l.e
	by := session.Actor{User: with.Owner}
	if _, err := e.Create(ctx, id, with, by, nil); err != nil && protocol.AsError(err).Code != protocol.CodeSessionInvalidState {
		return protocol.Record{}, err
	}
	said, err := e.Do(ctx, id, session.Command{
		Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: goal, When: protocol.WhenQueue}, By: by,
		Cause: &protocol.Cause{Scope: "delegate/" + w.SessionID, MessageID: key, Digest: protocol.Digest(protocol.Envelope{Type: protocol.TypeUserMessage, Data: []byte(`"` + key + `"`)})},
	})
	if err != nil {
		return protocol.Record{}, err
	}
	var end protocol.Record
	err = e.Await(ctx, id, said.First-1, func(r protocol.Record) bool {
		watch(r)
		switch r.Type {
		case protocol.TypeComplete, protocol.TypeFailed:
			end = r
			return true
		}
		return false
	})
	if err != nil && errors.Is(context.Cause(ctx), errNotWanted) {
		cancel := session.Command{Type: protocol.TypeControlCancel, Data: &protocol.ControlCancel{Reason: "the session above does not want it any more"}, By: by}
		_, _ = e.Do(context.WithoutCancel(ctx), id, cancel) // it may have ended already
		e.quiet(context.WithoutCancel(ctx), id)
	}
	return end, err
}

// quiet waits until nothing of a session runs that is not wanted: whoever looks at
// what it did then sees all of it.
func (e *Engine) quiet(ctx context.Context, id string) {
	_ = e.on(ctx, id, func(l *live) error {
		if err := l.busy(); err != nil {
			return err
		}
		l.stopSteps(errNotWanted)
		l.halted = false
		l.reconcile()
		return nil
	})
}

// Said gives a message of any session.
func (w *Work) Said(ctx context.Context, session, id string) (*protocol.MessageRecord, error) {
	seq, err := protocol.ParseMessageID(id)
	if err != nil {
		return nil, err
	}
	return w.l.e.Said(ctx, session, seq)
}
