package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/protocol"
)

// A session sees its owner's settings, and before them its own.
func TestSettingsOfASession(t *testing.T) {
	h := build(t, plan{door: withSettings(t, t.TempDir())})
	h.post("/sessions", `{"session_id":"s","mode":"ask","settings":{"mistake_limit":7,"language":null}}`).is(201)
	h.do(http.MethodPatch, "/api/v1/settings", `{"language":"ko","mistake_limit":5,"auto_approve":["read","write"]}`).is(200)
	holds := func(key string, value any, layer string) {
		t.Helper()
		if got := h.get("/settings?session=s").is(200).setting(key); got["value"] != value || got["layer"] != layer {
			t.Errorf("%s is %v from %v, want %v from %s", key, got["value"], got["layer"], value, layer)
		}
	}
	patch := func(body string) answer { return h.do(http.MethodPatch, "/api/v1/sessions/s", body) }
	holds("mistake_limit", 7.0, "session")
	holds("mode", "ask", "session")
	holds("language", "ko", "owner")
	holds("condense_percent", 80.0, "default")
	state := patch(`{"title":"T","settings":{"condense_percent":60,"mistake_limit":null,"checkpoints_enabled":false,"auto_approve":[]}}`).is(200).json()
	if own := state["settings"].(map[string]any); own["condense_percent"] != 60.0 || own["mistake_limit"] != nil || own["mode"] != "ask" || len(own["auto_approve"].([]any)) != 0 {
		t.Errorf("its own settings are %v", own)
	}
	holds("condense_percent", 60.0, "session")
	holds("mistake_limit", 5.0, "owner")
	holds("checkpoints_enabled", false, "session")
	if got := h.get("/settings?session=s").is(200).setting("auto_approve"); got["layer"] != "session" || len(got["value"].([]any)) != 0 {
		t.Errorf("auto_approve is %v", got)
	}
	if got := h.get("/settings").is(200).setting("condense_percent"); got["layer"] != "default" {
		t.Errorf("for others it is %v", got)
	}
	for body, says := range map[string]string{
		`{"settings":{"condense_percent":6}}`:             "condense_percent must be from 10",
		`{"settings":{"nothing":1}}`:                      "no setting",
		`{"settings":{"retention_days":1}}`:               "setting of the server",
		`{"settings":{"profiles":{}}}`:                    "setting of an account",
		`{"settings":{"active_profile":"none"}}`:          "no profile",
		`{"settings":{"mode":"a"},"mode":"b"}`:            "named twice",
		`{"settings":{}}`:                                 "nothing to change",
		`{"settings":5}`:                                  "settings",
		`{"title":"U","settings":{"language":"fr"}}`:      "language must be one of",
		`{"title":"U","settings":{"mistake_limit":"no"}}`: "mistake_limit must be a whole number",
	} {
		if p := patch(body).problem(400, protocol.CodeInvalidMessage); !strings.Contains(p["detail"].(string), says) {
			t.Errorf("%s: %v", body, p["detail"])
		}
	}
	if title := h.get("/sessions/s").is(200).json()["title"]; title != "T" {
		t.Errorf("a refused change was made: %v", title)
	}
	h.post("/sessions", `{"settings":{"mistake_limit":700}}`).problem(400, protocol.CodeInvalidMessage)
	h.get("/settings?session=none").problem(404, protocol.CodeSessionNotFound)
}

// They are the owner's: whoever may write in a session may not lift what its
// owner has bounded, nor read what they have set.
func TestSettingsOfASessionBelongToItsOwner(t *testing.T) {
	path, keys := accounts(t, "grants:\n- {user: eve, session: hers, role: editor}\n", map[string]auth.Role{
		"alice": auth.RoleOwner, "bob": auth.RoleOwner, "eve": auth.RoleOwner, "root": auth.RoleAdmin,
	})
	h := build(t, plan{auth: auth.Config{Mode: path}, door: withSettings(t, t.TempDir())})
	as := func(user string) []string { return []string{"Authorization", "Bearer " + keys[user]} }
	h.create("hers", as("alice")...)
	h.do(http.MethodPatch, "/api/v1/settings", `{"profiles":{"fast":{"model":"m"}},"custom_instructions":"hers"}`, as("alice")...).is(200)
	body := `{"settings":{"active_profile":"fast"}}`
	for user, want := range map[string]int{"alice": 200, "eve": 403, "bob": 404, "root": 200} {
		h.do(http.MethodPatch, "/api/v1/sessions/hers", body, as(user)...).is(want)
		h.get("/settings?session=hers", as(user)...).is(want)
	}
	h.do(http.MethodPatch, "/api/v1/sessions/hers", `{"title":"x"}`, as("eve")...).is(200)
	if got := h.get("/settings?session=hers", as("root")...).is(200).setting("custom_instructions"); got["value"] != "hers" {
		t.Errorf("the admin sees %v, which is not what holds in the session", got)
	}
}
