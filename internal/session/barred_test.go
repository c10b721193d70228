package session_test

import (
	"testing"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// A call that was refused when the model asked for it stays refused after a
// rewind to between the two: nobody is asked whether it may run after all.
func TestRewindDoesNotOfferARefusedCall(t *testing.T) {
	b := benchOf(t, protocol.PipelineDirect)
	records := b.wants(t,
		session.ToolUse{ID: "a", Tool: "write_file", Class: protocol.ClassWrite, Effect: protocol.EffectEffect, Input: []byte(`{}`)},
		session.ToolUse{ID: "b", Tool: "run_command", Class: protocol.ClassExecute, Effect: protocol.EffectEffect, Input: []byte(`{}`), Problem: "the settings forbid it"},
	)
	for _, r := range records {
		if r.Type != protocol.TypeMessage {
			continue
		}
		b.must(t, move(r.Seq)) // the question about the first call; the refusal of the second came after it
		for _, o := range b.state.Requests.Open {
			if o.Tool == "run_command" {
				t.Errorf("a person is asked about the refused call: %+v", o)
			}
		}
		return
	}
	t.Fatal("nobody was asked")
}
