package conformance

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// approvals is how many commands of testdata/approvals.yaml ask first.
const approvals = 8

// accounts starts a server that knows these API keys, each a user and a role,
// and gives it as each of them sees it.
func accounts(t *testing.T, workspace string, keys map[string][2]string) map[string]*server {
	t.Helper()
	file := filepath.Join(t.TempDir(), "auth.yaml")
	text := "api_keys:\n"
	secret := func(id string) string { return "pk_" + id + "_" + strings.Repeat("0123456789abcdef", 4) }
	for id, of := range keys {
		text += fmt.Sprintf("  - {id: %s, hash: \"sha256:%x\", user: %s, role: %s}\n", id, sha256.Sum256([]byte(secret(id))), of[0], of[1])
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, t.TempDir(), "--auth", file, "--no-rate-limits", "--model", "script:testdata/approvals.yaml", "--workspace", workspace)
	t.Cleanup(s.stop)
	seen := map[string]*server{}
	for id := range keys {
		as := *s
		as.Token = secret(id)
		seen[id] = &as
	}
	return seen
}

// person is a client that answers, and keeps what it was sent.
type person struct {
	*outsider
	name     string
	asked    []string         // open requests, in their order
	replies  map[string]frame // to each answer, by request: ack or error
	resolved map[string]frame // each request's end
	ended    bool             // the turn is over
}

func join(t *testing.T, s *server, session, name string) *person {
	t.Helper()
	o, err := dial(context.Background(), s, session, "", name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.close)
	o.until(t, "session_state")
	return &person{outsider: o, name: name, replies: map[string]frame{}, resolved: map[string]frame{}}
}

// answer answers a request; the reply names it.
func (p *person) answer(t testing.TB, request, action string) {
	t.Helper()
	if err := p.send(context.Background(), map[string]any{
		"type": "hitl_approval_response", "message_id": p.name + "/" + request,
		"data": map[string]any{"request_id": request, "action": action},
	}); err != nil {
		t.Error(err)
	}
}

// readUntil takes what comes until enough is known.
func (p *person) readUntil(t testing.TB, enough func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for !enough() {
		f, err := p.outsider.read(ctx)
		if err != nil {
			t.Errorf("%s: %v; asked %v, replies %v, resolved %v", p.name, err, p.asked, p.replies, p.resolved)
			return
		}
		request, _ := f.Data["request_id"].(string)
		switch f.Type {
		case "hitl_approval_request":
			p.asked = append(p.asked, request)
		case "hitl_resolved":
			if before, twice := p.resolved[request]; twice {
				t.Errorf("%s was resolved twice: %s and %s", request, before.raw, f.raw)
			}
			p.resolved[request] = f
		case "ack", "error":
			to, _ := f.Data["in_reply_to"].(string)
			if _, request, ours := strings.Cut(to, "/"); ours && (f.Type == "error" || f.Data["ok"] == true) {
				p.replies[request] = f
			}
		case "complete", "failed":
			p.ended = true
		}
	}
}

// A viewer sees what is asked and may not answer, through no door; the owner may.
func TestViewerMayNotAnswer(t *testing.T) {
	as := accounts(t, t.TempDir(), map[string][2]string{"ann": {"ann", "owner"}, "wall": {"ann", "viewer"}, "eve": {"eve", "owner"}})
	as["ann"].post(t, "/api/v1/sessions", map[string]any{"session_id": "s"}, nil)
	owner, viewer := join(t, as["ann"], "s", "owner"), join(t, as["wall"], "s", "viewer")
	if err := owner.say(context.Background(), "s", "", "go"); err != nil {
		t.Fatal(err)
	}
	viewer.readUntil(t, func() bool { return len(viewer.asked) == approvals })
	owner.readUntil(t, func() bool { return len(owner.asked) == approvals })
	request := viewer.asked[0]
	viewer.answer(t, request, "approve")
	viewer.readUntil(t, func() bool { return viewer.replies[request].Type != "" })
	if r := viewer.replies[request]; r.Type != "error" || r.Data["code"] != 2004.0 {
		t.Errorf("the viewer's answer got %s", r.raw)
	}
	for id, want := range map[string]int{"wall": http.StatusForbidden, "eve": http.StatusNotFound} {
		if got := status(t, as[id], "/api/v1/sessions/s/requests/"+request, `{"action":"approve"}`); got != want {
			t.Errorf("%s over REST got %d, want %d", id, got, want)
		}
	}
	var open struct{ Items []map[string]any }
	as["wall"].get(t, "/api/v1/sessions/s/requests", &open)
	if len(open.Items) != approvals {
		t.Errorf("%d requests are open after answers that were refused", len(open.Items))
	}
	for _, request := range owner.asked[1:] {
		owner.answer(t, request, "skip")
	}
	if got := status(t, as["ann"], "/api/v1/sessions/s/requests/"+request, `{"action":"approve"}`); got >= 300 {
		t.Errorf("the owner over REST got %d", got)
	}
	viewer.readUntil(t, func() bool { return viewer.ended })
	for request, f := range viewer.resolved {
		if f.Data["by"] != "ann" {
			t.Errorf("%s was resolved by %v", request, f.Data["by"])
		}
	}
	if len(viewer.resolved) != approvals || viewer.resolved[request].Data["action"] != "approve" {
		t.Errorf("the viewer saw %v", viewer.resolved)
	}
}

// status posts a body and gives the HTTP status.
func status(t testing.TB, s *server, path, body string) int {
	t.Helper()
	req, err := http.NewRequest("POST", s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

// Two people answer the same requests at once: one of them wins each, the other
// is told that it is too late, and both see the same end.
func TestTwoAnswerAtOnce(t *testing.T) {
	workspace := t.TempDir()
	as := accounts(t, workspace, map[string][2]string{"ann": {"ann", "owner"}})
	as["ann"].post(t, "/api/v1/sessions", map[string]any{"session_id": "s"}, nil)
	people := []*person{join(t, as["ann"], "s", "laptop"), join(t, as["ann"], "s", "phone")}
	if err := people[0].say(context.Background(), "s", "", "go"); err != nil {
		t.Fatal(err)
	}
	for _, p := range people {
		p.readUntil(t, func() bool { return len(p.asked) == approvals })
	}
	var wg sync.WaitGroup
	for i, p := range people {
		wg.Go(func() {
			for n := range p.asked { // each begins at another end
				p.answer(t, p.asked[(n+i*approvals/2)%approvals], []string{"approve", "skip"}[i])
			}
			p.readUntil(t, func() bool { return p.ended && len(p.replies) == approvals })
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	approved := 0
	for _, request := range people[0].asked {
		end := people[0].resolved[request]
		if other := people[1].resolved[request]; other.raw != end.raw || end.raw == "" {
			t.Errorf("%s ended in\n%s for one and in\n%s for the other", request, end.raw, other.raw)
		}
		for i, p := range people {
			reply, won := p.replies[request], end.Data["client_id"] == p.name
			switch {
			case won && (reply.Type != "ack" || end.Data["action"] != []string{"approve", "skip"}[i]):
				t.Errorf("%s won %s, was told %s, and it ended in %s", p.name, request, reply.raw, end.raw)
			case !won && (reply.Type != "error" || reply.Data["code"] != 5003.0):
				t.Errorf("%s was late for %s and was told %s", p.name, request, reply.raw)
			}
		}
		if end.Data["action"] == "approve" {
			approved++
		}
	}
	ran, _ := os.ReadFile(filepath.Join(workspace, "ran.txt"))
	if n := len(strings.Fields(string(ran))); n != approved {
		t.Errorf("%d commands were approved, %d ran", approved, n)
	}
}
