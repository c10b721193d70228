package conformance

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// A session uses another Parley as an MCP server over stdio: its tools ask first,
// and what they do is really done there.
func TestSessionUsesAnMCPServer(t *testing.T) {
	s := start(t, t.TempDir(), "--model", "script:testdata/servers.yaml", "--no-rate-limits")
	defer s.stop()
	body, err := json.Marshal(map[string]any{"settings": map[string]any{"mcp_servers": map[string]any{
		"other": map[string]any{"command": binary, "args": []string{"mcp", "--data", t.TempDir(), "--model", "offline"}, "always_allow": []string{"parley_list"}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest("PATCH", s.URL+"/api/v1/settings", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.Token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("settings: %v %v", resp, err)
	}
	resp.Body.Close()
	s.post(t, "/api/v1/sessions", map[string]any{"session_id": "m", "pipeline": "direct"}, nil)
	o, err := dial(context.Background(), s, "m", "", "a")
	if err != nil {
		t.Fatal(err)
	}
	defer o.close()
	o.until(t, "session_state")
	if err := o.say(context.Background(), "m", "", "use it"); err != nil {
		t.Fatal(err)
	}
	all := o.until(t, "hitl_approval_request")
	asked := all[len(all)-1]
	if asked.Data["class"] != "mcp" || asked.Data["tool"] != "mcp__other__parley_start_session" {
		t.Errorf("asked %s", asked.raw)
	}
	if err := o.send(context.Background(), map[string]any{"type": "hitl_approval_response", "data": map[string]any{"request_id": asked.Data["request_id"], "action": "approve"}}); err != nil {
		t.Fatal(err)
	}
	ended := of(o.until(t, "complete"), "tool_completed") // the second call is always allowed
	if len(ended) != 2 || ended[1].Data["ok"] != true || !strings.Contains(ended[1].raw, "made from outside") {
		t.Errorf("the tools gave %v", ended)
	}
}
