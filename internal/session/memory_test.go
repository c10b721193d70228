package session_test

import (
	"fmt"
	"testing"

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
