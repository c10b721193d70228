package client

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/parley-dev/parley/protocol"
)

// peer is a server that does what a test says and nothing else: each call takes
// the next step of the script, and a call that nobody scripted fails the test.
// It listens in memory, so that a test can run on synctest's clock.
type peer struct {
	t     *testing.T
	lines *pipes
	http  *http.Server
	dog   *time.Timer // a test that goes on for an hour of its clock is stuck

	mu     sync.Mutex
	script []http.HandlerFunc
	urls   []*url.URL // of the calls so far
}

// bubble runs a test on a fake clock, against a peer.
func bubble(t *testing.T, test func(t *testing.T, p *peer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		defer p.stop()
		test(t, p)
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.script) > 0 && !t.Failed() {
			t.Errorf("%d scripted calls did not come", len(p.script))
		}
	})
}

func newPeer(t *testing.T) *peer {
	p := &peer{t: t, lines: &pipes{conns: make(chan net.Conn), done: make(chan struct{})}}
	p.http = &http.Server{Handler: http.HandlerFunc(p.serve)}
	p.dog = time.AfterFunc(time.Hour, func() { panic(t.Name() + " does not end") })
	go func() { _ = p.http.Serve(p.lines) }()
	return p
}

func (p *peer) stop() {
	p.dog.Stop()
	_ = p.http.Close()
	synctest.Wait()
}

func (p *peer) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.urls = append(p.urls, r.URL)
	if len(p.script) == 0 {
		p.mu.Unlock()
		p.t.Errorf("nobody scripted %s %s", r.Method, r.URL)
		http.Error(w, "not scripted", http.StatusTeapot)
		return
	}
	step := p.script[0]
	p.script = p.script[1:]
	p.mu.Unlock()
	step(w, r)
}

// answer adds a plain answer to the script.
func (p *peer) answer(f http.HandlerFunc) *peer {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.script = append(p.script, f)
	return p
}

// talk adds a WebSocket connection to the script.
func (p *peer) talk(f func(*talk)) *peer {
	return p.answer(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			p.t.Errorf("accept: %v", err)
			return
		}
		defer ws.CloseNow()
		f(&talk{t: p.t, ws: ws, r: r})
	})
}

// query gives a parameter of call number i.
func (p *peer) query(i int, name string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i >= len(p.urls) {
		p.t.Errorf("there was no call number %d", i)
		return ""
	}
	return p.urls[i].Query().Get(name)
}

// client makes a client of this peer. Delays are exact.
func (p *peer) client(o Options) *Client {
	p.t.Helper()
	o.URL = "http://peer"
	o.HTTPClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: p.lines.dial}}
	if o.Reconnect.Jitter == 0 {
		o.Reconnect.Jitter = -1
	}
	c, err := New(o)
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

func (p *peer) dial(o Options, d DialOptions) *Conn {
	p.t.Helper()
	conn, err := p.client(o).Dial(p.t.Context(), "s1", d)
	if err != nil {
		p.t.Fatal(err)
	}
	return conn
}

// talk is one connection, seen from the server.
type talk struct {
	t  *testing.T
	ws *websocket.Conn
	r  *http.Request
}

// send writes frames. It does not mind a client that is gone.
func (k *talk) send(frames ...string) {
	for _, f := range frames {
		if k.ws.Write(context.Background(), websocket.MessageText, []byte(f)) != nil {
			return
		}
	}
}

// expect reads a command of the given type.
func (k *talk) expect(t protocol.Type) protocol.Envelope {
	var e protocol.Envelope
	_, frame, err := k.ws.Read(context.Background())
	if err == nil {
		err = json.Unmarshal(frame, &e)
	}
	if err != nil || e.Type != t {
		k.t.Errorf("wanted %s from the client, got %s, %v", t, frame, err)
	}
	return e
}

// hold keeps the connection open until the client leaves.
func (k *talk) hold() {
	if _, frame, err := k.ws.Read(context.Background()); err == nil {
		k.t.Errorf("nobody scripted this frame: %s", frame)
	}
}

func (k *talk) close(code protocol.CloseCode, reason string) {
	_ = k.ws.Close(websocket.StatusCode(code), reason)
}

// pipes is a network of its own.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "peer"} }
