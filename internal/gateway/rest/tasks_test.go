package rest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/protocol"
)

const (
	fromStart = "msg_0000000000&view=task"
	fromNow   = "&view=task"
)

// times reads up to the n-th event of a name.
func (f *follower) times(n int, name string) {
	f.h.t.Helper()
	for range n {
		f.until(protocol.Type(name))
	}
}

// tasks are the task events that came, told in a line.
func (f *follower) tasks() (all []event) {
	for _, e := range f.seen {
		if e.typ != protocol.TypeSessionState {
			all = append(all, e)
		}
	}
	return all
}

func (f *follower) names() string {
	var out []string
	for _, e := range f.tasks() {
		out = append(out, strings.TrimPrefix(string(e.typ), "task"))
	}
	return strings.Join(out, " ")
}

const (
	turnEvents = "Started Active message UserMessage TokenUsageUpdated message Completed Idle"
	allEvents  = "Created " + turnEvents
)

// A session is followed by its task events: from the start, from now on, and
// from wherever one was cut off.
func TestTaskStream(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	live, now := h.follow("a", fromStart), h.follow("a", fromNow)
	h.say("a", "one")
	h.say("a", "two")
	live.times(2, history.TaskCompleted)
	live.until(history.TaskIdle)
	if got := live.names(); got != allEvents+" "+turnEvents {
		t.Errorf("got %s", got)
	}
	now.times(2, history.TaskCompleted)
	now.until(history.TaskIdle)
	if got := now.names(); got != turnEvents+" "+turnEvents {
		t.Errorf("from now on came %s", got)
	}
	all := live.tasks()
	for _, e := range all {
		var got history.TaskEvent
		if err := json.Unmarshal([]byte(e.data), &got); err != nil || got.EventName != string(e.typ) || !strings.Contains(fmt.Sprint(got.Payload[0]), "a") {
			t.Errorf("%+v (%v)", e, err)
		}
	}
	for i, e := range all {
		if e.id == "" {
			continue
		}
		resumed := h.follow("a", fromStart, "Last-Event-ID", e.id)
		for len(resumed.tasks()) < len(all)-i-1 {
			if _, ok := resumed.next(); !ok {
				t.Fatal("the stream ended")
			}
		}
		if !slices.Equal(resumed.tasks(), all[i+1:]) {
			t.Errorf("after %s: %s", e.id, resumed.names())
		}
		resumed.close()
	}
}

// Where the head was moved the state is that of the record it was moved to,
// for those who were there and for those who come later.
func TestTaskStreamAfterARewind(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	live := h.follow("a", fromStart)
	h.say("a", "one")
	started := ""
	for _, e := range h.get("/sessions/a/events?limit=100").is(200).items() {
		if e["type"] == "model_started" {
			started = e["message_id"].(string)
		}
	}
	h.post("/sessions/a/rewind", fmt.Sprintf(`{"to":%q,"include_target":true}`, started)).is(200)
	live.until(history.TaskResumable)
	live.until(protocol.TypeSessionState)
	later := h.follow("a", fromNow)
	later.until(protocol.TypeSessionState)
	h.post("/sessions/a/control", `{"action":"resume"}`).is(200)
	for name, f := range map[string]*follower{"live": live, "later": later} {
		f.until(history.TaskUnpaused)
		if e, _ := f.next(); e.typ != history.TaskActive {
			t.Errorf("%s: after it went on came %s", name, e.typ)
		}
		f.until(history.TaskCompleted)
		var last struct{ Payload []json.RawMessage }
		if err := json.Unmarshal([]byte(f.seen[len(f.seen)-1].data), &last); err != nil || !strings.Contains(string(last.Payload[1]), `"totalTokensIn":20,`) {
			t.Errorf("%s: %s (%v)", name, last.Payload, err)
		}
	}
}

func TestTaskStreamIsRefused(t *testing.T) {
	h := build(t, plan{})
	h.create("a")
	h.get("/sessions/a/stream?view=nonsense").problem(400, protocol.CodeInvalidMessage)
}
