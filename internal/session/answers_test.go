package session_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

var ann = session.Actor{User: "ann", ClientID: "tab"}

// benchOf is a session of a pipeline in which a person has just spoken.
func benchOf(t testing.TB, pipeline protocol.Pipeline) *bench {
	t.Helper()
	b := &bench{now: start}
	b.must(t, session.Command{Type: session.CreateSession, Data: &protocol.SessionCreated{Owner: "ann", Pipeline: pipeline}})
	b.say(t, "work")
	return b
}

// call begins the model call that is due, whatever else is.
func (b *bench) call(t testing.TB) (turn string, seq uint64) {
	t.Helper()
	for _, step := range b.state.Next() {
		if step.Kind == session.StepModel {
			b.now = later(b.now, step)
			r := b.must(t, session.Command{Type: session.ModelBegin, Data: &session.ModelBegun{TurnID: step.TurnID, Model: "m", Purpose: step.Purpose}})
			return step.TurnID, r[0].Seq
		}
	}
	t.Fatalf("no model call is due: %v", b.state.Next())
	return "", 0
}

// wants calls the model, which answers with these calls.
func (b *bench) wants(t testing.TB, uses ...session.ToolUse) []protocol.Record {
	t.Helper()
	turn, call := b.call(t)
	return b.must(t, session.Command{Type: session.ModelEnd, Data: &session.ModelEnded{TurnID: turn, Call: call, Uses: uses, Catalog: catalog}})
}

// asked is the one open request of a kind.
func (b *bench) asked(t testing.TB, kind protocol.Type) protocol.Request {
	t.Helper()
	var found []protocol.Request
	for _, o := range b.state.Requests.Open {
		if o.Type == kind {
			found = append(found, o)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d requests of the kind %s are open, want one: %v", len(found), kind, b.state.Requests.Open)
	}
	return found[0]
}

// refused expects that a command is refused with a code and changes nothing.
func (b *bench) refused(t testing.TB, want protocol.Code, c session.Command) {
	t.Helper()
	before, _ := json.Marshal(b.state)
	records, err := b.do(c)
	if err == nil || protocol.AsError(err).Code != want || len(records) > 0 {
		t.Errorf("%s %+v gave %v and %v, want %d", c.Type, c.Data, types(records), err, want)
	}
	if after, _ := json.Marshal(b.state); string(before) != string(after) {
		t.Errorf("%s was refused and changed the state", c.Type)
	}
}

// found gives the first record of a payload type.
func found[T any](t testing.TB, records []protocol.Record) *T {
	t.Helper()
	for _, r := range records {
		if d, ok := r.Data.(*T); ok {
			return d
		}
	}
	t.Fatalf("no %T in %v", *new(T), types(records))
	return nil
}

func use(id, tool, input string) session.ToolUse {
	u := session.ToolUse{ID: id, Tool: tool, Input: []byte(input)}
	for _, s := range catalog {
		if s.Name == tool {
			u.Class, u.Effect = s.Class, s.Effect
		}
	}
	return u
}

func input(request, value string) session.Command {
	return session.Command{Type: protocol.TypeHitlInputResponse, By: ann, Data: &protocol.HitlInputResponse{RequestID: request, Value: []byte(value)}}
}

func clarify(request, value string) session.Command {
	return session.Command{Type: protocol.TypeHitlClarificationResponse, By: ann, Data: &protocol.HitlClarificationResponse{RequestID: request, Value: []byte(value)}}
}

func approval(request, action string) session.Command {
	return session.Command{Type: protocol.TypeHitlApprovalResponse, By: ann, Data: &protocol.HitlApprovalResponse{RequestID: request, Action: action}}
}

func review(request, action, instruction string) session.Command {
	return session.Command{Type: protocol.TypeHitlPlanResponse, By: ann, Data: &protocol.HitlPlanResponse{RequestID: request, Action: action, Instruction: instruction}}
}

var kinds = []struct {
	kind      protocol.InputType
	good, bad []string
}{
	{protocol.InputText, []string{`"words"`, `"한국어"`, `" x "`}, []string{`""`, `"  \n"`, `7`, `true`, `["words"]`, `{}`, `null`, ``, `words`}},
	{protocol.InputChoice, []string{`"1m"`, `"custom"`}, []string{`"2m"`, `"1M"`, `""`, `["1m"]`, `1`, `null`, ``}},
	{protocol.InputMultiChoice, []string{`["1m"]`, `["custom","1m"]`}, []string{`[]`, `"1m"`, `["1m","2m"]`, `[1]`, `[null]`, `null`, ``}},
	{protocol.InputNumber, []string{`7`, `-0.5`, `1e9`, `0`}, []string{`"7"`, `true`, `[7]`, `NaN`, `7,5`, `null`, ``}},
	{protocol.InputDate, []string{`"2026-02-06"`, `"2026-02-06T10:00:00Z"`, `"2024-02-29"`}, []string{`"2026-02-30"`, `"6.2.2026"`, `"2026-2-6"`, `"today"`, `""`, `20260206`, `null`, ``}},
	{protocol.InputConfirm, []string{`true`, `false`}, []string{`"true"`, `1`, `0`, `"yes"`, `[]`, `null`, ``}},
}

const options = `[{"value":"1m","label":"a month"},{"value":"3m"},{"value":"custom"}]`

// A value that is not what was asked for is refused with 5002 and changes
// nothing; one that is goes to the model as it was given.
func TestValuesOfAnInput(t *testing.T) {
	for _, k := range kinds {
		b := benchOf(t, protocol.PipelineDirect)
		question := fmt.Sprintf(`{"question":"which?","input_type":%q,"options":%s}`, k.kind, options)
		b.wants(t, use("u", "ask_user", question))
		o := b.asked(t, protocol.TypeHitlInputRequest)
		if o.InputType != k.kind || !o.Required {
			t.Errorf("%s is asked as %+v", k.kind, o)
		}
		for _, value := range k.bad {
			b.refused(t, protocol.CodeInvalidResponse, input(o.RequestID, value))
		}
		b.refused(t, protocol.CodeInvalidResponse, session.Command{Type: protocol.TypeHitlInputResponse, Data: &protocol.HitlInputResponse{
			RequestID: o.RequestID, Field: "another_field", Value: []byte(k.good[0]),
		}})
		for i, value := range k.good {
			if i > 0 {
				b.wants(t, use("u", "ask_user", question))
			}
			o := b.asked(t, protocol.TypeHitlInputRequest)
			records := b.must(t, input(o.RequestID, value))
			r := found[protocol.HitlResolved](t, records)
			if string(r.Value) != value || r.Action != protocol.ActionAnswer || r.By != "ann" || r.ClientID != "tab" {
				t.Errorf("%s %s was resolved as %+v", k.kind, value, r)
			}
			var words string
			if json.Unmarshal([]byte(value), &words) != nil {
				words = value
			}
			if c := found[protocol.ToolCompleted](t, records); !c.OK || c.Output != words {
				t.Errorf("%s: the model is told %+v, want %q", k.kind, c, words)
			}
		}
	}
}

// The same for what was meant. A clarification offers suggestions, and they are
// no more than that: any text answers a choice of them.
func TestValuesOfAClarification(t *testing.T) {
	for _, k := range kinds {
		b := benchOf(t, protocol.PipelinePlanned)
		b.wants(t, use("u", "record_intent", fmt.Sprintf(
			`{"clarification":{"ambiguity":"no time","question":"which?","input_type":%q,"suggestions":["1m","custom"]}}`, k.kind)))
		o := b.asked(t, protocol.TypeHitlClarification)
		if o.OriginalInput != "work" || len(o.Suggestions) != 2 {
			t.Errorf("%s is asked as %+v", k.kind, o)
		}
		for _, value := range k.bad {
			var words []string
			var word string
			if json.Unmarshal([]byte(value), &word) == nil && word != "" && k.kind == protocol.InputChoice ||
				json.Unmarshal([]byte(value), &words) == nil && len(words) > 0 && k.kind == protocol.InputMultiChoice {
				continue // of suggestions, others may be chosen
			}
			b.refused(t, protocol.CodeInvalidResponse, clarify(o.RequestID, value))
		}
		records := b.must(t, clarify(o.RequestID, k.good[0]))
		if c := found[protocol.ToolCompleted](t, records); !c.OK || c.Tool != "record_intent" {
			t.Errorf("%s: %+v", k.kind, c)
		}
		if steps := b.state.Next(); len(steps) != 1 || steps[0].Purpose != session.PurposeIntent {
			t.Errorf("%s: after the answer come %+v", k.kind, steps)
		}
	}
}

// Words that a prompt window or a yes-or-no dialog sends are answers like any.
func TestAnswersFromWindows(t *testing.T) {
	prompt := func(id, text string, selected ...string) session.Command {
		return session.Command{Type: protocol.TypeUserPromptResponse, By: ann, Data: &protocol.UserPromptResponse{RequestID: id, Text: text, SelectedValues: selected}}
	}
	for _, c := range []struct {
		kind     protocol.InputType
		text     string
		selected []string
		want     string
	}{
		{protocol.InputText, "words", nil, `"words"`},
		{protocol.InputChoice, "", []string{"3m"}, `"3m"`},
		{protocol.InputMultiChoice, "", []string{"3m", "1m"}, `["3m","1m"]`},
		{protocol.InputDate, "2026-02-06", nil, `"2026-02-06"`},
	} {
		b := benchOf(t, protocol.PipelineDirect)
		b.wants(t, use("u", "ask_user", fmt.Sprintf(`{"question":"which?","input_type":%q,"options":%s}`, c.kind, options)))
		id := b.asked(t, protocol.TypeHitlInputRequest).RequestID
		b.refused(t, protocol.CodeInvalidResponse, prompt(id, ""))
		if r := found[protocol.HitlResolved](t, b.must(t, prompt(id, c.text, c.selected...))); string(r.Value) != c.want {
			t.Errorf("%s: %s, want %s", c.kind, r.Value, c.want)
		}
		b.refused(t, protocol.CodeRequestExpired, prompt(id, c.text, c.selected...))
	}
	for confirmed, want := range map[bool]string{true: protocol.ActionApprove, false: protocol.ActionReject} {
		b := benchOf(t, protocol.PipelineDirect)
		b.wants(t, use("u", "act", `{}`))
		id := b.asked(t, protocol.TypeHitlApprovalRequest).RequestID
		c := session.Command{Type: protocol.TypeDialogFeedback, By: ann, Data: &protocol.DialogFeedback{RequestID: id, Confirmed: confirmed}}
		if r := found[protocol.HitlResolved](t, b.must(t, c)); r.Action != want {
			t.Errorf("confirmed %v is %s", confirmed, r.Action)
		}
		b.refused(t, protocol.CodeRequestExpired, c)
	}
}

// questions is what makes a model ask for each kind of request.
var questions = map[protocol.Type]struct {
	pipeline protocol.Pipeline
	use      session.ToolUse
}{
	protocol.TypeHitlPlanReview:      {protocol.PipelineAuto, use("p", "propose_plan", conversationPlan)},
	protocol.TypeHitlApprovalRequest: {protocol.PipelineDirect, use("u", "act", `{}`)},
	protocol.TypeHitlInputRequest:    {protocol.PipelineDirect, use("u", "ask_user", `{"question":"which?"}`)},
	protocol.TypeHitlClarification:   {protocol.PipelinePlanned, use("u", "record_intent", `{"clarification":{"question":"which?"}}`)},
}

// opened is a session in which a request of a kind is open, besides other calls.
func opened(t testing.TB, kind protocol.Type, besides ...session.ToolUse) *bench {
	t.Helper()
	b := benchOf(t, questions[kind].pipeline)
	b.wants(t, append([]session.ToolUse{questions[kind].use}, besides...)...)
	return b
}

// replies gives every command that answers something, for a request.
func replies(id string) map[protocol.Type][]session.Command {
	return map[protocol.Type][]session.Command{
		protocol.TypeHitlPlanReview:      {review(id, "approve", "")},
		protocol.TypeHitlApprovalRequest: {approval(id, "approve"), {Type: protocol.TypeDialogFeedback, By: ann, Data: &protocol.DialogFeedback{RequestID: id, Confirmed: true}}},
		protocol.TypeHitlInputRequest:    {input(id, `"x"`), {Type: protocol.TypeUserPromptResponse, By: ann, Data: &protocol.UserPromptResponse{RequestID: id, Text: "x"}}},
		protocol.TypeHitlClarification:   {clarify(id, `"x"`)},
	}
}

// An answer of another kind is 5002, one to nothing 5003, a second one 5003; so
// is one after the deadline, and one after its turn has ended.
func TestAnswersThatDoNotFit(t *testing.T) {
	for kind := range questions {
		open := func(t testing.TB) *bench { return opened(t, kind) }
		id := open(t).asked(t, kind).RequestID
		for other, commands := range replies(id) {
			for _, c := range commands {
				if other != kind {
					open(t).refused(t, protocol.CodeInvalidResponse, c)
					continue
				}
				b := open(t)
				b.must(t, c)
				b.refused(t, protocol.CodeRequestExpired, c)
				late := open(t)
				late.now = late.asked(t, kind).ExpiresAt.Time
				late.must(t, session.Command{Type: session.Expire, Data: &session.Expired{RequestID: id}})
				late.refused(t, protocol.CodeRequestExpired, c)
			}
		}
		for _, commands := range replies("hitl_0000009999") {
			for _, c := range commands {
				open(t).refused(t, protocol.CodeRequestExpired, c)
			}
		}
		cancelled := open(t)
		withdrawn := found[protocol.HitlResolved](t, cancelled.must(t, session.Command{Type: protocol.TypeControlCancel, Data: &protocol.ControlCancel{}, By: ann}))
		if withdrawn.RequestID != id || withdrawn.Action != protocol.ActionWithdraw || withdrawn.By != "server" {
			t.Errorf("%s: cancelling gave %+v", kind, withdrawn)
		}
		cancelled.say(t, "something else")
		for _, c := range replies(id)[kind] {
			cancelled.refused(t, protocol.CodeRequestExpired, c)
		}
	}
}

// Words that a request does not offer are no answers to it.
func TestActionsThatAreNotOffered(t *testing.T) {
	for kind, bad := range map[protocol.Type][]string{
		protocol.TypeHitlPlanReview:      {"", "yes", "skip", "Approve", "expire", "withdraw", "answer"},
		protocol.TypeHitlApprovalRequest: {"", "yes", "modify", "Approve", "expire", "withdraw", "answer"},
	} {
		b := opened(t, kind)
		id := b.asked(t, kind).RequestID
		for _, action := range bad {
			c := approval(id, action)
			if kind == protocol.TypeHitlPlanReview {
				c = review(id, action, "otherwise")
			}
			b.refused(t, protocol.CodeInvalidResponse, c)
		}
	}
	b := opened(t, protocol.TypeHitlPlanReview)
	b.refused(t, protocol.CodeInvalidResponse, review(b.asked(t, protocol.TypeHitlPlanReview).RequestID, "modify", ""))
	b = opened(t, protocol.TypeHitlApprovalRequest)
	b.refused(t, protocol.CodeInvalidResponse, session.Command{Type: protocol.TypeHitlApprovalResponse, Data: &protocol.HitlApprovalResponse{
		RequestID: b.asked(t, protocol.TypeHitlApprovalRequest).RequestID, TodoID: "another", Action: "approve",
	}})
}
