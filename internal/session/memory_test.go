package session_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

func accepted(scope, id string, seq uint64) protocol.Record {
	return protocol.Record{Seq: seq, Type: protocol.TypeQueueChanged, Time: start,
		Cause: &protocol.Cause{Scope: scope, MessageID: id, Digest: "d"}, Data: &protocol.QueueChanged{}}
}

// The newest 1,024 of a client are remembered, of the 64 newest clients.
func TestMemoryIsBounded(t *testing.T) {
	const scopes, each = 70, 1100
	var l session.Ledger
	seq := uint64(0)
	for s := range scopes {
		for i := range each {
			seq++
			l.Apply(accepted(fmt.Sprint("client ", s), fmt.Sprint(i), seq))
		}
	}
	if len(l.Keys) != 64 {
		t.Errorf("%d scopes are remembered", len(l.Keys))
	}
	for s := range scopes {
		scope := fmt.Sprint("client ", s)
		for _, i := range []int{0, each - 1025, each - 1024, each - 1} {
			at, seen, err := l.Seen(&protocol.Cause{Scope: scope, MessageID: fmt.Sprint(i), Digest: "d"})
			want := s >= scopes-64 && i >= each-1024
			if seen != want || err != nil || seen && at != uint64(s*each+i+1) {
				t.Fatalf("message %d of %s: seen %v at %d (%v), want %v", i, scope, seen, at, err, want)
			}
		}
	}
}

// To remember one more does not copy all the others.
func TestMemoryCostsLittle(t *testing.T) {
	var l session.Ledger
	seq := uint64(0)
	for range 4096 {
		seq++
		l.Apply(accepted("client", fmt.Sprint(seq), seq))
	}
	r := accepted("client", "id", 0)
	allocs := testing.AllocsPerRun(200, func() {
		seq++
		r.Seq = seq
		l.Apply(r)
	})
	if allocs >= 1 {
		t.Errorf("%v allocations for each message", allocs)
	}
}

// What is remembered survives a snapshot word for word, whatever an id holds.
func TestMemoryIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m session.Memory
		for i := range rapid.IntRange(0, 20).Draw(t, "entries") {
			id := rapid.StringMatching(`[ -~가-힣]{1,40}`).Draw(t, "id")
			m.Entries = append(m.Entries, session.Accepted{ID: id, Digest: fmt.Sprintf("%016x", i), Seq: uint64(i + 1)})
		}
		raw, err := json.Marshal(map[string]session.Memory{"scope": m})
		if err != nil {
			t.Fatal(err)
		}
		var back map[string]session.Memory
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, back["scope"]); diff != "" {
			t.Fatal(diff)
		}
	})
}
