package engine_test

import (
	"context"
	"testing"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/protocol"
)

// story is what a journal tells of one session.
type story struct {
	frames    []string
	said      []string // by people
	answers   []string // whole ones
	turns     map[string]int
	completed int
}

// tell reads a session from the store and checks what must hold of any: its
// numbers are dense, every turn and every call ends once, and no open message
// is closed twice or left behind.
func tell(t testing.TB, store engine.Store, id string) story {
	t.Helper()
	ctx := context.Background()
	page, err := store.Read(ctx, id, 0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	s := story{turns: map[string]int{}}
	closed, calls := map[string]bool{}, map[string]int{}
	for i, r := range page {
		record, err := protocol.DecodeRecord(r.Frame)
		if err != nil {
			t.Fatal(err)
		}
		if r.Seq != uint64(i+1) || record.Seq != r.Seq {
			t.Fatalf("%s: record %d is numbered %d, and calls itself %d", id, i+1, r.Seq, record.Seq)
		}
		s.frames = append(s.frames, string(protocol.WithSession(r.Frame, id)))
		switch d := record.Data.(type) {
		case *protocol.TurnStarted:
			s.turns[d.TurnID]++
		case *protocol.Complete:
			s.turns[d.TurnID]--
			s.completed++
		case *protocol.Failed:
			s.turns[d.TurnID]--
		case *protocol.ModelStarted:
			calls[record.ID()]++
		case *protocol.ModelCompleted:
			calls[d.Call]--
		case *protocol.MessageRecord:
			if d.OpenID != "" && closed[d.OpenID] {
				t.Errorf("%s: message %s is there twice", id, d.OpenID)
			}
			closed[d.OpenID] = true
			switch {
			case d.Role == protocol.RoleUser:
				s.said = append(s.said, d.Message.Text)
			case d.Role == protocol.RoleAssistant && d.Message.Say == protocol.SayText && !d.Message.Partial:
				s.answers = append(s.answers, d.Message.Text)
			}
		}
	}
	for turn, open := range s.turns {
		if open != 0 {
			t.Errorf("%s: %s is %d times open", id, turn, open)
		}
	}
	for call, open := range calls {
		if open != 0 {
			t.Errorf("%s: call %s is %d times open", id, call, open)
		}
	}
	if parts, err := store.Parts(ctx, id); err != nil || len(parts) != 0 {
		t.Errorf("%s: %d parts are left (%v)", id, len(parts), err)
	}
	return s
}

// types lists what an append brings.
func types(t testing.TB, a journal.Append) []protocol.Type {
	t.Helper()
	var list []protocol.Type
	for _, r := range a.Records {
		record, err := protocol.DecodeRecord(r.Frame)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, record.Type)
	}
	return list
}
