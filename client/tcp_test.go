package client

import (
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// TestOverTCP is the same over a real network: the line is cut three times.
func TestOverTCP(t *testing.T) {
	r := newRoom([]cut{{after: 2}, {after: 0, code: 4000}, {after: 3, code: 4003}})
	server := httptest.NewServer(r)
	defer server.Close()
	c, err := New(Options{URL: server.URL, Reconnect: Reconnect{InitialDelay: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := c.Dial(t.Context(), "s1", DialOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	want, got := []string{}, []string{}
	for i := range 5 {
		text := fmt.Sprint("message ", i)
		want = append(want, text)
		if _, err := conn.SendMessage(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	for ev, err := range conn.Follow(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := ev.Data.(*protocol.MessageRecord); ok {
			got = append(got, m.Message.Text)
		}
		if ev.Seq == 5 {
			break
		}
	}
	same(t, got, want)
}
