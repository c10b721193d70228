package ws_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/protocol"
)

func TestStateComesFirstThenWhatHappens(t *testing.T) {
	h := build(t, plan{})
	c := h.dial(t, "s1", "client_id=a")
	state := want[protocol.SessionState](c, protocol.TypeSessionState)
	if state.SessionID != "s1" || state.LastMessageID != protocol.MessageID(1) || state.Status != protocol.StatusIdle {
		t.Fatalf("state: %+v", state)
	}
	c.tell("m1", "hi")
	var types []protocol.Type
	var text string
	acked, done := false, false
	for !acked || !done {
		f := c.next()
		if f.SessionID != "s1" {
			t.Fatalf("no session id: %s", f.raw)
		}
		switch p := f.payload.(type) {
		case *protocol.Ack:
			if !p.OK || p.InReplyTo != "m1" || p.MessageID != protocol.MessageID(2) {
				t.Fatalf("ack: %s", f.raw)
			}
			if len(types) < 4 {
				t.Errorf("the ack came before the records it speaks of: after %v", types)
			}
			acked = true
		case *protocol.Delta:
			text += p.Delta
		default:
			types = append(types, f.Type)
		}
		done = done || f.Type == protocol.TypeComplete
	}
	if text != "hello world" {
		t.Errorf("text %q, %v", text, types)
	}
}

func TestTwoClientsSeeTheSame(t *testing.T) {
	h := build(t, plan{})
	a, b := h.dial(t, "s1", "client_id=a"), h.dial(t, "s1", "client_id=b")
	for _, c := range []*client{a, b} { // both are in before anything happens
		want[protocol.SessionState](c, protocol.TypeSessionState)
	}
	a.tell("", "hi") // without an id there is no ack
	var seen [2][]string
	for i, c := range []*client{a, b} {
		for {
			f := c.next()
			if f.Type == protocol.TypeAck {
				t.Errorf("an ack to a message without an id: %s", f.raw)
			}
			if f.MessageID != "" {
				seen[i] = append(seen[i], string(f.raw))
			}
			if f.Type == protocol.TypeComplete {
				break
			}
		}
	}
	if d := cmp.Diff(seen[0], seen[1]); d != "" {
		t.Error(d)
	}
}

func TestMessageActsOnceHoweverOftenItIsSent(t *testing.T) {
	h := build(t, plan{})
	c := h.dial(t, "s1", "client_id=a")
	c.tell("m1", "hi")
	first := c.until(protocol.TypeAck).payload.(*protocol.Ack)
	c.CloseNow()
	c = h.dial(t, "s1", "client_id=a")
	c.tell("m1", "hi")
	again := c.until(protocol.TypeAck).payload.(*protocol.Ack)
	if !cmp.Equal(again, first) || !again.OK {
		t.Errorf("acks %+v and %+v", first, again)
	}
	c.tell("m1", "something else")
	if other := c.until(protocol.TypeAck).payload.(*protocol.Ack); other.OK || other.Error.Code != protocol.CodeInvalidMessage {
		t.Errorf("the same id with other content: %+v", other)
	}
	if e := c.until(protocol.TypeError).payload.(*protocol.Error); e.InReplyTo != "m1" {
		t.Errorf("error %+v", e)
	}
}

// TestResumeEqualsHavingStayed lets one client stay and another leave at random
// points while answers are streamed, and compares what they have in the end.
func TestResumeEqualsHavingStayed(t *testing.T) {
	const turns, pieces = 6, 400
	h := build(t, plan{runner: func(ctx context.Context, w *engine.Work) {
		sayFrom(ctx, w, func(yield func(string) bool) {
			for i := range pieces {
				if !yield(fmt.Sprintf("%d→%s ", i, strings.Repeat("é", i%7))) {
					return
				}
			}
		})
	}})
	stays := h.dial(t, "s1", "client_id=stays&resume_from=msg_0000000000")
	done := make(chan transcript, 1)
	go func() {
		var tr transcript
		completed := 0
		for completed < turns {
			f, err := stays.read()
			if err == nil {
				err = tr.add(f)
			}
			if err != nil {
				t.Error("the one that stays:", err)
				break
			}
			if f.Type == protocol.TypeComplete {
				completed++
			}
		}
		done <- tr
	}()
	for i := range turns {
		stays.tell("", fmt.Sprint("turn ", i))
	}
	random := rand.New(rand.NewPCG(1, 2))
	var leaves transcript
	visits := 0
	for completed := 0; completed < turns; visits++ {
		c := h.dial(t, "s1", "client_id=leaves&resume_from="+protocol.MessageID(uint64(len(leaves.records))))
		if f := c.next(); f.Type != protocol.TypeSessionState {
			t.Fatalf("first came %s", f.raw)
		} else if f.payload.(*protocol.SessionState).Resync {
			t.Fatal("resync for a known cursor")
		} else if err := leaves.add(f); err != nil {
			t.Fatal(err)
		}
		for range random.IntN(60) {
			f := c.next()
			if err := leaves.add(f); err != nil {
				t.Fatalf("visit %d: %v", visits, err)
			}
			if f.Type == protocol.TypeComplete {
				if completed++; completed == turns {
					break
				}
			}
		}
		c.CloseNow()
	}
	stayed := <-done
	t.Logf("%d records in %d visits", len(leaves.records), visits)
	if d := cmp.Diff(stayed.records, leaves.records); d != "" {
		t.Error(d)
	}
}

func TestUnknownCursorIsToldToForget(t *testing.T) {
	h := build(t, plan{})
	for _, cursor := range []string{"msg_0000000099", "nonsense", "msg_", "%ff%00"} {
		c := h.dial(t, "s1", "resume_from="+cursor)
		if state := want[protocol.SessionState](c, protocol.TypeSessionState); !state.Resync {
			t.Errorf("resume_from=%s: no resync", cursor)
		}
	}
}

func TestSameClientTakesOver(t *testing.T) {
	h := build(t, plan{})
	first := h.dial(t, "s1", "client_id=a")
	want[protocol.SessionState](first, protocol.TypeSessionState)
	other := h.dial(t, "s1", "client_id=b")
	want[protocol.SessionState](other, protocol.TypeSessionState)
	second := h.dial(t, "s1", "client_id=a")
	want[protocol.SessionState](second, protocol.TypeSessionState)
	first.wantClose(protocol.CloseTakenOver)
	second.tell("m", "hi")
	second.until(protocol.TypeAck)
	other.until(protocol.TypeComplete)
}

func TestDeletedSessionSendsItsClientsAway(t *testing.T) {
	h := build(t, plan{})
	c := h.dial(t, "s1", "")
	want[protocol.SessionState](c, protocol.TypeSessionState)
	if err := h.engine.Delete(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	c.wantClose(protocol.CloseDeleted)
	c = h.dial(t, "s1", "")
	c.wantError(protocol.CodeSessionExpired)
	c.wantClose(protocol.CloseDeleted)
}

func TestUnknownSessionIsMadeOnlyIfAsked(t *testing.T) {
	file, keys := accounts(t, "", "ann:owner")
	h := build(t, plan{auth: auth.Config{Mode: file}})
	c := h.dial(t, "s1", "", "X-API-Key", keys["ann"])
	c.wantError(protocol.CodeSessionNotFound)
	c.wantClose(protocol.CloseForbidden)
	c = h.dial(t, "s1", "create=true", "X-API-Key", keys["ann"])
	want[protocol.SessionState](c, protocol.TypeSessionState)
	c = h.dial(t, "s1", "", "X-API-Key", keys["ann"])
	want[protocol.SessionState](c, protocol.TypeSessionState)
}
