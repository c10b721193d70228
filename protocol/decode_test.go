package protocol_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-dev/parley/protocol"
)

var itoa = strconv.Itoa

func TestGoldenCommandsDecode(t *testing.T) {
	for _, s := range protocol.Table() {
		frame := golden(t, s)
		e, payload, err := protocol.DecodeCommand(frame, protocol.Limits{})
		if s.Family != protocol.Command {
			if err == nil || err.Code != protocol.CodeInvalidMessage {
				t.Errorf("%s: a client cannot send a %s, but: %v", s.Type, s.Family, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", s.Type, err)
			continue
		}
		if e.Type != s.Type || reflect.TypeOf(payload) != reflect.TypeOf(s.New()) || e.MessageID == "" {
			t.Errorf("%s: decoded as %s %T, id %q", s.Type, e.Type, payload, e.MessageID)
		}
	}
}

func TestDecodeCommand(t *testing.T) {
	frame := `{"type":"User_MESSAGE","message_id":"k1","session_id":"s","extra":{"a":[1]},"cause":{"scope":"x","message_id":"y","digest":"z"},` +
		`"timestamp":"2026-02-06T19:00:00.5+09:00","data":{"content":"안녕","unknown":1,"when":"queue"}}`
	e, payload, err := protocol.DecodeCommand([]byte(frame), protocol.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	m := payload.(*protocol.UserMessage)
	if e.Type != protocol.TypeUserMessage || e.MessageID != "k1" || e.Cause != nil || m.Content != "안녕" || m.When != protocol.WhenQueue {
		t.Errorf("got %+v %+v", e, m)
	}
	if got, _ := e.Timestamp.MarshalJSON(); string(got) != `"2026-02-06T10:00:00.500Z"` {
		t.Errorf("time %s", got)
	}
}

func TestDataMayBeMissing(t *testing.T) {
	for _, data := range []string{``, `,"data":null`, `,"data":{}`} {
		_, payload, err := protocol.DecodeCommand([]byte(`{"type":"control_pause"`+data+`}`), protocol.Limits{})
		if err != nil || payload.(*protocol.ControlPause).Reason != "" {
			t.Errorf("%q: %+v %v", data, payload, err)
		}
	}
}

func TestRefusedFrames(t *testing.T) {
	const bad, answer = protocol.CodeInvalidMessage, protocol.CodeInvalidResponse
	deep := strings.Repeat("[", 64) + strings.Repeat("]", 64)
	tests := []struct {
		frame string
		code  protocol.Code
		says  string
	}{
		{``, bad, "one JSON object"},
		{`[]`, bad, "one JSON object"},
		{`"user_message"`, bad, "one JSON object"},
		{`null`, bad, "one JSON object"},
		{`{`, bad, "ends in the middle"},
		{`{"type":"pong"`, bad, "ends in the middle"},
		{`{"type":"pong",}`, bad, "not valid JSON"},
		{`{"type" "pong"}`, bad, "not valid JSON"},
		{`{"type":"pong"} {}`, bad, "more after"},
		{`{"type":"pong"} x`, bad, "not valid JSON"},
		{"{\"type\":\"pong\",\"data\":{\"a\":\"\xff\"}}", bad, "UTF-8"},
		{`{"type":"pong","type":"auth"}`, bad, `"type" is there twice`},
		{`{"type":"pong","data":{"x":{"a":1,"\u0061":2}}}`, bad, `"a" is there twice`},
		{`{"type":"pong","data":` + deep + `}`, bad, "deeper than 64"},
		{`{}`, bad, "type is missing"},
		{`{"type":""}`, bad, "type is missing"},
		{`{"type":null}`, bad, "type is missing"},
		{`{"type":7}`, bad, "type must be a string, not the number"},
		{`{"type":"user_mesage"}`, bad, `"user_mesage"`},
		{`{"type":"message"}`, bad, "message is a record"},
		{`{"type":"PING"}`, bad, "ping is a signal"},
		{`{"type":"pong","message_id":7}`, bad, "message_id must be a string"},
		{`{"type":"pong","message_id":"` + strings.Repeat("k", 129) + `"}`, bad, "129 characters"},
		{`{"type":"pong","message_id":"a\u0000b"}`, bad, "U+0000"},
		{`{"type":"pong","session_id":"a\nb"}`, bad, "session_id holds the control character U+000A"},
		{`{"type":"pong","agent_id":"a\u0085b"}`, bad, "agent_id holds"},
		{`{"type":"pong","timestamp":5}`, bad, "timestamp must be a time"},
		{`{"type":"pong","timestamp":"yesterday"}`, bad, "timestamp must be a time"},
		{`{"type":"pong","timestamp":"9999-12-31T23:59:59-10:00"}`, bad, "timestamp must be a time"},
		{`{"type":"pong","data":[]}`, bad, "data must be an object, not a list"},
		{`{"type":"pong","data":"x"}`, bad, "data must be an object, not a string"},
		{`{"type":"user_message","data":{"content":5}}`, bad, "data.content must be a string, not the number"},
		{`{"type":"user_message","data":{"content":"x","images":"y"}}`, bad, "data.images must be a list, not a string"},
		{`{"type":"user_message","data":{"content":"x","interactions":[{"type":true}]}}`, bad, "data.interactions.type must be a string, not true or false"},
		{`{"type":"rewind","data":{"index":1.5}}`, bad, "data.index must be a whole number in range, not the number 1.5"},
		{`{"type":"rewind","data":{"ts":1e99}}`, bad, "data.ts must be a whole number"},
		{`{"type":"dialog_feedback","data":{"confirmed":"yes"}}`, bad, "data.confirmed must be true or false, not a string"},
		{`{"type":"user_message"}`, bad, "content is empty"},
		{`{"type":"user_message","data":{"content":"x","when":"soon"}}`, bad, `not "soon"`},
		{`{"type":"user_message","data":{"content":"x","monitor_id":"a\tb"}}`, bad, "monitor_id holds"},
		{`{"type":"rewind"}`, bad, "exactly one way, not 0"},
		{`{"type":"rewind","data":{"to":"msg_0000000001","index":0}}`, bad, "exactly one way, not 2"},
		{`{"type":"rewind","data":{"to":"msg_1"}}`, bad, "not of the form"},
		{`{"type":"rewind","data":{"index":-1}}`, bad, "from 0"},
		{`{"type":"fork","data":{"session_id":"../x"}}`, bad, "session id"},
		{`{"type":"edit_message","data":{"ts":5}}`, bad, "content is empty"},
		{`{"type":"delete_message"}`, bad, "exactly one way"},
		{`{"type":"queue_edit","data":{"remove":["x"]}}`, bad, "not of the form"},
		{`{"type":"plan_edit","data":{"changes":[{"action":"drop","todo_id":"t"}]}}`, bad, `changes[0]: action must be one of`},
		{`{"type":"plan_edit","data":{"changes":[{"action":"remove"}]}}`, bad, "todo_id is missing"},
		{`{"type":"control_resume","data":{"modifications":[{"action":"add"}]}}`, bad, "task is missing"},
		{`{"type":"control_skip"}`, bad, "todo_id is missing"},
		{`{"type":"update_session","data":{"pipeline":"fast"}}`, bad, "pipeline must be one of"},
		{`{"type":"update_session","data":{"auto_approve":["all"]}}`, bad, "auto_approve must be one of"},
		{`{"type":"set_provider"}`, bad, "provider or a model"},
		{`{"type":"hitl_plan_response","data":{"action":"approve"}}`, answer, "request_id is missing"},
		{`{"type":"hitl_plan_response","data":{"request_id":"h","action":"maybe"}}`, answer, `not "maybe"`},
		{`{"type":"hitl_plan_response","data":{"request_id":"h","action":"modify"}}`, answer, "say what to modify"},
		{`{"type":"hitl_approval_response","data":{"request_id":"h","action":"modify"}}`, answer, "action must be one of"},
		{`{"type":"hitl_input_response","data":{"request_id":"h\u0007"}}`, answer, "control character U+0007"},
	}
	for _, tt := range tests {
		_, _, err := protocol.DecodeCommand([]byte(tt.frame), protocol.Limits{})
		if err == nil {
			t.Errorf("%s: accepted", short(tt.frame))
			continue
		}
		if err.Code != tt.code || !strings.Contains(err.Message, tt.says) || strings.Contains(err.Message, "\n") {
			t.Errorf("%s\n got %d %s\nwant %d …%s…", short(tt.frame), err.Code, err.Message, tt.code, tt.says)
		}
	}
}

func short(s string) string { return fmt.Sprintf("%.120s", s) }

func TestLimits(t *testing.T) {
	limits := protocol.Limits{Bytes: 100, Depth: 3, Values: 6}
	tests := []struct {
		frame string
		code  protocol.Code // 0: accepted
	}{
		{`{"type":"pong","data":{"a":` + strings.Repeat(" ", 70) + `1}}`, 0},
		{`{"type":"pong","data":{"a":` + strings.Repeat(" ", 71) + `1}}`, protocol.CodeMessageTooLarge},
		{`{"type":"pong","data":{"a":[]}}`, 0},
		{`{"type":"pong","data":{"a":[[]]}}`, protocol.CodeInvalidMessage},
		{`{"type":"pong","data":{"a":[1,2]}}`, 0}, // the object, type, data, a, 1 and 2
		{`{"type":"pong","data":{"a":[1,2,3]}}`, protocol.CodeInvalidMessage},
	}
	for _, tt := range tests {
		_, _, err := protocol.DecodeCommand([]byte(tt.frame), limits)
		if (err == nil) != (tt.code == 0) || err != nil && err.Code != tt.code {
			t.Errorf("%s: %v, want %d", tt.frame, err, tt.code)
		}
	}
}

// An answer can name the message even when the message was refused.
func TestRefusalNamesTheMessage(t *testing.T) {
	for _, frame := range []string{
		`{"message_id":"k1","type":"nonsense"}`,
		`{"type":"pong","agent_id":5,"message_id":"k1"}`,
		`{"type":"user_message","message_id":"k1","data":{"content":5}}`,
		`{"type":"user_message","message_id":"k1"}`,
	} {
		e, _, err := protocol.DecodeCommand([]byte(frame), protocol.Limits{})
		if err == nil || err.InReplyTo != "k1" || e.MessageID != "k1" {
			t.Errorf("%s: %+v", frame, err)
		}
	}
}

func TestDecodeFrame(t *testing.T) {
	for _, s := range protocol.Table() {
		frame := compact(t, golden(t, s))
		if s.Family == protocol.Fact {
			frame = protocol.WithSession(frame, "sess_abc123")
		}
		e, payload, err := protocol.DecodeFrame(frame)
		if err != nil {
			t.Errorf("%s: %v", s.Type, err)
			continue
		}
		want := reflect.TypeOf(s.New())
		if s.Family == protocol.Command {
			want = reflect.TypeFor[json.RawMessage]()
		}
		if e.Type != s.Type || e.SessionID != "sess_abc123" || reflect.TypeOf(payload) != want {
			t.Errorf("%s: decoded as %s %T in %q", s.Type, e.Type, payload, e.SessionID)
		}
	}
}

func TestDecodeFrameOfAnotherVersion(t *testing.T) {
	e, payload, err := protocol.DecodeFrame([]byte(`{"session_id":"s","type":"brand_new","message_id":"msg_0000000001","data":{"x":[1, 2]}}`))
	if err != nil || e.Type != "brand_new" || string(payload.(json.RawMessage)) != `{"x":[1, 2]}` {
		t.Errorf("%+v %s %v", e, payload, err)
	}
	if _, _, err := protocol.DecodeFrame([]byte(`{"type":"todo_failed","data":{"retry_count":"two"}}`)); err == nil {
		t.Error("a field of the wrong kind was accepted")
	}
	if _, _, err := protocol.DecodeFrame([]byte(`{"type":"ping","data":{},"type":"error"}`)); err == nil {
		t.Error("a frame with two types was accepted")
	}
}

func TestDigest(t *testing.T) {
	digest := func(frame string) string {
		e, _, err := protocol.DecodeCommand([]byte(frame), protocol.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return protocol.Digest(e)
	}
	a := digest(`{"type":"user_message","message_id":"1","data":{"content":"a b"}}`)
	if len(a) != 16 {
		t.Errorf("digest %q", a)
	}
	if b := digest("{\"data\" : { \"content\" :\n\"a b\" }, \"message_id\":\"2\", \"type\":\"USER_MESSAGE\"}"); b != a {
		t.Errorf("spaces changed the digest: %s %s", a, b)
	}
	if b := digest(`{"type":"user_message","data":{"content":"a  b"}}`); b == a {
		t.Error("another content has the same digest")
	}
	if digest(`{"type":"control_pause"}`) != digest(`{"type":"control_pause","data":{}}`) {
		t.Error("missing and empty data differ")
	}
	if digest(`{"type":"control_pause"}`) == digest(`{"type":"control_cancel"}`) {
		t.Error("types do not count")
	}
}
