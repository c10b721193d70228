package ws

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/gobwas/ws"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/gateway"
	"github.com/parley-dev/parley/internal/secret"
	"github.com/parley-dev/parley/protocol"
)

// authMost bounds the first message of a client that nobody knows yet.
const authMost = 32 << 10

// enter finds out who the client is and joins it to its session.
func (c *conn) enter(q request) bool {
	g := c.d.Gateway
	id, ok := c.identify(&q)
	if !ok {
		return false
	}
	if err := g.Limiter.Connect(id.User); err != nil {
		return c.refuse(err)
	}
	who := gateway.Caller{Identity: id, ClientID: q.client}
	create := q.create || !g.Auth.Accounts()
	sub, err := g.Attach(c.d.ctx, who, q.session, create, engine.Attach{Resume: q.resume, Notify: c.rouse})
	if err != nil {
		c.report("a client could not join its session", err)
		return c.refuse(err)
	}
	c.d.Stats.Accepted.Add(1)
	c.messages = g.Limiter.Messages()
	c.mu.Lock()
	c.who, c.shown, c.sub = who, q.shown, sub
	c.mu.Unlock()
	c.rouse()
	c.startHeart()
	return true
}

// identify takes the credentials of the request, or else waits for those of the
// first message.
func (c *conn) identify(q *request) (auth.Identity, bool) {
	asked := q.shown.Empty() && c.d.Gateway.Auth.Required()
	if asked && !c.awaitAuth(q) {
		return auth.Identity{}, false
	}
	ctx, cancel := context.WithTimeout(c.d.ctx, c.d.AuthWait)
	defer cancel()
	id, err := c.d.Gateway.Auth.Authenticate(ctx, q.shown)
	if err != nil {
		c.report("a client could not be recognised", err)
		e := protocol.AsError(err)
		return id, c.refuse(err, c.signal(protocol.TypeAuthResult, protocol.AuthResult{Error: e}))
	}
	if asked {
		c.sendAhead(c.signal(protocol.TypeAuthResult, accepted(id)))
	}
	return id, true
}

func accepted(id auth.Identity) protocol.AuthResult {
	return protocol.AuthResult{OK: true, User: id.User, Role: id.Role.String()}
}

// awaitAuth reads the message `auth`, which must be the first.
func (c *conn) awaitAuth(q *request) bool {
	c.readBy(time.Now().Add(c.d.AuthWait))
	m, err := c.in.next(authMost)
	if err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) && !c.ended() {
			return c.refuse(protocol.Errorf(protocol.CodeAuthRequired,
				"no message auth came within %s; connect again and send it first", c.d.AuthWait))
		}
		c.hangUp(err)
		return false
	}
	c.d.Stats.FramesIn.Add(1)
	if c.ended() {
		return false
	}
	c.readBy(time.Time{})
	e, payload, refused := protocol.DecodeCommand(m.data, c.d.Gateway.Frames)
	shown, ok := payload.(*protocol.Auth)
	if refused != nil || m.op != ws.OpText || !ok {
		err := protocol.Errorf(protocol.CodeAuthRequired, "the first message must be auth, with a token or an API key")
		err.InReplyTo = e.MessageID
		return c.refuse(err)
	}
	show(&q.shown, shown)
	return true
}

// show adds a message's credentials to what is known of the caller's address.
func show(to *auth.Credentials, m *protocol.Auth) {
	to.Token, to.APIKey = secret.New(m.Token), secret.New(m.APIKey)
}

// sendAhead sends a signal before anything that the session sends.
func (c *conn) sendAhead(f *engine.Frame) {
	c.mu.Lock()
	c.ahead = appendFrame(c.ahead, ws.OpText, f.JSON)
	c.mu.Unlock()
	c.rouse()
}

// refuse ends a connection that is not let in, and says why.
func (c *conn) refuse(err error, before ...*engine.Frame) bool {
	c.d.Stats.Refused.Add(1)
	e := protocol.AsError(err)
	c.shut(endingFor(e), append(before, c.signal(protocol.TypeError, e))...)
	return false
}

// endings says how a connection ends that an error makes impossible.
var endings = map[protocol.Code]protocol.CloseCode{
	protocol.CodeConnectionFailed: closeTryLater,
	protocol.CodeRateLimited:      closeTryLater,
	protocol.CodeAuthRequired:     protocol.CloseAuthFailed,
	protocol.CodeAuthFailed:       protocol.CloseAuthFailed,
	protocol.CodeTokenExpired:     protocol.CloseAuthFailed,
	protocol.CodeForbidden:        protocol.CloseForbidden,
	protocol.CodeSessionNotFound:  protocol.CloseForbidden,
	protocol.CodeSessionExpired:   protocol.CloseDeleted,
}

func endingFor(e *protocol.Error) ending {
	code, ok := endings[e.Code]
	if !ok {
		code = closeInternal
	}
	return ending{code, e.Message}
}
