package engine

import (
	"context"
	"fmt"

	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// Result is what came of a command.
type Result struct {
	// First is the first record it gave, now or when it was first sent; 0 if it
	// changed nothing.
	First    uint64
	Records  []protocol.Record // empty if the command was repeated
	Repeated bool
	// Answer is what the caller is told beside that it was done; nil if that is all.
	Answer any
}

// Do gives a command to a session. With a Cause it acts once, however often it
// is sent.
func (e *Engine) Do(ctx context.Context, id string, c session.Command) (Result, error) {
	var r Result
	err := e.on(ctx, id, func(l *live) (err error) {
		r, err = l.do(ctx, c)
		return err
	})
	return r, err
}

// Create makes a session. An id that exists, or existed, is refused.
func (e *Engine) Create(ctx context.Context, id string, with protocol.SessionCreated, by session.Actor, cause *protocol.Cause) (Result, error) {
	return e.Do(ctx, id, session.Command{Type: session.CreateSession, Data: &with, By: by, Cause: cause})
}

// do is Do on the session's goroutine.
func (l *live) do(ctx context.Context, c session.Command) (Result, error) {
	first, seen, err := l.state.Ledger.Seen(c.Cause)
	if err != nil {
		return Result{}, err
	}
	if seen {
		return Result{First: first, Repeated: true}, nil
	}
	if err := l.checkImages(ctx, c); err != nil {
		return Result{}, err
	}
	records, err := l.decide(c)
	if err != nil {
		return Result{}, err
	}
	r := Result{Records: records}
	if len(records) > 0 {
		r.First = records[0].Seq
	}
	return r, nil
}

// on runs f on the session's goroutine.
func (e *Engine) on(ctx context.Context, id string, f func(l *live) error) error {
	l, err := e.hold(ctx, id, f)
	if err == nil {
		e.release(l)
	}
	return err
}

// hold runs f on the session's goroutine and, if it went well, keeps the
// session in memory until release. If the session ended before it came to f, it
// is opened again, to see what became of it.
func (e *Engine) hold(ctx context.Context, id string, f func(l *live) error) (*live, error) {
	for {
		l, err := e.acquire(ctx, id)
		if err != nil {
			return nil, err
		}
		var ferr error
		err = l.call(ctx, func() { ferr = f(l) })
		if err == nil && ferr == nil {
			return l, nil
		}
		e.release(l)
		if err == nil {
			return nil, ferr
		}
		if err != errStopping || e.Stopping() {
			return nil, err
		}
	}
}

var errNoSession = protocol.Errorf(protocol.CodeSessionNotFound, "no such session")

// State gives a session as clients see it.
func (e *Engine) State(ctx context.Context, id string) (protocol.SessionState, error) {
	var v protocol.SessionState
	err := e.on(ctx, id, func(l *live) error {
		if !l.state.Exists() {
			return errNoSession
		}
		v = l.view()
		return nil
	})
	return v, err
}

// Attach joins a session. Whoever gets a subscription closes it.
func (e *Engine) Attach(ctx context.Context, id string, a Attach) (*Subscription, error) {
	var s *Subscription
	_, err := e.hold(ctx, id, func(l *live) error {
		if !l.state.Exists() {
			return errNoSession
		}
		s = l.attach(a)
		return nil
	})
	if err != nil {
		return nil, err
	}
	e.Stats.Subscribers.Add(1)
	return s, nil
}

// Records gives up to limit of a session's stored frames after a sequence
// number, hidden ones too, as clients see them.
func (e *Engine) Records(ctx context.Context, id string, after uint64, limit int) ([]*Frame, error) {
	page, err := e.Store.Read(ctx, id, after, limit)
	if err != nil {
		return nil, storeError(err)
	}
	frames := make([]*Frame, len(page))
	for i, r := range page {
		frames[i] = recordFrame(id, r.Seq, r.Frame)
	}
	return frames, nil
}

// Read gives up to limit records after a sequence number, decoded.
func (e *Engine) Read(ctx context.Context, id string, after uint64, limit int) ([]protocol.Record, error) {
	page, err := e.Store.Read(ctx, id, after, limit)
	if err != nil {
		return nil, storeError(err)
	}
	records := make([]protocol.Record, len(page))
	for i, r := range page {
		if records[i], err = protocol.DecodeRecord(r.Frame); err != nil {
			return nil, fmt.Errorf("session %s, record %d: %w", id, r.Seq, err)
		}
	}
	return records, nil
}

// Delete removes a session for good. Its id is not used again.
func (e *Engine) Delete(ctx context.Context, id string) error {
	return e.on(ctx, id, func(l *live) error {
		if !l.state.Exists() {
			return errNoSession
		}
		if err := l.busy(); err != nil {
			return err
		}
		l.stopSteps(errNotWanted)
		if err := e.Store.Delete(ctx, id); err != nil {
			l.halted = false
			l.reconcile()
			return storeError(err)
		}
		e.Appended()
		l.e.forget(l, true)
		l.dismiss(protocol.CloseDeleted, "the session was deleted")
		l.state = &session.State{}
		l.ended = true
		e.Deleted(id)
		return nil
	})
}

// HasBlob says whether a session refers to a blob: that is the permission to
// read it.
func (e *Engine) HasBlob(ctx context.Context, id, hash string) (bool, error) {
	refs, ok := e.Store.(journal.BlobRefs)
	if !ok {
		return false, nil
	}
	return refs.HasBlob(ctx, id, hash)
}

// Owner says whose session it is.
func (e *Engine) Owner(ctx context.Context, id string) (owner string, err error) {
	err = e.on(ctx, id, func(l *live) error {
		if !l.state.Exists() {
			return errNoSession
		}
		owner = l.state.Ledger.Owner
		return nil
	})
	return owner, err
}

// Visible gives up to most of the newest visible records, in order.
func (e *Engine) Visible(ctx context.Context, id string, most int) ([]protocol.Record, error) {
	path, last, err := e.Path(ctx, id)
	if err != nil {
		return nil, err
	}
	var out []protocol.Record
	err = e.each(ctx, id, max(last, uint64(most))-uint64(most), last, func(r journal.Record) error {
		if !path.Contains(r.Seq) {
			return nil
		}
		record, err := protocol.DecodeRecord(r.Frame)
		if err != nil {
			return fmt.Errorf("session %s, record %d: %w", id, r.Seq, err)
		}
		out = append(out, record)
		return nil
	})
	return out, storeError(err)
}

// Await waits for a record after a sequence number that is what the caller
// waits for.
func (e *Engine) Await(ctx context.Context, id string, after uint64, is func(protocol.Record) bool) error {
	wake := make(chan struct{}, 1)
	s, err := e.Attach(ctx, id, Attach{Resume: protocol.MessageID(after), Notify: func() {
		select {
		case wake <- struct{}{}:
		default:
		}
	}})
	if err != nil {
		return err
	}
	defer s.Close()
	for {
		frames, err := s.Next(ctx)
		if err != nil {
			return err
		}
		for _, f := range frames {
			if f.Seq == 0 {
				continue
			}
			if r, err := protocol.DecodeRecord(f.JSON); err == nil && is(r) {
				return nil
			}
		}
		if len(frames) > 0 {
			continue
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// TellOwner sends a signal to whoever watches a session of an owner; of
// everybody's, if the owner is empty. It does not wait for sessions.
func (e *Engine) TellOwner(owner string, t protocol.Type, data any) {
	e.mu.Lock()
	if e.closing { // whoever waits for the engine's work may have stopped counting
		e.mu.Unlock()
		return
	}
	e.wg.Add(1)
	all := make([]*live, 0, len(e.live))
	for _, l := range e.live {
		all = append(all, l)
	}
	e.mu.Unlock()
	go func() {
		defer e.wg.Done()
		for _, l := range all {
			_ = l.call(e.ctx, func() {
				if len(l.attached) == 0 || owner != "" && l.state.Ledger.Owner != owner {
					return
				}
				if f, err := NewSignal(l.id, t, "", "", data); err == nil {
					l.send(f)
				}
			})
		}
	}()
}
