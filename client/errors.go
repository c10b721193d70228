package client

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/coder/websocket"

	"github.com/parley-dev/parley/protocol"
)

var (
	// ErrClosed is what a Conn gives after Close.
	ErrClosed = errors.New("the connection was closed by this side")
	// ErrGaveUp is what a Conn gives after the last retry; the error that
	// wraps it says why the last attempt failed.
	ErrGaveUp = errors.New("gave up reconnecting")
	// ErrMalformed marks frames that this client cannot read.
	ErrMalformed = errors.New("the server sent something that is not a Parley frame")

	errSilent = errors.New("no sign of life from the server")
)

// CloseError says that the server closed the connection, and why.
type CloseError struct {
	Code   protocol.CloseCode
	Reason string
	// Err is what the server said before it closed; nil if it said nothing.
	Err *protocol.Error
}

func (e *CloseError) Error() string {
	reason := e.Reason
	if reason == "" {
		for _, s := range protocol.CloseCodes() {
			if s.Code == e.Code {
				reason = s.Doc
			}
		}
	}
	text := fmt.Sprintf("the server closed the connection (%d)", e.Code)
	if reason != "" {
		text += ": " + reason
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *CloseError) Unwrap() error {
	if e.Err == nil {
		return nil
	}
	return e.Err
}

// refusal is an HTTP answer that is none of 2xx.
type refusal struct {
	status int
	after  time.Duration // Retry-After
	err    error
}

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

// malformed is a frame that cannot be read.
type malformed struct {
	err error
	// again: the same happened before, at the same place of the session.
	again bool
}

func (m *malformed) Error() string        { return fmt.Sprintf("%v: %v", ErrMalformed, m.err) }
func (m *malformed) Is(target error) bool { return target == ErrMalformed }

// verdict is what the end of a connection means for the next one.
type verdict struct {
	final bool // coming back would not help
	auth  bool // unless with another credential
	after time.Duration
}

// judge decides on the end of a connection, or on an attempt that failed. What
// is not the server's own word is the network's fault, and passes.
func judge(err error) verdict {
	var (
		closed  *CloseError
		refused *refusal
		bad     *malformed
		said    *protocol.Error
	)
	switch {
	case errors.As(err, &closed):
		return verdict{
			final: !closed.Code.Reconnect() || closed.Err != nil && !closed.Err.Recoverable,
			auth:  closed.Code == protocol.CloseAuthFailed || aboutAuth(closed.Err),
			after: saidAfter(closed.Err),
		}
	case errors.As(err, &refused):
		return verdict{final: !passing(refused.status), auth: refused.status == http.StatusUnauthorized, after: refused.after}
	case errors.As(err, &bad):
		return verdict{final: bad.again}
	case errors.As(err, &said):
		return verdict{final: aboutAuth(said) || !said.Recoverable, auth: aboutAuth(said)}
	case errors.Is(err, websocket.ErrMessageTooBig):
		return verdict{final: true}
	}
	return verdict{}
}

func aboutAuth(e *protocol.Error) bool {
	return e != nil && slices.Contains([]protocol.Code{
		protocol.CodeAuthRequired, protocol.CodeAuthFailed, protocol.CodeTokenExpired,
	}, e.Code)
}

// saidAfter is how long a server that was asked too often wants to be left alone.
func saidAfter(e *protocol.Error) time.Duration {
	if e == nil {
		return 0
	}
	ms, _ := e.Context["retry_after_ms"].(float64)
	return time.Duration(min(max(ms, 0), 3_600_000)) * time.Millisecond
}

// passing tells the HTTP answers of a server that is busy or being restarted.
func passing(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return status >= 500
}
