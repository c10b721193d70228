package ws

import (
	"encoding/json"

	"github.com/gobwas/ws"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/gateway"
	"github.com/parley-dev/parley/protocol"
)

// frameMost is how large a message may be if the gateway does not say.
const frameMost = 1 << 20

// listen treats the client's messages one after the other, until there are no
// more.
func (c *conn) listen() {
	most := c.d.Gateway.Frames.Bytes
	if most <= 0 {
		most = frameMost
	}
	for {
		m, err := c.in.next(most)
		if err != nil {
			c.hangUp(err)
			return
		}
		c.d.Stats.FramesIn.Add(1)
		if c.ended() {
			return
		}
		c.handle(m)
	}
}

// handle treats one message. It is counted whether it is any good or not; what
// keeps the connection itself going is not counted.
func (c *conn) handle(m message) {
	e, payload, refused := c.decode(m)
	if refused == nil {
		switch e.Type {
		case protocol.TypePong:
			return
		case protocol.TypeAuth:
			c.renew(payload.(*protocol.Auth))
			return
		}
	}
	if err := c.messages.Take(); err != nil {
		c.answer(e, engine.Result{}, err)
		return
	}
	if refused != nil {
		c.answer(e, engine.Result{}, refused)
		return
	}
	result, err := c.d.Gateway.Command(c.d.ctx, c.caller(), c.id, e, payload)
	c.answer(e, result, err)
}

func (c *conn) decode(m message) (protocol.Envelope, any, *protocol.Error) {
	if m.op == ws.OpBinary {
		return protocol.Envelope{}, nil, protocol.Errorf(protocol.CodeInvalidMessage,
			"messages are JSON in text frames; this was a binary one")
	}
	return protocol.DecodeCommand(m.data, c.d.Gateway.Frames)
}

func (c *conn) caller() gateway.Caller {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.who
}

// answer says what came of a message: `ack` to one that has an id, and an
// `error` to every one that failed.
func (c *conn) answer(e protocol.Envelope, r engine.Result, err error) {
	if err == nil {
		if e.MessageID != "" {
			ack := protocol.Ack{InReplyTo: e.MessageID, OK: true}
			if r.First > 0 {
				ack.MessageID = protocol.MessageID(r.First)
			}
			if r.Answer != nil {
				if raw, err := json.Marshal(r.Answer); err == nil { // plain data: always can
					ack.Result = raw
				}
			}
			c.sub.Send(c.signal(protocol.TypeAck, ack))
		}
		return
	}
	c.d.Stats.Errors.Add(1)
	c.report("a message could not be treated", err)
	failed := *protocol.AsError(err) // a copy: errors are shared
	failed.InReplyTo = e.MessageID
	var signals []*engine.Frame
	if e.MessageID != "" {
		signals = append(signals, c.signal(protocol.TypeAck, protocol.Ack{InReplyTo: e.MessageID, Error: &failed}))
	}
	signals = append(signals, c.signal(protocol.TypeError, &failed))
	if failed.Code == protocol.CodeTokenExpired {
		c.shut(endingFor(&failed), signals...)
		return
	}
	for _, f := range signals {
		c.sub.Send(f)
	}
}

// renew takes new credentials of the same user. Those that are not accepted
// change nothing: the old ones hold for as long as they hold.
func (c *conn) renew(m *protocol.Auth) {
	c.mu.Lock()
	user, shown := c.who.User, c.shown
	c.mu.Unlock()
	show(&shown, m)
	// Not Renew: these are new, and guesses are counted.
	id, err := c.d.Gateway.Auth.Authenticate(c.d.ctx, shown)
	if err == nil && id.User != user {
		err = protocol.Errorf(protocol.CodeForbidden, "this connection belongs to another user; open a new one")
	}
	if err != nil {
		c.report("a client could not be recognised", err)
		c.sub.Send(c.signal(protocol.TypeAuthResult, protocol.AuthResult{Error: protocol.AsError(err)}))
		return
	}
	c.mu.Lock()
	c.who.Identity, c.shown = id, shown
	c.proofs++
	c.mu.Unlock()
	c.sub.Send(c.signal(protocol.TypeAuthResult, accepted(id)))
}
