package mcp

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// remote carries a connection over streamable HTTP.
type remote struct {
	url    string
	client *http.Client
	base   *http.Transport
	ctx    context.Context // every request ends with it
	cancel context.CancelFunc
}

func newRemote(address string, headers map[string]string) (*remote, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("the url %q cannot be read: %w", address, err)
	}
	r := &remote{url: address, base: http.DefaultTransport.(*http.Transport).Clone()}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.client = &http.Client{Transport: &courier{remote: r, scheme: u.Scheme, host: u.Host, headers: headers}}
	return r, nil
}

func (r *remote) transport() sdk.Transport {
	return &sdk.StreamableClientTransport{Endpoint: r.url, HTTPClient: r.client, MaxEventSize: maxMessage}
}

func (r *remote) about() string { return "" }

func (r *remote) close() {
	r.cancel()
	r.base.CloseIdleConnections()
}

// courier sends requests: with the server's headers, but to nobody else than the
// server, wherever that may redirect to; and bounded.
type courier struct {
	*remote
	scheme, host string
	headers      map[string]string
}

func (c *courier) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(c.ctx, cancel)
	free := func() { stop(); cancel() }
	r = r.Clone(ctx)
	if r.URL.Scheme == c.scheme && r.URL.Host == c.host {
		for key, value := range c.headers {
			r.Header.Set(key, value)
		}
	}
	resp, err := c.base.RoundTrip(r)
	if err != nil {
		free()
		return nil, err
	}
	body := &answer{ReadCloser: resp.Body, free: free, left: maxMessage}
	// A stream of events may go on for ever; each event is bounded by itself.
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	body.endless = kind == "text/event-stream"
	resp.Body = body
	return resp, nil
}

// answer is the body of a response that must not be larger than a message.
type answer struct {
	io.ReadCloser
	free    func()
	endless bool
	left    int
}

func (a *answer) Read(p []byte) (int, error) {
	if a.endless {
		return a.ReadCloser.Read(p)
	}
	if a.left <= 0 {
		return 0, fmt.Errorf("the answer is larger than %d MiB", maxMessage>>20)
	}
	n, err := a.ReadCloser.Read(p[:min(len(p), a.left)])
	a.left -= n
	return n, err
}

func (a *answer) Close() error {
	defer a.free()
	return a.ReadCloser.Close()
}
