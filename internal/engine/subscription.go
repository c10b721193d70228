package engine

import (
	"context"
	"fmt"
	"sync"

	"github.com/parley-dev/parley/protocol"
)

// Attach is how a client joins a session.
type Attach struct {
	// ClientID names the client; a second one of the same name takes over.
	ClientID string
	// Resume is the cursor of the last record the client has; "" for none.
	Resume string
	// Notify is called when there is something to take again after Next gave
	// nothing. It must not block, nor call the subscription. Whoever attaches
	// calls Next once without being asked.
	Notify func()
}

// Closed says why a subscription ended.
type Closed struct {
	Code   protocol.CloseCode
	Reason string
}

func (c *Closed) Error() string { return fmt.Sprintf("closed (%d): %s", c.Code, c.Reason) }

// Subscription is one client's view of a session: first its state, then every
// record after the client's cursor, then whatever comes, in one order.
//
// What waits for a client is bounded. One that is too slow loses what waited
// and joins again from its cursor, as if it had reconnected: state, records
// from the journal, open messages, live.
type Subscription struct {
	l      *live
	client string
	notify func()
	most   int
	leave  sync.Once

	mu     sync.Mutex
	first  *Frame // the state, before anything else
	queue  []*Frame
	bytes  int
	unread int     // of bytes, what was sent to this client alone
	asleep bool    // Next gave nothing: notify when there is something
	after  uint64  // the last record taken
	behind bool    // records after `after` must come from the journal
	lost   bool    // it fell behind just now: the state comes first
	moved  bool    // it was given a move of the head: a fresh state follows
	closed *Closed // nothing more is queued
}

// push queues a frame. It is called on the session's goroutine only.
func (s *Subscription) push(f *Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed != nil || s.behind {
		return
	}
	if s.bytes+len(f.JSON) > s.most && len(s.queue) > 0 && !f.private {
		s.fallBehind()
		return
	}
	s.enqueue(f)
}

// Send queues a signal for this client alone. It keeps its place behind the
// records that were sent before it.
func (s *Subscription) Send(f *Frame) {
	f.private = true
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed != nil {
		return
	}
	s.enqueue(f)
	if s.unread += len(f.JSON); s.unread > s.most {
		s.closed = &Closed{protocol.CloseTooSlow, "the client asks more than it reads"}
	}
}

// greet queues what a client must have to go live. It does not count: else a
// text longer than the queue would keep the client from ever joining.
func (s *Subscription) greet(f *Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed == nil {
		s.queue = append(s.queue, f)
		s.rouse()
	}
}

func (s *Subscription) enqueue(f *Frame) {
	s.queue = append(s.queue, f)
	s.bytes += len(f.JSON)
	s.rouse()
}

func (s *Subscription) rouse() {
	if s.asleep {
		s.asleep = false
		s.notify()
	}
}

// fallBehind drops what waited, but for what was meant for this client alone.
func (s *Subscription) fallBehind() {
	kept := s.queue[:0:0]
	s.bytes = 0
	for _, f := range s.queue {
		if f.private {
			kept = append(kept, f)
			s.bytes += len(f.JSON)
		}
	}
	s.queue, s.behind, s.lost = kept, true, true
	s.l.e.Stats.Lagged.Add(1)
	s.rouse()
}

func (s *Subscription) close(c *Closed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed == nil {
		s.closed = c
		s.rouse()
	}
}

// Next takes what there is for the client. Nothing and no error means that
// there is nothing now: notify will be called. After the end it gives *Closed.
// One goroutine calls it at a time.
func (s *Subscription) Next(ctx context.Context) ([]*Frame, error) {
	for {
		frames, behind, err := s.take()
		if err != nil || len(frames) > 0 || !behind {
			return frames, err
		}
		if frames, err = s.catchUp(ctx); err != nil || len(frames) > 0 {
			return frames, err
		}
	}
}

// take gives what is queued. Behind means that there is more, but not here.
func (s *Subscription) take() (frames []*Frame, behind bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.first != nil:
		frames, s.first = []*Frame{s.first}, nil
	case s.closed != nil && (s.behind || len(s.queue) == 0):
		err = s.closed
	case s.behind:
		behind = true
	case len(s.queue) > 0:
		frames, s.queue, s.bytes, s.unread = s.queue, nil, 0, 0
		if last := lastSeq(frames); last > 0 {
			s.after = last
		}
	default:
		s.asleep = true
	}
	return frames, behind, err
}

func lastSeq(frames []*Frame) uint64 {
	for i := len(frames) - 1; i >= 0; i-- {
		if frames[i].Seq > 0 {
			return frames[i].Seq
		}
	}
	return 0
}

// catchUpPage bounds what a subscriber that reads the journal holds in memory:
// records are short, and the few that are not are a blob's beginning.
const catchUpPage = 128

// catchUp reads on from the journal. Once it has come to the end it joins the
// session's live subscribers again.
func (s *Subscription) catchUp(ctx context.Context) ([]*Frame, error) {
	if s.lost {
		var state *Frame
		err := s.l.call(ctx, func() { state, s.lost = s.l.stateFrame(false), false })
		if err != nil {
			return nil, s.gone(err)
		}
		return []*Frame{state}, nil
	}
	page, err := s.l.e.Store.Read(ctx, s.l.id, s.after, catchUpPage)
	if err != nil {
		return nil, storeError(err)
	}
	frames := make([]*Frame, len(page))
	for i, r := range page {
		frames[i] = recordFrame(s.l.id, r.Seq, r.Frame)
		s.moved = s.moved || frames[i].moves
	}
	if len(page) > 0 {
		s.mu.Lock()
		s.after = page[len(page)-1].Seq
		s.mu.Unlock()
	}
	if len(page) < catchUpPage {
		if err := s.l.call(ctx, func() { s.l.join(s) }); err != nil && len(frames) == 0 {
			return nil, s.gone(err)
		}
	}
	return frames, nil
}

// gone gives the reason the session was closed for, if it was.
func (s *Subscription) gone(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed != nil {
		return s.closed
	}
	return err
}

// Crowd says how many get the same as this client, as it comes.
func (s *Subscription) Crowd() int { return int(s.l.crowd.Load()) }

// Close leaves the session.
func (s *Subscription) Close() {
	s.leave.Do(func() {
		s.close(&Closed{Code: 1000, Reason: "left"})
		_ = s.l.call(context.Background(), func() { s.l.detach(s) })
		s.l.e.release(s.l)
		s.l.e.Stats.Subscribers.Add(-1)
	})
}
