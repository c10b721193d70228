package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/gateway/rest"
	"github.com/parley-dev/parley/protocol"
)

func TestEventsArePassedThrough(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	h.say("a", "<b> & 가")
	var all []string
	after, pages := "", 0
	for {
		page := h.get("/sessions/a/events?limit=3&after=" + after).is(200)
		var list struct {
			Items []json.RawMessage `json:"items"`
			Next  string            `json:"next_cursor"`
		}
		if err := json.Unmarshal(page.body, &list); err != nil {
			t.Fatal(err)
		}
		for _, raw := range list.Items {
			all = append(all, string(raw))
		}
		pages++
		if after = list.Next; after == "" {
			break
		}
	}
	stored, err := h.engine.Records(t.Context(), "a", 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(stored) || pages != (len(stored)+2)/3 {
		t.Fatalf("%d of %d records on %d pages", len(all), len(stored), pages)
	}
	for i, f := range stored {
		if all[i] != string(f.JSON) {
			t.Errorf("record %d:\n%s\n%s", i+1, all[i], f.JSON)
		}
	}
	if !strings.Contains(strings.Join(all, ""), "<b> & 가") {
		t.Error("the text was escaped on its way")
	}
	// A page that ends with the journal has no cursor.
	if p := h.get(fmt.Sprintf("/sessions/a/events?limit=%d", len(stored))).is(200).json(); p["next_cursor"] != nil {
		t.Errorf("next_cursor %v after the end", p["next_cursor"])
	}
	if p := h.get("/sessions/a/events?after=msg_0000009999").is(200); len(p.items()) != 0 {
		t.Errorf("after the end: %s", p.body)
	}
}

func TestEventsAreRefused(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	for _, q := range []string{"after=42", "after=msg_1", "after=msg_-000000001", "limit=0", "limit=1001"} {
		h.get("/sessions/a/events?"+q).problem(400, protocol.CodeInvalidMessage)
	}
	h.get("/sessions/nobody/events").problem(404, protocol.CodeSessionNotFound)
}

// Whoever joins late, or comes back with a cursor, gets the same records.
func TestStreamResumes(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	live := h.follow("a", "msg_0000000000")
	first, _ := live.next()
	if first.typ != protocol.TypeSessionState || first.id != "" {
		t.Fatalf("first came %+v", first)
	}
	h.say("a", "one")
	h.say("a", "two")
	live.until(protocol.TypeComplete)
	live.until(protocol.TypeComplete)
	all := live.records()
	if all[0].id != "msg_0000000001" || all[0].typ != protocol.TypeSessionCreated {
		t.Errorf("the first record is %+v", all[0])
	}
	if !slices.Contains(live.types(), protocol.TypeAgentResponse) {
		t.Errorf("no text came while it was written: %v", live.types())
	}
	for i := range all {
		resumed := h.follow("a", "msg_0000000000", "Last-Event-ID", all[i].id)
		for len(resumed.records()) < len(all)-i-1 {
			if _, ok := resumed.next(); !ok {
				t.Fatal("the stream ended")
			}
		}
		if !slices.Equal(resumed.records(), all[i+1:]) {
			t.Errorf("after %s: %v", all[i].id, resumed.types())
		}
		resumed.close()
	}
	events := h.get("/sessions/a/events?limit=1000").items()
	if len(events) != len(all) {
		t.Errorf("%d events, %d in the stream", len(events), len(all))
	}
	for _, e := range all {
		var env protocol.Envelope
		if err := json.Unmarshal([]byte(e.data), &env); err != nil || env.Type != e.typ || env.MessageID != e.id || env.SessionID != "a" {
			t.Errorf("%+v holds %+v (%v)", e, env, err)
		}
	}
}

func TestStreamOfAnUnknownCursor(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	for _, after := range []string{"msg_0000000099", "nonsense"} {
		e, _ := h.follow("a", after).next()
		var state protocol.SessionState
		if err := e.payload(&state); err != nil || !state.Resync {
			t.Errorf("after %s: %+v (%v)", after, e, err)
		}
	}
}

// HEAD asks what there is and does not wait for what will be.
func TestHeadOfAStreamReturns(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	if a := h.do(http.MethodHead, "/api/v1/sessions/a/stream", "").is(200); a.header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("got %v", a.header)
	}
	if n := h.engine.Stats.Subscribers.Load(); n != 0 {
		t.Errorf("%d subscribers stayed", n)
	}
}

func TestStreamEnds(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	s := h.follow("a", "")
	h.do(http.MethodDelete, "/api/v1/sessions/a", "").is(204)
	var e protocol.Error
	if err := s.until(protocol.TypeError).payload(&e); err != nil || e.Code != protocol.CodeSessionExpired {
		t.Errorf("got %+v (%v)", e, err)
	}
	if e, more := s.next(); more {
		t.Errorf("after the end came %+v", e)
	}
	h.create("b")
	s = h.follow("b", "")
	go h.engine.Close()
	if err := s.until(protocol.TypeError).payload(&e); err != nil || e.Code != protocol.CodeConnectionFailed {
		t.Errorf("got %+v (%v)", e, err)
	}
}

func TestStreamIsRefused(t *testing.T) {
	h := build(t, plan{limit: &auth.Limits{Connects: 2}})
	h.create("a")
	h.get("/sessions/nobody/stream").problem(404, protocol.CodeSessionNotFound)
	h.follow("a", "")
	p := h.get("/sessions/a/stream")
	p.problem(429, protocol.CodeRateLimited)
	if p.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if a := h.do(http.MethodHead, "/api/v1/sessions/a/stream", "", "Authorization", ""); a.status != 401 {
		t.Errorf("HEAD without a token: %d", a.status)
	}
}

func TestStreamHeartbeatAndFarewell(t *testing.T) {
	path, keys := accounts(t, "", map[string]auth.Role{"alice": auth.RoleOwner})
	h := build(t, plan{auth: auth.Config{Mode: path}, door: rest.Options{Heartbeat: 5 * time.Millisecond}})
	h.token = keys["alice"]
	h.create("a")
	s := h.follow("a", "")
	s.until(protocol.TypeSessionState)
	revoke(t, path)
	var e protocol.Error
	if err := s.until(protocol.TypeError).payload(&e); err != nil || e.Code != protocol.CodeAuthFailed {
		t.Errorf("got %+v (%v)", e, err)
	}
	if s.beats == 0 {
		t.Error("no heartbeat came")
	}
}
