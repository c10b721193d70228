package rest_test

import (
	"testing"

	"github.com/parley-dev/parley/protocol"
)

func TestRequestsAndPlanOfASessionWithoutAny(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	if n := len(h.get("/sessions/a/requests").is(200).items()); n != 0 {
		t.Errorf("%d requests", n)
	}
	h.get("/sessions/a/plan").problem(404, protocol.CodeSessionInvalidState)
	h.get("/sessions/nobody/requests").problem(404, protocol.CodeSessionNotFound)
	h.get("/sessions/nobody/plan").problem(404, protocol.CodeSessionNotFound)
}

func TestControl(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	control := func(body string, headers ...string) answer { return h.post("/sessions/a/control", body, headers...) }
	control(`{"action":"cancel"}`).problem(409, protocol.CodeSessionInvalidState)
	s := h.follow("a", "")
	h.post("/sessions/a/messages", `{"content":"hold"}`).is(202)
	s.until(protocol.TypeAgentResponse)
	first := control(`{"action":"cancel","reason":"enough"}`, "Idempotency-Key", "c").is(200)
	var failed protocol.Failed
	if err := s.until(protocol.TypeFailed).payload(&failed); err != nil || failed.Status != protocol.StatusCancelled || failed.Error.Message != "enough" {
		t.Errorf("got %+v (%v)", failed, err)
	}
	again := control(`{"action":"cancel","reason":"enough"}`, "Idempotency-Key", "c").is(200)
	if string(first.body) != string(again.body) || first.json()["message_id"] == nil {
		t.Errorf("first %s, then %s", first.body, again.body)
	}
	for _, body := range []string{`{}`, `{"action":"explode"}`, `{"action":7}`, `{"action":"retry"}`, `[]`, ``} {
		control(body).problem(400, protocol.CodeInvalidMessage)
	}
	h.post("/sessions/nobody/control", `{"action":"cancel"}`).problem(404, protocol.CodeSessionNotFound)
}
