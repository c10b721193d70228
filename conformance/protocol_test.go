package conformance

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// The first test of the protocol's description: whoever connects is told the
// session's state before anything else.
func TestStateComesFirst(t *testing.T) {
	s := start(t, t.TempDir(), "--auth", "none")
	defer s.stop()
	o, err := dial(context.Background(), s, "test_session", "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer o.close()
	f, err := o.read(context.Background())
	if err != nil || f.Type != "session_state" || f.SessionID != "test_session" {
		t.Fatalf("first came %+v (%v)", f, err)
	}
	for _, field := range []string{"status", "plan", "todos", "hitl_pending", "last_message_id"} {
		if _, ok := f.Data[field]; !ok {
			t.Errorf("session_state has no %s", field)
		}
	}
	if f.MessageID != "" {
		t.Errorf("a signal carries message_id %s", f.MessageID)
	}
	if _, err := time.Parse(time.RFC3339Nano, f.Timestamp); err != nil {
		t.Error(err)
	}
}

// A client that leaves and comes back has in the end the same records in the
// same order as one that never left.
func TestResume(t *testing.T) {
	s := start(t, t.TempDir(), "--model", "script:testdata/story.yaml")
	defer s.stop()
	ctx := context.Background()
	stayed, err := dial(ctx, s, "test_session", "msg_0000000000", "stays")
	if err != nil {
		t.Fatal(err)
	}
	defer stayed.close()
	var whole []frame
	var seen []frame
	last := "msg_0000000000"
	for turn := range 4 {
		leaver, err := dial(ctx, s, "test_session", last, "leaves")
		if err != nil {
			t.Fatal(err)
		}
		if err := leaver.say(ctx, "test_session", fmt.Sprintf("say-%d", turn), fmt.Sprintf("go on, %d", turn)); err != nil {
			t.Fatal(err)
		}
		// It reads a little and is gone in the middle of the answer.
		for range 6 + 7*turn {
			f, err := leaver.read(ctx)
			if err != nil {
				t.Fatal(err)
			}
			seen = append(seen, records([]frame{f})...)
		}
		leaver.close()
		if len(seen) > 0 {
			last = seen[len(seen)-1].MessageID
		}
		whole = append(whole, stayed.until(t, "complete")...)
	}
	back, err := dial(ctx, s, "test_session", last, "leaves")
	if err != nil {
		t.Fatal(err)
	}
	defer back.close()
	want := records(whole)
	for len(seen) < len(want) {
		f, err := back.read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, records([]frame{f})...)
	}
	for i := range want {
		if seen[i].raw != want[i].raw {
			t.Fatalf("record %d: %s\nwant %s", i, seen[i].raw, want[i].raw)
		}
		if id := fmt.Sprintf("msg_%010d", i+1); want[i].MessageID != id {
			t.Fatalf("record %d has id %s", i+1, want[i].MessageID)
		}
	}
}

// The same message sent again, over another connection and after a restart,
// acts once and is answered each time.
func TestSentAgain(t *testing.T) {
	data := t.TempDir()
	s := start(t, data, "--model", "script:testdata/story.yaml")
	ctx := context.Background()
	ids := map[string]bool{}
	for round := range 3 {
		o, err := dial(ctx, s, "again", "", "tab")
		if err != nil {
			t.Fatal(err)
		}
		if err := o.say(ctx, "again", "only-once", "hello"); err != nil {
			t.Fatal(err)
		}
		frames := o.until(t, "ack")
		ack := frames[len(frames)-1]
		if ack.Data["in_reply_to"] != "only-once" || ack.Data["ok"] != true {
			t.Fatalf("ack %v", ack.Data)
		}
		ids[fmt.Sprint(ack.Data["message_id"])] = true
		o.close()
		if round == 1 {
			s.kill()
			s = start(t, data, "--model", "script:testdata/story.yaml")
		}
	}
	defer s.stop()
	if len(ids) != 1 {
		t.Errorf("the answers name different records: %v", ids)
	}
	said := 0
	for _, f := range s.journal(t, "again") {
		if f.Type == "message_accepted" || f.Type == "message_queued" {
			said++
		}
	}
	if said != 1 {
		t.Errorf("the message was acted on %d times", said)
	}
}

// Everything wrong at the door is refused with its code, and harms nobody.
func TestRefusals(t *testing.T) {
	s := start(t, t.TempDir())
	defer s.stop()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	healthy, err := dial(ctx, s, "healthy", "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer healthy.close()
	healthy.until(t, "session_state")

	wrong := *s
	wrong.Token = "wrong"
	o, err := dial(ctx, &wrong, "healthy", "", "")
	if err == nil {
		for err == nil {
			_, err = o.read(ctx)
		}
		if code := websocket.CloseStatus(err); code != 4500 {
			t.Errorf("a wrong token was closed with %d, want 4500", code)
		}
	}
	_, resp, err := websocket.Dial(ctx, "ws://"+s.Listen+"/ws/healthy?token="+s.Token, &websocket.DialOptions{
		HTTPHeader: map[string][]string{"Origin": {"https://evil.example"}},
	})
	if err == nil || resp == nil || resp.StatusCode != 403 {
		t.Errorf("a foreign origin: %v", err)
	}
	for _, bad := range []struct {
		what, frame string
		code        float64
	}{
		{"no JSON", `{"type":`, 1003},
		{"unknown type", `{"type":"make_coffee"}`, 1003},
		{"wrong kind", `{"type":"user_message","data":{"content":7}}`, 1003},
		{"a record", `{"type":"complete","data":{}}`, 1003},
		{"known, not built", `{"type":"component_action","data":{"window_id":"w","action":"a"}}`, 1003},
		{"another session", `{"type":"user_message","session_id":"other","data":{"content":"x"}}`, 1003},
		{"nothing to cancel", `{"type":"control_cancel","data":{}}`, 3003},
	} {
		if err := healthy.conn.Write(ctx, websocket.MessageText, []byte(bad.frame)); err != nil {
			t.Fatal(err)
		}
		frames := healthy.until(t, "error")
		if got := frames[len(frames)-1].Data["code"]; got != bad.code {
			t.Errorf("%s: code %v, want %v", bad.what, got, bad.code)
		}
	}
	big, err := dial(ctx, s, "healthy", "", "")
	if err != nil {
		t.Fatal(err)
	}
	_ = big.say(ctx, "healthy", "", strings.Repeat("x", 2<<20))
	for err == nil {
		_, err = big.read(ctx)
	}
	if code := websocket.CloseStatus(err); code != 1009 {
		t.Errorf("a frame of 2 MiB was closed with %d (%v), want 1009", code, err)
	}
	if err := healthy.say(ctx, "healthy", "m", "are you well?"); err != nil {
		t.Fatal(err)
	}
	healthy.until(t, "complete")
}
