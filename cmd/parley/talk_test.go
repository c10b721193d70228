package main

import (
	"bytes"
	"testing"

	"github.com/parley-dev/parley/client"
	"github.com/parley-dev/parley/protocol"
)

// What stands on the screen after a connection was lost in the middle of an
// answer: the beginning, marked, and the answer that was written anew.
func TestShowTextAfterACrash(t *testing.T) {
	var out bytes.Buffer
	talk := &talk{program: &program{out: &out}, printed: map[string]string{}}
	partial := client.Event{Data: &protocol.MessageRecord{Message: protocol.Message{Partial: true}}}
	for _, step := range []struct {
		text  client.Text
		event client.Event
	}{
		{client.Text{OpenID: "a", Text: "one "}, client.Event{}},
		{client.Text{OpenID: "a", Text: "one two three"}, client.Event{}},
		{client.Text{OpenID: "b", Text: "one"}, client.Event{}}, // the new one is told before the old one is closed
		{client.Text{OpenID: "a", Text: "one two", Done: true}, partial},
		{client.Text{OpenID: "b", Text: "one two three four", Done: true}, client.Event{Data: &protocol.MessageRecord{}}},
	} {
		talk.showText(step.text, step.event)
	}
	if got, want := out.String(), "one two three\none … (interrupted)\n two three four\n"; got != want {
		t.Errorf("on the screen:\n%s\nwant\n%s", got, want)
	}
}
