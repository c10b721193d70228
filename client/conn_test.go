package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/parley-dev/parley/protocol"
)

// follow reads n events and describes them.
func follow(t *testing.T, c *Conn, n int) []string {
	t.Helper()
	var got []string
	for ev, err := range c.Follow(t.Context()) {
		if err != nil {
			t.Fatalf("after %q: %v", got, err)
		}
		if got = append(got, describe(ev)); len(got) == n {
			break
		}
	}
	return got
}

func describe(ev Event) string {
	text := string(ev.Type)
	if ev.Seq > 0 {
		text += fmt.Sprint(" ", ev.Seq)
	}
	if ev.Reconnected {
		text += " again"
	}
	if s, ok := ev.Data.(*protocol.SessionState); ok && s.Resync {
		text += " resync"
	}
	return text
}

// lastError follows to the end.
func lastError(t *testing.T, c *Conn) error {
	t.Helper()
	for _, err := range c.Follow(t.Context()) {
		if err != nil {
			return err
		}
	}
	return nil
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestFollowResumesWhereItWas(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		p.talk(func(k *talk) {
			k.send(state(2), said(1, "old"), said(3, "three"), said(3, "three again"))
			k.ws.CloseNow()
		}).talk(func(k *talk) {
			k.send(state(5), said(2, "two"), said(3, "three"), said(4, "four"))
			k.close(protocol.CloseStopping, "the server is stopping")
		}).talk(func(k *talk) {
			k.send(state(5), said(5, "five"))
			k.hold()
		})
		c := p.dial(Options{ClientID: "me"}, DialOptions{})
		defer c.Close()
		same(t, follow(t, c, 6), []string{
			"session_state", "message 3",
			"session_state again", "message 4",
			"session_state again", "message 5",
		})
		for i, want := range []string{"", "msg_0000000003", "msg_0000000004"} {
			same(t, p.query(i, "resume_from"), want)
			same(t, p.query(i, "client_id"), "me")
		}
	})
}

func TestDialAfterGivesWhatTheStateContains(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		p.talk(func(k *talk) {
			k.send(state(2), said(1, "one"), said(2, "two"), state(9), said(3, "three"))
			k.hold()
		})
		c := p.dial(Options{}, DialOptions{After: FromStart, Create: true})
		defer c.Close()
		same(t, follow(t, c, 5), []string{"session_state", "message 1", "message 2", "session_state", "message 3"})
		same(t, p.query(0, "resume_from"), FromStart)
		same(t, p.query(0, "create"), "true")
	})
}

func TestResyncMovesTheCursorBack(t *testing.T) {
	resync := frame(protocol.TypeSessionState, 0, &protocol.SessionState{LastMessageID: protocol.MessageID(3), Resync: true})
	bubble(t, func(t *testing.T, p *peer) {
		p.talk(func(k *talk) {
			k.send(state(8), said(9, "nine"))
			k.ws.CloseNow()
		}).talk(func(k *talk) {
			k.send(resync, said(3, "three"), said(4, "four"))
			k.hold()
		})
		c := p.dial(Options{}, DialOptions{})
		defer c.Close()
		same(t, follow(t, c, 4), []string{"session_state", "message 9", "session_state again resync", "message 4"})
	})
}

func TestEventsAreTyped(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		p.talk(func(k *talk) {
			k.send(state(0), said(1, "hello"),
				`{"type":"newer_than_us","message_id":"msg_0000000002","timestamp":"2026-02-06T10:00:00Z","data":{"x":1}}`,
				`{"type":"todo_started","message_id":"msg_0000000003","timestamp":null,"data":"not an object"}`)
			k.hold()
		})
		c := p.dial(Options{}, DialOptions{})
		defer c.Close()
		var got []string
		for ev, err := range c.Follow(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			switch data := ev.Data.(type) {
			case *protocol.MessageRecord:
				got = append(got, data.Message.Text)
			case *protocol.SessionState:
			default:
				got = append(got, fmt.Sprintf("%s", data))
			}
			if ev.Seq == 1 {
				b, err := json.Marshal(ev)
				if err != nil || !strings.Contains(string(b), `"text":"hello"`) {
					t.Errorf("as JSON it is %s, %v", b, err)
				}
			}
			if ev.Seq == 3 {
				break
			}
		}
		same(t, got, []string{"hello", `{"x":1}`, `"not an object"`})
	})
}

func TestTheServersNoIsFinal(t *testing.T) {
	for _, code := range []protocol.CloseCode{
		protocol.CloseTakenOver, protocol.CloseDeleted, protocol.CloseForbidden, protocol.CloseAuthFailed,
		protocol.CloseTooBig, protocol.CloseInvalidText, 4999,
	} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			bubble(t, func(t *testing.T, p *peer) {
				p.talk(func(k *talk) {
					k.send(state(1), said(2, "last words"))
					k.expect(protocol.TypeUserMessage)
					k.close(code, "because")
				})
				var states []State
				c := p.dial(Options{}, DialOptions{OnState: func(s State, _ error) { states = append(states, s) }})
				defer c.Close()
				_, sendErr := c.SendMessage(t.Context(), "hello")
				same(t, follow(t, c, 2), []string{"session_state", "message 2"})
				for _, err := range []error{sendErr, lastError(t, c)} {
					var closed *CloseError
					if !errors.As(err, &closed) || closed.Code != code || closed.Reason != "because" {
						t.Errorf("got %v", err)
					}
				}
				if _, err := c.SendMessage(t.Context(), "hello"); err == nil {
					t.Error("a failed connection took a command")
				}
				same(t, states, []State{Connecting, Connected, Active, Failed})
				same(t, c.State(), Failed)
			})
		})
	}
}

func TestPingIsAnsweredAndSilenceIsNot(t *testing.T) {
	ping := frame(protocol.TypePing, 0, nil)
	bubble(t, func(t *testing.T, p *peer) {
		p.talk(func(k *talk) {
			k.send(ping, state(0))
			k.expect(protocol.TypePong)
			time.Sleep(70 * time.Second)
			k.send(ping)
			k.expect(protocol.TypePong)
			time.Sleep(70 * time.Second)
			k.send(ping)
			k.expect(protocol.TypePong)
			k.hold() // and not a word more
		}).talk(func(k *talk) {
			k.send(state(0))
			k.hold()
		})
		start := time.Now()
		c := p.dial(Options{}, DialOptions{})
		defer c.Close()
		same(t, follow(t, c, 2), []string{"session_state", "session_state again"})
		same(t, time.Since(start), (70+70+75+1)*time.Second)
	})
}

func TestCloseEndsTheLoopQuietly(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		var code websocket.StatusCode
		p.talk(func(k *talk) {
			k.send(state(0))
			_, _, err := k.ws.Read(context.Background())
			code = websocket.CloseStatus(err)
		})
		var states []State
		c := p.dial(Options{}, DialOptions{OnState: func(s State, _ error) { states = append(states, s) }})
		follow(t, c, 1)
		ended := make(chan error)
		go func() { ended <- lastError(t, c) }()
		synctest.Wait()
		_ = c.Close()
		_ = c.Close()
		same(t, <-ended, nil)
		if _, err := c.SendMessage(t.Context(), "x"); !errors.Is(err, ErrClosed) {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		same(t, code, websocket.StatusNormalClosure)
		same(t, states, []State{Connecting, Connected, Active, Disconnected})
	})
}

func TestCloseDoesNotWaitForADeadServer(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		release := make(chan struct{})
		p.talk(func(k *talk) {
			k.send(state(0))
			<-release
		})
		c := p.dial(Options{}, DialOptions{})
		start := time.Now()
		_ = c.Close()
		if waited := time.Since(start); waited > 6*time.Second {
			t.Errorf("Close took %v", waited)
		}
		close(release)
	})
}

func TestCloseWhileReconnecting(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		p.talk(func(k *talk) {
			k.send(state(0))
			k.ws.CloseNow()
		})
		c := p.dial(Options{}, DialOptions{})
		synctest.Wait()
		same(t, c.State(), Reconnecting)
		_ = c.Close()
		same(t, c.State(), Disconnected)
	})
}

func TestFollowStopsWithItsContextAndGoesOnWithAnother(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		p.talk(func(k *talk) {
			k.send(state(0))
			time.Sleep(time.Minute)
			k.send(said(1, "later"))
			k.hold()
		})
		c := p.dial(Options{}, DialOptions{})
		defer c.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var last error
		for _, err := range c.Follow(ctx) {
			last = err
		}
		if !errors.Is(last, context.DeadlineExceeded) {
			t.Errorf("got %v", last)
		}
		same(t, follow(t, c, 1), []string{"message 1"})
	})
}

func TestSlowFollowerStopsTheReading(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		sent := 0
		p.talk(func(k *talk) {
			k.send(state(0))
			for i := range 100 {
				k.send(said(uint64(i+1), strings.Repeat("x", 1000)))
				sent = i + 1
			}
			id := k.expect(protocol.TypeControlPause).MessageID
			k.send(acked(id, 101))
			k.hold()
		})
		client := p.client(Options{})
		client.buffer = 10_000
		c, err := client.Dial(t.Context(), "s1", DialOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		synctest.Wait()
		if sent < 5 || sent > 20 {
			t.Errorf("%d frames were read ahead", sent)
		}
		// Whoever sends from inside the loop must get the ack that is behind
		// all the rest.
		n := 0
		for ev, err := range c.Follow(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if ev.Seq == 1 {
				if _, err := c.Send(t.Context(), protocol.TypeControlPause, nil); err != nil {
					t.Fatal(err)
				}
			}
			if n++; ev.Seq == 100 {
				break
			}
		}
		same(t, n, 101)
	})
}

func TestClientFollowDialsAndCloses(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		p.talk(func(k *talk) {
			k.send(state(1), said(1, "one"))
			k.hold()
		})
		var got []string
		for ev, err := range p.client(Options{}).Follow(t.Context(), "s1", FromStart) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, describe(ev)); ev.Seq == 1 {
				break
			}
		}
		same(t, got, []string{"session_state", "message 1"})
		for _, err := range p.client(Options{}).Follow(t.Context(), "not/an/id", "") {
			if err == nil || !strings.Contains(err.Error(), "session id") {
				t.Errorf("got %v", err)
			}
		}
	})
}

func TestFramesLargerThanTheLimitEndIt(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		p.talk(func(k *talk) {
			k.send(state(0), said(1, strings.Repeat("x", 200_000)), said(2, strings.Repeat("x", 300_000)))
			k.hold()
		})
		c := p.dial(Options{ReadLimit: 250_000}, DialOptions{})
		defer c.Close()
		same(t, follow(t, c, 2), []string{"session_state", "message 1"})
		if err := lastError(t, c); !errors.Is(err, websocket.ErrMessageTooBig) {
			t.Errorf("got %v", err)
		}
	})
}

func TestNewRefusesWhatIsNoAddress(t *testing.T) {
	for _, bad := range []string{"localhost:7717", "ftp://host", "http://", "http://a b/", "://"} {
		if _, err := New(Options{URL: bad}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	c, err := New(Options{URL: "wss://host/below/?token=abc"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, c.base.String(), "https://host/below/")
	same(t, c.options.Token, "abc")
	if _, err := New(Options{URL: "http://host:port/?token=abc"}); err == nil || strings.Contains(err.Error(), "abc") {
		t.Errorf("got %v", err)
	}
}

func TestDialRefusesACursorThatIsNone(t *testing.T) {
	c, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Dial(t.Context(), "s1", DialOptions{After: "msg_1"}); err == nil {
		t.Error("msg_1 was taken for a cursor")
	}
}

func TestCloseBeforeAnythingIsFollowed(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		p.talk(func(k *talk) {
			k.send(state(0))
			for i := range 100 {
				k.send(said(uint64(i+1), strings.Repeat("x", 1000)))
			}
		})
		client := p.client(Options{})
		client.buffer = 10_000
		c, err := client.Dial(t.Context(), "s1", DialOptions{})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // the reader has stopped
		start := time.Now()
		_ = c.Close()
		if waited := time.Since(start); waited > 6*time.Second {
			t.Errorf("Close took %v", waited)
		}
	})
}
