package parley_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-dev/parley"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/modeltest/vendor"
)

// A session that reads, edits and tests comes to the same result whichever wire
// format its model speaks.
func TestOneScriptOverEveryFormat(t *testing.T) {
	script := []vendor.Turn{
		{Thinking: []string{"First ", "look."}, Text: []string{"Let me ", "look."}, Calls: []vendor.Call{{Name: "read_file", Input: `{"path":"sum.txt"}`}}},
		{Text: []string{"It is wrong."}, Calls: []vendor.Call{{Name: "edit_file", Input: `{"path":"sum.txt","old_text":"1 + 1 = 3","new_text":"1 + 1 = 2"}`}}},
		{Thinking: []string{"Is it?"}, Calls: []vendor.Call{
			{Name: "run_command", Input: `{"command":"grep -c '= 2' sum.txt"}`},
			{Name: "read_file", Input: `{"path": "unfinished`},
		}},
		{Thinking: []string{"Yes."}, Text: []string{"Now it is right: ", "안녕 👩‍👩‍👧"}},
		{Text: []string{"You are welcome."}},
	}
	for spec, format := range map[string]vendor.Format{
		"anthropic/m": vendor.Anthropic, "openai/m": vendor.Responses, "ollama/m": vendor.Chat,
	} {
		t.Run(string(format), func(t *testing.T) {
			vendors := &vendor.Server{Turns: script}
			src := source(t, vendors, map[string]string{"ANTHROPIC_API_KEY": "key-a", "OPENAI_API_KEY": "key-o"})
			workspace := t.TempDir()
			file := filepath.Join(workspace, "sum.txt")
			if err := os.WriteFile(file, []byte("1 + 1 = 3\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			s := session(t, parley.Options{Data: t.TempDir(), Model: spec, Models: src.Providers(), Auth: "none"}, workspace)
			if end := s.say("mend it"); !strings.Contains(end, "Now it is right: 안녕 👩‍👩‍👧") {
				t.Errorf("the turn ended with %s", end)
			}
			if end := s.say("thanks"); !strings.Contains(end, "You are welcome.") {
				t.Errorf("the second turn ended with %s", end)
			}
			if got, _ := os.ReadFile(file); string(got) != "1 + 1 = 2\n" {
				t.Errorf("the file is %q", got)
			}
			seen := vendors.Seen()
			if len(seen) != len(script) {
				t.Fatalf("%d calls were accepted, want %d", len(seen), len(script))
			}
			var answers []int
			for _, one := range seen {
				answers = append(answers, one.Answers)
				if one.Format != format {
					t.Errorf("a call in format %s", one.Format)
				}
			}
			if diff := cmp.Diff([]int{0, 1, 2, 3, 4}, answers); diff != "" {
				t.Errorf("answers in the histories (-want +got):\n%s", diff)
			}
			if results := seen[3].Results; len(results) != 2 || !strings.HasPrefix(results[0], "1") {
				t.Errorf("the model was told %q", results)
			}
			if format != vendor.Chat && seen[3].Thoughts != 2 {
				t.Errorf("%d thoughts came back, want 2", seen[3].Thoughts)
			}
		})
	}
}

// A vendor that is busy for a moment is asked again.
func TestBusyVendorIsAskedAgain(t *testing.T) {
	vendors := &vendor.Server{Turns: []vendor.Turn{{Text: []string{"there you are"}, Fail: &vendor.Failure{Kind: model.Overloaded, Times: 1}}}}
	src := source(t, vendors, map[string]string{"ANTHROPIC_API_KEY": "key-a"})
	s := session(t, parley.Options{Data: t.TempDir(), Model: "anthropic/m", Models: src.Providers(), Auth: "none"}, t.TempDir())
	if end := s.say("hello"); !strings.Contains(end, "there you are") {
		t.Errorf("the turn ended with %s", end)
	}
	if n := len(vendors.Seen()); n != 2 {
		t.Errorf("%d calls, want 2", n)
	}
}

type client struct {
	t      *testing.T
	url    string
	events *bufio.Reader
}

// session starts a server with one session, in which everything is allowed.
func session(t *testing.T, o parley.Options, workspace string) *client {
	t.Helper()
	server, err := parley.New(o)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server.Handler())
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	c := &client{t: t, url: web.URL + "/api/v1/sessions"}
	c.post("", map[string]any{
		"session_id": "s", "pipeline": "direct", "workspace": workspace, "auto_approve": []string{"read", "write", "execute"},
	})
	c.url += "/s"
	resp, err := http.Get(c.url + "/stream")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	c.events = bufio.NewReader(resp.Body)
	return c
}

func (c *client) post(path string, body any) {
	c.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	resp, err := http.Post(c.url+path, "application/json", strings.NewReader(string(raw)))
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		c.t.Fatalf("POST %s: %s", path, resp.Status)
	}
}

// say sends words and gives the record that ends the turn.
func (c *client) say(words string) string {
	c.t.Helper()
	c.post("/messages", map[string]any{"content": words})
	for {
		line, err := c.events.ReadString('\n')
		if err != nil {
			c.t.Fatal(err)
		}
		for _, end := range []string{"complete", "failed"} {
			if strings.Contains(line, fmt.Sprintf(`"type":%q`, end)) && strings.HasPrefix(line, "data:") {
				return line
			}
		}
	}
}
