package history_test

import (
	"testing"

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
