package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/gateway/rest"
	"github.com/parley-dev/parley/internal/settings"
	"github.com/parley-dev/parley/protocol"
)

func withSettings(t testing.TB, dir string) rest.Options {
	t.Helper()
	none := func(string) (string, bool) { return "", false }
	return rest.Options{
		Settings: settings.Open(settings.Options{Dir: filepath.Join(dir, "settings"), File: filepath.Join(dir, "parley.yaml"), Env: none}),
		Secrets:  settings.OpenSecrets(settings.SecretsOptions{Dir: filepath.Join(dir, "secrets"), Env: none}),
	}
}

// setting finds one in the list.
func (a answer) setting(key string) map[string]any {
	a.t.Helper()
	for _, item := range a.items() {
		if item["key"] == key {
			return item
		}
	}
	a.t.Fatalf("there is no setting %s: %s", key, a.body)
	return nil
}

func TestSettings(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "parley.yaml"), []byte("condense_percent: 900\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := build(t, plan{door: withSettings(t, dir)})
	a := h.get("/settings").is(200)
	if s := a.setting("mistake_limit"); s["value"] != 3.0 || s["layer"] != "default" || s["scope"] != "session" || s["minimum"] != 0.0 || s["maximum"] != 100.0 {
		t.Errorf("got %v", s)
	}
	if p := a.json()["problems"].([]any); len(p) != 1 || p[0].(map[string]any)["line"] != 1.0 {
		t.Errorf("problems %v", p)
	}
	patch := func(body string) answer { return h.do(http.MethodPatch, "/api/v1/settings", body) }
	if s := patch(`{"settings":{"language":"ko","mistake_limit":5}}`).is(200).setting("language"); s["value"] != "ko" || s["layer"] != "owner" {
		t.Errorf("got %v", s)
	}
	patch(`{"retention_days":7}`).is(200) // without settings around it; the local user is an admin
	patch(`{"settings":{"mistake_limit":null}}`).is(200)
	values := h.get("/settings").is(200).json()["settings"].(map[string]any)
	if values["language"] != "ko" || values["mistake_limit"] != 3.0 || values["retention_days"] != 7.0 {
		t.Errorf("values %v", values)
	}
	h.do(http.MethodPatch, "/api/v1/settings?check=true", `{"language":"en"}`).is(200)
	for _, body := range []string{
		`{"settings":{"language":"fr"}}`, `{"settings":{"nothing":1}}`, `{"settings":{}}`, `{}`, `[]`, `{`, `{"settings":5}`,
		`{"language":"en","mistake_limit":"x"}`, `{"language":"en","retention_days":1}`,
	} {
		patch(body).problem(400, protocol.CodeInvalidMessage)
	}
	if got := h.get("/settings").is(200).setting("language"); got["value"] != "ko" {
		t.Errorf("a refused change was made: %v", got)
	}
	if p := patch(`{"settings":{"language":"fr"}}`).problem(400, protocol.CodeInvalidMessage); p["context"].(map[string]any)["field"] != "settings.language" {
		t.Errorf("context %v", p["context"])
	}
}

func TestSettingsBelongToAccounts(t *testing.T) {
	dir := t.TempDir()
	path, keys := accounts(t, "", map[string]auth.Role{"alice": auth.RoleOwner, "bob": auth.RoleOwner, "vic": auth.RoleViewer, "root": auth.RoleAdmin})
	h := build(t, plan{auth: auth.Config{Mode: path}, door: withSettings(t, dir)})
	as := func(user string) []string { return []string{"Authorization", "Bearer " + keys[user]} }
	patch := func(user, body string) answer { return h.do(http.MethodPatch, "/api/v1/settings", body, as(user)...) }
	patch("alice", `{"language":"ko"}`).is(200)
	if s := h.get("/settings", as("bob")...).is(200).setting("language"); s["value"] != "auto" {
		t.Errorf("bob has alice's: %v", s)
	}
	patch("alice", `{"retention_days":1}`).problem(403, protocol.CodeForbidden)
	patch("alice", `{"mcp_servers":{"a":{"command":"sh"}}}`).problem(403, protocol.CodeForbidden)
	patch("vic", `{"language":"ko"}`).problem(403, protocol.CodeForbidden)
	h.get("/settings", as("vic")...).is(200)
	h.do(http.MethodDelete, "/api/v1/settings", "", as("vic")...).problem(403, protocol.CodeForbidden)
	h.do(http.MethodDelete, "/api/v1/settings?server=true", "", as("alice")...).problem(403, protocol.CodeForbidden)
	patch("bob", `{"language":"en"}`).is(200)
	h.do(http.MethodDelete, "/api/v1/settings", "", as("bob")...).is(200)
	if s := h.get("/settings", as("alice")...).is(200).setting("language"); s["value"] != "ko" {
		t.Errorf("alice's went with bob's: %v", s)
	}
	patch("root", `{"retention_days":1}`).is(200)
	if s := h.get("/settings", as("alice")...).is(200).setting("retention_days"); s["value"] != 1.0 || s["layer"] != "server" {
		t.Errorf("got %v", s)
	}
	for _, user := range []string{"alice", "vic"} {
		h.get("/secrets", as(user)...).problem(403, protocol.CodeForbidden)
		h.do(http.MethodPut, "/api/v1/secrets/A", `{"value":"x"}`, as(user)...).problem(403, protocol.CodeForbidden)
		h.do(http.MethodDelete, "/api/v1/secrets/A", "", as(user)...).problem(403, protocol.CodeForbidden)
	}
	h.get("/settings", "Authorization", "").problem(401, protocol.CodeAuthRequired)
}

// A reset leaves nothing of a layer, and takes a broken file out of the way.
func TestSettingsAreReset(t *testing.T) {
	dir := t.TempDir()
	h := build(t, plan{door: withSettings(t, dir)})
	patch := func(body string) { h.do(http.MethodPatch, "/api/v1/settings", body).is(200) }
	reset := func(query string) map[string]any {
		return h.do(http.MethodDelete, "/api/v1/settings"+query, "").is(200).json()
	}
	if got := reset(""); len(got["keys"].([]any)) != 0 || got["moved"] != nil {
		t.Errorf("reset %v", got)
	}
	patch(`{"retention_days":7}`)
	patch(`{"language":"ko","mode":"x"}`)
	if got := reset(""); fmt.Sprint(got["keys"]) != "[language mode]" {
		t.Errorf("reset %v", got)
	}
	if s := h.get("/settings").is(200).setting("retention_days"); s["value"] != 7.0 {
		t.Errorf("the server's went too: %v", s)
	}
	if got := reset("?server=true"); fmt.Sprint(got["keys"]) != "[retention_days]" {
		t.Errorf("reset %v", got)
	}
	path := filepath.Join(dir, "settings", "server.json")
	if err := os.WriteFile(path, []byte("{oops"), 0o600); err != nil {
		t.Fatal(err)
	}
	if problems := h.get("/settings").is(200).json()["problems"].([]any); len(problems) != 1 {
		t.Errorf("problems %v", problems)
	}
	moved, _ := reset("?server=true")["moved"].(string)
	if text, err := os.ReadFile(moved); err != nil || string(text) != "{oops" || !strings.HasPrefix(moved, path+".broken-") {
		t.Errorf("moved to %q: %q, %v", moved, text, err)
	}
	patch(`{"retention_days":7}`)
}

// What is pasted into settings is not given out again.
func TestSettingsGiveNoSecrets(t *testing.T) {
	const value, stored = "hunter2-hunter2", "correct-horse"
	dir := t.TempDir()
	door := withSettings(t, dir)
	yaml := `mcp_servers: {docs: {url: "https://h/?api_key=` + value + `", headers: {X-Auth-Token: ` + value + `, X-Plain: ` + stored + `}}}` + "\n" + stored + ": 1\n"
	if err := os.WriteFile(filepath.Join(dir, "parley.yaml"), []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	h := build(t, plan{door: door})
	h.do(http.MethodPut, "/api/v1/secrets/MY_TOKEN", `{"value":"`+stored+`"}`).is(204)
	h.do(http.MethodPatch, "/api/v1/settings", `{"custom_instructions":"say `+stored+`"}`).is(200)
	a := h.get("/settings").is(200)
	if strings.Contains(string(a.body), value) || strings.Contains(string(a.body), stored) {
		t.Errorf("it is given out: %s", a.body)
	}
	docs := a.setting("mcp_servers")["value"].(map[string]any)["docs"].(map[string]any)
	if docs["url"] != "https://h/?api_key=[secret]" || fmt.Sprint(docs["headers"]) != "map[X-Auth-Token:[secret] X-Plain:[secret:MY_TOKEN]]" || a.setting("mcp_servers")["masked"] != true {
		t.Errorf("shown as %v", docs)
	}
	if s := a.setting("custom_instructions"); s["value"] != "say [secret:MY_TOKEN]" || s["masked"] != true || a.setting("language")["masked"] != nil {
		t.Errorf("shown as %v", s)
	}
	if used := door.Settings.Effective("local", nil).Values.MCPServers["docs"].Headers["X-Auth-Token"]; used != value {
		t.Errorf("%q is used", used)
	}
	for place, body := range map[string]string{
		"docs: headers: X-Auth-Token": `{"mcp_servers":{"docs":{"url":"https://h","headers":{"X-Auth-Token":"` + value + `"}}}}`,
		"docs: args: --token":         `{"mcp_servers":{"docs":{"command":"x","args":["--token","` + value + `"]}}}`,
	} {
		p := h.do(http.MethodPatch, "/api/v1/settings", body).problem(400, protocol.CodeInvalidMessage)
		if text := fmt.Sprint(p); !strings.Contains(text, place) || !strings.Contains(text, "parley secrets set") || strings.Contains(text, value) {
			t.Errorf("refused with %v", p)
		}
	}
	if s := a.setting("checkpoints_max_file_bytes"); s["next_start"] != true || a.setting("mistake_limit")["next_start"] != nil {
		t.Errorf("got %v", s)
	}
}

// Values go in and never come out.
func TestSecrets(t *testing.T) {
	const value = "hunter2-hunter2"
	dir := t.TempDir()
	door := withSettings(t, dir)
	h := build(t, plan{door: door})
	put := func(name, body string) answer { return h.do(http.MethodPut, "/api/v1/secrets/"+name, body) }
	if items := h.get("/secrets").is(200).items(); len(items) != 0 {
		t.Errorf("items %v", items)
	}
	put("MY_TOKEN", `{"value":"`+value+`"}`).is(204)
	a := h.get("/secrets").is(200)
	if items := a.items(); len(items) != 1 || len(items[0]) != 1 || items[0]["name"] != "MY_TOKEN" || a.json()["key"] != "file" {
		t.Errorf("listed %s", a.body)
	}
	if s, ok := door.Secrets.Lookup("MY_TOKEN"); !ok || s.Reveal() != value {
		t.Error("it is not stored")
	}
	for name, body := range map[string]string{"lower": `{"value":"` + value + `"}`, "A": `"` + value + `"`, "B": `{"value":""}`, "C": `{"value":["` + value + `"]}`, "D": value} {
		a := put(name, body)
		if a.problem(400, protocol.CodeInvalidMessage); strings.Contains(string(a.body), value) {
			t.Errorf("%s: the answer holds the secret: %s", name, a.body)
		}
	}
	for _, name := range []string{"sk-" + value, strings.Repeat(value, 9)} { // typed where the name belongs
		for _, a := range []answer{put(name, `{"value":"x"}`), h.do(http.MethodDelete, "/api/v1/secrets/"+name, "")} {
			if a.status < 400 || strings.Contains(string(a.body), "hunter2") {
				t.Errorf("%d: %s", a.status, a.body)
			}
		}
	}
	h.do(http.MethodDelete, "/api/v1/secrets/MY_TOKEN", "").is(204)
	h.do(http.MethodDelete, "/api/v1/secrets/MY_TOKEN", "").problem(404, protocol.CodeInvalidMessage)
	// A store that cannot be opened says why.
	put("MY_TOKEN", `{"value":"`+value+`"}`).is(204)
	if err := os.WriteFile(filepath.Join(dir, "secrets", "key"), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "secrets", "secrets.age"), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := h.get("/secrets").problem(500, protocol.CodeExecutionFailed)
	if !strings.Contains(p["detail"].(string), "damaged") {
		t.Errorf("got %v", p)
	}
}

func TestOpenAPITellsOfSettings(t *testing.T) {
	h := build(t, plan{door: withSettings(t, t.TempDir())})
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(h.do(http.MethodGet, "/openapi.json", "").is(200).body, &doc); err != nil {
		t.Fatal(err)
	}
	for path, methods := range map[string][]string{"/api/v1/settings": {"get", "patch", "delete"}, "/api/v1/secrets": {"get"}, "/api/v1/secrets/{name}": {"put", "delete"}} {
		for _, m := range methods {
			if doc.Paths[path][m] == nil {
				t.Errorf("%s %s is not described", m, path)
			}
		}
	}
}
