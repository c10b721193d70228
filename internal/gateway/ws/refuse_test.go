package ws_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/gateway/ws"
	"github.com/parley-dev/parley/protocol"
)

func TestRefusedBeforeTheUpgrade(t *testing.T) {
	h := build(t, plan{})
	for _, tt := range []struct {
		name, session, query string
		header               http.Header
		status               int
		code                 protocol.Code
	}{
		{"a page of another site", "s1", "", http.Header{"Origin": {"https://evil.example"}}, 403, protocol.CodeForbidden},
		{"a foreign name", "s1", "", http.Header{"Host": {"evil.example"}}, 403, protocol.CodeForbidden},
		{"a session id with a space", "a%20b", "", nil, 400, protocol.CodeInvalidMessage},
		{"a session id that is too long", strings.Repeat("x", 65), "", nil, 400, protocol.CodeInvalidMessage},
		{"a client id that is too long", "s1", "client_id=" + strings.Repeat("x", 129), nil, 400, protocol.CodeInvalidMessage},
		{"a client id with a control character", "s1", "client_id=a%0ab", nil, 400, protocol.CodeInvalidMessage},
		{"a client id that is not UTF-8", "s1", "client_id=%ff", nil, 400, protocol.CodeInvalidMessage},
		{"neither true nor false", "s1", "create=maybe", nil, 400, protocol.CodeInvalidMessage},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, code := h.problem(t, h.address(tt.session, tt.query), tt.header)
			if status != tt.status || code != tt.code {
				t.Errorf("got %d, code %d; want %d, code %d", status, code, tt.status, tt.code)
			}
		})
	}
	if n := h.door.Stats.Refused.Load(); n != 8 {
		t.Errorf("%d counted as refused", n)
	}
}

func TestPlainRequestIsToldToUpgrade(t *testing.T) {
	h := build(t, plan{})
	res, err := http.Get(h.http.URL + "/ws/s1")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusUpgradeRequired || res.Header.Get("Sec-WebSocket-Version") != "13" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
}

func TestSameOriginIsLetIn(t *testing.T) {
	h := build(t, plan{})
	c := h.dial(t, "s1", "", "Origin", h.http.URL)
	want[protocol.SessionState](c, protocol.TypeSessionState)
}

func TestWrongTokenIsToldWhy(t *testing.T) {
	h := build(t, plan{auth: auth.Config{Mode: auth.ModeLocal, DataDir: t.TempDir()}})
	for _, how := range [][]string{{"Authorization", "Bearer nonsense"}, {"X-API-Key", "nonsense"}} {
		c := h.dial(t, "s1", "", how...)
		if r := want[protocol.AuthResult](c, protocol.TypeAuthResult); r.OK || r.Error.Code != protocol.CodeAuthFailed {
			t.Errorf("%v: %+v", how, r)
		}
		c.wantError(protocol.CodeAuthFailed)
		c.wantClose(protocol.CloseAuthFailed)
	}
	c := h.dial(t, "s1", "token=nonsense")
	c.wantClose(protocol.CloseAuthFailed)
	c = h.dial(t, "s1", "token="+h.Auth.Token().Reveal())
	want[protocol.SessionState](c, protocol.TypeSessionState)
}

func TestFirstMessageAuthenticates(t *testing.T) {
	h := build(t, plan{auth: auth.Config{Mode: auth.ModeLocal, DataDir: t.TempDir()}})
	c := h.dial(t, "s1", "")
	c.send(map[string]any{"type": "auth", "data": map[string]any{"token": h.Auth.Token().Reveal()}})
	if r := want[protocol.AuthResult](c, protocol.TypeAuthResult); !r.OK || r.User != auth.LocalUser || r.Error != nil {
		t.Errorf("%+v", r)
	}
	want[protocol.SessionState](c, protocol.TypeSessionState)

	c = h.dial(t, "s1", "")
	c.send(map[string]any{"type": "auth", "data": map[string]any{"token": "nonsense"}})
	if r := want[protocol.AuthResult](c, protocol.TypeAuthResult); r.OK || r.Error.Code != protocol.CodeAuthFailed {
		t.Errorf("%+v", r)
	}
	c.wantError(protocol.CodeAuthFailed)
	c.wantClose(protocol.CloseAuthFailed)
}

func TestNothingComesBeforeAuth(t *testing.T) {
	h := build(t, plan{auth: auth.Config{Mode: auth.ModeLocal, DataDir: t.TempDir()}})
	for _, first := range []string{
		`{"type":"user_message","message_id":"m","data":{"content":"hi"}}`,
		`{"type":"pong"}`, `{"type":"auth","data":7}`, `nonsense`,
	} {
		c := h.dial(t, "s1", "")
		c.sendText(first)
		c.wantError(protocol.CodeAuthRequired)
		c.wantClose(protocol.CloseAuthFailed)
	}
	c := h.dial(t, "s1", "")
	if err := c.Write(c.ctx, websocket.MessageBinary, []byte(`{"type":"auth","data":{"token":"x"}}`)); err != nil {
		t.Fatal(err)
	}
	c.wantError(protocol.CodeAuthRequired)
	c.wantClose(protocol.CloseAuthFailed)
	c = h.dial(t, "s1", "")
	c.sendText(`{"type":"auth","data":{"token":"` + strings.Repeat("x", 40<<10) + `"}}`)
	c.wantClose(protocol.CloseTooBig)
}

func TestSilentStrangerIsSentAway(t *testing.T) {
	h := build(t, plan{
		door: ws.Options{AuthWait: 20 * time.Millisecond},
		auth: auth.Config{Mode: auth.ModeLocal, DataDir: t.TempDir()},
	})
	c := h.dial(t, "s1", "")
	c.wantError(protocol.CodeAuthRequired)
	c.wantClose(protocol.CloseAuthFailed)
}

func TestTooManyConnections(t *testing.T) {
	h := build(t, plan{auth: auth.Config{Limits: &auth.Limits{Connects: 2}}})
	for range 2 {
		want[protocol.SessionState](h.dial(t, "s1", ""), protocol.TypeSessionState)
	}
	c := h.dial(t, "s1", "")
	if e := c.wantError(protocol.CodeRateLimited); e.Context["retry_after_ms"] == nil {
		t.Errorf("no word on when to come back: %v", e.Context)
	}
	c.wantClose(1013)
}

func TestSessionsOfOthersAreNotThere(t *testing.T) {
	file, keys := accounts(t, "grants:\n  - user: bob\n    owner: ann\n    role: viewer\n", "ann:owner", "bob:owner", "eve:owner", "kim:viewer")
	h := build(t, plan{auth: auth.Config{Mode: file}})
	ann := h.dial(t, "s1", "create=true", "X-API-Key", keys["ann"])
	want[protocol.SessionState](ann, protocol.TypeSessionState)

	eve := h.dial(t, "s1", "", "X-API-Key", keys["eve"])
	eve.wantError(protocol.CodeSessionNotFound)
	eve.wantClose(protocol.CloseForbidden)

	kim := h.dial(t, "s2", "create=true", "X-API-Key", keys["kim"])
	kim.wantError(protocol.CodeForbidden)
	kim.wantClose(protocol.CloseForbidden)

	bob := h.dial(t, "s1", "", "X-API-Key", keys["bob"])
	want[protocol.SessionState](bob, protocol.TypeSessionState)
	bob.tell("m", "may I?")
	if a := want[protocol.Ack](bob, protocol.TypeAck); a.OK || a.Error.Code != protocol.CodeForbidden {
		t.Errorf("a viewer wrote: %+v", a)
	}
	bob.wantError(protocol.CodeForbidden)
}
