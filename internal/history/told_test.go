package history_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

func condensed(id string, keepsFrom uint64, summary string) protocol.Record {
	return protocol.Record{AgentID: main, Data: &protocol.MessageRecord{Action: protocol.MessageUpdated, Role: protocol.RoleSystem, Message: protocol.Message{
		Type: protocol.KindSay, Say: protocol.SayCondenseContext,
		ContextCondense: &protocol.Condensed{CondenseID: id, Summary: summary, KeepsFrom: protocol.MessageID(keepsFrom)},
	}}}
}

func truncated(id string, keepsFrom uint64, removed int) protocol.Record {
	return protocol.Record{AgentID: main, Data: &protocol.MessageRecord{Role: protocol.RoleSystem, Message: protocol.Message{
		Type: protocol.KindSay, Say: protocol.SaySlidingWindowTruncation,
		ContextTruncation: &protocol.Truncated{TruncationID: id, MessagesRemoved: removed, KeepsFrom: protocol.MessageID(keepsFrom)},
	}}}
}

// numbered numbers records.
func numbered(records ...protocol.Record) []protocol.Record {
	for i := range records {
		records[i].Seq = uint64(i + 1)
	}
	return records
}

// outline writes a history in one line: what is hidden is in brackets.
func outline(told []history.Told) string {
	var out []string
	for _, m := range told {
		text := m.Text()
		switch {
		case m.CondenseID != "":
			text = "SUMMARY{" + m.CondenseID + "}"
		case m.TruncationID != "":
			text = "MARKER{" + m.TruncationID + "}"
		}
		if m.HiddenBy != "" {
			text = fmt.Sprintf("[%s by %s]", text, m.HiddenBy)
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// The worked example of condensing: six messages, of which the summary hides
// three; only the summary and the last three are sent, and going back to before
// the summary brings the originals back.
func TestCondenseHidesAndRewindBringsBack(t *testing.T) {
	records := numbered(
		said(protocol.RoleUser, "msg1"), said(protocol.RoleAssistant, "msg2"), said(protocol.RoleUser, "msg3"),
		said(protocol.RoleAssistant, "msg4"), said(protocol.RoleUser, "msg5"), said(protocol.RoleAssistant, "msg6"),
		condensed("summary-A", 4, "what was said"),
	)
	all := history.Tell(records, main)
	want := "[msg1 by summary-A] [msg2 by summary-A] [msg3 by summary-A] SUMMARY{summary-A} msg4 msg5 msg6"
	if got := outline(all); got != want {
		t.Errorf("kept: %s\nwant: %s", got, want)
	}
	if got := outline(history.Visible(all)); got != "SUMMARY{summary-A} msg4 msg5 msg6" {
		t.Errorf("sent: %s", got)
	}
	for upTo, want := range map[int]string{
		6: "msg1 msg2 msg3 msg4 msg5 msg6", // to before the summary: the originals, and no orphan of it
		2: "msg1 msg2",
	} {
		if got := outline(history.Tell(records[:upTo], main)); got != want {
			t.Errorf("rewound to %d: %s\nwant: %s", upTo, got, want)
		}
	}
}

// The worked example of rewinding past a condense: [msg1, msg2,
// condense_context{A}, msg3, msg4, TARGET], back to msg2.
func TestRewindPastACondense(t *testing.T) {
	records := numbered(
		said(protocol.RoleUser, "msg1"), said(protocol.RoleAssistant, "msg2"),
		condensed("A", 2, "about msg1"),
		said(protocol.RoleUser, "msg3"), said(protocol.RoleAssistant, "msg4"), said(protocol.RoleUser, "TARGET"),
	)
	if got := outline(history.Visible(history.Tell(records, main))); got != "SUMMARY{A} msg2 msg3 msg4 TARGET" {
		t.Errorf("before: %s", got)
	}
	if got := outline(history.Tell(records[:2], main)); got != "msg1 msg2" {
		t.Errorf("after: %s", got)
	}
	ui := history.NewUI(history.Page{})
	for _, r := range records[:2] {
		ui.Add(r)
	}
	if ui.Total() != 2 {
		t.Errorf("%d messages are shown, want 2", ui.Total())
	}
}

// A truncation hides what is old, not what the person said first, and not a
// summary; a later summary hides the truncation's marker too.
func TestTruncate(t *testing.T) {
	records := numbered(
		said(protocol.RoleUser, "task"), said(protocol.RoleAssistant, "a"), said(protocol.RoleUser, "b"), said(protocol.RoleAssistant, "c"),
		truncated("T1", 4, 2),
		said(protocol.RoleUser, "d"),
		condensed("S", 6, "all"),
		said(protocol.RoleAssistant, "e"), said(protocol.RoleUser, "f"),
		truncated("T2", 9, 1),
	)
	for upTo, want := range map[int]string{
		5:  "task [a by T1] [b by T1] MARKER{T1} c",
		7:  "[task by S] [a by T1] [b by T1] [MARKER{T1} by S] [c by S] SUMMARY{S} d",
		10: "[task by S] [a by T1] [b by T1] [MARKER{T1} by S] [c by S] SUMMARY{S} [d by T2] [e by T2] MARKER{T2} f",
	} {
		if got := outline(history.Tell(records[:upTo], main)); got != want {
			t.Errorf("up to %d: %s\nwant: %s", upTo, got, want)
		}
	}
}

func anyHistory(t *rapid.T) []protocol.Record {
	var records []protocol.Record
	for i := range rapid.IntRange(0, 40).Draw(t, "records") {
		id := fmt.Sprint(i)
		old := fmt.Sprint(rapid.IntRange(0, 40).Draw(t, "old"))
		keeps := rapid.Uint64Range(1, uint64(i+1)).Draw(t, "keeps")
		records = append(records, rapid.SampledFrom([]protocol.Record{
			said(protocol.RoleUser, "u"+id), said(protocol.RoleAssistant, "a"+id), called(id), called(id+"a", id+"b"), ended(old, "r"), ended(old+"a", "r"),
			ended(fmt.Sprint(i-1), "r"), condensed("S"+id, keeps, "summary"), truncated("T"+id, keeps, 1),
		}).Draw(t, "record"))
	}
	return numbered(records...)
}

// Whatever was recorded, what a vendor gets is valid: every call has its result
// in the next message, and there is no result without a call.
func TestModelIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var open map[string]bool
		messages := history.Model(anyHistory(t), main)
		for _, m := range messages {
			uses := map[string]bool{}
			for _, b := range m.Blocks {
				if b.ToolUse != nil {
					uses[b.ToolUse.ID] = true
				}
				if b.ToolResult != nil {
					if !open[b.ToolResult.ToolUseID] {
						t.Fatalf("a result without its call: %s", told(messages))
					}
					delete(open, b.ToolResult.ToolUseID)
				}
			}
			if len(open) > 0 {
				t.Fatalf("calls without results: %v in\n%s", open, told(messages))
			}
			open = uses
		}
		if len(open) > 0 {
			t.Fatalf("calls without results at the end: %v", open)
		}
	})
}

// The records of an agent's window give what all records give: a call costs what
// the window is long, not what the session is.
func TestWindowIsEnough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := anyHistory(t)
		var state session.State
		for _, r := range records {
			r.Type = protocol.TypeMessage
			state.Apply(r)
		}
		w := state.Contexts.Windows[main]
		windowed := slices.DeleteFunc(slices.Clone(records), func(r protocol.Record) bool {
			return r.Seq < w.From && !slices.Contains(w.Heads, r.Seq)
		})
		want, got := outline(history.Visible(history.Tell(records, main))), outline(history.Visible(history.Tell(windowed, main)))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("window %+v (-all +windowed):\n%s", w, diff)
		}
	})
}

func TestModelSeesImages(t *testing.T) {
	r := said(protocol.RoleUser, "what is this?")
	r.Data.(*protocol.MessageRecord).Message.Images = []string{"data:image/png;base64,AAEC", "https://example.org/x.png"}
	got := history.Model(numbered(r), main)
	want := []model.Block{{Kind: model.BlockText, Text: "what is this?"}, {Kind: model.BlockImage, Image: &model.Image{MediaType: "image/png", Data: []byte{0, 1, 2}}}}
	if diff := cmp.Diff(want, got[0].Blocks); diff != "" {
		t.Error(diff)
	}
}
