package index

import (
	"fmt"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/journal/sqlite"
	"github.com/parley-dev/parley/protocol"
)

// The whole way: records in a real journal, appended, forked and deleted while
// the index follows, then closed, reopened and built anew.
func TestWithJournal(t *testing.T) {
	dir := t.TempDir()
	j, err := sqlite.Open(sqlite.Options{Dir: dir, Holder: "a test"})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	ix := open(t, dir+"/index.db", j)

	last := make(map[string]uint64)
	record := func(session string, ty protocol.Type, data any) journal.Append {
		last[session]++
		frame, err := protocol.Record{Seq: last[session], Type: ty, Time: epoch.Add(time.Duration(last[session]) * time.Second), Data: data}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return journal.Append{Session: session, Expect: last[session] - 1, Records: []journal.Record{{Seq: last[session], Frame: frame}}}
	}
	put := func(session string, ty protocol.Type, data any) {
		t.Helper()
		if err := j.Append(t.Context(), record(session, ty, data)); err != nil {
			t.Fatal(err)
		}
		ix.Poke()
	}
	say := func(session, text string) {
		t.Helper()
		put(session, protocol.TypeMessage, &protocol.MessageRecord{
			Action: protocol.MessageCreated, Role: protocol.RoleUser,
			Message: protocol.Message{Ts: int64(last[session] + 1), Type: protocol.KindSay, Say: protocol.SayText, Text: text},
		})
	}
	for _, id := range []string{"a", "b", "c"} {
		put(id, protocol.TypeSessionCreated, &protocol.SessionCreated{Owner: "ann", Version: "1"})
		for i := range 10 {
			say(id, fmt.Sprintf("needle %d in session %s, 서울에서", i, id))
			if got := len(search(t, ix, SearchQuery{Q: "울에 needle", Session: id})); got != i+1 {
				t.Fatalf("%d of %d messages are found", got, i+1)
			}
		}
	}
	last["f"] = 4
	if err := j.Fork(t.Context(), "a", 4, record("f", protocol.TypeForked, &protocol.Forked{From: "a", Owner: "bob"})); err != nil {
		t.Fatal(err)
	}
	if err := j.Delete(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	check(t, "list", ids(list(t, ix, Query{})), "c a f")
	check(t, "the fork", hits(search(t, ix, SearchQuery{Q: "needle", Owners: []string{"bob"}})), "f/4 f/3 f/2")
	check(t, "the deleted one", hits(search(t, ix, SearchQuery{Q: "needle", Session: "b"})), "")

	want := dump(t, ix)
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir+"/index.db", j)
	check(t, "reopened", ids(list(t, again, Query{})), "c a f")
	other := open(t, dir+"/other.db", j)
	list(t, other, Query{})
	for name, got := range map[string]map[string][]string{"reopened": dump(t, again), "rebuilt": dump(t, other)} {
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}
