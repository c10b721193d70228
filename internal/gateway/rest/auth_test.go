package rest_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/gateway/rest"
	"github.com/parley-dev/parley/protocol"
)

// revoke makes an auth file without any key that was in it.
func revoke(t testing.TB, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	revoked := strings.ReplaceAll(string(text), "user: alice", "user: alice\n  revoked: true")
	if err := os.WriteFile(path, []byte(revoked), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCallersMustBeKnown(t *testing.T) {
	h := build(t, plan{})
	a := h.get("/sessions", "Authorization", "")
	a.problem(401, protocol.CodeAuthRequired)
	if a.header.Get("WWW-Authenticate") != `Bearer realm="parley"` {
		t.Errorf("WWW-Authenticate: %q", a.header.Get("WWW-Authenticate"))
	}
	h.get("/sessions", "Authorization", "Bearer wrong").problem(401, protocol.CodeAuthFailed)
	h.get("/sessions?token="+h.token, "Authorization", "").is(200)
	h.get("/sessions", "Authorization", "", "X-API-Key", h.token).is(200)
	h.do(http.MethodGet, "/metrics", "", "Authorization", "").problem(401, protocol.CodeAuthRequired)
	for _, open := range []string{"/healthz", "/readyz", "/docs", "/openapi.json", "/api/v1/openapi.json"} {
		h.do(http.MethodGet, open, "", "Authorization", "").is(200)
	}
}

func TestRoles(t *testing.T) {
	path, keys := accounts(t, `grants:
- {user: eve, session: hers, role: editor}
- {user: vic, session: hers, role: viewer}
- {user: gil, owner: alice, role: viewer}
`, map[string]auth.Role{
		"alice": auth.RoleOwner, "bob": auth.RoleOwner, "eve": auth.RoleOwner, "vic": auth.RoleViewer, "gil": auth.RoleViewer, "root": auth.RoleAdmin,
	})
	h := build(t, plan{auth: auth.Config{Mode: path}})
	as := func(user string) []string { return []string{"Authorization", "Bearer " + keys[user]} }
	h.create("hers", as("alice")...)
	h.create("his", as("bob")...)

	for user, want := range map[string]struct {
		read, write, remove, create int
		listed, byOwner             int
	}{
		"bob": {404, 404, 404, 201, 2, 0},
		"vic": {200, 403, 403, 403, 1, 0},
		"gil": {200, 403, 403, 403, 1, 1},
		"eve": {200, 200, 403, 201, 2, 0},
	} {
		who := as(user)
		h.get("/sessions/hers", who...).is(want.read)
		h.get("/sessions/hers/messages", who...).is(want.read)
		h.get("/sessions/hers/events", who...).is(want.read)
		h.do(http.MethodPatch, "/api/v1/sessions/hers", `{"title":"x"}`, who...).is(want.write)
		h.do(http.MethodDelete, "/api/v1/sessions/hers", "", who...).is(want.remove)
		h.post("/sessions", `{"session_id":"of-`+user+`"}`, who...).is(want.create)
		h.do(http.MethodGet, "/metrics", "", who...).problem(403, protocol.CodeForbidden)
		if n := len(h.get("/sessions", who...).is(200).items()); n != want.listed {
			t.Errorf("%s sees %d sessions, not %d", user, n, want.listed)
		}
		if n := len(h.get("/sessions?owner=alice", who...).is(200).items()); n != want.byOwner {
			t.Errorf("%s sees %d of alice's, not %d", user, n, want.byOwner)
		}
	}
	h.do(http.MethodGet, "/metrics", "", as("root")...).is(200)
	h.do(http.MethodPatch, "/api/v1/sessions/hers", `{"title":"y"}`, as("root")...).is(200)
	if n := len(h.get("/sessions", as("root")...).is(200).items()); n != 4 {
		t.Errorf("the admin sees %d of 4 sessions", n)
	}
	// What a caller may not see answers like what does not exist.
	unseen := h.get("/sessions/hers", as("bob")...).problem(404, protocol.CodeSessionNotFound)
	absent := h.get("/sessions/none", as("bob")...).problem(404, protocol.CodeSessionNotFound)
	if strings.Replace(unseen["detail"].(string), "hers", "none", 1) != absent["detail"] {
		t.Errorf("%v and %v can be told apart", unseen["detail"], absent["detail"])
	}
	h.get("/search?q=x&session=hers", as("bob")...).problem(404, protocol.CodeSessionNotFound)
	h.do(http.MethodDelete, "/api/v1/sessions/hers", "", as("alice")...).is(204)
}

// The same key of two users makes two sessions.
func TestKeysAreTheUsersOwn(t *testing.T) {
	path, keys := accounts(t, "", map[string]auth.Role{"alice": auth.RoleOwner, "bob": auth.RoleOwner})
	h := build(t, plan{auth: auth.Config{Mode: path}})
	ids := map[any]bool{}
	for _, key := range keys {
		a := h.post("/sessions", `{}`, "Authorization", "Bearer "+key, "Idempotency-Key", "same").is(201)
		ids[a.json()["session_id"]] = true
	}
	if len(ids) != 2 {
		t.Errorf("got %v", ids)
	}
}

func TestOtherSitesAreRefused(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	evil := []string{"Origin", "https://evil.example"}
	a := h.get("/sessions/a", evil...)
	a.problem(403, protocol.CodeForbidden)
	h.post("/sessions/a/messages", `{"content":"x"}`, evil...).problem(403, protocol.CodeForbidden)
	pre := h.do(http.MethodOptions, "/api/v1/sessions", "", "Origin", "https://evil.example", "Access-Control-Request-Method", "POST")
	pre.problem(403, protocol.CodeForbidden)
	own := h.get("/sessions/a", "Origin", h.http.URL).is(200)
	for _, h := range []http.Header{a.header, pre.header, own.header} {
		if h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("CORS: %v", h)
		}
	}
}

func TestAllowedOrigins(t *testing.T) {
	const app = "https://app.example.com"
	h := build(t, plan{auth: auth.Config{Origins: []string{app}}})
	a := h.get("/sessions", "Origin", app).is(200)
	if a.header.Get("Access-Control-Allow-Origin") != app || a.header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("got %v", a.header)
	}
	pre := h.do(http.MethodOptions, "/api/v1/sessions", "", "Authorization", "", "Origin", app, "Access-Control-Request-Method", "POST").is(204)
	if pre.header.Get("Access-Control-Allow-Origin") != app || !strings.Contains(pre.header.Get("Access-Control-Allow-Headers"), "Idempotency-Key") {
		t.Errorf("preflight: %v", pre.header)
	}
	h.get("/sessions", "Origin", "https://other.example.com").problem(403, protocol.CodeForbidden)
}

func TestWritesAreLimited(t *testing.T) {
	h := build(t, plan{door: rest.Options{WritesPerMinute: 2}})
	h.create("a")
	h.create("b")
	a := h.post("/sessions", `{"session_id":"c"}`)
	p := a.problem(429, protocol.CodeRateLimited)
	if a.header.Get("Retry-After") == "" || !strings.Contains(p["detail"].(string), "2 a minute") {
		t.Errorf("%v, %s", a.header, a.body)
	}
	h.get("/sessions/a").is(200)
	h.get("/sessions/c").problem(404, protocol.CodeSessionNotFound)
}
