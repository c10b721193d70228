package parley_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-dev/parley"
	"github.com/parley-dev/parley/internal/gateway/rest"
	"github.com/parley-dev/parley/model/modeltest/vendor"
)

// send makes a call below the server's API, which must be answered with a status.
func (c *client) send(method, path, body string, want int, into any) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, strings.TrimSuffix(c.url, "/sessions/s")+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != want {
		c.t.Fatalf("%s %s: %s %s, %v", method, path, resp.Status, raw, err)
	}
	if into != nil {
		if err := json.Unmarshal(raw, into); err != nil {
			c.t.Fatalf("%s: %v", raw, err)
		}
	}
}

// clean collects, and tells of the one folder that has checkpoints.
func (c *client) clean(how string) rest.FolderRoom {
	c.t.Helper()
	var room rest.Room
	c.send(http.MethodPost, "/checkpoints/gc", how, http.StatusOK, &room)
	if len(room.Items) != 1 {
		c.t.Fatalf("the rooms are %+v", room)
	}
	return room.Items[0]
}

// The checkpoints of a deleted session go, but not those that its fork names.
func TestCheckpointsGoWithTheirSessions(t *testing.T) {
	big := strings.Repeat("x", 100)
	src := source(t, &vendor.Server{Turns: []vendor.Turn{
		{Calls: []vendor.Call{{Name: "write_file", Input: `{"path":"f","content":"` + big + `"}`}}}, {Text: []string{"done"}},
	}}, map[string]string{"ANTHROPIC_API_KEY": "key-a"})
	workspace := t.TempDir()
	file := filepath.Join(workspace, "f")
	if err := os.WriteFile(file, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := session(t, parley.Options{Data: t.TempDir(), Model: "anthropic/m", Models: src.Providers(), Auth: "none", NoRateLimits: true}, workspace)
	s.say("write")
	if now, err := os.ReadFile(file); err != nil || string(now) != big {
		t.Fatalf("the file holds %q, %v", now, err)
	}
	if r := s.clean(""); r.Removed != 0 || r.Checkpoints == 0 || r.Bytes == 0 || r.Waiting != 0 {
		t.Errorf("while all live: %+v", r)
	}
	s.send(http.MethodPost, "/sessions/s/fork", `{"session_id":"fork"}`, http.StatusCreated, nil)
	s.send(http.MethodDelete, "/sessions/s", "", http.StatusNoContent, nil)
	would := s.clean(`{"dry_run":true,"now":true}`)
	if would.Removed == 0 || would.Sessions != 1 || would.KeptForOthers != 0 {
		t.Errorf("it would go: %+v", would)
	}
	if r := s.clean(`{}`); r.Removed != 0 || r.Waiting != would.Removed || r.KeptForOthers == 0 {
		t.Errorf("at once: %+v", r)
	}
	if r := s.clean(`{"now":true}`); r.Removed != would.Removed || r.Sessions != 1 || r.Checkpoints == 0 {
		t.Errorf("with its grace over: %+v", r)
	}
	s.send(http.MethodPost, "/sessions/fork/rewind", `{"to":"msg_0000000001","files":true}`, http.StatusOK, nil)
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, []byte("before")) {
		t.Errorf("the fork took the file back to %q, %v", now, err)
	}
	s.send(http.MethodPost, "/sessions/fork/rewind/undo", `{"files":true}`, http.StatusOK, nil)
	if now, err := os.ReadFile(file); err != nil || string(now) != big {
		t.Errorf("and forth to %q, %v", now, err)
	}
	kept := s.clean(`{"now":true}`)
	s.send(http.MethodDelete, "/sessions/fork", "", http.StatusNoContent, nil)
	if r := s.clean(`{"now":true}`); r.Checkpoints != 0 || r.Removed != kept.Checkpoints || r.Bytes >= kept.Bytes {
		t.Errorf("without any session: %+v, and before %+v", r, kept)
	}
	s.send(http.MethodPost, "/checkpoints/gc", `{"older_than_days":-1}`, http.StatusBadRequest, nil)
}
