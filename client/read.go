package client

import (
	"context"
	"errors"

	"github.com/coder/websocket"

	"github.com/parley-dev/parley/protocol"
)

// read takes what comes until the link breaks, and says why it did.
func (c *Conn) read(ctx context.Context, l *link) error {
	for {
		if err := c.waitRoom(ctx); err != nil {
			return err
		}
		silence, cancel := context.WithTimeoutCause(ctx, c.client.options.IdleTimeout, errSilent)
		ev, err := l.read(silence)
		cancel()
		if err != nil {
			return inUse(c.again(err))
		}
		if err := c.receive(ev); err != nil {
			return err
		}
	}
}

// read gives the next frame of a link.
func (l *link) read(ctx context.Context) (Event, error) {
	kind, frame, err := l.ws.Read(ctx)
	if err != nil {
		return Event{}, l.lost(ctx, err)
	}
	if kind != websocket.MessageText {
		return Event{}, &malformed{err: errors.New("a binary frame")}
	}
	ev, err := decode(frame)
	if err != nil {
		return ev, err
	}
	l.said, _ = ev.Data.(*protocol.Error)
	return ev, nil
}

// lost says how a link ended: by the server's word, by ours, or by the network.
func (l *link) lost(ctx context.Context, err error) error {
	var closed websocket.CloseError
	if errors.As(err, &closed) {
		return &CloseError{Code: protocol.CloseCode(closed.Code), Reason: closed.Reason, Err: l.said}
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// inUse corrects the view of a link that was up: what the server said last need
// not be why it closed, if it asks the client to come back.
func inUse(err error) error {
	var closed *CloseError
	if errors.As(err, &closed) && closed.Code.Reconnect() {
		closed.Err = nil
	}
	return err
}

// again marks a frame that cannot be read as hopeless, if the one before could
// not either and no record came between them: the next try would end here too.
func (c *Conn) again(err error) error {
	var m *malformed
	if errors.As(err, &m) {
		c.log().Warn("a frame cannot be read", "err", m.err)
		at := c.cursor
		m.again = c.bad != nil && *c.bad == at
		c.bad = &at
	}
	return err
}

// receive sorts what came: some of it is for the Conn itself.
func (c *Conn) receive(ev Event) error {
	if c.answer(ev) {
		return nil
	}
	switch data := ev.Data.(type) {
	case *protocol.Ack:
		return c.acknowledge(*data)
	case *protocol.Error:
		// The server says no twice: by ack, and like this.
		if data.InReplyTo != "" {
			return c.acknowledge(protocol.Ack{InReplyTo: data.InReplyTo, Error: data})
		}
	case *protocol.AuthResult:
		return nil
	}
	c.take(ev)
	return nil
}

// answer owes the server a pong for its ping.
func (c *Conn) answer(ev Event) bool {
	if ev.Type != protocol.TypePing {
		return false
	}
	c.mu.Lock()
	c.pongs++
	c.mu.Unlock()
	signal(c.wake)
	return true
}

// take puts an event in the queue, unless it is a record that was there before.
func (c *Conn) take(ev Event) {
	if state, ok := ev.Data.(*protocol.SessionState); ok && (state.Resync || !c.placed) {
		// An id that cannot be read leaves the cursor at the start: records
		// may then come again rather than be missed.
		c.cursor, _ = protocol.ParseMessageID(state.LastMessageID)
		c.placed = true
	}
	if ev.Seq > 0 {
		if ev.Seq <= c.cursor {
			return
		}
		c.cursor = ev.Seq
	}
	c.mu.Lock()
	c.queue = append(c.queue, ev)
	c.queued += ev.size
	c.mu.Unlock()
	signal(c.more)
}

// waitRoom stops reading while too much waits for Follow; the server then keeps
// the rest. A command that waits for its ack lifts that: the ack is behind what
// is not read yet, and Follow's caller may be the one who waits for it.
func (c *Conn) waitRoom(ctx context.Context) error {
	for {
		c.mu.Lock()
		full := c.queued > c.client.buffer && len(c.pending) == 0
		c.mu.Unlock()
		if !full {
			return nil
		}
		select {
		case <-c.room:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
