package main

import (
	"errors"
	"fmt"
	"testing"

	"github.com/parley-dev/parley/protocol"
)

// What happened comes first, then what to do, and the name last.
func TestExplain(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("the disk is full"), "the disk is full"},
		{protocol.Errorf(protocol.CodeSessionInvalidState, "the session is paused; resume it"), "the session is paused; resume it (WS_SESSION_INVALID_STATE)"},
		{protocol.Errorf(protocol.CodeSessionNotFound, `there is no session "a"`), "there is no session \"a\"; `parley sessions` lists them (WS_SESSION_NOT_FOUND)"},
		{fmt.Errorf("talk to it: %w\nline 1 is odd", protocol.Errorf(protocol.CodeInvalidMessage, "it is not understood")),
			"talk to it: it is not understood\nline 1 is odd (WS_INVALID_MESSAGE)"},
	} {
		if got := explain(c.err); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
