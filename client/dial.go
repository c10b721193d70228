package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/parley-dev/parley/protocol"
)

// DialOptions say how to join a session.
type DialOptions struct {
	// After is the message_id of the last record the caller has: every later
	// one comes. FromStart gives all of them; empty gives those that happen
	// from now on.
	After string
	// Create makes the session if there is none of this id.
	Create bool
	// OnState is told of every change of the connection's state, with the
	// reason where there is one. Calls do not overlap. It must not block, nor
	// close the connection.
	OnState func(State, error)
}

// Dial joins a session and returns once its state is there. ctx bounds the
// dialling only; the connection lasts until Close. An attempt that fails is
// reported at once, unless Reconnect.RetryDial is set.
func (c *Client) Dial(ctx context.Context, session string, options DialOptions) (*Conn, error) {
	if err := protocol.CheckSessionID(session); err != nil {
		return nil, err
	}
	conn, err := newConn(c, session, options)
	if err != nil {
		return nil, err
	}
	conn.setState(Connecting, nil)
	l, err := conn.connect(ctx, nil)
	if err != nil {
		err = fmt.Errorf("dial %s: %w", session, err)
		conn.end(err)
		close(conn.done)
		return nil, err
	}
	go conn.run(l)
	return conn, nil
}

// link is one WebSocket connection; a Conn has one after the other.
type link struct {
	ws    *websocket.Conn
	cred  credential
	first Event // the session's state, with which it began
	said  *protocol.Error
}

// connect tries until there is a link. cause is how the last one ended; nil at
// the beginning. c.retries counts what failed since the last success.
func (c *Conn) connect(ctx context.Context, cause error) (*link, error) {
	first := cause == nil
	for {
		if cause != nil {
			if err := c.pause(ctx, cause, first); err != nil {
				return nil, err
			}
		}
		l, err := c.attempt(ctx)
		if err == nil {
			c.retries = 0
			return l, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		cause = err
	}
}

// pause waits as long as is right before the next attempt, or says that there
// shall be none.
func (c *Conn) pause(ctx context.Context, cause error, first bool) error {
	v, r := judge(cause), c.client.options.Reconnect
	if v.auth {
		another, err := c.client.creds.renew(ctx, c.cred)
		if another {
			c.setState(Reconnecting, cause)
			return nil
		}
		if err != nil {
			v, cause = verdict{}, err // the token's source may be back soon
		}
	}
	switch {
	case v.final || first && !r.RetryDial:
		return cause
	case r.MaxRetries >= 0 && c.retries >= r.MaxRetries:
		return fmt.Errorf("%w after %d retries: %w", ErrGaveUp, c.retries, cause)
	}
	c.setState(Reconnecting, cause)
	delay := max(r.delay(c.retries), min(v.after, time.Minute))
	c.retries++
	c.log().Debug("will reconnect", "in", delay, "retry", c.retries, "err", cause)
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// attempt opens a connection and brings it as far as the session's state.
func (c *Conn) attempt(ctx context.Context) (*link, error) {
	o := c.client.options
	ctx, cancel := context.WithTimeoutCause(ctx, o.ConnectTimeout, errSilent)
	defer cancel()
	cred, err := c.client.creds.get(ctx)
	if err != nil {
		return nil, err
	}
	c.cred = cred
	header := http.Header{"User-Agent": {userAgent}}
	if !o.AuthMessage {
		cred.header(header)
	}
	ws, resp, err := websocket.Dial(ctx, c.url(), &websocket.DialOptions{HTTPClient: o.HTTPClient, HTTPHeader: header})
	if err != nil {
		return nil, c.client.handshakeError(ctx, resp, err)
	}
	ws.SetReadLimit(o.ReadLimit)
	c.setState(Connected, nil)
	l := &link{ws: ws, cred: cred}
	if err := c.greet(ctx, l); err != nil {
		_ = ws.CloseNow()
		return nil, err
	}
	return l, nil
}

// greet authenticates, if that is done by a message, and waits for the state.
func (c *Conn) greet(ctx context.Context, l *link) error {
	if c.client.options.AuthMessage && !l.cred.empty() {
		frame, err := c.envelope(protocol.TypeAuth).Encode(l.cred.message())
		if err != nil {
			return err
		}
		if err := l.ws.Write(ctx, websocket.MessageText, frame); err != nil {
			return l.lost(ctx, err)
		}
	}
	for {
		ev, err := l.read(ctx)
		if err != nil {
			return c.again(err)
		}
		switch data := ev.Data.(type) {
		case *protocol.SessionState:
			l.first = ev
			return nil
		case *protocol.AuthResult:
			if !data.OK {
				return authError(data)
			}
		default:
			if ev.Seq > 0 {
				return c.again(&malformed{err: fmt.Errorf("%s came before session_state", ev.Type)})
			}
			c.answer(ev)
		}
	}
}

func authError(r *protocol.AuthResult) error {
	if r.Error != nil {
		return r.Error
	}
	return protocol.Errorf(protocol.CodeAuthFailed, "the server refused the token or API key")
}

// handshakeError says why a connection could not be opened. coder/websocket
// keeps the first kilobyte of the answer.
func (c *Client) handshakeError(ctx context.Context, resp *http.Response, err error) error {
	if resp != nil && resp.Body != nil {
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusSwitchingProtocols {
			return c.refused(resp)
		}
	}
	if cause := context.Cause(ctx); errors.Is(cause, errSilent) {
		err = cause
	}
	return c.unreachable(err)
}

func (c *Conn) url() string {
	u := c.client.base.JoinPath("ws", c.session)
	q := u.Query()
	q.Set("client_id", c.clientID)
	if c.placed {
		q.Set("resume_from", protocol.MessageID(c.cursor))
	}
	if c.create {
		q.Set("create", "true")
	}
	u.RawQuery = q.Encode()
	return u.String()
}
