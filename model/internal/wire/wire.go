// Package wire is how adapters talk to vendors: it posts a request as JSON and
// reads the answer as server-sent events, and turns whatever goes wrong into
// the errors of package model.
//
// It waits long for a first byte, since a large prompt takes its time, and a
// little less between two bytes; then it gives up. It does not retry, and it
// closes the connection when the context is done. A key never stands in an
// error: not as the vendor repeats it, nor in an address.
package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/parley-dev/parley/model"
)

// How long a vendor may be silent.
const (
	firstLimit = 10 * time.Minute
	idleLimit  = 5 * time.Minute
)

// Client calls one vendor.
type Client struct {
	// Vendor is how errors call it; KeyName is what a person has to set.
	Vendor  string
	KeyName string
	// HTTP carries the calls; http.DefaultClient if nil. It must have no
	// timeout of its own: an answer may take as long as it comes.
	HTTP *http.Client
	// First and Idle bound the silence before the first byte and after it;
	// zero takes the limits of this package.
	First, Idle time.Duration
}

// Call is one request.
type Call struct {
	URL    string
	Header http.Header
	// Key is kept out of errors; Header carries it.
	Key  string
	Body any
}

// Taker reads an answer. Its errors end the call and are returned as they are.
type Taker interface {
	// Take gets the next event and says whether it was the last.
	Take(Event) (last bool, err error)
	// End is called when the answer ends without a last event.
	End() error
}

var errSilent = errors.New("the answer stopped coming")

// Stream makes the call and gives its events to the taker.
func (c *Client) Stream(ctx context.Context, call Call, taker Taker) error {
	body, err := json.Marshal(call.Body)
	if err != nil {
		return &model.Error{Kind: model.Invalid, Message: "the request cannot be written as JSON: " + err.Error(), Err: err}
	}
	watched, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	silence := time.AfterFunc(or(c.First, firstLimit), func() { stop(errSilent) })
	defer silence.Stop()

	err = c.stream(watched, call, body, taker, func() { silence.Reset(or(c.Idle, idleLimit)) })
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case context.Cause(watched) == errSilent && isTransport(err):
		return &model.Error{Kind: model.Interrupted, Err: errSilent, Message: fmt.Sprintf(
			"%s was silent for too long, and the call was given up.", c.Vendor)}
	}
	var lost *transport
	if errors.As(err, &lost) {
		return c.unreachable(lost, call)
	}
	return err
}

// transport is a failure of the connection, before an answer began or in it.
type transport struct {
	err   error
	begun bool
}

func (t *transport) Error() string { return t.err.Error() }
func (t *transport) Unwrap() error { return t.err }

func isTransport(err error) bool {
	var t *transport
	return errors.As(err, &t)
}

func (c *Client) stream(ctx context.Context, call Call, body []byte, taker Taker, heard func()) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, call.URL, bytes.NewReader(body))
	if err != nil {
		return &model.Error{Kind: model.Invalid, Message: fmt.Sprintf(
			"the address for %s is not a URL; check its base URL", c.Vendor)}
	}
	for name, values := range call.Header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return &transport{err: err}
	}
	defer resp.Body.Close()
	heard()
	if fault := c.refused(resp, call.Key); fault != nil {
		return fault
	}
	events := reader{in: &listener{resp.Body, heard}}
	for {
		e, err := events.next()
		switch {
		case errors.Is(err, io.EOF):
			if ctx.Err() != nil {
				return &transport{err: ctx.Err(), begun: true}
			}
			return taker.End()
		case errors.Is(err, errLong):
			return &model.Error{Kind: model.Interrupted, Message: fmt.Sprintf("%s sent an event that is too long to read.", c.Vendor), Err: err}
		case err != nil:
			return &transport{err: err, begun: true}
		}
		if last, err := taker.Take(e); err != nil || last {
			return err
		}
	}
}

// listener tells of every byte that comes.
type listener struct {
	io.Reader
	heard func()
}

func (l *listener) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if n > 0 {
		l.heard()
	}
	return n, err
}

func (c *Client) unreachable(t *transport, call Call) *model.Error {
	cause := t.err
	var u *url.Error
	if errors.As(cause, &u) { // its text repeats the address, which may hold a password
		cause = u.Err
	}
	why := strings.TrimSuffix(hide(cause.Error(), call.Key), ".")
	if t.begun {
		return &model.Error{Kind: model.Interrupted, Err: cause, Message: fmt.Sprintf(
			"The connection to %s broke while it was answering (%s).", c.Vendor, why)}
	}
	return &model.Error{Kind: model.Unavailable, Err: cause, Message: fmt.Sprintf(
		"%s cannot be reached at %s (%s). Check the network and the base URL.", c.Vendor, hostOf(call.URL), why)}
}

// Cut is the error of an answer that ended before its end.
func (c *Client) Cut() *model.Error {
	return &model.Error{Kind: model.Interrupted, Err: io.ErrUnexpectedEOF, Message: fmt.Sprintf(
		"The answer of %s broke off before its end.", c.Vendor)}
}

// Unreadable is the error of an event that makes no sense.
func (c *Client) Unreadable(err error) *model.Error {
	return &model.Error{Kind: model.Interrupted, Err: err, Message: fmt.Sprintf(
		"%s sent an event that cannot be read (%v). Is the base URL the right one?", c.Vendor, err)}
}

// NoKey is the error of a call without a key.
func (c *Client) NoKey() *model.Error {
	return &model.Error{Kind: model.Auth, Message: fmt.Sprintf("There is no key for %s. Set %s.", c.Vendor, c.KeyName)}
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "its address"
	}
	return u.Host
}

// hide takes a secret out of a text.
func hide(text, secret string) string {
	const shortest = 6 // what is shorter is no secret, and may be part of any word
	if len(secret) < shortest {
		return text
	}
	return strings.ReplaceAll(text, secret, "[hidden]")
}

func or(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}
