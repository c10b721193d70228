package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/parley-dev/parley"
)

// Another agent uses Parley over standard input and output: with no server
// running, and through one that runs.
func TestMCP(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	model := filepath.Join(dir, "model.yaml")
	if err := os.WriteFile(model, []byte("turns:\n  - text: hello to you\n    repeat: forever\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PARLEY_MODEL", "script:"+model)
	talkMCP(t, data)

	s, err := parley.New(parley.Options{Data: data, Listen: "127.0.0.1:0", Model: "script:" + model})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- s.Run(ctx, func(parley.Running) { close(ready) }) }()
	<-ready
	talkMCP(t, data)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// talkMCP is an agent that starts the program, uses it, and leaves.
func talkMCP(t *testing.T, data string) {
	t.Helper()
	theirIn, in := io.Pipe()
	out, theirOut := io.Pipe()
	var complaints bytes.Buffer
	ended := make(chan int, 1)
	go func() { ended <- run(t.Context(), []string{"mcp", "--data", data}, theirIn, theirOut, &complaints) }()
	agent := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := agent.Connect(t.Context(), &sdk.IOTransport{Reader: out, Writer: in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	call := func(name string, arguments map[string]any) map[string]any {
		t.Helper()
		r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
		if err != nil || r.IsError {
			t.Fatalf("%s: %v, %+v", name, err, r)
		}
		var answer map[string]any
		if err := json.Unmarshal([]byte(r.Content[0].(*sdk.TextContent).Text), &answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	id := call("parley_start_session", nil)["session_id"]
	if got := call("parley_send", map[string]any{"session_id": id, "content": "hello", "wait": true}); got["text"] != "hello to you" {
		t.Errorf("%v", got)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if code := <-ended; code != 0 || complaints.Len() > 0 {
		t.Errorf("it ended with %d: %s", code, complaints.String())
	}
}

func TestMCPWithoutAServer(t *testing.T) {
	var complaints bytes.Buffer
	code := run(t.Context(), []string{"mcp", "--data", t.TempDir(), "--server", "127.0.0.1:1"}, strings.NewReader(""), io.Discard, &complaints)
	if code == 0 || !strings.Contains(complaints.String(), "127.0.0.1:1") {
		t.Errorf("it ended with %d: %s", code, complaints.String())
	}
}
