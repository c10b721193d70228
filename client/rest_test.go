package client

import (
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// gives answers with JSON after checking what was asked.
func gives(t *testing.T, ask, answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got := r.Method + " " + r.URL.String()
		if len(body) > 0 {
			got += " " + string(body)
		}
		same(t, got, ask)
		_, _ = io.WriteString(w, answer)
	}
}

// collect runs an iterator to its end.
func collect[T any](t *testing.T, seq iter.Seq2[T, error], describe func(T) string) []string {
	t.Helper()
	var got []string
	for item, err := range seq {
		if err != nil {
			t.Fatalf("after %q: %v", got, err)
		}
		got = append(got, describe(item))
	}
	return got
}

func TestSessions(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		c := p.client(Options{Token: "abc"})
		p.answer(func(w http.ResponseWriter, r *http.Request) {
			same(t, r.Header.Get("Authorization"), "Bearer abc")
			same(t, r.Header.Get("Content-Type"), "application/json")
			w.WriteHeader(http.StatusCreated)
			gives(t, `POST /api/v1/sessions {"title":"T","auto_approve":["read"]}`, `{"session_id":"s1","title":"T"}`)(w, r)
		})
		s, err := c.CreateSession(t.Context(), NewSession{Title: "T", AutoApprove: []string{"read"}})
		same(t, err, nil)
		same(t, s.SessionID, "s1")

		p.answer(gives(t, "GET /api/v1/sessions/s1", `{"session_id":"s1","status":"idle"}`))
		s, err = c.GetSession(t.Context(), "s1")
		same(t, err, nil)
		same(t, s.Status, protocol.StatusIdle)

		p.answer(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusNoContent)
			gives(t, "DELETE /api/v1/sessions/a%2Fb", "")(w, r)
		})
		same(t, c.DeleteSession(t.Context(), "a/b"), nil)

		p.answer(gives(t, "GET /readyz", "ok"))
		same(t, c.Health(t.Context()), nil)
	})
}

func TestListsAreReadPageByPage(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		c := p.client(Options{})
		sessions := c.ListSessions(t.Context(), SessionQuery{Status: protocol.StatusIdle, PageSize: 2})
		for range 2 { // an iterator can be used again
			p.answer(gives(t, "GET /api/v1/sessions?limit=2&status=idle", `{"items":[{"session_id":"a"},{"session_id":"b"}],"next_cursor":"x y"}`))
			p.answer(gives(t, "GET /api/v1/sessions?cursor=x+y&limit=2&status=idle", `{"items":[{"session_id":"c"}]}`))
			same(t, collect(t, sessions, func(s SessionSummary) string { return s.SessionID }), []string{"a", "b", "c"})
		}
		p.answer(gives(t, "GET /api/v1/sessions", `{"items":[{"session_id":"a"},{"session_id":"b"}],"next_cursor":"x"}`))
		for range c.ListSessions(t.Context(), SessionQuery{}) {
			break // no second page for who wants no more
		}
		p.answer(gives(t, "GET /api/v1/search?q=words&session=s1", `{"items":[{"session_id":"s1","message_id":"msg_0000000003","snippet":"the words"}]}`))
		same(t, collect(t, c.Search(t.Context(), "words", SearchQuery{Session: "s1"}), func(h Hit) string { return h.MessageID }), []string{"msg_0000000003"})

		from := time.Date(2026, 2, 6, 10, 0, 0, 0, time.UTC)
		p.answer(gives(t, "GET /api/v1/search?agent=main&from=2026-02-06T10%3A00%3A00Z&hidden=false&kind=user&q=words", `{"items":[]}`))
		same(t, len(collect(t, c.Search(t.Context(), "words", SearchQuery{Agent: "main", Kind: "user", From: from, Visible: true}), func(h Hit) string { return "" })), 0)
		pinned := true
		p.answer(gives(t, "GET /api/v1/sessions?order=asc&parent=p&pinned=true&root=r&sort=size&workspace=%2Fw", `{"items":[{"session_id":"a","size":7,"pinned":true}]}`))
		same(t, collect(t, c.ListSessions(t.Context(), SessionQuery{Parent: "p", Root: "r", Workspace: "/w", Pinned: &pinned, Sort: "size", Order: "asc"}),
			func(s SessionSummary) string { return fmt.Sprint(s.Size, s.Pinned) }), []string{"7 true"})
		p.answer(gives(t, "GET /api/v1/sessions/s1/tree", `{"root_id":"s0","items":[{"session_id":"s0","depth":0,"tree":{"sessions":2,"size":9}}],"tree":{"sessions":2,"size":9}}`))
		tree, err := c.SessionTree(t.Context(), "s1")
		same(t, err, nil)
		same(t, tree.Items[0].SessionID, "s0")
		same(t, tree.Items[0].Tree.Size, int64(9))
		p.answer(gives(t, `PATCH /api/v1/sessions/s1 {"pinned":true}`, `{"status":"idle","pinned":true}`))
		state, err := c.UpdateSession(t.Context(), "s1", protocol.UpdateSession{Pinned: &pinned})
		same(t, err, nil)
		same(t, state.Pinned, true)

		p.answer(gives(t, "GET /api/v1/sessions/s1/messages?limit=200&offset=0", `{"items":[{"role":"user","type":"text","content":"hi"}],"total":2}`))
		p.answer(gives(t, "GET /api/v1/sessions/s1/messages?limit=200&offset=1",
			`{"items":[{"role":"assistant","type":"tool_complete","toolName":"Read","success":true,"error":null,"toolInput":{"a":1}}],"total":2}`))
		same(t, collect(t, c.Messages(t.Context(), "s1"), func(m StoredMessage) string { return m.Type + " " + m.Content + m.ToolName }),
			[]string{"text hi", "tool_complete Read"})

		p.answer(gives(t, "GET /api/v1/sessions/s1/messages?limit=200&offset=0&view=ui", `{"items":[{"ts":1,"type":"say","say":"text","text":"hi","message_id":"msg_0000000007"}],"total":1}`))
		same(t, collect(t, c.UIMessages(t.Context(), "s1"), func(m UIMessage) string { return m.MessageID + " " + m.Text }), []string{"msg_0000000007 hi"})
	})
}

func TestEventsReadTheJournal(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		c := p.client(Options{})
		p.answer(gives(t, "GET /api/v1/sessions/s1/events?after=msg_0000000001&limit=500",
			`{"items":[`+said(2, "two")+`,`+said(3, "three")+`],"next_cursor":"msg_0000000003"}`))
		p.answer(gives(t, "GET /api/v1/sessions/s1/events?after=msg_0000000003&limit=500", `{"items":[`+said(4, "four")+`]}`))
		same(t, collect(t, c.Events(t.Context(), "s1", protocol.MessageID(1)), describe), []string{"message 2", "message 3", "message 4"})

		p.answer(gives(t, "GET /api/v1/sessions/s1/events?limit=500", `{"items":[`+said(1, "one")+`,{}]}`))
		var last error
		for _, err := range c.Events(t.Context(), "s1", "") {
			last = err
		}
		if last == nil {
			t.Error("an item that is no record was passed over")
		}
	})
}

func TestPostMessageHasAKey(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		c := p.client(Options{})
		var keys []string
		for range 3 {
			p.answer(func(w http.ResponseWriter, r *http.Request) {
				keys = append(keys, r.Header.Get("Idempotency-Key"))
				gives(t, `POST /api/v1/sessions/s1/messages {"content":"hi","when":"queue"}`, `{"message_id":"msg_0000000002","status":"queued"}`)(w, r)
			})
		}
		for _, key := range []string{"mine", "", ""} {
			got, err := c.PostMessage(t.Context(), "s1", protocol.UserMessage{Content: "hi", When: protocol.WhenQueue}, key)
			same(t, err, nil)
			same(t, got, Posted{"msg_0000000002", "queued"})
		}
		if keys[0] != "mine" || keys[1] == "" || keys[1] == keys[2] {
			t.Errorf("keys are %q", keys)
		}
	})
}

func TestProblemsBecomeErrors(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		c := p.client(Options{})
		p.answer(problemAnswer(http.StatusNotFound, protocol.Errorf(protocol.CodeSessionNotFound, "no such session")))
		_, err := c.GetSession(t.Context(), "s1")
		wantCode(t, err, protocol.CodeSessionNotFound)
		if !strings.Contains(err.Error(), "no such session") {
			t.Errorf("got %v", err)
		}
		p.answer(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"code":3003,"title":"Conflict","detail":"it runs"}`)
		})
		_, err = c.GetSession(t.Context(), "s1")
		same(t, err.Error(), "WS_SESSION_INVALID_STATE (3003): it runs")

		p.answer(http.NotFound)
		_, err = c.GetSession(t.Context(), "s1")
		same(t, err.Error(), "http://peer answered 404 Not Found: is there a Parley server?")

		p.answer(gives(t, "GET /api/v1/sessions/s1", `<html>`))
		if _, err = c.GetSession(t.Context(), "s1"); err == nil {
			t.Error("HTML was taken for a session")
		}
	})
}

func TestRESTReplacesAnExpiredToken(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		no := problemAnswer(http.StatusUnauthorized, errExpired)
		n := 0
		c := p.client(Options{TokenFunc: tokens(&n)})
		p.answer(gives(t, "GET /readyz", ""))
		same(t, c.Health(t.Context()), nil)
		time.Sleep(time.Minute)
		p.answer(no).answer(func(w http.ResponseWriter, r *http.Request) {
			same(t, r.Header.Get("Authorization"), "Bearer t2")
			gives(t, `POST /x {"a":1}`, "")(w, r)
		})
		same(t, c.Call(t.Context(), "POST", "/x", map[string]int{"a": 1}, nil), nil)
		p.answer(no)
		wantCode(t, c.Health(t.Context()), protocol.CodeTokenExpired)
		same(t, n, 2)
	})
}

func TestCallCarriesFiles(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		c := p.client(Options{ReadLimit: 10})
		long := strings.Repeat("x", 1000)
		p.answer(gives(t, "POST /api/v1/import?format=archive "+long, long))
		var out strings.Builder
		same(t, c.Call(t.Context(), "POST", "/api/v1/import?format=archive", strings.NewReader(long), &out), nil)
		same(t, out.String(), long)

		p.answer(gives(t, "GET /big", `"`+long+`"`))
		var text string
		if err := c.Call(t.Context(), "GET", "/big", nil, &text); err == nil {
			t.Error("an answer beyond the limit was read")
		}
		if err := c.Call(t.Context(), "GET", "%", nil, nil); err == nil {
			t.Error("a path that is none was taken")
		}
		if err := c.Call(t.Context(), "POST", "/x", func() {}, nil); err == nil {
			t.Error("a function was sent")
		}
	})
}

func TestNobodyListens(t *testing.T) {
	c, err := New(Options{URL: "http://127.0.0.1:1/?token=abc"})
	if err != nil {
		t.Fatal(err)
	}
	_, dialErr := c.Dial(t.Context(), "s1", DialOptions{})
	for _, err := range []error{c.Health(t.Context()), dialErr} {
		if err == nil || !strings.Contains(err.Error(), "cannot reach the server at http://127.0.0.1:1") || strings.Contains(err.Error(), "abc") {
			t.Errorf("got %v", err)
		}
	}
}
