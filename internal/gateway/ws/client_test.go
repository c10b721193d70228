package ws_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/parley-dev/parley/protocol"
)

// patience is how long a test waits for what must come; then it fails.
const patience = 30 * time.Second

// client is an ordinary WebSocket client.
type client struct {
	t   testing.TB
	ctx context.Context
	*websocket.Conn
}

func (h *house) dial(t testing.TB, session, query string, header ...string) *client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	o := &websocket.DialOptions{HTTPHeader: http.Header{}}
	for i := 0; i+1 < len(header); i += 2 {
		o.HTTPHeader.Set(header[i], header[i+1])
	}
	conn, _, err := websocket.Dial(ctx, h.address(session, query), o)
	if err != nil {
		t.Fatal("dial:", err)
	}
	conn.SetReadLimit(64 << 20)
	t.Cleanup(func() { conn.CloseNow() })
	return &client{t, ctx, conn}
}

// frame is what a server sends, with its payload decoded.
type frame struct {
	protocol.Envelope
	payload any
	raw     []byte
}

func (c *client) read() (frame, error) {
	_, raw, err := c.Read(c.ctx)
	if err != nil {
		return frame{}, err
	}
	e, payload, err := protocol.DecodeFrame(raw)
	if err != nil {
		c.t.Fatalf("the server sent %s: %v", raw, err)
	}
	return frame{e, payload, raw}, nil
}

func (c *client) next() frame {
	c.t.Helper()
	f, err := c.read()
	if err != nil {
		c.t.Fatal("read:", err)
	}
	return f
}

// until reads up to and with the first frame of a type.
func (c *client) until(t protocol.Type) frame {
	c.t.Helper()
	for {
		if f := c.next(); f.Type == t {
			return f
		}
	}
}

// want reads one frame, which must be of that type, and gives its payload.
func want[T any](c *client, t protocol.Type) *T {
	c.t.Helper()
	f := c.next()
	if f.Type != t {
		c.t.Fatalf("got %s, want %s", f.raw, t)
	}
	return f.payload.(*T)
}

func (c *client) send(v any) {
	c.t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		c.t.Fatal(err)
	}
	c.sendText(string(b))
}

func (c *client) sendText(s string) {
	c.t.Helper()
	if err := c.Write(c.ctx, websocket.MessageText, []byte(s)); err != nil {
		c.t.Fatal("write:", err)
	}
}

// tell sends a user_message; id may be empty.
func (c *client) tell(id, content string) {
	c.t.Helper()
	c.send(map[string]any{"type": "user_message", "message_id": id, "data": map[string]any{"content": content, "when": "queue"}})
}

// wantError reads an error with a code.
func (c *client) wantError(code protocol.Code) *protocol.Error {
	c.t.Helper()
	e := want[protocol.Error](c, protocol.TypeError)
	if e.Code != code {
		c.t.Fatalf("got error %v, want code %d", e, code)
	}
	return e
}

// wantClose reads until the server closes, which must be with that code.
func (c *client) wantClose(code protocol.CloseCode) {
	c.t.Helper()
	for {
		_, err := c.read()
		if err == nil {
			continue
		}
		if got := websocket.CloseStatus(err); got != websocket.StatusCode(code) {
			c.t.Fatalf("closed with %v (%v), want %d", got, err, code)
		}
		return
	}
}

// problem dials an address that is refused before the upgrade.
func (h *house) problem(t testing.TB, url string, header http.Header) (int, protocol.Code) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, res, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPHeader: header, Host: header.Get("Host")})
	if err == nil {
		t.Fatal("the dial should have failed")
	}
	if res == nil {
		t.Fatal("no answer:", err)
	}
	var p struct {
		Status int
		Detail string
		Code   protocol.Code
	}
	if err := json.NewDecoder(res.Body).Decode(&p); err != nil {
		t.Fatal("problem:", err)
	}
	if got := res.Header.Get("Content-Type"); got != "application/problem+json" || p.Status != res.StatusCode || p.Detail == "" {
		t.Errorf("problem %+v with status %d, type %q", p, res.StatusCode, got)
	}
	return p.Status, p.Code
}

// transcript is what a client makes of a session: its records, and the text of
// open messages put together from deltas.
type transcript struct {
	records []string // raw frames
	texts   map[string]string
	index   map[string]int // of the next delta
}

// add takes the next frame and says what is wrong with it.
func (tr *transcript) add(f frame) error {
	if tr.texts == nil {
		tr.texts, tr.index = map[string]string{}, map[string]int{}
	}
	if f.Type == protocol.TypeSessionState { // what was being written is sent anew
		clear(tr.texts)
		clear(tr.index)
	}
	if f.MessageID != "" {
		seq, err := protocol.ParseMessageID(f.MessageID)
		if err != nil {
			return err
		}
		if want := uint64(len(tr.records) + 1); seq != want {
			return fmt.Errorf("record %d came where %d was next", seq, want)
		}
		tr.records = append(tr.records, string(f.raw))
		if m, ok := f.payload.(*protocol.MessageRecord); ok && m.OpenID != "" && m.Message.TextBlob == nil && !m.Message.Partial {
			if got, ok := tr.texts[m.OpenID]; ok && got != m.Message.Text {
				return fmt.Errorf("%s: %d bytes streamed, %d in its record", m.OpenID, len(got), len(m.Message.Text))
			}
		}
		return nil
	}
	d, ok := f.payload.(*protocol.Delta)
	switch {
	case !ok:
		return nil
	case d.FromIndex != nil:
		if *d.FromIndex != 0 {
			return errors.New("a joined delta must stand for all before it")
		}
		tr.texts[d.OpenID] = d.Delta
	case d.Index != tr.index[d.OpenID]:
		return fmt.Errorf("%s: delta %d came where %d was next", d.OpenID, d.Index, tr.index[d.OpenID])
	default:
		tr.texts[d.OpenID] += d.Delta
	}
	tr.index[d.OpenID] = d.Index + 1
	return nil
}
