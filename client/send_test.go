package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-dev/parley/protocol"
)

func TestSendWaitsForItsAck(t *testing.T) {
	no := protocol.Errorf(protocol.CodeSessionInvalidState, "ten messages wait already")
	bubble(t, func(t *testing.T, p *peer) {
		p.talk(func(k *talk) {
			k.send(state(0))
			e := k.expect(protocol.TypeUserMessage)
			same(t, string(e.Data), `{"content":"<hello>"}`)
			same(t, e.SessionID, "s1")
			k.send(acked("somebody else's", 7), said(1, "not yet"), acked(e.MessageID, 2), acked(e.MessageID, 3))
			no.InReplyTo = k.expect(protocol.TypeControlPause).MessageID
			k.send(nacked(no.InReplyTo, no), frame(protocol.TypeError, 0, no))
			k.send(nacked(k.expect(protocol.TypeControlPause).MessageID, nil))
			no.InReplyTo = k.expect(protocol.TypeControlPause).MessageID
			k.send(frame(protocol.TypeError, 0, no)) // instead of an ack
			k.send(said(4, "after all that"))
			k.hold()
		})
		c := p.dial(Options{}, DialOptions{})
		defer c.Close()
		id, err := c.SendMessage(t.Context(), "<hello>")
		same(t, err, nil)
		same(t, id, "msg_0000000002")
		for _, want := range []protocol.Code{protocol.CodeSessionInvalidState, protocol.CodeExecutionFailed, protocol.CodeSessionInvalidState} {
			_, err = c.Send(t.Context(), protocol.TypeControlPause, nil)
			wantCode(t, err, want)
		}
		same(t, follow(t, c, 3), []string{"session_state", "message 1", "message 4"})
	})
}

func TestUnacknowledgedCommandsAreSentAgainInOrder(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		var ids []string
		p.talk(func(k *talk) {
			k.send(state(0))
			for range 3 {
				ids = append(ids, k.expect(protocol.TypeUserMessage).MessageID)
			}
			k.send(acked(ids[1], 1)) // the others' acks are lost
			k.ws.CloseNow()
		}).talk(func(k *talk) {
			k.ws.CloseNow()
		}).talk(func(k *talk) {
			k.send(state(0))
			same(t, k.expect(protocol.TypeUserMessage).MessageID, ids[0])
			same(t, k.expect(protocol.TypeUserMessage).MessageID, ids[2])
			k.send(acked(ids[2], 2), acked(ids[0], 3))
			k.hold()
		})
		c := p.dial(Options{}, DialOptions{})
		defer c.Close()
		type result struct {
			n  int
			id string
		}
		done := make(chan result)
		for n := range 3 {
			go func() {
				id, err := c.SendMessage(t.Context(), fmt.Sprint("message ", n))
				if err != nil {
					t.Error(err)
				}
				done <- result{n, id}
			}()
			synctest.Wait()
		}
		got := map[int]string{}
		for range 3 {
			r := <-done
			got[r.n] = r.id
		}
		same(t, got, map[int]string{0: "msg_0000000003", 1: "msg_0000000001", 2: "msg_0000000002"})
		if ids[0] == ids[1] || ids[1] == ids[2] || len(ids[0]) > 128 {
			t.Errorf("ids are not unique, or too long: %q", ids)
		}
	})
}

func TestAServerThatStopsIsNoAnswer(t *testing.T) {
	stopping := protocol.Errorf(protocol.CodeConnectionFailed, "the server is stopping")
	bubble(t, func(t *testing.T, p *peer) {
		var id string
		p.talk(func(k *talk) {
			k.send(state(0), nacked("nobody's", stopping))
			id = k.expect(protocol.TypeUserMessage).MessageID
			k.send(nacked(id, stopping))
			k.hold()
		}).talk(func(k *talk) {
			k.send(state(0))
			same(t, k.expect(protocol.TypeUserMessage).MessageID, id)
			k.send(acked(id, 1))
			k.hold()
		})
		c := p.dial(Options{}, DialOptions{})
		defer c.Close()
		got, err := c.SendMessage(t.Context(), "hello")
		same(t, err, nil)
		same(t, got, "msg_0000000001")
	})
}

func TestSendWhileTheLineIsDown(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		p.talk(drop).talk(func(k *talk) {
			k.send(state(0))
			k.send(acked(k.expect(protocol.TypeUserMessage).MessageID, 1))
			k.hold()
		})
		c := p.dial(Options{}, DialOptions{})
		defer c.Close()
		synctest.Wait()
		same(t, c.State(), Reconnecting)
		id, err := c.SendMessage(t.Context(), "hello")
		same(t, err, nil)
		same(t, id, "msg_0000000001")
	})
}

func TestAbandonedCommandsAreNotSentAgain(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		p.talk(drop).talk(func(k *talk) {
			k.send(state(0))
			k.hold() // fails on any frame
		})
		c := p.dial(Options{}, DialOptions{})
		defer c.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		if _, err := c.SendMessage(ctx, "hello"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		follow(t, c, 2)
	})
}

func TestSendEndsWithTheConnection(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		p.talk(func(k *talk) {
			k.send(state(0))
			k.expect(protocol.TypeUserMessage)
			k.hold()
		})
		c := p.dial(Options{}, DialOptions{})
		failed := make(chan error)
		go func() {
			_, err := c.SendMessage(t.Context(), "hello")
			failed <- err
		}()
		synctest.Wait()
		_ = c.Close()
		if err := <-failed; !errors.Is(err, ErrClosed) {
			t.Errorf("got %v", err)
		}
	})
}

func TestSendRefusesWhatTheServerWould(t *testing.T) {
	bubble(t, func(t *testing.T, p *peer) {
		p.talk(func(k *talk) { k.send(state(0)); k.hold() })
		c := p.dial(Options{}, DialOptions{})
		defer c.Close()
		_, err := c.SendMessage(t.Context(), strings.Repeat("x", 1<<20))
		wantCode(t, err, protocol.CodeMessageTooLarge)
		if _, err := c.Send(t.Context(), protocol.TypeUserMessage, func() {}); err == nil {
			t.Error("a function was sent")
		}
	})
}
