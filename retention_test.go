package parley

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/parley-dev/parley/internal/index"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// The janitor removes what is beyond the limits, and nothing that is pinned.
func TestRetain(t *testing.T) {
	s, err := New(Options{Data: t.TempDir(), Model: "offline", Retention: Retention{Count: 2, Age: 48 * time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	me := session.Actor{User: "local"}
	for i := range 5 {
		if _, err := s.engine.Create(t.Context(), fmt.Sprint("s", i), protocol.SessionCreated{Owner: "local"}, me, nil); err != nil {
			t.Fatal(err)
		}
		nextMilli()
	}
	yes := true
	pin := session.Command{Type: protocol.TypeUpdateSession, Data: &protocol.UpdateSession{Pinned: &yes}, By: me}
	if _, err := s.engine.Do(t.Context(), "s0", pin); err != nil {
		t.Fatal(err)
	}
	left := func() string {
		t.Helper()
		page, err := s.index.List(t.Context(), index.Query{Sort: index.SortCreated, Order: index.Ascending})
		if err != nil {
			t.Fatal(err)
		}
		var ids string
		for _, i := range page.Items {
			ids += i.SessionID + " "
		}
		return ids
	}
	s.retain(t.Context(), time.Now())
	if got := left(); got != "s0 s4 " { // the pinned one changed last
		t.Errorf("left are %s", got)
	}
	s.retain(t.Context(), time.Now().Add(47*time.Hour))
	if got := left(); got != "s0 s4 " {
		t.Errorf("after two days less an hour: %s", got)
	}
	s.retain(t.Context(), time.Now().Add(49*time.Hour))
	if got := left(); got != "s0 " {
		t.Errorf("after two days: %s", got)
	}
	if _, err := s.engine.State(t.Context(), "s4"); err == nil {
		t.Error("s4 is still there")
	}
}

// nextMilli waits until the clock shows another millisecond: what changes then is
// newer in a list.
func nextMilli() {
	for now := time.Now().UnixMilli(); time.Now().UnixMilli() == now; {
		runtime.Gosched()
	}
}
