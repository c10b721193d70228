package rest_test

import (
	"fmt"
	"net/http"
	"testing"
)

// A rewind that is sent again is answered as before, although what it names is
// hidden by then.
func TestResentRewindIsAnswered(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	h.say("a", "one")
	h.say("a", "two")
	items := h.get("/sessions/a/messages?view=ui").is(http.StatusOK).items()
	ts := int64(items[2]["ts"].(float64))
	for _, name := range []string{fmt.Sprintf(`{"ts":%d}`, ts), `{"index":1}`, `{"to":"msg_0000000004"}`} {
		first := h.post("/sessions/a/rewind", name, "Idempotency-Key", name).is(http.StatusOK)
		again := h.post("/sessions/a/rewind", name, "Idempotency-Key", name).is(http.StatusOK)
		if first.json()["rewind_id"] != again.json()["rewind_id"] || first.json()["messages_hidden"] != again.json()["messages_hidden"] {
			t.Errorf("%s: first %s, then %s", name, first.body, again.body)
		}
	}
	h.say("a", "three")
	undone := h.post("/sessions/a/rewind/undo", `{}`, "Idempotency-Key", "undo").is(http.StatusOK)
	again := h.post("/sessions/a/rewind/undo", `{}`, "Idempotency-Key", "undo").is(http.StatusOK)
	if undone.json()["rewind_id"] != again.json()["rewind_id"] {
		t.Errorf("undone %s, then %s", undone.body, again.body)
	}
	h.post("/sessions/a/rewind", `{"index":0,"preview":true}`, "Idempotency-Key", "p").is(http.StatusOK)
	h.post("/sessions/a/rewind", `{"index":0}`, "Idempotency-Key", "undo").is(http.StatusBadRequest) // another message under the same key
}
