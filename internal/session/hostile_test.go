package session_test

import (
	"encoding/json"
	"testing"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// A command with a payload that is not its own, or with none, is refused.
func TestForeignPayloads(t *testing.T) {
	types := []protocol.Type{session.CreateSession, session.ModelBegin, session.ModelEnd}
	for _, spec := range protocol.Table() {
		if spec.Family == protocol.Command {
			types = append(types, spec.Type)
		}
	}
	payloads := []any{
		nil, "words", struct{}{}, protocol.UserMessage{}, &protocol.Empty{},
		(*protocol.UserMessage)(nil), (*protocol.ControlCancel)(nil), (*protocol.QueueEdit)(nil), (*protocol.UpdateSession)(nil),
		(*protocol.SetProvider)(nil), (*protocol.SessionCreated)(nil), (*session.ModelBegun)(nil), (*session.ModelEnded)(nil),
	}
	for _, running := range []bool{false, true} {
		b := newBench(t)
		if running {
			b.say(t, "work")
			b.begin(t)
		}
		before, _ := json.Marshal(b.state)
		for _, typ := range types {
			for _, data := range payloads {
				if records, err := b.do(session.Command{Type: typ, Data: data}); err == nil {
					t.Errorf("%s took %T and gave %d records", typ, data, len(records))
				}
			}
		}
		if after, _ := json.Marshal(b.state); string(before) != string(after) {
			t.Error("a refused command changed the state")
		}
	}
	var none session.State
	if _, err := none.Decide(session.Command{Type: session.CreateSession}, start); err == nil {
		t.Error("a session was created of nothing")
	}
}
