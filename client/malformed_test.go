package client

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/coder/websocket"

	"github.com/parley-dev/parley/protocol"
)

var badFrames = []string{
	"", "null", "[]", "{}", `"text"`, "{", "\x00",
	`{"type":7}`,
	`{"type":"message","data":{}}`,
	`{"type":"message","message_id":"msg_1","timestamp":null}`,
	`{"type":"message","message_id":"msg_0000000000","timestamp":null}`,
	`{"type":"session_state","data":"none"}`,
	`{"type":"ack","data":[1]}`,
	`{"type":"agent_response","data":{"index":"x"}}`,
	`{"type":"ping","timestamp":"yesterday"}`,
}

func TestABadFrameIsMetWithAReconnect(t *testing.T) {
	for _, bad := range badFrames {
		t.Run(bad, func(t *testing.T) {
			bubble(t, func(t *testing.T, p *peer) {
				p.talk(func(k *talk) {
					k.send(state(0), said(1, "one"), bad)
					k.hold()
				}).talk(func(k *talk) {
					k.send(state(2), said(2, "two"), bad)
					k.hold()
				}).talk(func(k *talk) {
					k.send(state(2), bad)
					k.hold()
				})
				c := p.dial(Options{}, DialOptions{})
				defer c.Close()
				same(t, follow(t, c, 5), []string{
					"session_state", "message 1", "session_state again", "message 2", "session_state again",
				})
				// The third came at the same place as the second: a fourth would too.
				if err := lastError(t, c); !errors.Is(err, ErrMalformed) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func TestBadHandshakes(t *testing.T) {
	for name, f := range map[string]func(*talk){
		"garbage":                     func(k *talk) { k.send("garbage"); k.hold() },
		"a record before the state":   func(k *talk) { k.send(said(1, "early"), state(1)); k.hold() },
		"a state that is none":        func(k *talk) { k.send(`{"type":"session_state","data":[]}`); k.hold() },
		"a binary frame":              binary,
		"a message with a bad cursor": func(k *talk) { k.send(`{"type":"later","message_id":"x"}`); k.hold() },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, p *peer) {
				p.talk(f)
				if _, err := p.client(Options{}).Dial(t.Context(), "s1", DialOptions{}); !errors.Is(err, ErrMalformed) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func binary(k *talk) {
	_ = k.ws.Write(context.Background(), websocket.MessageBinary, []byte(state(0)))
	k.hold()
}

func TestAStateWithoutACursor(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		p.talk(func(k *talk) {
			k.send(frame(protocol.TypeSessionState, 0, &protocol.SessionState{LastMessageID: "?"}), said(1, "one"))
			k.hold()
		})
		c := p.dial(Options{}, DialOptions{})
		defer c.Close()
		same(t, follow(t, c, 2), []string{"session_state", "message 1"})
	})
}

// FuzzEvents feeds a Conn and a Texts with frames of any kind: no panic, and
// records rise.
func FuzzEvents(f *testing.F) {
	for _, bad := range badFrames {
		f.Add([]byte(bad), []byte(state(3)))
	}
	f.Add([]byte(said(4, "x")), []byte(delta("o", 0, "text")))
	f.Add([]byte(joined("o", 0, 3, "text")), []byte(joined("o", 2, 5, "x")))
	f.Add([]byte(state(1, protocol.OpenMessage{OpenID: "o", Text: "t", NextIndex: -7})), []byte(finished(2, "o", "t")))
	client, err := New(Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, one, two []byte) {
		c, err := newConn(client, "s1", DialOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.cancel()
		var texts Texts
		for _, frame := range [][]byte{one, two, one, two} {
			if ev, err := decode(frame); err == nil {
				_ = c.receive(ev)
				texts.Apply(ev)
			}
		}
		last := uint64(0)
		for _, ev := range c.queue {
			if s, ok := ev.Data.(*protocol.SessionState); ok && s.Resync {
				last = 0
			}
			if ev.Seq > 0 {
				if ev.Seq <= last {
					t.Fatal(fmt.Sprint("record ", ev.Seq, " after ", last))
				}
				last = ev.Seq
			}
		}
	})
}
