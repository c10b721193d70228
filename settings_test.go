package parley_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-dev/parley"
	"github.com/parley-dev/parley/model/modeltest/vendor"
)

// patch changes the session.
func (c *client) patch(body string) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodPatch, c.url, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		c.t.Fatalf("PATCH %s: %s", body, resp.Status)
	}
}

// What is set for one session holds in its next step.
func TestSettingsOfOneSession(t *testing.T) {
	var turns []vendor.Turn
	for i := range 3 {
		turns = append(turns, vendor.Turn{Calls: []vendor.Call{{Name: "write_file", Input: fmt.Sprintf(`{"path":"f","content":"%d"}`, i)}}}, vendor.Turn{Text: []string{"done"}})
	}
	src := source(t, &vendor.Server{Turns: turns}, map[string]string{"ANTHROPIC_API_KEY": "key-a"})
	workspace := t.TempDir()
	s := session(t, parley.Options{Data: t.TempDir(), Model: "anthropic/m", Models: src.Providers(), Auth: "none"}, workspace)
	before := 0
	for i, c := range []struct {
		settings string
		more     bool
	}{{`{"checkpoints_enabled":false}`, false}, {`{"checkpoints_enabled":null}`, true}, {`{"checkpoints_enabled":false}`, false}} {
		s.patch(`{"settings":` + c.settings + `}`)
		s.say("write")
		if text, err := os.ReadFile(filepath.Join(workspace, "f")); err != nil || string(text) != fmt.Sprint(i) {
			t.Fatalf("the file holds %q, %v", text, err)
		}
		now := s.count("/checkpoints")
		if (now > before) != c.more {
			t.Errorf("with %s there are %d checkpoints, and before %d", c.settings, now, before)
		}
		before = now
	}
}

// count says how many items a list has.
func (c *client) count(path string) int {
	c.t.Helper()
	resp, err := http.Get(c.url + path)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	var list struct{ Items []json.RawMessage }
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
		c.t.Fatal(err)
	}
	return len(list.Items)
}

// Files of settings that somebody edits while the server runs are noticed without
// anybody asking for settings: clients are told.
func TestEditedSettingsAreTold(t *testing.T) {
	data := t.TempDir()
	config := filepath.Join(data, "parley.yaml")
	s := session(t, parley.Options{Data: data, Model: "offline", Auth: "none", Config: config}, t.TempDir())
	api := strings.TrimSuffix(s.url, "/sessions/s")
	patch := client{t: t, url: api + "/settings"}
	patch.patch(`{"settings":{"language":"ko"}}`)
	patch.patch(`{"settings":{"retention_days":9}}`)
	s.told("language", "retention_days")
	files, err := filepath.Glob(filepath.Join(data, "settings", "*.json"))
	if err != nil || len(files) != 2 {
		t.Fatalf("settings are in %v, %v", files, err)
	}
	edits := map[string]string{config: "mistake_limit: 7\n"}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		edits[path] = strings.NewReplacer(`"ko"`, `"en"`, ": 9", ": 10").Replace(string(text))
	}
	for path, text := range edits {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.told("language", "retention_days", "mistake_limit")
}

// told waits until the session's stream has said of each of these settings, in
// any order, that it has changed.
func (c *client) told(keys ...string) {
	c.t.Helper()
	for len(keys) > 0 {
		line, err := c.events.ReadString('\n')
		if err != nil {
			c.t.Fatal(err)
		}
		if strings.HasPrefix(line, "data:") && strings.Contains(line, `"settings_changed"`) {
			keys = slices.DeleteFunc(keys, func(key string) bool { return strings.Contains(line, `"keys":["`+key+`"]`) })
		}
	}
}
