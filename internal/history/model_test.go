package history_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

const main = "main-monitor-0"

func said(role protocol.Role, text string) protocol.Record {
	return protocol.Record{AgentID: main, Data: &protocol.MessageRecord{Role: role, Message: protocol.Message{
		Type: protocol.KindSay, Say: protocol.SayText, Text: text,
	}}}
}

func called(ids ...string) protocol.Record {
	d := &protocol.ModelCompleted{}
	for _, id := range ids {
		d.ToolCalls = append(d.ToolCalls, protocol.ToolCall{CallID: id, UseID: "use-" + id, Tool: "do"})
	}
	return protocol.Record{AgentID: main, Data: d}
}

func ended(id, output string) protocol.Record {
	return protocol.Record{AgentID: main, Data: &protocol.ToolCompleted{CallID: id, Tool: "do", OK: true, Output: output}}
}

// told writes messages on a line each.
func told(messages []model.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "%s:", m.Role)
		for _, block := range m.Blocks {
			switch {
			case block.ToolUse != nil:
				fmt.Fprintf(&b, " use(%s)", block.ToolUse.ID)
			case block.ToolResult != nil:
				fmt.Fprintf(&b, " result(%s %q)", block.ToolResult.ToolUseID, block.ToolResult.Text)
			default:
				fmt.Fprintf(&b, " %q", block.Text)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestModelKeepsCallsAndResultsTogether(t *testing.T) {
	got := told(history.Model([]protocol.Record{
		said(protocol.RoleUser, "do it"),
		said(protocol.RoleAssistant, "I will."),
		called("c1", "c2"),
		ended("c2", "two"),
		said(protocol.RoleUser, "and hurry"),
		{AgentID: main, Data: &protocol.ToolCompleted{CallID: "c1", Retry: true}},
		ended("c1", "one"),
		ended("stranger", "from before the window"),
		called("c3"),
		{AgentID: main, Data: &protocol.MessageRecord{Role: protocol.RoleAssistant, Message: protocol.Message{Type: protocol.KindSay, Say: protocol.SayText, Text: "half", Partial: true}}},
	}, main))
	want := `user: "do it"
assistant: "I will."
assistant: use(use-c1) use(use-c2)
user: result(use-c1 "one") result(use-c2 "two")
user: "and hurry"
assistant: use(use-c3)
user: result(use-c3 "There is no result: the call did not come to an end.")
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestModelIsToldWhatTodosGave(t *testing.T) {
	plan := &protocol.ModelCompleted{ToolCalls: []protocol.ToolCall{{CallID: "p", Tool: "propose_plan"}}}
	got := told(history.Model([]protocol.Record{
		said(protocol.RoleUser, "plan"),
		{AgentID: main, Data: plan},
		{AgentID: "task-a", Data: &protocol.ToolCompleted{CallID: "x", TodoID: "a", OK: true, Output: "three files"}},
		{AgentID: "task-b", Data: &protocol.ToolCompleted{CallID: "y", TodoID: "b", OK: true, Output: strings.Repeat("z", 9000)}},
		{AgentID: main, Data: &protocol.ToolCompleted{CallID: "p", Tool: "propose_plan", OK: true, Output: `[{"id":"a"},{"id":"b"}]`}},
	}, main))
	if !strings.Contains(got, `\"id\":\"a\",\"output\":\"three files\"`) || strings.Contains(got, strings.Repeat("z", 5000)) || !strings.Contains(got, "zzz") {
		t.Errorf("got %.300s", got)
	}
}

// A server may count its calls anew in each answer, or give several the same id.
func TestCallIDsAreDistinct(t *testing.T) {
	calls := func(ids ...string) protocol.Record {
		d := &protocol.ModelCompleted{}
		for _, id := range ids {
			d.ToolCalls = append(d.ToolCalls, protocol.ToolCall{CallID: id, UseID: "call_0", Tool: "do"})
		}
		return protocol.Record{AgentID: main, Data: d}
	}
	told := history.Model([]protocol.Record{
		calls("a", "b"), ended("b", "of b"), ended("a", "of a"), calls("c"), ended("c", "of c"),
	}, main)
	var got []string
	for _, m := range told {
		for _, b := range m.Blocks {
			if b.ToolUse != nil {
				got = append(got, b.ToolUse.ID)
			} else {
				got = append(got, b.ToolResult.ToolUseID+"="+b.ToolResult.Text)
			}
		}
	}
	if got, want := strings.Join(got, " "), "call_0 call_0-2 call_0=of a call_0-2=of b call_0-3 call_0-3=of c"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
