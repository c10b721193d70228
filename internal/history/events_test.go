package history_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// listen collects the events of a session as they happen.
func (c *core) listen(id string) *[]history.TaskEvent {
	tasks := history.NewTasks(id)
	events := new([]history.TaskEvent)
	for _, r := range c.records {
		tasks.Add(r, protocol.StatusIdle)
	}
	c.done = func(r protocol.Record, s protocol.Status) { *events = append(*events, tasks.Add(r, s)...) }
	return events
}

// brief tells events in few words, and takes them off the list.
func brief(events *[]history.TaskEvent) string {
	var out []string
	for _, e := range *events {
		name := strings.TrimPrefix(e.EventName, "task")
		if m, ok := e.Payload[0].(history.MessageEvent); ok {
			name = fmt.Sprintf("%s:%s%s", m.Action, m.Message.Ask, m.Message.Say)
			if m.Message.IsAnswered {
				name += "!"
			}
		}
		out = append(out, name)
	}
	*events = nil
	return strings.Join(out, " ")
}

func is(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

// A session with something of everything, told by the real core.
func TestTaskEvents(t *testing.T) {
	c := newCore(t)
	events := c.listen("s")
	c.say(t, "begin")
	is(t, "a turn begins", brief(events), "Started Active created:text UserMessage")
	c.answers(t, "looking", readUse, runUse)
	is(t, "tools are wanted", brief(events), "created:text TokenUsageUpdated created:command")
	c.runs(t, true, "a file")
	is(t, "one of them ran", brief(events), "Interactive")
	c.must(t, protocol.TypeHitlApprovalResponse, &protocol.HitlApprovalResponse{RequestID: c.asked(t), Action: "approve"})
	is(t, "the other may run", brief(events), "updated:command! AskResponded Active")
	c.runs(t, false, "exit status 2")
	is(t, "it fails", brief(events), "ToolFailed")
	mode := "architect"
	c.must(t, protocol.TypeUpdateSession, &protocol.UpdateSession{Mode: &mode})
	is(t, "another mode", brief(events), "ModeSwitched")
	c.must(t, protocol.TypeControlPause, &protocol.ControlPause{})
	c.must(t, protocol.TypeControlResume, &protocol.ControlResume{})
	is(t, "a pause", brief(events), "Paused Resumable Unpaused Active")
	c.answers(t, "done")
	last := (*events)[len(*events)-2]
	is(t, "the end", brief(events), "TokenUsageUpdated created:text Completed Idle")
	got, err := json.Marshal(last)
	if err != nil {
		t.Fatal(err)
	}
	is(t, "its usage", string(got), `{"eventName":"taskCompleted","payload":["s",`+
		`{"totalTokensIn":20,"totalTokensOut":10,"totalCacheWrites":0,"totalCacheReads":0,"totalCost":0,"contextTokens":15},`+
		`{"read_file":{"attempts":1,"failures":0},"run_command":{"attempts":1,"failures":1}},{"isSubtask":false}]}`)
	c.say(t, "more")
	c.must(t, protocol.TypeControlCancel, &protocol.ControlCancel{})
	is(t, "cancelled", brief(events), "Started Active created:user_feedback UserMessage Aborted Idle")
	c.must(t, session.MoveHead, &session.Move{Head: 6})
	is(t, "back into the first turn", brief(events), "Resumable")
}

// What nobody answered, or could answer any more, is no response.
func TestTaskEventsOfUnansweredAsks(t *testing.T) {
	c := newCore(t)
	events := c.listen("s")
	c.say(t, "begin")
	c.answers(t, "", runUse)
	*events = nil
	c.now = c.state.Requests.Open[0].ExpiresAt.Time
	c.must(t, session.Expire, &session.Expired{RequestID: c.asked(t)})
	is(t, "nobody came", brief(events), "updated:command! Active")
	c.answers(t, "", runUse)
	*events = nil
	c.must(t, protocol.TypeControlCancel, &protocol.ControlCancel{})
	is(t, "cancelled while it asks", brief(events), "updated:command! Active Aborted Idle")
}

func TestTaskEventsOfDelegation(t *testing.T) {
	tasks := history.NewTasks("s")
	var events []history.TaskEvent
	add := func(data any) {
		events = append(events, tasks.Add(protocol.Record{Data: data}, protocol.StatusExecuting)...)
	}
	add(&protocol.SessionCreated{ParentID: "p"})
	add(&protocol.ToolStarted{CallID: "call_1", Tool: "delegate", ChildID: "c"})
	spawned := events[len(events)-2]
	add(&protocol.ToolCompleted{CallID: "call_1", Tool: "delegate", Retry: true})
	add(&protocol.ToolStarted{CallID: "call_1", Tool: "delegate", ChildID: "c"})
	add(&protocol.ToolCompleted{CallID: "call_1", Tool: "delegate", OK: true})
	add(&protocol.Complete{})
	if got := fmt.Sprint(spawned.Payload); got != "[s c]" {
		t.Errorf("spawned %s", got)
	}
	if got := fmt.Sprint(events[len(events)-1].Payload[3]); got != "map[isSubtask:true]" {
		t.Errorf("completed with %s", got)
	}
	is(t, "the parent", brief(&events), "Created Active Spawned Paused Unpaused Completed")
	add(&protocol.Forked{})
	add(&protocol.ModelCompleted{Usage: protocol.Usage{InputTokens: 1}})
	if got := fmt.Sprint(events[0].Payload[1:]); got != "[{1 0 0 0 0 1} map[]]" {
		t.Errorf("a fork has used %s", got)
	}
}

// Whatever happens: of the four states the one that was told last is the one
// that is, and none is told twice in a row.
func TestTaskStatesAreTold(t *testing.T) {
	vendors := newVendors(t)
	rapid.Check(t, func(t *rapid.T) {
		w := world{newCore(t), vendors}
		events := w.listen("s")
		w.say(t, "begin")
		for range rapid.IntRange(1, 40).Draw(t, "acts") {
			w.act(t)
		}
		told := "taskIdle"
		for _, e := range *events {
			switch e.EventName {
			case history.TaskActive, history.TaskInteractive, history.TaskResumable, history.TaskIdle:
				if e.EventName == told {
					t.Fatalf("%s twice", told)
				}
				told = e.EventName
			}
		}
		if is := w.state.Status().TaskState(); !strings.EqualFold(told, "task"+string(is)) {
			t.Fatalf("told %s, is %s", told, is)
		}
	})
}
