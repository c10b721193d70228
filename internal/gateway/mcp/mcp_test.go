package mcp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/gateway/mcp"
	"github.com/parley-dev/parley/tool"
	tools "github.com/parley-dev/parley/tool/mcp"
)

const play = `
turns:
  - when: {user_contains: write, step: 0}
    text: "I will write it."
    calls:
      - name: write_file
        input: {path: note.txt, content: "a note"}
  - when: {result_of: write_file}
    text: "It is written."
  - when: {user_contains: hold}
    text: "Holding."
    hang: true
  - text: "You said: {{.last_user}}"
    repeat: forever
`

func TestASessionFromStartToEnd(t *testing.T) {
	h := build(t, play, auth.Config{}, mcp.Options{})
	g := h.guest(h.token)
	made := g.must("parley_start_session", map[string]any{"title": "A first one", "pipeline": "direct"})
	id, _ := made["session_id"].(string)
	if id == "" || made["status"] != "idle" || made["workspace"] != h.work {
		t.Fatalf("%v", made)
	}
	if got := g.must("parley_wait", map[string]any{"session_id": id, "timeout_sec": 5}); got["status"] != "idle" {
		t.Errorf("a session where nothing happens: %v", got)
	}
	if got := g.must("parley_send", map[string]any{"session_id": id, "content": "good morning", "wait": true}); got["status"] != "completed" || got["text"] != "You said: good morning" {
		t.Errorf("%v", got)
	}
	sent := g.must("parley_send", map[string]any{"session_id": id, "content": "please write"})
	if sent["status"] != "accepted" || !strings.HasPrefix(sent["message_id"].(string), "msg_") {
		t.Errorf("%v", sent)
	}
	asks := g.must("parley_wait", map[string]any{"session_id": id})
	requests, _ := asks["requests"].([]any)
	if asks["status"] != "waiting" || len(requests) != 1 || asks["text"] != "I will write it.\n" {
		t.Fatalf("%v", asks)
	}
	request := requests[0].(map[string]any)
	if request["tool"] != "write_file" || request["type"] != "hitl_approval_request" {
		t.Errorf("%v", request)
	}
	if why := g.refused("parley_answer", map[string]any{"session_id": id, "request_id": request["request_id"], "action": "perhaps"}); !strings.Contains(why, "action") {
		t.Errorf("%s", why)
	}
	g.must("parley_answer", map[string]any{"session_id": id, "request_id": request["request_id"], "action": "approve"})
	if got := g.must("parley_wait", map[string]any{"session_id": id}); got["status"] != "completed" || got["text"] != "It is written." {
		t.Errorf("%v", got)
	}
	if text, err := os.ReadFile(filepath.Join(h.work, "note.txt")); string(text) != "a note" {
		t.Errorf("%q, %v", text, err)
	}
	if why := g.refused("parley_answer", map[string]any{"session_id": id, "request_id": request["request_id"], "value": "late"}); !strings.Contains(why, "EXPIRED") {
		t.Errorf("%s", why)
	}
	read(t, g, id)
}

// read looks at the same session in every way there is.
func read(t *testing.T, g *guest, id string) {
	t.Helper()
	whole := g.must("parley_read", map[string]any{"session_id": id})
	items := whole["items"].([]any)
	if len(items) != int(whole["total"].(float64)) || items[0].(map[string]any)["content"] != "good morning" {
		t.Errorf("%v", whole)
	}
	part := g.must("parley_read", map[string]any{"session_id": id, "limit": 1, "offset": len(items) - 1})
	if got := part["items"].([]any); len(got) != 1 || got[0].(map[string]any)["content"] != "good morning" {
		t.Errorf("%v", part)
	}
	listed := g.must("parley_list", map[string]any{"q": "first", "status": "completed"})
	if got := listed["items"].([]any); len(got) != 1 || got[0].(map[string]any)["session_id"] != id {
		t.Errorf("%v", listed)
	}
	if got := g.must("parley_list", map[string]any{"q": "no such title"})["items"].([]any); len(got) != 0 {
		t.Errorf("%v", got)
	}
	r, err := g.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "parley://session/" + id})
	if err != nil || !strings.Contains(r.Contents[0].Text, "good morning") || !json.Valid([]byte(r.Contents[0].Text)) {
		t.Errorf("%v, %v", r, err)
	}
	if _, err := g.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "parley://session/nobody"}); err == nil {
		t.Error("a session that does not exist was read")
	}
}

func TestRefusals(t *testing.T) {
	h := build(t, play, auth.Config{}, mcp.Options{})
	g := h.guest(h.token)
	for _, c := range []struct {
		tool string
		in   map[string]any
		want string
	}{
		{"parley_send", map[string]any{"session_id": "nobody", "content": "hi"}, "SESSION_NOT_FOUND"},
		{"parley_wait", map[string]any{"session_id": "nobody"}, "SESSION_NOT_FOUND"},
		{"parley_read", map[string]any{"session_id": "nobody"}, "SESSION_NOT_FOUND"},
		{"parley_cancel", map[string]any{"session_id": "nobody"}, "SESSION_NOT_FOUND"},
		{"parley_answer", map[string]any{"session_id": "nobody", "request_id": "x"}, "SESSION_NOT_FOUND"},
		{"parley_read", map[string]any{"session_id": "a", "limit": 1000}, "limit"},
		{"parley_wait", map[string]any{"session_id": "a", "timeout_sec": 100_000}, "timeout_sec"},
		{"parley_list", map[string]any{"status": "asleep"}, "there is no status"},
		{"parley_start_session", map[string]any{"pipeline": "sideways"}, "pipeline"},
		{"parley_start_session", map[string]any{"workspace": "not/absolute"}, "absolute"},
		{"parley_send", map[string]any{"content": "hi"}, "session_id"},
		{"parley_send", map[string]any{"session_id": "a", "content": "hi", "loud": true}, "loud"},
	} {
		if why := g.refused(c.tool, c.in); !strings.Contains(why, c.want) {
			t.Errorf("%s %v: %s", c.tool, c.in, why)
		}
	}
}

func TestCancelWhatHolds(t *testing.T) {
	h := build(t, play, auth.Config{}, mcp.Options{})
	g := h.guest(h.token)
	id := g.must("parley_start_session", nil)["session_id"]
	if got := g.must("parley_send", map[string]any{"session_id": id, "content": "hold", "wait": true, "timeout_sec": 1}); got["timed_out"] != true || got["status"] != "executing" {
		t.Errorf("%v", got)
	}
	// A client that leaves is not waited for.
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := g.session.CallTool(ctx, &sdk.CallToolParams{Name: "parley_wait", Arguments: map[string]any{"session_id": id, "timeout_sec": 600}})
		left <- err
	}()
	leave()
	<-left
	g.must("parley_cancel", map[string]any{"session_id": id, "reason": "enough"})
	if got := g.must("parley_wait", map[string]any{"session_id": id}); got["status"] != "cancelled" || got["error"] != "enough" {
		t.Errorf("%v", got)
	}
}

func TestNobodyGetsInUnknown(t *testing.T) {
	h := build(t, play, auth.Config{}, mcp.Options{})
	for _, header := range []http.Header{{}, {"Authorization": {"Bearer wrong"}}, {"Authorization": {"Bearer " + h.token}, "Origin": {"https://evil.example"}}} {
		r, err := http.NewRequest(http.MethodPost, h.http.URL+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = header
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden || resp.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%v: %s", header, resp.Status)
		}
	}
}

// What is not theirs is not there, as behind every door.
func TestAccounts(t *testing.T) {
	path, keys := accounts(t, map[string]auth.Role{"ada": auth.RoleOwner, "bob": auth.RoleOwner, "eve": auth.RoleViewer})
	h := build(t, play, auth.Config{Mode: path}, mcp.Options{})
	ada, bob, eve := h.guest(keys["ada"]), h.guest(keys["bob"]), h.guest(keys["eve"])
	id := ada.must("parley_start_session", map[string]any{"title": "of Ada"})["session_id"]
	for _, name := range []string{"parley_wait", "parley_read", "parley_cancel"} {
		if why := bob.refused(name, map[string]any{"session_id": id}); !strings.Contains(why, "SESSION_NOT_FOUND") {
			t.Errorf("%s: %s", name, why)
		}
	}
	if got := bob.must("parley_list", nil)["items"].([]any); len(got) != 0 {
		t.Errorf("%v", got)
	}
	if got := ada.must("parley_list", nil)["items"].([]any); len(got) != 1 {
		t.Errorf("%v", got)
	}
	if why := eve.refused("parley_start_session", nil); !strings.Contains(why, "FORBIDDEN") {
		t.Errorf("%s", why)
	}
}

func TestTooManyWrites(t *testing.T) {
	h := build(t, play, auth.Config{}, mcp.Options{WritesPerMinute: 2})
	g := h.guest(h.token)
	g.must("parley_start_session", nil)
	g.must("parley_start_session", nil)
	if why := g.refused("parley_start_session", nil); !strings.Contains(why, "RATE_LIMITED") {
		t.Errorf("%s", why)
	}
	g.must("parley_list", nil)
}

// Parley uses Parley: what one offers, the other can use.
func TestOurOwnClient(t *testing.T) {
	h := build(t, play, auth.Config{}, mcp.Options{})
	host := tools.Open(t.Context(), []tools.Server{{Name: "parley", URL: h.http.URL + "/mcp", Headers: map[string]string{"Authorization": "Bearer " + h.token}}}, tools.Options{})
	defer host.Close()
	if err := host.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := host.Status()[0]; s.State != tools.Connected || s.Tools != 7 || len(s.Problems) > 0 {
		t.Fatalf("%+v", s)
	}
	start, err := tool.Find(host.Tools(), "mcp__parley__parley_start_session")
	if err != nil {
		t.Fatal(err)
	}
	if r, err := start.Run(t.Context(), tool.Call{Input: json.RawMessage(`{"title":"within"}`)}); err != nil || !strings.Contains(r.Text, "sess_") {
		t.Errorf("%+v, %v", r, err)
	}
}
