package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-dev/parley/internal/index"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/journal/sqlite"
	"github.com/parley-dev/parley/protocol"
)

func TestConversation(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	h.say("a", "hello")
	store := h.get("/sessions/a/messages").is(200)
	var got []string
	for _, e := range store.items() {
		got = append(got, fmt.Sprintf("%v %v %v", e["role"], e["type"], e["content"]))
	}
	want := []string{"user text hello", "assistant text You said: hello", "system result <nil>"}
	if !reflect.DeepEqual(got, want) || store.json()["total"] != float64(3) {
		t.Errorf("got %q in %s", got, store.body)
	}
	if r := store.items()[2]; r["inputTokens"] != float64(10) || r["outputTokens"] != float64(5) {
		t.Errorf("result %v", r)
	}
	ui := h.get("/sessions/a/messages?view=ui").is(200)
	if items := ui.items(); len(items) != 2 || items[0]["say"] != "text" || items[1]["text"] != "You said: hello" || items[0]["message_id"] == "" {
		t.Errorf("ui: %s", ui.body)
	}
	part := h.get("/sessions/a/messages?limit=1&offset=1").is(200)
	if items := part.items(); len(items) != 1 || items[0]["role"] != "assistant" || part.json()["total"] != float64(3) {
		t.Errorf("page: %s", part.body)
	}
	tail := h.get("/sessions/a/messages?limit=2&tail=true").is(200)
	if items := tail.items(); len(items) != 2 || items[0]["role"] != "assistant" || items[1]["type"] != "result" || tail.json()["total"] != float64(3) {
		t.Errorf("tail: %s", tail.body)
	}
	before := h.get("/sessions/a/messages?limit=2&offset=2&tail=true").is(200)
	if items := before.items(); len(items) != 1 || items[0]["role"] != "user" {
		t.Errorf("what is before the tail: %s", before.body)
	}
	sameFromTheJournal(h, "a")
	if past := h.get("/sessions/a/messages?offset=99").is(200); len(past.items()) != 0 || past.json()["total"] != float64(3) {
		t.Errorf("past the end: %s", past.body)
	}
}

func TestMessagesAreRefused(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	for _, body := range []string{
		``, `{}`, `{"content":""}`, `{"content":7}`, `{"content":"x","when":"now"}`, `{"content":"x","monitor_id":"elsewhere"}`,
		`{"content":"x"},"type":"control_cancel"`, `"x"`, "{\"content\":\"\xff\"}", `{"content":` + strings.Repeat(`[`, 100) + strings.Repeat(`]`, 100) + `}`,
	} {
		h.post("/sessions/a/messages", body).problem(400, protocol.CodeInvalidMessage)
	}
	p := h.post("/sessions/a/messages", `{"content":7}`).problem(400, protocol.CodeInvalidMessage)
	if p["detail"] != "body.content must be a string, not the number 7" && p["detail"] != "body.content must be a string, not the number" {
		t.Errorf("detail: %v", p["detail"])
	}
	h.post("/sessions/nobody/messages", `{"content":"x"}`).problem(404, protocol.CodeSessionNotFound)
	for _, q := range []string{"limit=0", "limit=1001", "offset=-1", "view=sideways", "tail=perhaps"} {
		h.get("/sessions/a/messages?"+q).problem(400, protocol.CodeInvalidMessage)
	}
	h.get("/sessions/nobody/messages").problem(404, protocol.CodeSessionNotFound)
	if last := h.get("/sessions/a").json()["last_message_id"]; last != "msg_0000000001" {
		t.Errorf("something was recorded: %v", last)
	}
}

func TestMessageTooLarge(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	h.post("/sessions/a/messages", `{"content":"`+strings.Repeat("x", 10<<20)+`"}`).problem(413, protocol.CodeMessageTooLarge)
	h.do(http.MethodPatch, "/api/v1/sessions/a", `{"title":"`+strings.Repeat("x", 1<<20)+`"}`).problem(413, protocol.CodeMessageTooLarge)
	// Two megabytes are more than a frame of a WebSocket, and fine here.
	h.post("/sessions/a/messages", `{"content":"`+strings.Repeat("x", 2<<20)+`"}`).is(202)
}

func TestQueuedAndInterrupting(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	s := h.follow("a", "")
	first := h.post("/sessions/a/messages", `{"content":"hold one"}`, "Idempotency-Key", "1").is(202)
	s.until(protocol.TypeAgentResponse)
	second := h.post("/sessions/a/messages", `{"content":"two","when":"queue"}`, "Idempotency-Key", "2").is(202)
	third := h.post("/sessions/a/messages", `{"content":"hold three","when":"interrupt"}`, "Idempotency-Key", "3").is(202)
	for i, c := range []struct {
		a      answer
		status string
		typ    protocol.Type
	}{
		{first, "accepted", protocol.TypeMessageAccepted}, {second, "queued", protocol.TypeMessageQueued}, {third, "accepted", protocol.TypeMessageAccepted},
	} {
		if c.a.json()["status"] != c.status {
			t.Errorf("message %d: %s", i+1, c.a.body)
		}
		if id := c.a.json()["message_id"]; s.record(id) != c.typ {
			t.Errorf("message %d: %v is %s in the journal", i+1, id, s.record(id))
		}
	}
	// Sent again they are answered as before.
	for key, a := range map[string]answer{"1": first, "2": second, "3": third} {
		body := map[string]string{"1": `{"content":"hold one"}`, "2": `{"content":"two","when":"queue"}`, "3": `{"content":"hold three","when":"interrupt"}`}[key]
		if again := h.post("/sessions/a/messages", body, "Idempotency-Key", key).is(202); string(again.body) != string(a.body) {
			t.Errorf("%s: first %s, then %s", key, a.body, again.body)
		}
	}
}

func TestMessageOnceAcrossARestart(t *testing.T) {
	dir := t.TempDir()
	h := build(t, plan{dir: dir})
	created := h.post("/sessions", `{"title":"x"}`, "Idempotency-Key", "c").is(201).json()["session_id"].(string)
	s := h.follow(created, "")
	first := h.post("/sessions/"+created+"/messages", `{"content":"hello"}`, "Idempotency-Key", "k").is(202)
	s.until(protocol.TypeComplete)
	s.close()
	before := h.get("/sessions/" + created + "/events?limit=1000").is(200)
	h.close()

	h = build(t, plan{dir: dir})
	again := h.post("/sessions/"+created+"/messages", `{"content":"hello"}`, "Idempotency-Key", "k").is(202)
	if string(again.body) != string(first.body) {
		t.Errorf("first %s, then %s", first.body, again.body)
	}
	if id := h.post("/sessions", `{"title":"x"}`, "Idempotency-Key", "c").is(201).json()["session_id"]; id != created {
		t.Errorf("created again as %v", id)
	}
	h.post("/sessions/"+created+"/messages", `{"content":"other"}`, "Idempotency-Key", "k").problem(400, protocol.CodeInvalidMessage)
	if after := h.get("/sessions/" + created + "/events?limit=1000").is(200); string(after.body) != string(before.body) {
		t.Errorf("the journal changed:\n%s\n%s", before.body, after.body)
	}
}

// A rewind hides what came after its target, from both views and not from the
// journal.
func TestViewsFollowTheHead(t *testing.T) {
	dir := t.TempDir()
	j, err := sqlite.Open(sqlite.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	say := func(text string) *protocol.MessageRecord {
		return &protocol.MessageRecord{Action: protocol.MessageCreated, Role: protocol.RoleUser, Message: protocol.Message{
			Ts: now.UnixMilli() + int64(text[0]), Type: protocol.KindSay, Say: protocol.SayText, Text: text,
		}}
	}
	a := journal.Append{Session: "a"}
	for i, data := range []any{
		&protocol.SessionCreated{Owner: "local", Version: protocol.Version, Pipeline: protocol.PipelineAuto},
		say("1"), say("2"), say("3"),
		&protocol.Rewound{RewindID: "r", Head: "msg_0000000002"},
		say("4"),
	} {
		typ := protocol.TypeMessage
		switch data.(type) {
		case *protocol.SessionCreated:
			typ = protocol.TypeSessionCreated
		case *protocol.Rewound:
			typ = protocol.TypeRewound
		}
		frame, err := protocol.Record{Seq: uint64(i + 1), Type: typ, Time: now, Data: data}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		a.Records = append(a.Records, journal.Record{Seq: uint64(i + 1), Frame: frame})
	}
	if err := j.Append(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	h := build(t, plan{dir: dir})
	sameFromTheJournal(h, "a")
	for view, field := range map[string]string{"store": "content", "ui": "text"} {
		list := h.get("/sessions/a/messages?view=" + view).is(200)
		var texts []string
		for _, e := range list.items() {
			texts = append(texts, e[field].(string))
		}
		if !reflect.DeepEqual(texts, []string{"1", "4"}) || list.json()["total"] != float64(2) {
			t.Errorf("%s: %q", view, texts)
		}
	}
	if n := len(h.get("/sessions/a/events").is(200).items()); n != 6 {
		t.Errorf("%d of 6 records", n)
	}
}

// doubtful is an index that at times cannot tell any session.
type doubtful struct {
	*index.Index
	unsure *atomic.Bool
}

func (d doubtful) Lines(ctx context.Context, session string, v index.View, r index.Range, may func(string) error) (index.Lines, error) {
	if d.unsure.Load() {
		return index.Lines{}, index.ErrUnsure
	}
	return d.Index.Lines(ctx, session, v, r, may)
}

// sameFromTheJournal reads a session page by page, with the index and without.
func sameFromTheJournal(h *house, id string) {
	h.t.Helper()
	for _, view := range []string{"store", "ui"} {
		for _, page := range []string{"limit=1000", "limit=1&offset=1", "limit=2&tail=true", "limit=5&offset=1&tail=true", "offset=99&tail=true", "offset=99"} {
			path := "/sessions/" + id + "/messages?view=" + view + "&" + page
			quick := h.get(path).is(200)
			h.unsure.Store(true)
			slow := h.get(path).is(200)
			h.unsure.Store(false)
			if !reflect.DeepEqual(quick.json(), slow.json()) {
				h.t.Errorf("%s:\nfrom the index   %s\nfrom the journal %s", path, quick.body, slow.body)
			}
		}
	}
}
