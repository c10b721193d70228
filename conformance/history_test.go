package conformance

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// texts is the visible conversation, over REST.
func (s *server) texts(t testing.TB, session string) string {
	t.Helper()
	var page struct {
		Items []struct {
			Text string `json:"text"`
			Ts   int64  `json:"ts"`
		} `json:"items"`
		Total int `json:"total"`
	}
	s.get(t, "/api/v1/sessions/"+session+"/messages?view=ui&limit=500", &page)
	var out []string
	for _, m := range page.Items {
		out = append(out, strings.Fields(m.Text + " -")[0])
	}
	return strings.Join(out, " ")
}

// asks says things one after the other and waits for each answer.
func asks(t testing.TB, o *outsider, session string, words ...string) {
	t.Helper()
	for _, w := range words {
		if err := o.say(context.Background(), session, "", w); err != nil {
			t.Fatal(err)
		}
		o.until(t, "complete")
	}
}

// Going back, forth, sideways and anew, with two clients watching and the power
// going between: every view is the same for everyone.
func TestRewindAndUndo(t *testing.T) {
	data := t.TempDir()
	s := start(t, data, "--model", "script:testdata/story.yaml", "--no-rate-limits")
	defer func() { s.stop() }()
	ctx := context.Background()
	a, err := dial(ctx, s, "tale", "", "a")
	if err != nil {
		t.Fatal(err)
	}
	a.until(t, "session_state")
	asks(t, a, "tale", "one", "two", "three")
	b, err := dial(ctx, s, "tale", "", "b")
	if err != nil {
		t.Fatal(err)
	}
	b.until(t, "session_state")
	whole := s.texts(t, "tale")

	var preview, done map[string]any
	s.post(t, "/api/v1/sessions/tale/rewind", map[string]any{"index": 3, "preview": true}, &preview)
	if s.texts(t, "tale") != whole || preview["messages_hidden"] != 6.0 || preview["rewind_id"] != nil {
		t.Errorf("the preview says %v", preview)
	}
	s.post(t, "/api/v1/sessions/tale/rewind", map[string]any{"index": 3}, &done)
	short := s.texts(t, "tale")
	if done["rewind_id"] == "" || done["status"] != "idle" || !strings.HasPrefix(whole, short) || strings.Contains(short, "two") {
		t.Errorf("rewound: %v; %q of %q", done, short, whole)
	}
	for name, o := range map[string]*outsider{"a": a, "b": b} {
		o.until(t, "rewound")
		state := o.until(t, "session_state")
		if got := state[len(state)-1].Data["status"]; got != "idle" {
			t.Errorf("%s sees %v", name, got)
		}
	}

	s.kill()
	s = start(t, data, "--model", "script:testdata/story.yaml", "--no-rate-limits")
	if got := s.texts(t, "tale"); got != short {
		t.Errorf("after a crash %q, want %q", got, short)
	}
	s.post(t, "/api/v1/sessions/tale/rewind/undo", map[string]any{}, nil)
	if got := s.texts(t, "tale"); got != whole {
		t.Errorf("undone: %q, want %q", got, whole)
	}
	s.post(t, "/api/v1/sessions/tale/rewind/undo", map[string]any{}, nil)
	if got := s.texts(t, "tale"); got != short {
		t.Errorf("the undo undone: %q, want %q", got, short)
	}

	// A new message instead of the hidden ones, and back to the old branch.
	c, err := dial(ctx, s, "tale", "", "c")
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	c.until(t, "session_state")
	asks(t, c, "tale", "otherwise")
	var branches struct {
		Items []struct {
			Head    string `json:"head"`
			Current bool   `json:"current"`
		} `json:"items"`
	}
	s.get(t, "/api/v1/sessions/tale/branches", &branches)
	if len(branches.Items) != 2 || branches.Items[0].Current || !branches.Items[1].Current {
		t.Fatalf("branches %+v", branches)
	}
	s.post(t, "/api/v1/sessions/tale/rewind", map[string]any{"to": branches.Items[0].Head, "include_target": true}, nil)
	if got := s.texts(t, "tale"); got != whole {
		t.Errorf("back on the old branch: %q, want %q", got, whole)
	}

	// A list knows how a session stands after that.
	var list struct {
		Items []struct {
			Status string `json:"status"`
		} `json:"items"`
	}
	s.post(t, "/api/v1/sessions/tale/rewind", map[string]any{"index": 1}, nil) // into the first turn
	if s.get(t, "/api/v1/sessions", &list); list.Items[0].Status != "paused" {
		t.Errorf("the list says %+v, want paused", list.Items)
	}
	s.post(t, "/api/v1/sessions/tale/rewind/undo", map[string]any{}, nil)

	// Fork, and delete what it came from.
	var fork map[string]any
	s.post(t, "/api/v1/sessions/tale/fork", map[string]any{"session_id": "copy"}, &fork)
	if got := s.texts(t, "copy"); got != whole || fork["forked_from"] != "tale" {
		t.Errorf("the fork has %q, want %q", got, whole)
	}
	req, _ := http.NewRequest("DELETE", s.URL+"/api/v1/sessions/tale", nil)
	req.Header.Set("Authorization", "Bearer "+s.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode > 299 {
		t.Fatalf("delete: %v %v", resp, err)
	}
	resp.Body.Close()
	if got := s.texts(t, "copy"); got != whole {
		t.Errorf("once the other is gone the fork has %q", got)
	}
}

// Over the WebSocket: edit, delete, reset; a resent command is answered, not
// done again, also when its past is hidden.
func TestEditDeleteReset(t *testing.T) {
	s := start(t, t.TempDir(), "--model", "script:testdata/story.yaml", "--no-rate-limits")
	defer s.stop()
	ctx := context.Background()
	o, err := dial(ctx, s, "tale", "", "a")
	if err != nil {
		t.Fatal(err)
	}
	defer o.close()
	o.until(t, "session_state")
	if err := o.say(ctx, "tale", "m1", "one"); err != nil {
		t.Fatal(err)
	}
	o.until(t, "complete")
	asks(t, o, "tale", "two")
	var page struct {
		Items []struct {
			ID   string `json:"message_id"`
			Text string `json:"text"`
			Ts   int64  `json:"ts"`
		} `json:"items"`
	}
	s.get(t, "/api/v1/sessions/tale/messages?view=ui", &page)
	first := page.Items[0]
	send := func(id, kind string, data map[string]any) frame {
		t.Helper()
		if err := o.send(ctx, map[string]any{"type": kind, "message_id": id, "data": data}); err != nil {
			t.Fatal(err)
		}
		got := o.until(t, "ack")
		return got[len(got)-1]
	}
	if ack := send("e1", "edit_message", map[string]any{"ts": first.Ts, "content": "uno"}); ack.Data["ok"] != true {
		t.Fatalf("edit: %s", ack.raw)
	}
	o.until(t, "complete")
	if got := s.texts(t, "tale"); !strings.HasPrefix(got, "uno ") || strings.Contains(got, "one") || strings.Contains(got, "two") {
		t.Errorf("edited: %q", got)
	}
	before := len(s.journal(t, "tale"))
	if ack := send("m1", "user_message", map[string]any{"content": "one"}); ack.Data["ok"] != true || len(s.journal(t, "tale")) != before {
		t.Errorf("a message of the hidden past was acted on again: %s", ack.raw)
	}
	if ack := send("d1", "delete_message", map[string]any{"message_id": first.ID}); ack.Data["ok"] != false {
		t.Errorf("a hidden message was deleted: %s", ack.raw)
	}
	if ack := send("r1", "reset", map[string]any{}); ack.Data["ok"] != true || s.texts(t, "tale") != "" {
		t.Errorf("reset: %s, %q", ack.raw, s.texts(t, "tale"))
	}
	for name, bad := range map[string]map[string]any{
		"nothing":      {},
		"two at once":  {"index": 1, "ts": 5},
		"unknown id":   {"to": "msg_0000099999"},
		"no id":        {"to": "message five"},
		"out of range": {"index": 500},
		"between":      {"ts": 7},
		"nothing left": {"to": "msg_0000000001", "include_target": true},
	} {
		if ack := send("bad "+name, "rewind", bad); ack.Data["ok"] != false {
			t.Errorf("rewind to %s: %s", name, ack.raw)
		}
	}
	if n := len(s.journal(t, "tale")); n != before+1 {
		t.Errorf("%d records, want %d: a refused rewind changed something", n, before+1)
	}
}

// The model is told less, people see all: condense by hand, then go back.
func TestCondense(t *testing.T) {
	s := start(t, t.TempDir(), "--model", "offline", "--no-rate-limits")
	defer s.stop()
	o, err := dial(context.Background(), s, "talk", "", "a")
	if err != nil {
		t.Fatal(err)
	}
	defer o.close()
	o.until(t, "session_state")
	for i := range 6 {
		asks(t, o, "talk", fmt.Sprintf("hello number %d %s", i, strings.Repeat("and so on ", 60)))
	}
	type model struct {
		Items []struct {
			HiddenBy  string `json:"hidden_by"`
			IsSummary bool   `json:"is_summary"`
			Tokens    int    `json:"tokens"`
		} `json:"items"`
	}
	var before, after, back model
	s.get(t, "/api/v1/sessions/talk/history/model", &before)
	var done struct {
		ID   string `json:"condense_id"`
		Prev int    `json:"prev_context_tokens"`
		New  int    `json:"new_context_tokens"`
	}
	s.post(t, "/api/v1/sessions/talk/condense", map[string]any{}, &done)
	if done.ID == "" || done.New >= done.Prev || done.New == 0 {
		t.Errorf("condensed: %+v", done)
	}
	s.get(t, "/api/v1/sessions/talk/history/model", &after)
	hidden, summaries := 0, 0
	for _, m := range after.Items {
		if m.HiddenBy == done.ID {
			hidden++
		}
		if m.IsSummary {
			summaries++
		}
	}
	if hidden != len(before.Items)-3 || summaries != 1 || len(after.Items) != len(before.Items)+1 {
		t.Errorf("%d messages, %d of them hidden, %d summaries", len(after.Items), hidden, summaries)
	}
	if n := strings.Count(s.texts(t, "talk"), "hello"); n != 6 {
		t.Errorf("people see %d of their messages", n)
	}
	s.post(t, "/api/v1/sessions/talk/rewind", map[string]any{"index": 12}, nil) // the summary itself goes
	s.get(t, "/api/v1/sessions/talk/history/model", &back)
	if fmt.Sprint(back) != fmt.Sprint(before) {
		t.Errorf("after going back the model is told\n%+v\nwant\n%+v", back, before)
	}
}

// A call is one line of the message store, with what it was given; and a
// question is open until it is answered, also when it is asked anew.
func TestCallsAndAnswersInTheViews(t *testing.T) {
	s := start(t, t.TempDir(), "--model", "offline", "--no-rate-limits")
	defer s.stop()
	approve := func(f frame) (string, map[string]any) {
		if f.Type == "hitl_approval_request" {
			return "hitl_approval_response", map[string]any{"action": "approve"}
		}
		return "", nil
	}
	s.post(t, "/api/v1/sessions", map[string]any{"session_id": "work"}, nil)
	all := talk(t, s, "work", "run echo made here", approve)
	var store struct {
		Items []struct {
			Type      string            `json:"type"`
			ToolInput map[string]string `json:"toolInput"`
			Output    string            `json:"output"`
		} `json:"items"`
	}
	s.get(t, "/api/v1/sessions/work/messages", &store)
	calls := 0
	for _, e := range store.Items {
		if !strings.HasPrefix(e.Type, "tool_") {
			continue
		}
		if calls++; e.Type != "tool_complete" || e.ToolInput["command"] != "echo made here" || !strings.Contains(e.Output, "made here") {
			t.Errorf("the call is told as %+v", e)
		}
	}
	if calls != 1 {
		t.Errorf("%d lines for one call: %+v", calls, store.Items)
	}

	answered := func() (out []any) {
		for _, m := range s.said(t, "work") {
			if m["type"] == "ask" {
				out = append(out, m["isAnswered"])
			}
		}
		return out
	}
	if got := answered(); len(got) != 1 || got[0] != true {
		t.Errorf("answered: %v", got)
	}
	asked := of(all, "hitl_approval_request")[0]
	s.post(t, "/api/v1/sessions/work/rewind", map[string]any{"to": asked.MessageID, "include_target": true}, nil)
	if got := answered(); len(got) != 1 || got[0] != nil {
		t.Errorf("asked anew, it is answered: %v", got)
	}
	s.post(t, "/api/v1/sessions/work/rewind/undo", map[string]any{}, nil)
	if got := answered(); len(got) != 1 || got[0] != true {
		t.Errorf("after the undo it is answered: %v", got)
	}
}
