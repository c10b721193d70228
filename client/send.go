package client

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/coder/websocket"

	"github.com/parley-dev/parley/protocol"
)

// command is a message that the server has not acknowledged yet.
type command struct {
	id      string
	frame   []byte
	round   int  // the link on which it was last written
	expired bool // it met an expired token once
	ack     protocol.Ack
	err     error
	done    chan struct{}
}

func (cmd *command) settle(ack protocol.Ack, err error) {
	cmd.ack, cmd.err = ack, err
	close(cmd.done)
}

// Send gives the server a command and waits for its answer: the id of the first
// record that came of it, if any did, or an error, *protocol.Error if it is the
// server's own. data is a command of package protocol, or whatever encodes to
// the same JSON; nil for none.
//
// A command is sent again after a reconnect until it is acknowledged, and acted
// on once. If ctx ends first, it may have been acted on or not.
func (c *Conn) Send(ctx context.Context, t protocol.Type, data any) (string, error) {
	e := c.envelope(t)
	e.MessageID = rand.Text()
	frame, err := e.Encode(data)
	if err != nil {
		return "", err
	}
	if most := c.client.options.WriteLimit; len(frame) > most {
		return "", protocol.Errorf(protocol.CodeMessageTooLarge,
			"the message has %d bytes; at most %d are allowed", len(frame), most)
	}
	cmd := &command{id: e.MessageID, frame: frame, done: make(chan struct{})}
	if err := c.add(cmd); err != nil {
		return "", fmt.Errorf("send %s: %w", t, err)
	}
	select {
	case <-cmd.done:
	case <-ctx.Done():
		if c.drop(cmd) {
			return "", fmt.Errorf("send %s: not acknowledged: %w", t, ctx.Err())
		}
		<-cmd.done // the answer was faster
	}
	if cmd.err != nil {
		return "", fmt.Errorf("send %s: %w", t, cmd.err)
	}
	return cmd.ack.MessageID, nil
}

// SendMessage says something to the session's agent, and gives the id of the
// record that took it up.
func (c *Conn) SendMessage(ctx context.Context, content string) (string, error) {
	return c.Send(ctx, protocol.TypeUserMessage, &protocol.UserMessage{Content: content})
}

func (c *Conn) envelope(t protocol.Type) protocol.Envelope {
	return protocol.Envelope{Type: t, SessionID: c.session, Timestamp: protocol.At(time.Now())}
}

func (c *Conn) add(cmd *command) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.err != nil:
		return c.err
	case c.closing:
		return ErrClosed
	}
	c.pending = append(c.pending, cmd)
	signal(c.wake)
	signal(c.room)
	return nil
}

// drop forgets a command; false if it is settled already.
func (c *Conn) drop(cmd *command) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.pending, cmd)
	if i < 0 {
		return false
	}
	c.pending = slices.Delete(c.pending, i, i+1)
	return true
}

// acknowledge takes the server's answer to a command. Some answers are not about
// the command: a server that stops, or a token that has expired while another
// is to be had. The link is given up then, and the command sent on the next.
func (c *Conn) acknowledge(ack protocol.Ack) error {
	switch {
	case ack.OK:
		c.settled(ack, nil)
	case ack.Error == nil:
		c.settled(ack, protocol.Errorf(protocol.CodeExecutionFailed, "the server refused the command and did not say why"))
	case c.sendAgain(ack):
		return ack.Error
	default:
		c.settled(ack, ack.Error)
	}
	return nil
}

// settled ends the wait for an answer, if anybody waits.
func (c *Conn) settled(ack protocol.Ack, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.find(ack.InReplyTo); i >= 0 {
		c.pending[i].settle(ack, err)
		c.pending = slices.Delete(c.pending, i, i+1)
	}
}

// sendAgain says whether a refused command may do better on another link. With
// another token it is tried once.
func (c *Conn) sendAgain(ack protocol.Ack) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.find(ack.InReplyTo)
	if i < 0 {
		return false
	}
	switch cmd := c.pending[i]; ack.Error.Code {
	case protocol.CodeConnectionFailed:
		return true
	case protocol.CodeTokenExpired:
		again := !cmd.expired && c.client.creds.fetch != nil
		cmd.expired = true
		return again
	}
	return false
}

func (c *Conn) find(id string) int {
	return slices.IndexFunc(c.pending, func(cmd *command) bool { return cmd.id == id })
}

// write is the one writer of a link: pongs, then commands in their order.
func (c *Conn) write(ctx context.Context, l *link) error {
	for {
		frame, err := c.outgoing()
		if err != nil {
			return err
		}
		if frame == nil {
			select {
			case <-c.wake:
				continue
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		if err := writeFrame(ctx, l.ws, frame); err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
}

func writeFrame(ctx context.Context, ws *websocket.Conn, frame []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return ws.Write(ctx, websocket.MessageText, frame)
}

// outgoing gives the next frame that this link has not carried yet; nil if
// there is none.
func (c *Conn) outgoing() ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pongs > 0 {
		c.pongs = 0
		return c.envelope(protocol.TypePong).Encode(nil)
	}
	for _, cmd := range c.pending {
		if cmd.round != c.round {
			cmd.round = c.round
			return cmd.frame, nil
		}
	}
	return nil, nil
}
