package history_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/protocol"
)

func TestUIReplacesInPlace(t *testing.T) {
	var tp tape
	first := tp.say(protocol.RoleUser, protocol.SayText, "one")
	tp.say(protocol.RoleAssistant, protocol.SayText, "two")
	tp.add(protocol.TypeMessage, &protocol.MessageRecord{
		Action: protocol.MessageUpdated, Role: protocol.RoleUser,
		Message: protocol.Message{Ts: first, Type: protocol.KindSay, Say: protocol.SayText, Text: "one, mended"},
	})
	items := tp.ui(history.Page{}).Items()
	if len(items) != 2 || items[0].Text != "one, mended" || items[1].Text != "two" {
		t.Fatalf("got %+v", items)
	}
	if items[0].MessageID != "msg_0000000001" {
		t.Errorf("the id is %s, not the one of the record that made the message", items[0].MessageID)
	}
}

// A new version of a message that was never there is shown, not lost.
func TestUIShowsAnUpdateOfTheUnknown(t *testing.T) {
	var tp tape
	tp.add(protocol.TypeMessage, &protocol.MessageRecord{
		Action: protocol.MessageUpdated, Message: protocol.Message{Ts: 5, Type: protocol.KindSay, Say: protocol.SayText, Text: "x"},
	})
	if u := tp.ui(history.Page{}); u.Total() != 1 || u.Items()[0].Text != "x" {
		t.Fatalf("got %+v", u.Items())
	}
}

func (t *tape) request(action protocol.MessageAction, ts int64, id string) {
	t.add(protocol.TypeMessage, &protocol.MessageRecord{
		Action: action, Role: protocol.RoleAssistant, RequestID: id,
		Message: protocol.Message{Ts: ts, Type: protocol.KindAsk, Ask: protocol.AskCommand, Text: "ls"},
	})
}

func (t *tape) resolve(id string) {
	t.add(protocol.TypeHitlResolved, &protocol.HitlResolved{RequestID: id, Action: "approve", By: "ann"})
}

// An ask is answered when its request is resolved, and open again when it is
// put under another id.
func TestUIAnswers(t *testing.T) {
	var tp tape
	tp.request(protocol.MessageCreated, 10, "hitl_1")
	tp.request(protocol.MessageCreated, 20, "hitl_2")
	for i, step := range []struct {
		do   func()
		want [2]bool
	}{
		{func() {}, [2]bool{false, false}},
		{func() { tp.resolve("hitl_1") }, [2]bool{true, false}},
		{func() { tp.resolve("hitl_9"); tp.resolve("") }, [2]bool{true, false}},
		{func() { tp.request(protocol.MessageUpdated, 10, "hitl_3") }, [2]bool{false, false}},
		{func() { tp.resolve("hitl_1") }, [2]bool{false, false}},
		{func() { tp.resolve("hitl_3") }, [2]bool{true, false}},
		{func() { tp.resolve("hitl_2") }, [2]bool{true, true}},
	} {
		step.do()
		items := tp.ui(history.Page{}).Items()
		if got := [2]bool{items[0].IsAnswered, items[1].IsAnswered}; len(items) != 2 || got != step.want {
			t.Errorf("step %d: %d messages, answered %v, want %v", i, len(items), got, step.want)
		}
	}
}

// What a message carries comes out as it went in.
func TestUIKeepsEveryField(t *testing.T) {
	index := 3
	want := protocol.Message{
		Ts: 7, Type: protocol.KindSay, Say: protocol.SayText, Text: "x", Images: []string{"blob:abc"}, Partial: true, Reasoning: "because",
		TextBlob:                 &protocol.BlobRef{Hash: "h", Size: 1},
		ConversationHistoryIndex: &index, Checkpoint: json.RawMessage(`{"hash":"c0ffee"}`),
		ProgressStatus: &protocol.ProgressStatus{Icon: "gear", Text: "1/2"}, IsProtected: true, APIProtocol: "anthropic", IsAnswered: true,
		ContextCondense:   &protocol.Condensed{Summary: "s", CondenseID: "c"},
		ContextTruncation: &protocol.Truncated{TruncationID: "t"},
	}
	for i, v := 0, reflect.ValueOf(want); i < v.NumField(); i++ {
		if name := v.Type().Field(i).Name; v.Field(i).IsZero() && name != "Ask" { // a say asks nothing
			t.Fatalf("the test sets no %s", name)
		}
	}
	var tp tape
	tp.add(protocol.TypeMessage, &protocol.MessageRecord{Action: protocol.MessageCreated, Message: want})
	if diff := cmp.Diff(want, tp.ui(history.Page{}).Items()[0].Message); diff != "" {
		t.Error(diff)
	}
}
