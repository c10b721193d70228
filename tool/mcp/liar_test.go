package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/mcp"
)

// tools makes the answer of a server that lists these.
func tools(t *testing.T, each ...string) map[string]json.RawMessage {
	t.Helper()
	return map[string]json.RawMessage{"tools/list": json.RawMessage(`{"tools":[` + strings.Join(each, ",") + `]}`)}
}

func liar(t *testing.T, says map[string]json.RawMessage) mcp.Server {
	t.Helper()
	text, err := json.Marshal(says)
	if err != nil {
		t.Fatal(err)
	}
	return program(t, "liar", "liar", string(text))
}

// What no model could be given is left out; the rest is there, and a server
// beside it notices nothing.
func TestBadTools(t *testing.T) {
	t.Parallel()
	ok := `{"name":"fine","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`
	h := open(t, mcp.Options{}, liar(t, tools(t,
		ok, ok,
		`{"name":"no type","inputSchema":{}}`,
		`{"name":"choice","inputSchema":{"type":"object","anyOf":[{"required":["a"]}]}}`,
		`{"name":"","inputSchema":{"type":"object"}}`,
		`{"name":"","inputSchema":{"type":"object"}}`,
		`{"name":"도구","inputSchema":{"type":"object"}}`,
		`{"name":"list","inputSchema":{"type":"array"}}`,
		`{"name":"missing"}`,
		`{"name":"null","inputSchema":null}`,
		`{"name":"word","inputSchema":"object"}`,
		`{"name":"kind","inputSchema":{"type":"object","properties":{"a":{"type":"no such kind"}}}}`,
		`{"name":"old","inputSchema":{"type":"object","properties":{"a":{"type":"string","required":true}}}}`,
		`{"name":"field","inputSchema":{"type":"object","properties":{"a b":{"type":"string"}}}}`,
		`{"name":"elsewhere","inputSchema":{"type":"object","properties":{"a":{"$ref":"https://example.com/a"}}}}`,
		fmt.Sprintf(`{"name":"huge","inputSchema":{"type":"object","description":%q}}`, strings.Repeat("x", 70<<10)),
		`null`,
	)), program(t, "honest", "honest", "")).ready()
	var got []string
	for _, each := range h.Tools() {
		if info := each.Info(); strings.HasPrefix(info.Name, "mcp__liar__") {
			got = append(got, strings.TrimPrefix(info.Name, "mcp__liar__"))
			if err := tool.Check(info, json.RawMessage(`{}`)); err != nil {
				t.Error(err)
			}
			if strings.Contains(string(info.Schema), "anyOf") {
				t.Errorf("%s", info.Schema)
			}
		}
	}
	if len(got) != 3 || got[0] != "choice" || got[1] != "fine" || !strings.HasPrefix(got[2], "no_type_") {
		t.Errorf("%q", got)
	}
	problems := strings.Join(h.Status()[0].Problems, "\n")
	for _, want := range []string{`"fine": there are two`, `"도구"`, `"list"`, `"kind"`, `"old"`, `"field"`, `"elsewhere"`, `"huge"`} {
		if !strings.Contains(problems, want) {
			t.Errorf("nothing is said about %s:\n%s", want, problems)
		}
	}
	h.must("mcp__honest__echo", `{"text":"hi"}`)
}

func TestServersThatFail(t *testing.T) {
	t.Parallel()
	list := tools(t, `{"name":"a","inputSchema":{"type":"object"}}`)
	with := func(method, answer string) map[string]json.RawMessage {
		says := maps.Clone(list)
		says[method] = json.RawMessage(answer)
		return says
	}
	noisy := program(t, "noisy", "noisy", "secret:TOKEN")
	for name, c := range map[string]struct {
		server mcp.Server
		error  string // of the connection
		call   string // of a call
	}{
		"no such program":     {server: mcp.Server{Name: "liar", Command: "/no/such/program"}, error: "could not be started"},
		"ends at once":        {server: noisy, error: "exit status 3; it said: the token is [secret]"},
		"a giant":             {server: program(t, "liar", "giant", ""), error: "maximum line length"},
		"no list":             {server: liar(t, with("tools/list", `{"tools":7}`)), error: "does not say which tools"},
		"dies in a call":      {server: liar(t, with("tools/call", `"die"`)), call: "whether it was done is not known"},
		"no such call":        {server: liar(t, list), call: "the MCP server liar failed at a: no tools/call here"},
		"an answer of no use": {server: liar(t, with("tools/call", `{"content":{"a":7}}`)), call: "MCP server liar"},
		"an unknown content":  {server: liar(t, with("tools/call", `{"content":[{"type":"smell"}]}`)), call: "MCP server liar"},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, mcp.Options{Lookup: secrets}, c.server).ready()
			if c.error != "" {
				if s := h.Status()[0]; s.State == mcp.Connected || !strings.Contains(s.Error, c.error) {
					t.Errorf("%+v", s)
				}
				return
			}
			_, err := h.run("mcp__liar__a", `{}`)
			if tool.CodeOf(err) != tool.CodeExecutionFailed || !strings.Contains(err.Error(), c.call) {
				t.Errorf("%v", err)
			}
		})
	}
}

func secrets(text string) (string, error) {
	if strings.Contains(text, "secret:NONE") {
		return "", errors.New("there is no secret NONE")
	}
	return strings.ReplaceAll(text, "secret:TOKEN", "correct horse"), nil
}

// A program sees what it is given and nothing of ours beside; what is secret of
// it does not come back.
func TestEnvironment(t *testing.T) {
	t.Setenv("SOME_API_KEY", "battery staple")
	s := program(t, "s", "honest", "")
	s.Env["MY_TOKEN"] = "secret:TOKEN"
	h := open(t, mcp.Options{Lookup: secrets}, s).ready()
	text := h.must("mcp__s__env", `{}`).Text
	if strings.Contains(text, "battery staple") || strings.Contains(text, "correct horse") || !strings.Contains(text, "MY_TOKEN=[secret]") || !strings.Contains(text, "PATH=") {
		t.Errorf("%s", text)
	}
	missing := program(t, "s", "honest", "")
	missing.Env["MY_TOKEN"] = "secret:NONE"
	h = open(t, mcp.Options{Lookup: secrets}, missing).ready()
	if state := h.Status()[0]; !strings.Contains(state.Error, "MY_TOKEN: there is no secret NONE") {
		t.Errorf("%+v", state)
	}
}

// A call to a server that hangs ends with its time, and the server is started
// again.
func TestHangingCall(t *testing.T) {
	t.Parallel()
	says := tools(t, `{"name":"a","inputSchema":{"type":"object"}}`)
	says["tools/call"], says["ping"] = json.RawMessage(`"hang"`), json.RawMessage(`"hang"`)
	h := open(t, mcp.Options{}, liar(t, says)).ready()
	first := h.Status()[0].Since
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := h.tool("mcp__liar__a").Run(ctx, tool.Call{Input: json.RawMessage(`{}`)}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	h.until("another connection", func() bool {
		s := h.Status()[0]
		return s.State == mcp.Connected && s.Since.After(first)
	})
}

// Nothing of a program outlives the host, whatever it started.
func TestProcessTree(t *testing.T) {
	t.Parallel()
	fifo := mkfifo(t)
	h := open(t, mcp.Options{}, program(t, "s", "family", fifo)).ready()
	held, err := os.Open(fifo) // waits for the child to open it
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	line := make([]byte, 6)
	if _, err := held.Read(line); err != nil || string(line) != "ready\n" {
		t.Fatalf("%q, %v; %+v", line, err, h.Status())
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if n, err := held.Read(line); n != 0 || err == nil {
		t.Errorf("somebody still holds the pipe: %d, %v", n, err)
	}
}
