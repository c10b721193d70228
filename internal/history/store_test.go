package history_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/protocol"
)

var update = flag.Bool("update", false, "write the golden files")

// tape numbers and times records as a journal would.
type tape []protocol.Record

var noon = time.Date(2026, 2, 6, 12, 0, 0, 0, time.UTC)

func (t *tape) add(typ protocol.Type, data any) string {
	seq := uint64(len(*t) + 1)
	r := protocol.Record{Seq: seq, Type: typ, Time: noon.Add(time.Duration(seq) * time.Second), AgentID: "main-monitor-0", Data: data}
	*t = append(*t, r)
	return r.ID()
}

func (t *tape) say(role protocol.Role, say protocol.Say, text string) int64 {
	ts := noon.UnixMilli() + int64(len(*t)+1)*1000
	t.add(protocol.TypeMessage, &protocol.MessageRecord{
		Action: protocol.MessageCreated, Role: role,
		Message: protocol.Message{Ts: ts, Type: protocol.KindSay, Say: say, Text: text},
	})
	return ts
}

func (t *tape) ask(ask protocol.Ask, text string) {
	ts := noon.UnixMilli() + int64(len(*t)+1)*1000
	t.add(protocol.TypeMessage, &protocol.MessageRecord{
		Action: protocol.MessageCreated, Role: protocol.RoleAssistant,
		Message: protocol.Message{Ts: ts, Type: protocol.KindAsk, Ask: ask, Text: text},
	})
}

func (t *tape) tool(name, input string) string {
	call := protocol.ID("call_", uint64(len(*t)))
	t.add(protocol.TypeToolStarted, &protocol.ToolStarted{CallID: call, Tool: name, Input: json.RawMessage(input)})
	return call
}

func (t *tape) done(call, name, output, err string) {
	d := &protocol.ToolCompleted{CallID: call, Tool: name, OK: err == "", Output: output}
	if err != "" {
		d.Error = &protocol.TurnError{Code: "X", Message: err}
	}
	t.add(protocol.TypeToolCompleted, d)
}

func (t tape) store(p history.Page) *history.Store {
	s := history.NewStore(p)
	for _, r := range t {
		s.Add(r)
	}
	return s
}

func (t tape) ui(p history.Page) *history.UI {
	u := history.NewUI(p)
	for _, r := range t {
		u.Add(r)
	}
	return u
}

// story is a session with something of everything.
func story() tape {
	var t tape
	t.add(protocol.TypeSessionCreated, &protocol.SessionCreated{Owner: "local"})
	t.say(protocol.RoleUser, protocol.SayText, "Look at the files, please.")
	t.say(protocol.RoleAssistant, protocol.SayReasoning, "not for this list")
	read := t.tool("Read", `{"file_path":"/a/b.txt","offset":3}`)
	slow := t.tool("Bash", `{"command":"make all\nmake test","description":"Build","timeout":5}`)
	t.done(read, "Read", strings.Repeat("가", 600), "")
	t.tool("Grep", `{"pattern":"main","path":"src","output_mode":"content"}`)
	t.done(slow, "Bash", "", "exit status 2")
	other := t.tool("fetch_url", `{"url":"https://example.com/`+strings.Repeat("x", 400)+`","depth":2,"headers":{"a":"b"},"none":null}`)
	t.done(other, "fetch_url", "ok", "")
	t.done(t.tool("run_command", `{"command":"ls -l\ncat x","description":"List","cwd":"/tmp"}`), "run_command", "x", "")
	t.done(t.tool("read_file", `{"path":"go.mod","from":1}`), "read_file", "module x", "")
	t.done(t.tool("search_files", `{"pattern":"func","path":".","limit":9}`), "search_files", "", "")
	t.done(t.tool("odd", `["a","b"]`), "odd", "", "")
	t.ask(protocol.AskFollowup, "Which one?")
	t.ask(protocol.AskTool, "{}")
	t.say(protocol.RoleAssistant, protocol.SayText, "Here it is: <b>&amp;</b>")
	t.add(protocol.TypeComplete, &protocol.Complete{Statistics: protocol.Statistics{
		ExecutionTimeMS: 12_500, Usage: protocol.Usage{InputTokens: 1000, OutputTokens: 500},
	}})
	t.say(protocol.RoleUser, protocol.SayUserFeedback, "Again.")
	t.say(protocol.RoleSystem, protocol.SayError, "the model does not answer")
	t.add(protocol.TypeFailed, &protocol.Failed{Status: protocol.StatusFailed, Statistics: &protocol.Statistics{ExecutionTimeMS: 1}})
	t.add(protocol.TypeFailed, &protocol.Failed{Status: protocol.StatusCancelled})
	t.add(protocol.TypeMessage, &protocol.MessageRecord{
		Action: protocol.MessageCreated, Role: protocol.RoleUser,
		Message: protocol.Message{Ts: noon.UnixMilli() + 100_000, Type: protocol.KindSay, Say: protocol.SayUserFeedback, Text: "long",
			TextBlob: &protocol.BlobRef{Hash: "h", Size: 70_000}},
	})
	return t
}

func golden(t *testing.T, name string, value any) {
	t.Helper()
	got, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (go test -update writes it):\n%s", name, diff)
	}
}

func TestStoreGolden(t *testing.T) { golden(t, "store.json", story().store(history.Page{}).Items()) }

func TestUIGolden(t *testing.T) { golden(t, "ui.json", story().ui(history.Page{}).Items()) }

// The document's own example of a finished call, field by field.
func TestToolCompleteHasExactlyTheDocumentsFields(t *testing.T) {
	var tp tape
	tp.done(tp.tool("Read", `{"file_path":"/path/to/file"}`), "Read", "content", "")
	got, err := json.Marshal(tp.store(history.Page{}).Items())
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"role":"assistant","type":"tool_complete","toolName":"Read","toolInput":{"file_path":"/path/to/file"},` +
		`"success":true,"output":"content","error":null,"timestamp":1770379201000}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestOutputIsCutAtItsLimit(t *testing.T) {
	for _, c := range []struct {
		n    int
		want string
	}{
		{500, strings.Repeat("é", 500)},
		{501, strings.Repeat("é", 500) + "... (501 chars total)"},
	} {
		var tp tape
		tp.done(tp.tool("x", `{}`), "x", strings.Repeat("é", c.n), "")
		if got := tp.store(history.Page{}).Items()[0].(*history.ToolComplete).Output; got != c.want {
			t.Errorf("%d characters: got %q", c.n, got)
		}
	}
}

// Two calls of the same tool at once: each end finds its own start.
func TestCallsEndInAnyOrder(t *testing.T) {
	var tp tape
	a, b := tp.tool("x", `{"n":"a"}`), tp.tool("x", `{"n":"b"}`)
	tp.done(b, "x", "from b", "")
	tp.done(a, "x", "from a", "")
	items := tp.store(history.Page{}).Items()
	if len(items) != 2 {
		t.Fatalf("%d entries", len(items))
	}
	for i, want := range []string{"a", "b"} {
		e := items[i].(*history.ToolComplete)
		if e.ToolInput["n"] != want || e.Output != "from "+want {
			t.Errorf("entry %d is %+v", i, e)
		}
	}
}

// A call that a crash interrupted and that ran again is one entry: the one that
// it began with.
func TestAttemptsAreOneCall(t *testing.T) {
	var tp tape
	call := tp.tool("read_file", `{"path":"a"}`)
	tp.add(protocol.TypeToolCompleted, &protocol.ToolCompleted{CallID: call, Tool: "read_file", Retry: true, Output: "no result"})
	if e, ok := tp.store(history.Page{}).Items()[0].(*history.ToolStart); !ok {
		t.Fatalf("after an attempt that is no end: %+v", e)
	}
	tp.add(protocol.TypeToolStarted, &protocol.ToolStarted{CallID: call, Tool: "read_file", Input: json.RawMessage(`{"path":"a"}`), Attempt: 2})
	tp.done(call, "read_file", "at last", "")
	items := tp.store(history.Page{}).Items()
	if len(items) != 1 || items[0].(*history.ToolComplete).Output != "at last" {
		t.Fatalf("got %+v", items)
	}
	if got := items[0].(*history.ToolComplete).Timestamp; got != noon.Add(time.Second).UnixMilli() {
		t.Errorf("the entry has the time %d, not that of its beginning", got)
	}
}

// journal draws any journal of the records that the views look at.
func journal(rt *rapid.T) tape {
	var t tape
	var open []string
	var said []int64
	for range rapid.IntRange(0, 60).Draw(rt, "records") {
		switch rapid.IntRange(0, 6).Draw(rt, "kind") {
		case 0:
			said = append(said, t.say(protocol.RoleUser, protocol.SayText, rapid.String().Draw(rt, "text")))
		case 1:
			said = append(said, t.say(protocol.RoleAssistant, protocol.SayText, rapid.String().Draw(rt, "text")))
		case 2:
			if len(said) > 0 {
				ts := rapid.SampledFrom(said).Draw(rt, "ts")
				t.add(protocol.TypeMessage, &protocol.MessageRecord{
					Action: protocol.MessageUpdated, Role: protocol.RoleAssistant,
					Message: protocol.Message{Ts: ts, Type: protocol.KindSay, Say: protocol.SayText, Text: "new"},
				})
			}
		case 3:
			open = append(open, t.tool(rapid.SampledFrom([]string{"Read", "Bash", "x"}).Draw(rt, "tool"), `{"command":"a\nb"}`))
		case 4:
			if len(open) > 0 {
				i := rapid.IntRange(0, len(open)-1).Draw(rt, "call")
				t.done(open[i], "x", rapid.StringN(0, 700, -1).Draw(rt, "output"), "")
				open = append(open[:i], open[i+1:]...)
			}
		case 5:
			t.add(protocol.TypeComplete, &protocol.Complete{})
		case 6:
			t.add(protocol.TypeLayerStart, &protocol.LayerStart{})
		}
	}
	return t
}

// Whatever the page, it is that part of the whole, and the total is the same.
func TestPagesArePartsOfTheWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tp := journal(rt)
		p := history.Page{Offset: rapid.IntRange(0, 70).Draw(rt, "offset"), Limit: rapid.IntRange(1, 20).Draw(rt, "limit")}
		whole, part := tp.store(history.Page{}), tp.store(p)
		samePage(rt, p, whole.Items(), part.Items(), whole.Total(), part.Total())
		wholeUI, partUI := tp.ui(history.Page{}), tp.ui(p)
		samePage(rt, p, wholeUI.Items(), partUI.Items(), wholeUI.Total(), partUI.Total())
	})
}

func samePage[T any](rt *rapid.T, p history.Page, whole, part []T, total, partTotal int) {
	if total != len(whole) || partTotal != total {
		rt.Fatalf("totals %d and %d of %d entries", total, partTotal, len(whole))
	}
	from := min(p.Offset, len(whole))
	want := append([]T{}, whole[from:min(from+p.Limit, len(whole))]...)
	if diff := cmp.Diff(want, part); diff != "" {
		rt.Fatalf("page %+v differs:\n%s", p, diff)
	}
}

// Any prefix folds, outputs stay within bounds, and entries never disappear.
func TestPrefixesOnlyGrow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := history.NewStore(history.Page{})
		before := 0
		for _, r := range journal(rt) {
			s.Add(r)
			if s.Total() < before || s.Total() > before+1 {
				rt.Fatalf("%d entries after %d", s.Total(), before)
			}
			before = s.Total()
		}
		for _, e := range s.Items() {
			if c, ok := e.(*history.ToolComplete); ok && utf8.RuneCountInString(c.Output) > history.MaxOutputLength+40 {
				rt.Fatalf("output of %d characters", utf8.RuneCountInString(c.Output))
			}
		}
	})
}

// In a real session a call begins with a record that does not repeat its input.
func TestCallsOfARealSession(t *testing.T) {
	c := newCore(t)
	c.say(t, "look, then build")
	c.answers(t, "looking", readUse, runUse)
	c.runs(t, true, "a file")
	c.must(t, protocol.TypeHitlApprovalResponse, &protocol.HitlApprovalResponse{RequestID: c.asked(t), Action: "reject"})
	var got []string
	for _, e := range c.visible().store(history.Page{}).Items() {
		if e, ok := e.(*history.ToolComplete); ok {
			got = append(got, fmt.Sprintf("%s %v %v", e.ToolName, e.ToolInput, e.Success))
		}
	}
	if got, want := strings.Join(got, " "), "read_file map[path:a] true run_command map[command:make] false"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The input of a todo is its plan's, in the newest version.
func TestInputsOfTodos(t *testing.T) {
	todo := func(path string) []protocol.Todo {
		return []protocol.Todo{{ID: "a", Tool: "read_file", Input: json.RawMessage(`{"path":"` + path + `"}`)}}
	}
	var tp tape
	tp.add(protocol.TypePlanGenerated, &protocol.PlanGenerated{Todos: todo("old")})
	tp.add(protocol.TypePlanModified, &protocol.PlanModified{UpdatedTodos: todo("new")})
	tp.add(protocol.TypeToolStarted, &protocol.ToolStarted{CallID: "call_1", TodoID: "a", Tool: "read_file"})
	if got := tp.store(history.Page{}).Items()[0].(*history.ToolStart).ToolInput["path"]; got != "new" {
		t.Errorf("the input is %v", got)
	}
}
