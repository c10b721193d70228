package exchange_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-dev/parley/internal/exchange"
	"github.com/parley-dev/parley/protocol"
)

var update = flag.Bool("update", false, "write the golden files")

func TestYaarFolder(t *testing.T) {
	in := mustRead(t, exchange.Yaar, zipOf(t, folder(t, "yaar")...))
	all := records(t, in)
	want := `user: "Hello"
assistant: "Hi!"
assistant: u1 open_window {"id":"settings"}
user: u1 error=false "opened"
user: "Click Save"
`
	if got := said(heard(all)); got != want {
		t.Errorf("the model hears\n%s", got)
	}
	last := all[len(all)-1]
	if last.AgentID != "window-settings" || last.Data.(*protocol.MessageRecord).Message.Text != "Saved" {
		t.Errorf("the last record is %+v", last)
	}
	report := fmt.Sprint(in.Report.Problems)
	for _, want := range []string{"messages.jsonl:5: left out", `messages.jsonl:8: left out: there is no place here for an entry of type "action"`} {
		if !strings.Contains(report, want) {
			t.Errorf("the report does not say %q: %s", want, report)
		}
	}
}

func TestYaarThereAndBack(t *testing.T) {
	tp := talk()
	in := mustRead(t, exchange.Yaar, tp.export(t, exchange.Yaar))
	if got, want := lines(t, shown(records(t, in))), "Count the files.\nI look.\nThere are two.\n"; texts(got) != want {
		t.Errorf("shown:\n%s", texts(got))
	}
	if in.ID != "sess_1" || len(in.Report.Problems) > 0 {
		t.Errorf("%s %v", in.ID, in.Report.Problems)
	}
}

// texts gives the text of each line of lines.
func texts(all string) string {
	var b strings.Builder
	for line := range strings.Lines(all) {
		var m protocol.Message
		_ = json.Unmarshal([]byte(line), &m)
		b.WriteString(m.Text + "\n")
	}
	return b.String()
}

// talk is a short session with a tool call.
func talk() *tape {
	tp := newTape()
	tp.say(protocol.RoleUser, protocol.SayText, "Count the files.")
	tp.say(protocol.RoleAssistant, protocol.SayReasoning, "I look.")
	tp.done(tp.call(1)[0], true, "a\nb ``` c")
	tp.say(protocol.RoleAssistant, protocol.SayText, "There are two.")
	tp.add(protocol.TypeComplete, &protocol.Complete{Status: "success", Statistics: protocol.Statistics{
		ExecutionTimeMS: 12_500, Usage: protocol.Usage{InputTokens: 1000, OutputTokens: 500},
	}})
	return tp
}

func TestStoreThereAndBack(t *testing.T) {
	first := talk().export(t, exchange.Store)
	var file struct {
		SessionID string           `json:"sessionId"`
		Messages  []map[string]any `json:"messages"`
		UpdatedAt int64            `json:"updatedAt"`
	}
	if err := json.Unmarshal(first, &file); err != nil {
		t.Fatalf("%v: %s", err, first)
	}
	var types []string
	for _, m := range file.Messages {
		types = append(types, fmt.Sprint(m["role"], " ", m["type"]))
	}
	if got := strings.Join(types, ", "); !strings.Contains(got, "user text, ") || !strings.Contains(got, "assistant tool_complete, assistant text, system result") {
		t.Errorf("entries: %s", got)
	}
	if file.SessionID != "sess_1" || file.UpdatedAt == 0 {
		t.Errorf("file: %+v", file)
	}
	in := mustRead(t, exchange.Store, first)
	all := records(t, in)
	if in.ID != "sess_1" || len(in.Report.Problems) > 0 {
		t.Errorf("%s %v", in.ID, in.Report.Problems)
	}
	if got := texts(lines(t, shown(all))); got != "Count the files.\nThere are two.\n" {
		t.Errorf("shown:\n%s", got)
	}
}

// The message store's own document, entry by entry.
func TestStoreFile(t *testing.T) {
	in := mustRead(t, exchange.Store, []byte(`{"updatedAt":1706000000009,"messages":[
		{"role":"user","type":"text","content":"메시지","timestamp":1706000000000},
		{"role":"assistant","type":"tool_complete","toolName":"Read","toolInput":{"file_path":"/f"},"success":false,"output":"","error":"gone","timestamp":1706000000001},
		{"role":"assistant","type":"tool_start","toolName":"Bash","toolInput":{"command":"ls"},"timestamp":1706000000002},
		{"role":"robot","type":"text","content":"?","timestamp":1706000000003},
		{"role":"system","type":"error","content":"cut off","timestamp":1706000000004},
		{"role":"system","type":"result","duration":12.5,"inputTokens":1,"outputTokens":2,"timestamp":1706000000005}
	],"sessionId":"uuid-1"}`))
	var got []string
	for _, r := range records(t, in) {
		got = append(got, string(r.Type))
	}
	want := []string{"session_created", "message", "model_completed", "tool_started", "tool_completed", "model_completed", "tool_started", "message", "complete"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if in.ID != "uuid-1" || fmt.Sprint(in.Report.Problems) != `[file[3]: left out: there is no entry of role "robot" and type "text"]` {
		t.Errorf("%s: %v", in.ID, in.Report.Problems)
	}
	in = mustRead(t, exchange.Store, []byte(`{"sessionId":"s","messages":[{"role":"user","type":"text","content":"a","timestamp":1},{"role":`))
	if len(in.Records) != 2 || len(in.Report.Problems) != 1 {
		t.Errorf("%d records, %v", len(in.Records), in.Report.Problems)
	}
}

// What a call is given is told by who asked for it: the model, or a plan.
func TestCallsKeepTheirInputs(t *testing.T) {
	tp := talk()
	tp.add(protocol.TypePlanGenerated, &protocol.PlanGenerated{Todos: []protocol.Todo{{ID: "t", Tool: "list_files", Input: json.RawMessage(`{"path":"of a todo"}`)}}})
	tp.add(protocol.TypeToolStarted, &protocol.ToolStarted{CallID: "call_t", TodoID: "t", Tool: "list_files"})
	tp.add(protocol.TypeToolCompleted, &protocol.ToolCompleted{CallID: "call_t", Tool: "list_files", OK: true})
	refused := tp.call(1)[0]
	tp.add(protocol.TypeToolCompleted, &protocol.ToolCompleted{CallID: refused.CallID, Tool: refused.Tool})
	var store struct {
		Messages []struct {
			Type, ToolName string
			ToolInput      map[string]string
		}
	}
	if err := json.Unmarshal(tp.export(t, exchange.Store), &store); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range store.Messages {
		if m.ToolName != "" {
			got = append(got, fmt.Sprint(m.Type, m.ToolInput))
		}
	}
	if got, want := strings.Join(got, " "), "tool_completemap[path:a] tool_completemap[path:of a todo] tool_completemap[path:a]"; got != want {
		t.Errorf("the store tells %s", got)
	}
	if text := string(tp.export(t, exchange.Markdown)); !strings.Contains(text, `{"path":"a"}`) || !strings.Contains(text, `{"path":"of a todo"}`) {
		t.Errorf("an input is missing:\n%s", text)
	}
}

func TestMarkdown(t *testing.T) {
	tp := talk()
	tp.say(protocol.RoleUser, protocol.SayUserFeedback, "hidden words")
	tp.rewind(uint64(len(tp.records)) - 1)
	tp.message(protocol.RoleAssistant, protocol.Message{Type: protocol.KindAsk, Ask: protocol.AskCommand, Text: "rm -r /"})
	tp.message(protocol.RoleAssistant, protocol.Message{Say: protocol.SayText, Text: "half a sent", Partial: true})
	got := tp.export(t, exchange.Markdown)
	if *update {
		if err := os.WriteFile("testdata/talk.md", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/talk.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("differs from testdata/talk.md (-update writes it):\n%s", cmp.Diff(string(want), string(got)))
	}
}
