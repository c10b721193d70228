package parley_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
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
