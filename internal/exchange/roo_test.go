package exchange_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-dev/parley/internal/exchange"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

// lines writes messages one to a line, without which record a mark keeps:
// numbers are given anew.
func lines(t testing.TB, messages []protocol.Message) string {
	t.Helper()
	var b strings.Builder
	for _, m := range messages {
		if m.ContextCondense != nil {
			c := *m.ContextCondense
			c.KeepsFrom, m.ContextCondense = "", &c
		}
		if m.ContextTruncation != nil {
			c := *m.ContextTruncation
			c.KeepsFrom, m.ContextTruncation = "", &c
		}
		if err := json.NewEncoder(&b).Encode(m); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func said(messages []model.Message) string {
	var b strings.Builder
	for _, m := range messages {
		for _, block := range m.Blocks {
			switch {
			case block.ToolUse != nil:
				fmt.Fprintf(&b, "%s: %s %s %s\n", m.Role, block.ToolUse.ID, block.ToolUse.Name, block.ToolUse.Input)
			case block.Image != nil:
				fmt.Fprintf(&b, "%s: a picture of %d bytes\n", m.Role, len(block.Image.Data))
			case block.ToolResult != nil:
				fmt.Fprintf(&b, "%s: %s error=%t %q\n", m.Role, block.ToolResult.ToolUseID, block.ToolResult.IsError, block.ToolResult.Text)
			default:
				fmt.Fprintf(&b, "%s: %q\n", m.Role, block.Text)
			}
		}
	}
	return b.String()
}

// withoutMarks is a session as it was before anything was condensed.
func withoutMarks(all []protocol.Record) (kept []protocol.Record) {
	for _, r := range all {
		if d, ok := r.Data.(*protocol.MessageRecord); ok && (d.Message.ContextCondense != nil || d.Message.ContextTruncation != nil) {
			continue
		}
		kept = append(kept, r)
	}
	return kept
}

const rooHeard = `user: "Add a greeting to hello.txt"
user: "<environment_details>\n# Current Time\nnoon\n</environment_details>"
assistant: "Let me look at the file first."
assistant: toolu_01 read_file {"path":"hello.txt"}
user: toolu_01 error=false "1 | hello"
user: "Make it Korean, please. 안녕!"
assistant: "I will write it now."
assistant: toolu_02 execute_command {"command":"printf '안녕\\n' > hello.txt"}
user: toolu_02 error=true "sh: permission denied"
assistant: "Done."
`

func TestRooFolder(t *testing.T) {
	files := folder(t, "roo")
	var ui []protocol.Message
	for _, f := range files {
		if f.name == "ui_messages.json" {
			if err := json.Unmarshal([]byte(f.content), &ui); err != nil {
				t.Fatal(err)
			}
		}
	}
	ui[4].Ts++ // another message has the same
	for _, packed := range [][]byte{tarOf(t, files...), zipOf(t, files...)} {
		in := mustRead(t, exchange.Roo, packed)
		all := records(t, in)
		if diff := cmp.Diff(lines(t, ui), lines(t, shown(all))); diff != "" {
			t.Errorf("people see something else:\n%s", diff)
		}
		if got := said(heard(withoutMarks(all))); got != rooHeard {
			t.Errorf("the model hears\n%swant\n%s", got, rooHeard)
		}
		created := all[0].Data.(*protocol.SessionCreated)
		if in.ID != "0f7c1d9e-3a52-4b1f-9d27-6f1f0a2b3c4d" || created.Title != "Add a greeting to hello.txt" || created.Mode != "code" ||
			created.ImportedFrom != "roo "+in.ID {
			t.Errorf("%s: %+v", in.ID, created)
		}
		report := fmt.Sprint(in.Report.Problems)
		for _, want := range []string{"ui_messages.json[4]: the ts 1767225603000 is moved to 1767225603001", `api_conversation_history.json[1]: a block of the kind "thinking"`} {
			if !strings.Contains(report, want) {
				t.Errorf("the report does not say %q: %s", want, report)
			}
		}
	}
}

// What a summary keeps begins with the record of the turn that follows it.
func TestRooSummaryKeepsWhatFollows(t *testing.T) {
	all := records(t, mustRead(t, exchange.Roo, tarOf(t, folder(t, "roo")...)))
	for _, r := range all {
		d, ok := r.Data.(*protocol.MessageRecord)
		if !ok || d.Message.ContextCondense == nil {
			continue
		}
		seq, err := protocol.ParseMessageID(d.Message.ContextCondense.KeepsFrom)
		if err != nil {
			t.Fatal(err)
		}
		const want = "user: \"This is a summary of what was said and done before:\\n\\nThe user wants a Korean greeting in hello.txt, which holds one line.\"\n" +
			"assistant: \"I will write it now.\"\n"
		if got := said(heard(all)); !strings.HasPrefix(got, want) {
			t.Errorf("the model hears\n%s", got)
		}
		var rest []protocol.Record
		for _, r := range all {
			if r.Seq >= seq {
				rest = append(rest, r)
			}
		}
		if got := said(heard(withoutMarks(rest))); !strings.HasPrefix(got, `assistant: "I will write it now."`) {
			t.Errorf("kept:\n%s", got)
		}
		return
	}
	t.Fatal("nothing tells of the summary")
}

func TestRooOlderNames(t *testing.T) {
	for _, name := range []string{"api_conversation.json", "claude_messages.json"} {
		in := mustRead(t, exchange.Roo, tarOf(t,
			file{name: "task-7/" + name, content: `[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]`},
			file{name: "task-7/metadata.json", content: `{"task":"greet"}`},
			file{name: "task-7/checkpoints/.git/config", content: "x"},
		))
		if got := said(heard(records(t, in))); got != "user: \"hi\"\nassistant: \"ho\"\n" || in.ID != "task-7" {
			t.Errorf("%s: %s heard\n%s", name, in.ID, got)
		}
	}
}

// With no model history at all, what people saw is what a model can be told.
func TestRooMessagesAlone(t *testing.T) {
	in := mustRead(t, exchange.Roo, tarOf(t, file{name: "ui_messages.json", content: `[
		{"ts":1767225600000,"type":"say","say":"text","text":"task"},
		{"ts":1767225600001,"type":"say","say":"text","text":"answer"},
		{"ts":1767225600002,"type":"say","say":"user_feedback","text":"thanks"}]`}))
	if got := said(heard(records(t, in))); got != "user: \"task\"\nassistant: \"answer\"\nuser: \"thanks\"\n" {
		t.Errorf("heard\n%s", got)
	}
}

// A damaged folder gives what can be read, and says what cannot.
func TestRooDamage(t *testing.T) {
	in := mustRead(t, exchange.Roo, tarOf(t,
		file{name: "ui_messages.json", content: `[{"ts":1,"type":"say","say":"text","text":"a"},{"ts":"x"},{"ts":3,"type":"shout"},{"ts":4,"type":"say","say":"text","text":"b"},{"ts":5,`},
		file{name: "api_conversation_history.json", content: `[{"role":"user","content":"a"},{"role":"robot","content":"x"},{"role":"user","content":[{"type":"tool_result","tool_use_id":"none"}]},{"role":"user","content":7}]`},
		file{name: "history_item.json", content: `{"id":`},
	))
	if got := said(heard(records(t, in))); got != "user: \"a\"\n" {
		t.Errorf("heard\n%s", got)
	}
	if got := len(shown(records(t, in))); got != 2 {
		t.Errorf("%d messages are shown", got)
	}
	report := fmt.Sprint(in.Report.Problems)
	for _, want := range []string{
		"history_item.json: it cannot be read", "ui_messages.json[1]: left out", "ui_messages.json[2]: left out: a message is an ask or a say",
		"ui_messages.json: from entry 4 on the list cannot be read", `api_conversation_history.json[1]: left out: nobody says it: the role is "robot"`,
		`api_conversation_history.json[2]: a result is left out: no call "none"`, "api_conversation_history.json[3]: left out: its content",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("the report does not say %q:\n%s", want, report)
		}
	}
}

// A file cannot take permission to read a blob of this server.
func TestRooTakesNoBlobs(t *testing.T) {
	in := mustRead(t, exchange.Roo, tarOf(t, file{name: "ui_messages.json", content: `[
		{"ts":1,"type":"say","say":"text","text":"a","text_blob":{"hash":"h","size":9},"images":["blob:h","data:image/png;base64,AA=="]}]`}))
	for _, r := range records(t, in) {
		if hashes := r.Blobs(); len(hashes) > 0 {
			t.Errorf("record %d refers to %v", r.Seq, hashes)
		}
	}
	if m := shown(records(t, in))[0]; len(m.Images) != 1 {
		t.Errorf("images: %v", m.Images)
	}
}
