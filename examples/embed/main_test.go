package main

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/parley-dev/parley/client"
	"github.com/parley-dev/parley/protocol"
)

// Two servers in one process, behind somebody else's mux, keep apart.
func TestTwoServers(t *testing.T) {
	handler, stop, err := newHandler(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	host := httptest.NewServer(handler)
	defer host.Close()
	ctx := context.Background()
	for _, team := range []string{"team-a", "team-b"} {
		c, err := client.New(client.Options{URL: host.URL + "/" + team})
		if err != nil {
			t.Fatal(err)
		}
		conn, err := c.Dial(ctx, "shared_name", client.DialOptions{After: client.FromStart})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.SendMessage(ctx, "hello from "+team); err != nil {
			t.Fatal(err)
		}
		answer := ""
		for event, err := range conn.Follow(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			if done, ok := event.Data.(*protocol.Complete); ok {
				answer = done.Response.Text
				break
			}
		}
		if want := map[string]string{"team-a": "HELLO FROM TEAM-A", "team-b": "HELLO FROM TEAM-B"}[team]; answer != want {
			t.Errorf("%s answered %q, want %q", team, answer, want)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		state, err := c.GetSession(ctx, "shared_name")
		if err != nil || state.Title != "hello from "+team {
			t.Errorf("%s has %q (%v)", team, state.Title, err)
		}
	}
}
