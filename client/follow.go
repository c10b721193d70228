package client

import (
	"context"
	"errors"
	"iter"
)

// Follow gives what happens in the session: its state, every record after the
// cursor it was dialled with, and signals, in the order of the server. Each
// comes once; a reconnect shows as a session_state marked Reconnected.
//
// The loop ends without an error after Close, and with one when ctx is done or
// the connection failed for good. A loop that was left can be taken up again
// with another Follow. One at a time: two would share the events.
func (c *Conn) Follow(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			ev, err := c.next(ctx)
			switch {
			case errors.Is(err, ErrClosed):
				return
			case err != nil:
				yield(Event{}, err)
				return
			case !yield(ev, nil):
				return
			}
		}
	}
}

// Follow dials a session, gives its events as Conn.Follow does, and closes the
// connection at the end of the loop.
func (c *Client) Follow(ctx context.Context, session, after string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		conn, err := c.Dial(ctx, session, DialOptions{After: after})
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer conn.Close()
		conn.Follow(ctx)(yield)
	}
}

func (c *Conn) next(ctx context.Context) (Event, error) {
	for {
		if err := ctx.Err(); err != nil {
			return Event{}, err
		}
		if ev, ok := c.pop(); ok {
			return ev, nil
		}
		select {
		case <-c.more:
		case <-ctx.Done():
		case <-c.done:
			if ev, ok := c.pop(); ok { // it came before the end
				return ev, nil
			}
			return Event{}, c.reason()
		}
	}
}

func (c *Conn) pop() (Event, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		return Event{}, false
	}
	ev := c.queue[0]
	c.queue[0] = Event{}
	if c.queue = c.queue[1:]; len(c.queue) == 0 {
		c.queue = nil
	}
	c.queued -= ev.size
	signal(c.room)
	return ev, true
}

// reason is why the Conn ended.
func (c *Conn) reason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}
