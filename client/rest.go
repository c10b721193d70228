package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// apiPath is where the REST API begins.
const apiPath = "/api/v1"

// request is one REST call.
type request struct {
	method string
	path   string // below the server's URL, with its query
	key    string // Idempotency-Key
	in     any
	out    any
}

// Call makes a REST call for which there is no method here: path is below the
// server's URL, such as "/api/v1/settings".
//
// in is sent as JSON; an io.Reader is sent as it is, and nil sends nothing. The
// answer is decoded into out; an io.Writer gets it as it is, and nil drops it.
func (c *Client) Call(ctx context.Context, method, path string, in, out any) error {
	return c.do(ctx, request{method: method, path: path, in: in, out: out})
}

func (c *Client) do(ctx context.Context, r request) error {
	cred, err := c.creds.get(ctx)
	if err != nil {
		return err
	}
	err = c.once(ctx, r, cred)
	_, stream := r.in.(io.Reader)
	if !judge(err).auth || stream {
		return err
	}
	another, renewErr := c.creds.renew(ctx, cred)
	if renewErr != nil {
		return renewErr
	}
	if !another {
		return err
	}
	if cred, err = c.creds.get(ctx); err != nil {
		return err
	}
	return c.once(ctx, r, cred)
}

func (c *Client) once(ctx context.Context, r request, cred credential) error {
	req, err := c.newRequest(ctx, r)
	if err != nil {
		return err
	}
	cred.header(req.Header)
	resp, err := c.options.HTTPClient.Do(req)
	if err != nil {
		return c.unreachable(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return c.refused(resp)
	}
	return c.readAnswer(resp, r.out)
}

func (c *Client) newRequest(ctx context.Context, r request) (*http.Request, error) {
	rel, err := url.Parse(r.path)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
	}
	u := c.base.JoinPath(rel.EscapedPath())
	u.RawQuery = rel.RawQuery
	body, kind := io.Reader(nil), "application/json"
	switch in := r.in.(type) {
	case nil:
	case io.Reader:
		body, kind = in, "application/octet-stream"
	default:
		b, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", "application/json, application/problem+json;q=0.9, */*;q=0.5")
	if body != nil {
		req.Header.Set("Content-Type", kind)
	}
	if r.key != "" {
		req.Header.Set("Idempotency-Key", r.key)
	}
	return req, nil
}

func (c *Client) readAnswer(resp *http.Response, out any) error {
	where := resp.Request.Method + " " + resp.Request.URL.Path
	switch out := out.(type) {
	case nil:
		return nil
	case io.Writer:
		if _, err := io.Copy(out, resp.Body); err != nil {
			return fmt.Errorf("%s: read the answer: %w", where, err)
		}
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, c.options.ReadLimit+1))
	if err != nil {
		return fmt.Errorf("%s: read the answer: %w", where, err)
	}
	if int64(len(body)) > c.options.ReadLimit {
		return fmt.Errorf("%s: the answer is larger than %d bytes; ask for less, or raise ReadLimit", where, c.options.ReadLimit)
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("%s: the answer is not what a Parley server gives: %w", where, err)
	}
	return nil
}

// problem is an error answer: RFC 9457 with the fields of protocol.Error.
type problem struct {
	protocol.Error
	Title  string `json:"title"`
	Detail string `json:"detail"`
}

// refused makes an error of an answer. One without a code of the protocol is
// not from a Parley server, or from something in front of it.
func (c *Client) refused(resp *http.Response) *refusal {
	r := &refusal{status: resp.StatusCode, after: retryAfter(resp.Header)}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if e := readProblem(body); e != nil {
		r.err = e
		return r
	}
	where := ""
	if to := resp.Header.Get("Location"); to != "" {
		where = " to " + to
	}
	r.err = fmt.Errorf("%s answered %s%s: is there a Parley server?", c.base.Redacted(), resp.Status, where)
	return r
}

// readProblem gives the error that a body tells of, or nil. What the body leaves
// out is as the protocol's table has it.
func readProblem(body []byte) *protocol.Error {
	var p problem
	if json.Unmarshal(body, &p) != nil || p.Code == 0 {
		return nil
	}
	p.Error = *protocol.Errorf(p.Code, "")
	_ = json.Unmarshal(body, &p) // it could be read a moment ago
	p.Message = cmp.Or(p.Message, p.Detail, p.Title)
	return &p.Error
}

// retryAfter reads the number of seconds that a server asks to wait.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, 3600)) * time.Second
}

// unreachable says that the server did not answer. The address of the call is
// left out: the caller knows it.
func (c *Client) unreachable(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	return fmt.Errorf("cannot reach the server at %s: %w", c.base.Redacted(), err)
}
