package session_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// does gives the steps of a kind that the session lists.
func (b *bench) does(kind session.StepKind) (ids []string) {
	for _, step := range b.state.Next() {
		if step.Kind == kind {
			ids = append(ids, step.ID)
		}
	}
	return ids
}

// run carries out every tool that may run, with this result.
func (b *bench) run(t testing.TB, ok bool) (ran int) {
	t.Helper()
	for _, step := range b.state.Next() {
		if step.Kind != session.StepTool {
			continue
		}
		if step.Tool.Status == session.ToolReady {
			b.must(t, session.Command{Type: session.ToolBegin, Data: &session.ToolBegun{TurnID: step.TurnID, CallID: step.Tool.ID}})
		}
		b.must(t, toolEnds(step, ok))
		ran++
	}
	return ran
}

func toolEnds(step session.Step, ok bool) session.Command {
	e := &session.ToolEnded{TurnID: step.TurnID, CallID: step.Tool.ID, OK: ok, Output: "out"}
	if !ok {
		e.Error = &protocol.TurnError{Code: "TOOL_EXECUTION_FAILED", Message: "no", Recoverable: true}
	}
	return session.Command{Type: session.ToolEnd, Data: e}
}

// Several requests at once are answered in any order; the model is asked again
// when the last call has ended, and not before.
func TestRequestsAnsweredInAnyOrder(t *testing.T) {
	for _, order := range permutations(4) {
		b := benchOf(t, protocol.PipelineDirect)
		b.wants(t, use("1", "act", `{}`), use("2", "look", `{}`), use("3", "act", `{}`), use("4", "ask_user", `{"question":"which?"}`), use("5", "act", `{}`))
		open := slices.Clone(b.state.Requests.Open)
		if len(open) != 4 {
			t.Fatalf("%d requests, want 4", len(open))
		}
		b.run(t, true) // what needs no approval need not wait
		actions := []string{"approve", "skip", "", "reject"}
		for n, i := range order {
			if got := b.does(session.StepModel); len(got) > 0 {
				t.Fatalf("order %v: the model is called while %d requests are open", order, len(b.state.Requests.Open))
			}
			if o := open[i]; o.Type == protocol.TypeHitlInputRequest {
				b.must(t, input(o.RequestID, `"this"`))
			} else {
				b.must(t, approval(o.RequestID, actions[i]))
			}
			if left := len(b.state.Requests.Open); left != 3-n {
				t.Fatalf("order %v: %d requests are left after %d answers", order, left, n+1)
			}
		}
		if ran := b.run(t, true); ran != 1 {
			t.Fatalf("order %v: %d calls ran, want the approved one", order, ran)
		}
		ended := map[string]string{}
		for _, r := range b.records {
			if d, ok := r.Data.(*protocol.ToolCompleted); ok {
				ended[d.CallID[len(d.CallID)-1:]] = "ok"
				if d.Error != nil {
					ended[d.CallID[len(d.CallID)-1:]] = d.Error.Code
				}
			}
		}
		if diff := cmp.Diff(map[string]string{"1": "ok", "2": "ok", "3": "SKIPPED", "4": "ok", "5": "REJECTED"}, ended); diff != "" {
			t.Fatalf("order %v (-want +got):\n%s", order, diff)
		}
		b.answer(t, "done")
	}
}

func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var out [][]int
	for _, p := range permutations(n - 1) {
		for i := range n {
			out = append(out, slices.Insert(slices.Clone(p), i, n-1))
		}
	}
	return out
}

// What a person says for all further calls of a tool holds, for that tool. A no
// never turns into a yes.
func TestRememberedChoices(t *testing.T) {
	for _, c := range []struct {
		action   string
		remember protocol.Remember
		next     protocol.Approval
	}{
		{"approve", "", protocol.ApprovalAsk}, {"approve", protocol.RememberOnce, protocol.ApprovalAsk},
		{"approve", protocol.RememberSession, protocol.ApprovalAuto}, {"approve", protocol.RememberAlways, protocol.ApprovalAuto},
		{"approve", protocol.RememberNever, protocol.ApprovalNone},
		{"skip", "", protocol.ApprovalAsk}, {"reject", protocol.RememberOnce, protocol.ApprovalAsk},
		{"skip", protocol.RememberNever, protocol.ApprovalNone}, {"reject", protocol.RememberNever, protocol.ApprovalNone},
		{"skip", protocol.RememberSession, protocol.ApprovalNone}, {"reject", protocol.RememberAlways, protocol.ApprovalNone},
	} {
		b := benchOf(t, protocol.PipelineDirect)
		b.wants(t, use("u", "act", `{}`))
		answer := approval(b.asked(t, protocol.TypeHitlApprovalRequest).RequestID, c.action)
		answer.Data.(*protocol.HitlApprovalResponse).Remember = c.remember
		b.must(t, answer)
		b.run(t, true)
		another := session.ToolUse{ID: "w", Tool: "act2", Input: []byte(`{}`), Class: protocol.ClassExecute}
		got := found[protocol.ModelCompleted](t, b.wants(t, use("v", "act", `{}`), another)).ToolCalls
		if got[0].Approval != c.next {
			t.Errorf("after %s with remember %q the next call is %s, want %s", c.action, c.remember, got[0].Approval, c.next)
		}
		if got[1].Approval != protocol.ApprovalAsk {
			t.Errorf("%s with remember %q holds for another tool too", c.action, c.remember)
		}
	}
}

// Tools of a class that the settings approve run without a question, up to a
// number of calls in a row; then a person says whether to go on.
func TestAutoApprovalLimit(t *testing.T) {
	for _, yes := range []bool{true, false} {
		b := benchOf(t, protocol.PipelineDirect)
		b.must(t, session.Command{Type: protocol.TypeUpdateSession, Data: &protocol.UpdateSession{AutoApprove: &[]string{"execute"}}})
		calls := 0
		round := func() {
			b.wants(t, use("u", []string{"look", "act"}[calls%2], `{}`))
			calls += b.run(t, true)
		}
		for len(b.state.Requests.Open) == 0 && calls < 1000 {
			round()
		}
		o := b.asked(t, protocol.TypeHitlInputRequest)
		if calls != 50 || o.Ask != protocol.AskAutoApprovalMaxReached || o.InputType != protocol.InputConfirm {
			t.Fatalf("after %d calls is asked %+v", calls, o)
		}
		if got := b.does(session.StepModel); len(got) > 0 {
			t.Error("the model is called before the person has said to go on")
		}
		b.refused(t, protocol.CodeInvalidResponse, input(o.RequestID, `"yes"`))
		b.must(t, input(o.RequestID, fmt.Sprint(yes)))
		if !yes {
			if b.state.Status() != protocol.StatusCancelled {
				t.Errorf("after no the session is %s", b.state.Status())
			}
			continue
		}
		for range 49 {
			round()
		}
		if len(b.state.Requests.Open) > 0 || b.state.Status() != protocol.StatusExecuting {
			t.Errorf("49 calls after the answer is asked %v", b.state.Requests.Open)
		}
	}
}

// A model that keeps asking for what cannot be done is stopped, and hears what a
// person says to it.
func TestMistakeLimit(t *testing.T) {
	b := benchOf(t, protocol.PipelineDirect)
	bad := session.ToolUse{ID: "x", Tool: "nothing", Problem: "there is no such tool"}
	b.wants(t, bad)
	b.wants(t, bad)
	b.wants(t, use("1", "look", `{}`)) // a good one in between
	b.run(t, true)
	b.wants(t, bad, bad)
	if len(b.state.Requests.Open) > 0 {
		t.Fatal("asked before the third mistake in a row")
	}
	b.wants(t, bad)
	o := b.asked(t, protocol.TypeHitlInputRequest)
	if o.Ask != protocol.AskMistakeLimitReached || len(b.does(session.StepModel)) > 0 {
		t.Fatalf("asked %+v, steps %v", o, b.state.Next())
	}
	m := found[protocol.MessageRecord](t, b.must(t, input(o.RequestID, `"look at the list of tools"`)))
	if m.Role != protocol.RoleUser || m.Message.Text != "look at the list of tools" {
		t.Errorf("the model is told %+v", m)
	}
	b.wants(t, bad)
	if len(b.state.Requests.Open) > 0 {
		t.Error("the count did not begin anew")
	}
}

// expired lets the time of the one open request run out.
func (b *bench) expired(t testing.TB) []protocol.Record {
	t.Helper()
	o := b.state.Requests.Open[0]
	c := session.Command{Type: session.Expire, Data: &session.Expired{RequestID: o.RequestID}}
	b.now = o.ExpiresAt.Add(-2 * time.Millisecond)
	b.refused(t, protocol.CodeSessionInvalidState, c)
	b.now = o.ExpiresAt.Time
	if wake := b.state.Wake(); wake.After(b.now) || wake.IsZero() {
		t.Errorf("the session is due at %s, the deadline is %s", wake, b.now)
	}
	records := b.must(t, c)
	b.refused(t, protocol.CodeSessionInvalidState, c)
	if r := found[protocol.HitlResolved](t, records); r.By != "timeout" || r.RequestID != o.RequestID {
		t.Errorf("resolved as %+v", r)
	}
	return records
}

// What happens when nobody answers, for each kind of request.
func TestDeadlines(t *testing.T) {
	cancelled := func(t *testing.T, b *bench) {
		t.Helper()
		if b.state.Status() != protocol.StatusCancelled || len(b.state.Next()) > 0 {
			t.Errorf("the session is %s and lists %v", b.state.Status(), b.state.Next())
		}
	}
	of := func(kind protocol.Type) func(testing.TB) *bench {
		return func(t testing.TB) *bench { return opened(t, kind) }
	}
	for name, c := range map[string]struct {
		open   func(t testing.TB) *bench
		after  time.Duration
		action string
		then   func(t *testing.T, b *bench)
	}{
		"plan review": {of(protocol.TypeHitlPlanReview), 5 * time.Minute, "reject", func(t *testing.T, b *bench) {
			if p := b.state.Plans.Current; p.Status != protocol.PlanStatusRejected || len(b.does(session.StepModel)) != 1 {
				t.Errorf("the plan is %s, next %v", p.Status, b.state.Next())
			}
		}},
		"plan review, planned": {func(t testing.TB) *bench {
			b := benchOf(t, protocol.PipelinePlanned)
			b.wants(t, use("i", "record_intent", `{"intent":{"domain":"x"},"needs_plan":true}`))
			b.wants(t, use("p", "propose_plan", conversationPlan))
			return b
		}, 5 * time.Minute, "reject", cancelled},
		"approval": {of(protocol.TypeHitlApprovalRequest), 10 * time.Minute, "skip", func(t *testing.T, b *bench) {
			if d := found[protocol.ToolCompleted](t, b.records); d.Error.Code != "SKIPPED" || len(b.does(session.StepModel)) != 1 {
				t.Errorf("the call ended with %+v, next %v", d.Error, b.state.Next())
			}
		}},
		"approval of a todo": {func(t testing.TB) *bench {
			return planRuns(t, todo("a", "act", "approve"), todo("b", "act", "after a"))
		}, 10 * time.Minute, "skip", func(t *testing.T, b *bench) {
			if got := statuses(b); got != "a skipped, b in_progress" {
				t.Error(got)
			}
		}},
		"input":         {of(protocol.TypeHitlInputRequest), 5 * time.Minute, "expire", cancelled},
		"clarification": {of(protocol.TypeHitlClarification), 5 * time.Minute, "expire", cancelled},
		"input with a default": {func(t testing.TB) *bench {
			b := benchOf(t, protocol.PipelineDirect)
			b.wants(t, use("u", "ask_user", `{"question":"which?","options":[{"value":"a"},{"value":"b"}],"default_value":"b"}`))
			return b
		}, 5 * time.Minute, "answer", func(t *testing.T, b *bench) {
			if d := found[protocol.ToolCompleted](t, b.records); !d.OK || d.Output != "b" {
				t.Errorf("the model is told %+v", d)
			}
		}},
		"a plan that is stuck": {func(t testing.TB) *bench {
			b := planRuns(t, todo("a", "act"))
			b.run(t, false)
			return b
		}, 5 * time.Minute, "answer", func(t *testing.T, b *bench) {
			if p := b.state.Plans.Current; p.Status != protocol.PlanStatusFailed || len(b.does(session.StepModel)) != 1 {
				t.Errorf("the plan is %s, next %v", p.Status, b.state.Next())
			}
		}},
		"too many mistakes": {func(t testing.TB) *bench {
			b := benchOf(t, protocol.PipelineDirect)
			bad := session.ToolUse{ID: "x", Tool: "nothing", Problem: "there is no such tool"}
			b.wants(t, bad, bad, bad)
			return b
		}, 5 * time.Minute, "expire", cancelled},
	} {
		t.Run(name, func(t *testing.T) {
			b := c.open(t)
			o := b.state.Requests.Open[0]
			if got := o.ExpiresAt.Sub(o.CreatedAt.Time); got != c.after || o.TimeoutSec != int(c.after.Seconds()) {
				t.Errorf("the deadline is after %s (%d s)", got, o.TimeoutSec)
			}
			if r := found[protocol.HitlResolved](t, b.expired(t)); r.Action != c.action {
				t.Errorf("it ends in %s, want %s", r.Action, c.action)
			}
			c.then(t, b)
		})
	}
}

// A default that could not be an answer is no default: the model is told.
func TestDefaultsThatDoNotFit(t *testing.T) {
	for question, ok := range map[string]bool{
		`{"question":"?","options":[{"value":"a"}],"default_value":"b"}`:     false,
		`{"question":"?","input_type":"number","default_value":"7"}`:         false,
		`{"question":"?","input_type":"confirm","default_value":"yes"}`:      false,
		`{"question":"?","input_type":"number","default_value":7}`:           true,
		`{"question":"?","input_type":"number","default_value":null}`:        true,
		`{"question":"?","options":[{"value":"a"}],"default_value":"a"}`:     true,
		`{"question":"?","input_type":"choice","suggestions":["a","b"]}`:     true,
		`{"question":"","input_type":"text"}`:                                false,
		`{"question":"?","input_type":"multi_choice","default_value":["x"]}`: true,
	} {
		b := benchOf(t, protocol.PipelineDirect)
		records := b.wants(t, use("u", "ask_user", question))
		if asked := len(b.state.Requests.Open) == 1; asked != ok {
			t.Errorf("%s: asked %v", question, asked)
		} else if !ok && found[protocol.ToolCompleted](t, records).Error.Code != "TOOL_INPUT_INVALID" {
			t.Errorf("%s: %v", question, types(records))
		}
		if strings.Contains(question, "null") && len(b.asked(t, protocol.TypeHitlInputRequest).DefaultValue) > 0 {
			t.Error("null is a default")
		}
	}
}

// Nobody can know but a person what became of an interrupted effect: that
// question waits for ever, and each answer does what it says.
func TestOutcomeUnknown(t *testing.T) {
	for answer, want := range map[string]string{"retry": "a in_progress", "done": "a completed", "skip": "a skipped"} {
		b := planRuns(t, todo("a", "act"))
		step := b.state.Next()[0]
		b.must(t, session.Command{Type: session.ToolBegin, Data: &session.ToolBegun{TurnID: step.TurnID, CallID: step.Tool.ID}})
		b.must(t, session.Command{Type: session.Suspend})
		o := b.asked(t, protocol.TypeHitlInputRequest)
		if !o.ExpiresAt.IsZero() || o.Field != "outcome" || !b.state.Wake().IsZero() {
			t.Errorf("asked %+v, due at %s", o, b.state.Wake())
		}
		b.now = b.now.Add(1000 * time.Hour)
		b.refused(t, protocol.CodeSessionInvalidState, session.Command{Type: session.Expire, Data: &session.Expired{RequestID: o.RequestID}})
		b.refused(t, protocol.CodeInvalidResponse, input(o.RequestID, `"perhaps"`))
		b.must(t, input(o.RequestID, `"`+answer+`"`))
		if got := statuses(b); got != want {
			t.Errorf("after %s: %s, want %s", answer, got, want)
		}
	}
}

// Every ask of the conversation is in the document's table, with its class.
func TestAsksOfTheDocument(t *testing.T) {
	page, err := os.ReadFile("../../docs/people.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	_, table, _ := strings.Cut(string(page), "| ask |")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) > 3 && strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			rows[strings.Trim(cells[1], " `")] = strings.TrimSpace(cells[2])
		} else if len(cells) < 3 {
			break
		}
	}
	want := map[string]string{}
	for _, a := range protocol.Asks() {
		want[string(a.Ask)] = strings.ReplaceAll(string(a.Class), "_", "-")
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("docs/people.md (-protocol +table):\n%s", diff)
	}
}

func says(text string, when protocol.When) session.Command {
	return session.Command{Type: protocol.TypeUserMessage, By: ann, Data: &protocol.UserMessage{Content: text, When: when}}
}

// ended ends the model call with an answer in words.
func (b *bench) ended(t testing.TB, turn string, call uint64) []protocol.Record {
	t.Helper()
	return b.must(t, session.Command{
		Type: session.ModelEnd, Data: &session.ModelEnded{TurnID: turn, Call: call, StopReason: "end_turn"},
		Open: []session.OpenText{{OpenID: protocol.ID(protocol.OpenPrefix, call), Say: protocol.SayText, Text: "so"}},
	})
}

// Words that come while the model answers put off the end of the turn until the
// model has heard them; words that come between two calls are heard anyway.
func TestSteeredWordsAreHeard(t *testing.T) {
	b := benchOf(t, protocol.PipelineAuto)
	turn, call := b.call(t)
	for range 2 {
		records := b.must(t, says("rather this", ""))
		if a := found[protocol.MessageAccepted](t, records); !a.Steered || a.TurnID != turn {
			t.Errorf("accepted as %+v", a)
		}
	}
	if slices.Contains(types(b.ended(t, turn, call)), protocol.TypeComplete) {
		t.Fatal("the turn ended before the model heard what was said")
	}
	turn, call = b.call(t)
	b.must(t, session.Command{Type: session.ModelEnd, Data: &session.ModelEnded{TurnID: turn, Call: call, Uses: []session.ToolUse{use("u", "look", `{}`)}}})
	b.must(t, says("and that", protocol.WhenSteer))
	b.run(t, true)
	turn, call = b.call(t)
	if !slices.Contains(types(b.ended(t, turn, call)), protocol.TypeComplete) {
		t.Error("the turn does not end though the model heard everything")
	}
}

// A call that fails has not made the model hear anything.
func TestSteeredWordsOutliveAFailedCall(t *testing.T) {
	b := benchOf(t, protocol.PipelineAuto)
	turn, call := b.call(t)
	b.must(t, says("rather this", ""))
	b.must(t, session.Command{Type: session.ModelEnd, Data: &session.ModelEnded{TurnID: turn, Call: call, Error: &session.CallError{Code: "MODEL_OVERLOADED", Retryable: true}}})
	turn, call = b.call(t)
	b.must(t, says("or that", ""))
	if slices.Contains(types(b.ended(t, turn, call)), protocol.TypeComplete) {
		t.Error("the turn ended before the model heard what was said")
	}
}

// Words while a person is asked something steer too, and answer nothing.
func TestSteeringAnswersNothing(t *testing.T) {
	for kind := range questions {
		b := opened(t, kind)
		id := b.asked(t, kind).RequestID
		if a := found[protocol.MessageAccepted](t, b.must(t, says("hm", ""))); !a.Steered {
			t.Errorf("%s: accepted as %+v", kind, a)
		}
		if b.asked(t, kind).RequestID != id {
			t.Errorf("%s is not open any more", kind)
		}
	}
}

// Messages that wait start in their order, each after the turn before it has
// ended, however it ended. An interruption goes first.
func TestQueueOrder(t *testing.T) {
	b := benchOf(t, protocol.PipelineAuto)
	b.must(t, says("one", protocol.WhenQueue))
	b.must(t, pause())
	b.must(t, says("two", "")) // while paused, words wait
	if n := len(b.state.Queue.Items); n != 2 {
		t.Fatalf("%d messages wait", n)
	}
	b.must(t, says("now", protocol.WhenInterrupt))
	if b.state.Status() != protocol.StatusExecuting {
		t.Errorf("after an interruption the session is %s", b.state.Status())
	}
	turn, call := b.call(t)
	b.must(t, session.Command{Type: session.ModelEnd, Data: &session.ModelEnded{TurnID: turn, Call: call, Error: &session.CallError{Code: "MODEL_AUTH_FAILED", Message: "no"}}})
	b.must(t, input(b.asked(t, protocol.TypeHitlInputRequest).RequestID, "false"))
	b.must(t, session.Command{Type: protocol.TypeControlCancel, Data: &protocol.ControlCancel{}, By: ann})
	b.answer(t, "done")
	var said []string
	for _, r := range b.records {
		if m, ok := r.Data.(*protocol.MessageRecord); ok && m.Role == protocol.RoleUser {
			said = append(said, m.Message.Text)
		}
	}
	if want := []string{"work", "now", "one", "two"}; !slices.Equal(said, want) {
		t.Errorf("heard %v, want %v", said, want)
	}
	if b.state.Status() != protocol.StatusCompleted || len(b.state.Queue.Items) > 0 {
		t.Errorf("in the end: %s, %d wait", b.state.Status(), len(b.state.Queue.Items))
	}
}
