package protocol_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/parley-dev/parley/protocol"
)

func TestEncodeWritesTextAsItIs(t *testing.T) {
	frame, err := sample().Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(frame), "a <b>negative</b> one mentions the scent & the price") {
		t.Errorf("escaped: %s", frame)
	}
	const start = `{"type":"message","message_id":"msg_0000004242","timestamp":"2026-02-06T10:00:00.123Z","agent_id":"main-monitor-0","monitor_id":"monitor-0","data":{"action":"created"`
	if !strings.HasPrefix(string(frame), start) {
		t.Errorf("other order: %s", frame)
	}
}

func TestEncodeEscapesWhatItMust(t *testing.T) {
	e := protocol.Envelope{
		Type: "x", MessageID: "a\"b\\c\n", AgentID: "에이전트", SessionID: "\x00",
		Cause: &protocol.Cause{Scope: "<&>\u2028", MessageID: "\xff", Digest: "d"},
	}
	frame, err := e.Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	var got protocol.Envelope
	if err := json.Unmarshal(frame, &got); err != nil {
		t.Fatalf("%v: %s", err, frame)
	}
	if got.MessageID != e.MessageID || got.AgentID != e.AgentID || got.SessionID != e.SessionID ||
		got.Cause.Scope != e.Cause.Scope || got.Cause.MessageID != "\ufffd" {
		t.Errorf("got %+v %+v from %s", got, got.Cause, frame)
	}
}

// Lists that are always there are [] and never null, however deep.
func TestListsAreNeverNull(t *testing.T) {
	for _, s := range protocol.Table() {
		frame, err := protocol.Envelope{Type: s.Type}.Encode(s.New())
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"todos", "hidden", "shown", "queue", "options", "depends_on", "agents", "hitl_requests", "next_todos", "changes"} {
			if strings.Contains(string(frame), `"`+field+`":null`) {
				t.Errorf("%s: %s is null: %s", s.Type, field, frame)
			}
		}
	}
	plan := &protocol.PlanGenerated{Todos: []protocol.Todo{{ID: "todo_001"}}}
	frame, err := protocol.Envelope{Type: protocol.TypePlanGenerated}.Encode(plan)
	if err != nil || !strings.Contains(string(frame), `"depends_on":[]`) {
		t.Errorf("%s %v", frame, err)
	}
	state := &protocol.SessionState{HitlPending: &protocol.Request{Plan: &protocol.PlanReview{}}}
	frame, err = protocol.Envelope{Type: protocol.TypeSessionState}.Encode(state)
	if err != nil || strings.Count(string(frame), `"todos":[]`) != 2 || !strings.Contains(string(frame), `"plan":null`) {
		t.Errorf("%s %v", frame, err)
	}
}

func TestEncodeSaysWhatItCannotWrite(t *testing.T) {
	_, err := protocol.Record{Seq: 1, Type: protocol.TypeLayerComplete, Data: &protocol.LayerComplete{Result: json.RawMessage("{")}}.Encode()
	if err == nil || !strings.Contains(err.Error(), "layer_complete") {
		t.Errorf("got %v", err)
	}
}

func TestTime(t *testing.T) {
	for in, want := range map[string]string{
		`"2026-02-06T10:00:00Z"`:             `"2026-02-06T10:00:00.000Z"`,
		`"2026-02-06T10:00:00.1239999Z"`:     `"2026-02-06T10:00:00.123Z"`,
		`"2026-02-06T19:00:00.007+09:00"`:    `"2026-02-06T10:00:00.007Z"`,
		`"2026-02-06T10:00:00.123456"`:       `"2026-02-06T10:00:00.123Z"`,
		`null`:                               `null`,
		`""`:                                 `null`,
		`"0000-01-01T00:00:00Z"`:             `"0000-01-01T00:00:00.000Z"`,
		`"9999-12-31T23:59:59.999999-00:00"`: `"9999-12-31T23:59:59.999Z"`,
	} {
		var v protocol.Time
		if err := json.Unmarshal([]byte(in), &v); err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got, _ := json.Marshal(v); string(got) != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
	for _, in := range []string{`5`, `"noon"`, `"0000-01-01T00:00:00+10:00"`, `{}`} {
		var v protocol.Time
		if err := json.Unmarshal([]byte(in), &v); err == nil {
			t.Errorf("%s: accepted as %v", in, v)
		}
	}
	if got := protocol.At(time.Unix(1, 999_999_999)); got.Nanosecond() != 999_000_000 {
		t.Errorf("At keeps %d ns", got.Nanosecond())
	}
}

func TestOption(t *testing.T) {
	for in, want := range map[string]protocol.Option{
		`"approve"`:                      {Value: "approve"},
		`{"value":"3m","label":"<3개월>"}`: {Value: "3m", Label: "<3개월>"},
	} {
		var o protocol.Option
		if err := json.Unmarshal([]byte(in), &o); err != nil || o != want {
			t.Errorf("%s: %+v %v", in, o, err)
		}
		if got, err := o.MarshalJSON(); err != nil || string(got) != in {
			t.Errorf("%s: written as %s %v", in, got, err)
		}
	}
}
