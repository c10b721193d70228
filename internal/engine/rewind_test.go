package engine_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

var ann = session.Actor{User: "ann"}

func (h *house) move(t testing.TB, id string, m session.Move) protocol.RewindResult {
	t.Helper()
	told, _, err := h.Rewind(context.Background(), id, session.Command{Type: session.MoveHead, Data: &m, By: ann}, engine.RewindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return told
}

// talked is a session in which these things were said and answered.
func talked(t testing.TB, h *house, id string, words ...string) {
	t.Helper()
	h.create(t, id)
	v := h.attach(t, id, "")
	for _, w := range words {
		h.send(t, id, w, "")
		v.until(t, protocol.TypeComplete)
	}
	v.sub.Close()
}

// sees reads until these came one after the other, and gives the last.
func (v *viewer) sees(t testing.TB, want ...protocol.Type) any {
	t.Helper()
	for at, i := 0, 0; ; {
		for ; i < len(v.frames); i++ {
			if v.frames[i].Type != want[at] {
				continue
			}
			if at++; at == len(want) {
				return v.data[i]
			}
		}
		v.until(t, want[at])
	}
}

func (h *house) stateOf(t testing.TB, id string) string {
	t.Helper()
	s, err := h.State(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(s)
	return string(raw)
}

func TestRewindIsSeenByAll(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir, runner{say("fine")})
	talked(t, h, "s", "one", "two", "three")
	ctx := context.Background()
	second := 1
	seq, err := h.Locate(ctx, "s", nil, &second)
	if err != nil {
		t.Fatal(err)
	}
	a, b := h.attach(t, "s", ""), h.attach(t, "s", "")
	m := session.Move{Head: seq}
	told, _, err := h.Rewind(ctx, "s", session.Command{Type: session.MoveHead, Data: &m}, engine.RewindOptions{Preview: true})
	if err != nil || told.MessagesHidden != 4 || told.RewindID != "" || told.Status != protocol.StatusPaused {
		t.Errorf("preview: %+v (%v)", told, err)
	}
	if told := h.move(t, "s", m); told.MessagesHidden != 4 || told.RewindID == "" {
		t.Errorf("rewound: %+v", told)
	}
	for _, v := range []*viewer{a, b} {
		state := v.sees(t, protocol.TypeRewound, protocol.TypeSessionState).(*protocol.SessionState)
		if state.Status != protocol.StatusPaused {
			t.Errorf("the session is %s", state.Status)
		}
		v.sub.Close()
	}
	// A cursor into what is hidden now: every record, and then a fresh state.
	late := h.attach(t, "s", protocol.MessageID(seq+1))
	late.sees(t, protocol.TypeRewound, protocol.TypeSessionState)
	late.sub.Close()
	want := h.stateOf(t, "s")
	h.close(t)
	h = open(t, dir, runner{say("fine")})
	defer h.close(t)
	if diff := cmp.Diff(want, h.stateOf(t, "s")); diff != "" {
		t.Errorf("after a restart (-before +after):\n%s", diff)
	}
	undo, _, err := h.Undo(ctx, "s", "")
	if err != nil {
		t.Fatal(err)
	}
	if told := h.move(t, "s", *undo); told.MessagesShown != 4 || told.MessagesHidden != 0 || told.Status != protocol.StatusIdle {
		t.Errorf("undone: %+v", told)
	}
	branches, err := h.Branches(ctx, "s")
	if err != nil || len(branches) != 1 || !branches[0].Current || branches[0].Words != "three" {
		t.Errorf("branches %+v (%v)", branches, err)
	}
}

func TestBranchesCanBeReturnedTo(t *testing.T) {
	h := open(t, t.TempDir(), runner{say("fine")})
	defer h.close(t)
	talked(t, h, "s", "one")
	ctx := context.Background()
	h.move(t, "s", session.Move{Head: 1, Again: &protocol.UserMessage{Content: "another"}})
	v := h.attach(t, "s", protocol.MessageID(1))
	v.sees(t, protocol.TypeRewound, protocol.TypeComplete)
	v.sub.Close()
	branches, err := h.Branches(ctx, "s")
	if err != nil || len(branches) != 2 || branches[0].Current || !branches[1].Current || branches[0].Words != "one" || branches[1].Words != "another" {
		t.Fatalf("branches %+v (%v)", branches, err)
	}
	head, _ := protocol.ParseMessageID(branches[0].Head)
	h.move(t, "s", session.Move{Head: head})
	again, err := h.Branches(ctx, "s")
	if err != nil || len(again) != 2 || !again[0].Current || again[1].Current || again[1].LeftBy == "" {
		t.Errorf("branches %+v (%v)", again, err)
	}
}

// Words that start a turn go with it: the session is idle, not paused in a turn
// that has nothing to work on.
func TestBefore(t *testing.T) {
	h := open(t, t.TempDir(), runner{say("fine")})
	defer h.close(t)
	talked(t, h, "s", "one", "two")
	ctx := context.Background()
	for index, want := range []protocol.Status{protocol.StatusIdle, protocol.StatusPaused, protocol.StatusIdle} {
		seq, err := h.Locate(ctx, "s", nil, &index)
		if err != nil {
			t.Fatal(err)
		}
		head, err := h.Before(ctx, "s", seq)
		if err != nil {
			t.Fatal(err)
		}
		told, _, err := h.Rewind(ctx, "s", session.Command{Type: session.MoveHead, Data: &session.Move{Head: head, Seen: seq}}, engine.RewindOptions{Preview: true})
		if err != nil || told.Status != want || told.MessagesHidden != 4-index {
			t.Errorf("message %d: %+v (%v), want %s", index, told, err, want)
		}
	}
	for _, bad := range []int{-1, 4} {
		if _, err := h.Locate(ctx, "s", nil, &bad); protocol.AsError(err).Code != protocol.CodeInvalidMessage {
			t.Errorf("index %d: %v", bad, err)
		}
	}
	between := int64(7)
	if _, err := h.Locate(ctx, "s", &between, nil); protocol.AsError(err).Code != protocol.CodeInvalidMessage {
		t.Errorf("ts between messages: %v", err)
	}
}

// Many rewinds at once: each is done whole or refused, and what is live is what
// is stored.
func TestRewindsAtOnce(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir, runner{say("fine")})
	talked(t, h, "s", "one", "two", "three", "four")
	ctx := context.Background()
	var wg sync.WaitGroup
	for i := range 8 {
		index := i % 7
		wg.Go(func() {
			seq, err := h.Locate(ctx, "s", nil, &index)
			if err != nil {
				return // someone was faster
			}
			_, _, _ = h.Rewind(ctx, "s", session.Command{Type: session.MoveHead, Data: &session.Move{Head: seq, Seen: seq}}, engine.RewindOptions{})
		})
	}
	wg.Wait()
	want := h.stateOf(t, "s")
	h.close(t)
	h = open(t, dir, runner{say("fine")})
	defer h.close(t)
	if diff := cmp.Diff(want, h.stateOf(t, "s")); diff != "" {
		t.Errorf("after a restart (-before +after):\n%s", diff)
	}
}

// A resent rewind is answered, not done again.
func TestRewindActsOnce(t *testing.T) {
	h := open(t, t.TempDir(), runner{say("fine")})
	defer h.close(t)
	talked(t, h, "s", "one", "two")
	c := session.Command{Type: session.MoveHead, Data: &session.Move{Head: 1}, Cause: &protocol.Cause{Scope: "s", MessageID: "m", Digest: "d"}}
	first, r1, err := h.Rewind(context.Background(), "s", c, engine.RewindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	again, r2, err := h.Rewind(context.Background(), "s", c, engine.RewindOptions{})
	if err != nil || !r2.Repeated || r1.First != r2.First || first.RewindID != again.RewindID || first.MessagesHidden != again.MessagesHidden {
		t.Errorf("first %+v, again %+v (%v)", first, again, err)
	}
}

func TestFork(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir, runner{say("fine")})
	ctx := context.Background()
	talked(t, h, "s", "one", "two")
	index := 1
	at, err := h.Locate(ctx, "s", nil, &index)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Fork(ctx, "s", at, "f", protocol.Forked{Owner: "bob", Title: "mine"}, session.Actor{User: "bob"}); err != nil {
		t.Fatal(err)
	}
	s, err := h.State(ctx, "f")
	if err != nil || s.Owner != "bob" || s.Title != "mine" || s.ForkedFrom != "s" || s.Status != protocol.StatusPaused || s.Usage != (protocol.Usage{}) {
		t.Errorf("the fork is %+v (%v)", s, err)
	}
	for name, err := range map[string]error{
		"an id that exists":     h.Fork(ctx, "s", at, "f", protocol.Forked{Owner: "bob"}, ann),
		"a record that is not":  h.Fork(ctx, "s", 10_000, "g", protocol.Forked{Owner: "bob"}, ann),
		"a session that is not": h.Fork(ctx, "nobody", 1, "g", protocol.Forked{Owner: "bob"}, ann),
		"an id that cannot be":  h.Fork(ctx, "s", at, "a/b", protocol.Forked{Owner: "bob"}, ann),
	} {
		if err == nil {
			t.Errorf("forking to or from %s was allowed", name)
		}
	}
	want := h.stateOf(t, "f")
	if err := h.Delete(ctx, "s"); err != nil {
		t.Fatal(err)
	}
	h.close(t)
	h = open(t, dir, runner{say("fine")})
	defer h.close(t)
	if diff := cmp.Diff(want, h.stateOf(t, "f")); diff != "" {
		t.Errorf("once the other is deleted (-before +after):\n%s", diff)
	}
	v := h.attach(t, "f", "")
	if _, err := h.Do(ctx, "f", session.Command{Type: protocol.TypeControlCancel, Data: &protocol.ControlCancel{}, By: ann}); err != nil {
		t.Fatal(err)
	}
	h.send(t, "f", "go on", "")
	v.until(t, protocol.TypeComplete)
	v.sub.Close()
}
