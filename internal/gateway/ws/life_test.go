package ws_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	gobwas "github.com/gobwas/ws"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/gateway/ws"
	"github.com/parley-dev/parley/protocol"
)

func TestBadMessagesAreAnsweredAndTheConnectionStays(t *testing.T) {
	h := build(t, plan{})
	c := h.dial(t, "s1", "")
	want[protocol.SessionState](c, protocol.TypeSessionState)
	for _, bad := range []string{`nonsense`, `[]`, `{"type":"no_such_type"}`, `{"type":"complete"}`, `{"type":"user_message","data":{}}`, ``} {
		c.sendText(bad)
		c.wantError(protocol.CodeInvalidMessage)
	}
	c.sendText(`{"type":"user_message","session_id":"other","message_id":"m1","data":{"content":"x"}}`)
	if a := want[protocol.Ack](c, protocol.TypeAck); a.OK || a.InReplyTo != "m1" || a.Error.Code != protocol.CodeInvalidMessage {
		t.Errorf("%+v", a)
	}
	if e := c.wantError(protocol.CodeInvalidMessage); e.InReplyTo != "m1" {
		t.Errorf("%+v", e)
	}
	// Nothing is wrong with this one but that its frame is binary.
	if err := c.Write(c.ctx, websocket.MessageBinary, []byte(hello)); err != nil {
		t.Fatal(err)
	}
	c.wantError(protocol.CodeInvalidMessage)
	c.tell("m2", "still here")
	c.until(protocol.TypeAck)
	if n := h.door.Stats.Errors.Load(); n != 8 {
		t.Errorf("%d errors counted", n)
	}
}

func TestTooManyMessages(t *testing.T) {
	h := build(t, plan{auth: auth.Config{Limits: &auth.Limits{Messages: 3}}})
	c := h.dial(t, "s1", "")
	want[protocol.SessionState](c, protocol.TypeSessionState)
	for range 3 {
		c.sendText(`nonsense`)
		c.wantError(protocol.CodeInvalidMessage)
	}
	for range 10 { // these keep the connection going and are free
		c.sendText(`{"type":"pong"}`)
		c.sendText(`{"type":"auth","data":{"token":"x"}}`)
		want[protocol.AuthResult](c, protocol.TypeAuthResult)
	}
	c.tell("m", "hi")
	if a := want[protocol.Ack](c, protocol.TypeAck); a.OK || a.Error.Code != protocol.CodeRateLimited {
		t.Errorf("%+v", a)
	}
	if e := c.wantError(protocol.CodeRateLimited); e.InReplyTo != "m" {
		t.Errorf("%+v", e)
	}
	other := h.dial(t, "s1", "")
	other.tell("m", "hi")
	if a := other.until(protocol.TypeAck).payload.(*protocol.Ack); !a.OK {
		t.Errorf("another connection is limited too: %+v", a)
	}
}

func TestHeartbeat(t *testing.T) {
	h := build(t, plan{door: ws.Options{Heartbeat: 20 * time.Millisecond}})
	t.Run("answered by a message", func(t *testing.T) {
		c := h.dial(t, "s1", "")
		for range 6 {
			c.until(protocol.TypePing)
			c.sendText(`{"type":"pong"}`)
		}
	})
	t.Run("answered by a frame", func(t *testing.T) {
		r := h.dialRaw(t, "s1", "")
		for pings := 0; pings < 6; {
			if r.message().Type == protocol.TypePing {
				pings++
				r.frame(gobwas.NewPongFrame(nil))
			}
		}
	})
	t.Run("not answered", func(t *testing.T) {
		c := h.dial(t, "s1", "")
		pings := 0
		for {
			f, err := c.read()
			if err != nil {
				if got := websocket.CloseStatus(err); got != websocket.StatusCode(protocol.CloseHeartbeatLost) {
					t.Error("closed with", err)
				}
				break
			}
			if f.Type == protocol.TypePing {
				pings++
			}
		}
		if pings != 2 {
			t.Errorf("closed after %d pings", pings)
		}
	})
}

func TestAuthAgain(t *testing.T) {
	file, keys := accounts(t, "", "ann:owner", "bob:owner")
	h := build(t, plan{auth: auth.Config{Mode: file}})
	c := h.dial(t, "s1", "create=true", "X-API-Key", keys["ann"])
	want[protocol.SessionState](c, protocol.TypeSessionState)
	prove := func(key string) *protocol.AuthResult {
		c.send(map[string]any{"type": "auth", "data": map[string]any{"api_key": key}})
		return want[protocol.AuthResult](c, protocol.TypeAuthResult)
	}
	if r := prove(keys["ann"]); !r.OK || r.User != "ann" {
		t.Errorf("%+v", r)
	}
	if r := prove(keys["bob"]); r.OK || r.Error.Code != protocol.CodeForbidden {
		t.Errorf("another user took over the connection: %+v", r)
	}
	if r := prove("pk_k0_nonsense"); r.OK || r.Error.Code != protocol.CodeAuthFailed {
		t.Errorf("%+v", r)
	}
	c.tell("m", "still ann")
	if a := c.until(protocol.TypeAck).payload.(*protocol.Ack); !a.OK {
		t.Errorf("%+v", a)
	}
}

// TestWithdrawnKeyEndsTheConnection changes the auth file under an open
// connection.
func TestWithdrawnKeyEndsTheConnection(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		code       protocol.Code
	}{
		{"revoked", "revoked: true", protocol.CodeAuthFailed},
		{"expired", "expires: 2026-01-01T00:00:00Z", protocol.CodeTokenExpired},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file, keys := accounts(t, "", "ann:owner", "bob:owner")
			h := build(t, plan{auth: auth.Config{Mode: file}, door: ws.Options{Heartbeat: 20 * time.Millisecond}})
			c := h.dial(t, "s1", "create=true", "X-API-Key", keys["ann"])
			want[protocol.SessionState](c, protocol.TypeSessionState)
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(string(data), "    user: ann\n", "    user: ann\n    "+tt.line+"\n", 1)
			if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
			f := c.next()
			for ; f.Type == protocol.TypePing; f = c.next() {
				_ = c.Write(c.ctx, websocket.MessageText, []byte(`{"type":"pong"}`)) // it may be closing
			}
			if e, ok := f.payload.(*protocol.Error); !ok || e.Code != tt.code {
				t.Fatalf("got %s", f.raw)
			}
			c.wantClose(protocol.CloseAuthFailed)
		})
	}
}

func TestStopAsksEveryoneToReconnect(t *testing.T) {
	h := build(t, plan{auth: auth.Config{Mode: auth.ModeLocal, DataDir: t.TempDir()}})
	token := "token=" + h.Auth.Token().Reveal()
	var all []*client
	for i := range 10 {
		c := h.dial(t, fmt.Sprint("s", i%3), token)
		want[protocol.SessionState](c, protocol.TypeSessionState)
		all = append(all, c)
	}
	all = append(all, h.dial(t, "s1", "")) // one that has not said who it is
	mute := h.dialRaw(t, "s1", token)      // one that will not answer
	mute.message()
	for h.door.Stats.Connections.Load() < int64(len(all)+1) { // the last may not be in yet
		runtime.Gosched()
	}
	var readers sync.WaitGroup
	for _, c := range all {
		readers.Go(func() { c.wantClose(protocol.CloseStopping) })
	}
	ctx, cancel := context.WithCancel(t.Context())
	closed := make(chan error, 1)
	go func() { closed <- h.door.Close(ctx) }()
	readers.Wait()
	if code := mute.ending(); code != int(protocol.CloseStopping) {
		t.Errorf("closed with %d", code)
	}
	cancel()
	<-closed
	if n := h.door.Stats.Connections.Load(); n != 0 {
		t.Errorf("%d connections are left", n)
	}
	if status, _ := h.problem(t, h.address("s1", token), nil); status != 503 {
		t.Errorf("a closed door answers %d", status)
	}
}

// TestMistakeEndsOneConnectionOnly takes a part out of the server that every
// connection needs.
func TestMistakeEndsOneConnectionOnly(t *testing.T) {
	h := build(t, plan{})
	healthy := h.dial(t, "s1", "")
	want[protocol.SessionState](healthy, protocol.TypeSessionState)
	limiter := h.Limiter
	h.Limiter = nil
	c := h.dial(t, "s1", "")
	c.wantClose(1011)
	h.Limiter = limiter
	healthy.tell("m", "still here")
	healthy.until(protocol.TypeAck)
}
