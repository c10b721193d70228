package mcp_test

import (
	"io"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/gateway/mcp"
)

// Whoever speaks over pipes gets what is behind the door.
func TestBridge(t *testing.T) {
	h := build(t, play, auth.Config{}, mcp.Options{})
	theirIn, in := io.Pipe()
	out, theirOut := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- mcp.Bridge{URL: h.http.URL + "/mcp", Token: h.token, Version: "1"}.Run(t.Context(), theirIn, theirOut)
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "guest", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: out, Writer: in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := &guest{t, session}
	id := g.must("parley_start_session", map[string]any{"title": "A first one"})["session_id"].(string)
	if got := g.must("parley_send", map[string]any{"session_id": id, "content": "good morning", "wait": true}); got["text"] != "You said: good morning" {
		t.Errorf("%v", got)
	}
	if why := g.refused("parley_wait", map[string]any{"session_id": "nobody"}); !strings.Contains(why, "SESSION_NOT_FOUND") {
		t.Errorf("%s", why)
	}
	read(t, g, id)
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("it did not end well: %v", err)
	}
}

func TestBridgeToNowhere(t *testing.T) {
	h := build(t, play, auth.Config{}, mcp.Options{})
	err := mcp.Bridge{URL: h.http.URL + "/elsewhere", Token: h.token}.Run(t.Context(), io.NopCloser(strings.NewReader("")), nil)
	if err == nil || !strings.Contains(err.Error(), "does not answer as an MCP server") {
		t.Errorf("%v", err)
	}
}
