package index

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-dev/parley/internal/branch"
	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/protocol"
)

// visible gives the records of a session that no rewind has hidden.
func visible(m *memory, session string) []protocol.Record {
	var records []protocol.Record
	var moves branch.Tree
	last := uint64(0)
	for _, e := range m.entries {
		if e.Session != session {
			continue
		}
		r, err := protocol.DecodeRecord(e.Frame)
		if err != nil {
			panic(err)
		}
		if d, ok := r.Data.(*protocol.Rewound); ok {
			head, _ := protocol.ParseMessageID(d.Head)
			moves = append(moves, branch.Move{Seq: r.Seq, Head: head})
		}
		records, last = append(records, r), r.Seq
	}
	path := moves.Path(last)
	var seen []protocol.Record
	for _, r := range records {
		if path.Contains(r.Seq) {
			seen = append(seen, r)
		}
	}
	return seen
}

// naive folds a view from its records.
func naive(records []protocol.Record, v View) any {
	ui, store := history.NewUI(history.Page{}), history.NewStore(history.Page{})
	for _, r := range records {
		ui.Add(r)
		store.Add(r)
	}
	if v == UI {
		return ui.Items()
	}
	return store.Items()
}

// anyOf is a value as JSON shows it.
func anyOf(t rapid.TB, value any) []any {
	b, ok := value.([]byte)
	if !ok {
		var err error
		if b, err = json.Marshal(value); err != nil {
			t.Fatal(err)
		}
	}
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.UseNumber()
	var list []any
	if err := d.Decode(&list); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return list
}

// happen lets something happen that a view tells, or hides.
func happen(t *rapid.T, m *memory, id string, ids []string) {
	last := m.last[id]
	if last == 0 {
		return // a fork that is not made yet
	}
	text := rapid.SampledFrom([]string{"", "plain", "a \"quote\" and \\ and\nlines\t\x01", "한국어 <b>&amp;</b>", "\u2028"}).Draw(t, "text")
	role := rapid.SampledFrom([]protocol.Role{protocol.RoleUser, protocol.RoleAssistant, protocol.RoleSystem, ""}).Draw(t, "role")
	say := rapid.SampledFrom([]protocol.Say{protocol.SayText, protocol.SayReasoning, protocol.SayError}).Draw(t, "say")
	message := protocol.MessageRecord{Action: protocol.MessageCreated, Role: role, TurnID: "turn_1", Message: protocol.Message{
		Ts: int64(last+1) * 10, Type: protocol.KindSay, Say: say, Text: text,
	}}
	request := protocol.ID(protocol.RequestPrefix, rapid.Uint64Range(1, 4).Draw(t, "request"))
	call := protocol.ID("call_", rapid.Uint64Range(0, 4).Draw(t, "call"))
	if call == protocol.ID("call_", 0) {
		call = ""
	}
	switch rapid.IntRange(0, 20).Draw(t, "happens") {
	case 0, 1, 2:
		m.put(id, protocol.TypeMessage, &message)
	case 3:
		message.Message.TextBlob = &protocol.BlobRef{Hash: "h", Size: 70_000}
		m.put(id, protocol.TypeMessage, &message)
	case 4, 5:
		message.Action = protocol.MessageUpdated
		message.Message.Ts = 10 * rapid.Int64Range(1, int64(last)+1).Draw(t, "ts")
		m.put(id, protocol.TypeMessage, &message)
	case 6, 7:
		m.put(id, protocol.TypeToolStarted, &protocol.ToolStarted{
			CallID: call, Tool: "Bash", TodoID: rapid.SampledFrom([]string{"", "t"}).Draw(t, "todo"),
			Input: json.RawMessage(rapid.SampledFrom([]string{"", `{"command":"a\nb","n":12345678901234567890}`}).Draw(t, "input")),
		})
	case 8, 9:
		again := rapid.IntRange(0, 4).Draw(t, "again") == 0
		m.put(id, protocol.TypeToolCompleted, &protocol.ToolCompleted{CallID: call, Tool: "other", OK: true, Output: text, Retry: again})
	case 10:
		m.put(id, protocol.TypeComplete, &protocol.Complete{Statistics: protocol.Statistics{ExecutionTimeMS: int64(last)}})
	case 11, 12: // an undo is a rewind to before a rewind
		head := rapid.Uint64Range(0, last).Draw(t, "head")
		m.put(id, protocol.TypeRewound, &protocol.Rewound{RewindID: "r", Head: protocol.MessageID(head)})
	case 13:
		head := rapid.Uint64Range(last-min(last, 3), last).Draw(t, "head")
		m.put(id, protocol.TypeRewound, &protocol.Rewound{RewindID: "r", Head: protocol.MessageID(head)})
	case 14:
		if m.last[ids[1]] == 0 {
			m.fork(id, rapid.Uint64Range(1, last).Draw(t, "upto"), ids[1], "ann")
		}
	case 15, 16: // asked, or asked anew
		message.Message.Type, message.Message.Say, message.Message.Ask = protocol.KindAsk, "", protocol.AskFollowup
		message.RequestID = request
		if rapid.Bool().Draw(t, "anew") {
			message.Action, message.Message.Ts = protocol.MessageUpdated, 10*rapid.Int64Range(1, int64(last)+1).Draw(t, "ts")
		}
		m.put(id, protocol.TypeMessage, &message)
	case 19:
		m.put(id, protocol.TypeModelCompleted, &protocol.ModelCompleted{ToolCalls: []protocol.ToolCall{
			{CallID: call, Tool: "Bash", Input: json.RawMessage(fmt.Sprintf(`{"command":"run %d"}`, last))}, {CallID: "call_9", Tool: "x"},
		}})
	case 20:
		m.put(id, protocol.TypePlanGenerated, &protocol.PlanGenerated{Todos: []protocol.Todo{
			{ID: "t", Tool: "Read", Input: json.RawMessage(fmt.Sprintf(`{"path":"%d","n":12345678901234567890}`, last))},
		}})
	case 17, 18:
		m.put(id, protocol.TypeHitlResolved, &protocol.HitlResolved{RequestID: request, Action: "answer", By: "bob"})
	}
}

// Whatever was said, updated, rewound, undone and forked: every page of every
// view is a part of the fold of the visible records.
func TestLinesAreTheFold(t *testing.T) {
	m := newMemory()
	ix := open(t, path(t), m)
	checks := 0
	rapid.Check(t, func(rt *rapid.T) {
		checks++ // each has sessions of its own in the one index
		ids := []string{fmt.Sprint("a", checks), fmt.Sprint("b", checks)}
		m.create(ids[0], "ann", "x")
		for range rapid.IntRange(1, 3).Draw(rt, "rounds") {
			for range rapid.IntRange(1, 25).Draw(rt, "acts") {
				happen(rt, m, rapid.SampledFrom(ids).Draw(rt, "session"), ids)
			}
			if rapid.Bool().Draw(rt, "forget") {
				if err := ix.CatchUp(rt.Context()); err != nil {
					rt.Fatal(err)
				}
				ix.mu.RLock()
				clear(ix.cache)
				ix.mu.RUnlock()
			}
			for _, id := range ids {
				if m.last[id] > 0 {
					comparePages(rt, ix, m, id)
					compareAddresses(rt, ix, m, id)
				}
			}
		}
	})
}

// An undo brings back the versions that were hidden, each in its place.
func TestUndoBringsVersionsBack(t *testing.T) {
	m := newMemory()
	m.create("a", "ann", "")
	m.message("a", 1, protocol.MessageCreated, "first") // record 2
	m.put("a", protocol.TypeToolStarted, &protocol.ToolStarted{CallID: "call_1", Tool: "x"})
	m.message("a", 1, protocol.MessageUpdated, "second")
	m.put("a", protocol.TypeToolCompleted, &protocol.ToolCompleted{CallID: "call_1", OK: true})
	m.message("a", 1, protocol.MessageUpdated, "third")
	ix := open(t, path(t), m)
	for _, step := range []struct {
		head uint64
		want string
	}{
		{6, "third tool_complete"}, {4, "second tool_start"}, {3, "first tool_start"}, {6, "third tool_complete"},
		{2, "first"}, {5, "second tool_complete"}, {0, ""}, {6, "third tool_complete"},
	} {
		m.put("a", protocol.TypeRewound, &protocol.Rewound{RewindID: "r", Head: protocol.MessageID(step.head)})
		page, err := ix.Lines(t.Context(), "a", Store, Range{Limit: 9}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var lines []struct{ Type, Content string }
		if err := json.Unmarshal([]byte(page.Items), &lines); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range lines {
			got = append(got, cmp.Or(l.Content, l.Type))
		}
		check(t, fmt.Sprint("at ", step.head), strings.Join(got, " "), step.want)
	}
}

func comparePages(t *rapid.T, ix *Index, m *memory, id string) {
	records := visible(m, id)
	for _, v := range views() {
		want := anyOf(t, naive(records, v))
		total := len(want)
		r := Range{
			Offset: rapid.IntRange(0, len(want)+2).Draw(t, "offset"), Limit: rapid.IntRange(1, len(want)+2).Draw(t, "limit"),
			Tail: rapid.Bool().Draw(t, "tail"),
		}
		part := want[min(r.Offset, len(want)):min(r.Offset+r.Limit, len(want))]
		if r.Tail {
			end := max(0, len(want)-r.Offset)
			part = want[max(0, end-r.Limit):end]
		}
		for want, r := range map[*[]any]Range{&want: {Limit: len(want) + 1}, &part: r} {
			page, err := ix.Lines(t.Context(), id, v, r, nil)
			if err != nil || page.Total != total {
				t.Fatalf("%s of %s: %d lines, not %d (%v)", v, id, page.Total, total, err)
			}
			got := anyOf(t, []byte(page.Items))
			if len(*want) == 0 && len(got) == 0 {
				continue
			}
			if !reflect.DeepEqual(*want, got) {
				t.Fatalf("%s of %s, %+v (- fold, + lines):\n%s", v, id, r, gocmp.Diff(*want, got))
			}
		}
	}
}

func compareAddresses(t *rapid.T, ix *Index, m *memory, id string) {
	messages := naive(visible(m, id), UI).([]history.Message)
	if len(messages) > 0 {
		i := rapid.IntRange(0, len(messages)-1).Draw(t, "message")
		msg := messages[i]
		for _, a := range []Address{ByIndex(i), ByIndex(i - len(messages)), ByTs(msg.Ts)} {
			seq, err := ix.Message(t.Context(), id, a)
			if err != nil || protocol.MessageID(seq) != msg.MessageID {
				t.Fatalf("message %d of %s at %+v: %d, %v, want %s", i, id, a, seq, err, msg.MessageID)
			}
		}
	}
	seq := rapid.Uint64Range(0, m.last[id]+1).Draw(t, "after")
	want := 0
	for _, msg := range messages {
		if first, _ := protocol.ParseMessageID(msg.MessageID); first > seq {
			want++
		}
	}
	if got, err := ix.MessagesAfter(t.Context(), id, seq); err != nil || got != want {
		t.Fatalf("%d messages after record %d of %s, want %d (%v)", got, seq, id, want, err)
	}
}

// Who may not read a session is told so before anything is read.
func TestLinesAreRefused(t *testing.T) {
	m := newMemory()
	m.create("a", "ann", "")
	m.say("a", "secret")
	ix := open(t, path(t), m)
	no := protocol.Errorf(protocol.CodeForbidden, "not you")
	page, err := ix.Lines(t.Context(), "a", UI, Range{Limit: 9}, func(owner string) error {
		check(t, "owner", owner, "ann")
		return no
	})
	if err != no || page.Items != "" || page.Total != 0 {
		t.Errorf("got %s, %d, %v", page.Items, page.Total, err)
	}
}

func TestAddressesThatAreNot(t *testing.T) {
	m := newMemory()
	m.create("a", "ann", "")
	m.say("a", "one")
	m.say("a", "two")
	m.put("a", protocol.TypeRewound, &protocol.Rewound{RewindID: "r", Head: protocol.MessageID(2)})
	ix := open(t, path(t), m)
	for a, want := range map[Address]string{
		ByIndex(1): "index out of range", ByIndex(-2): "index out of range", ByTs(3): "no message has exactly this ts", ByTs(1): "no message has exactly this ts",
	} {
		_, err := ix.Message(t.Context(), "a", a)
		var e *protocol.Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, want) {
			t.Errorf("%+v: %v", a, err)
		}
	}
	if _, err := ix.Message(t.Context(), "nobody", ByIndex(0)); !errors.Is(err, ErrUnsure) {
		t.Errorf("a session that is not there: %v", err)
	}
}

// Of a session with a record that cannot be read the index says that it does
// not know, and of the others what it knows.
func TestLinesWithHoles(t *testing.T) {
	for name, spoil := range map[string]func(m *memory){
		"damaged": func(m *memory) { m.damaged[m.say("a", "lost").Position] = true },
		"of a newer version": func(m *memory) {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.putFrame("a", []byte(`{"type":"from_the_future","message_id":"msg_0000000003"}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMemory()
			m.create("a", "ann", "")
			m.say("a", "one")
			spoil(m)
			m.say("a", "three")
			m.create("b", "ann", "")
			m.say("b", "here")
			file := path(t)
			for range 2 { // and it is remembered
				ix := open(t, file, m)
				if page, err := ix.Lines(t.Context(), "a", Store, Range{Limit: 9}, nil); !errors.Is(err, ErrUnsure) {
					t.Errorf("got %s, %v", page.Items, err)
				}
				if page, err := ix.Lines(t.Context(), "b", Store, Range{Limit: 9}, nil); err != nil || page.Total != 1 {
					t.Errorf("got %s, %v", page.Items, err)
				}
				if err := ix.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// While the index is behind it does not pretend to know.
func TestLinesWhileBehind(t *testing.T) {
	m := newMemory()
	m.create("a", "ann", "")
	stuck, free := make(chan struct{}), make(chan struct{})
	ix := open(t, path(t), m)
	if err := ix.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.mu.Lock()
	m.before = func(int64) error {
		select {
		case stuck <- struct{}{}:
			<-free
		case <-free:
		}
		return nil
	}
	m.mu.Unlock()
	m.say("a", "not folded yet")
	ix.Poke()
	<-stuck
	ix.wait = time.Millisecond
	if page, err := ix.Lines(t.Context(), "a", UI, Range{Limit: 9}, nil); !errors.Is(err, ErrUnsure) {
		t.Errorf("got %s, %v", page.Items, err)
	}
	close(free)
	ix.wait = time.Minute
	if page, err := ix.Lines(t.Context(), "a", UI, Range{Limit: 9}, nil); err != nil || page.Total != 1 {
		t.Errorf("got %s, %v", page.Items, err)
	}
}

// A rewind costs what it moves: the queries go by an index, never through all.
func TestQueriesUseTheirIndexes(t *testing.T) {
	m := newMemory()
	ix := open(t, path(t), m)
	list(t, ix, Query{})
	for query, want := range map[string]string{
		UI.sql(pageOfLines):   "USING INDEX facts_ui (session=? AND ui_n>?)",
		Store.sql(countLines): "USING INDEX facts_store (session=?)",
		UI.sql(newestByTs):    "USING INDEX facts_ts (session=? AND ts=?)",
		runningCall:           "USING INDEX facts_call (session=? AND call=?)",
		askedBy:               "USING INDEX facts_request (session=? AND request=?)",
		lastResult:            "USING INDEX facts_result (session=?)",
		messageByIndex:        "USING INDEX facts_ui (session=? AND ui_n=?)",
		messageByTs:           "USING INDEX facts_ts (session=? AND ts=?)",
	} {
		if got := plan(t, ix, query, slices.Repeat([]any{1}, strings.Count(query, "?"))); !strings.Contains(got, want) {
			t.Errorf("%s\n is answered by %s", query, got)
		}
	}
}

// BenchmarkLines reads 1,000 lines out of 10,000 and out of 100,000.
func BenchmarkLines(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		m := newMemory()
		m.create("a", "ann", "")
		text := strings.Repeat("It was looked at, put right and written down. ", 15)
		for i := range n {
			m.say("a", fmt.Sprint(text, i))
		}
		ix := open(b, path(b), m)
		if err := ix.CatchUp(b.Context()); err != nil {
			b.Fatal(err)
		}
		for _, v := range views() {
			b.Run(fmt.Sprint(v, "/of_", n), func(b *testing.B) {
				measure(b, func(i int) error {
					_, err := ix.Lines(b.Context(), "a", v, Range{Offset: i * 997 % (n - 1000), Limit: 1000}, nil)
					return err
				})
			})
		}
	}
}
