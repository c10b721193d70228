package session_test

import (
	"time"

	"pgregory.net/rapid"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// likely gives what a world that does its part would do now: begin and end the
// steps that are listed, answer what is asked.
func (b *bench) likely(t *rapid.T, uses, plan []session.ToolUse, catalog []session.ToolSpec) []session.Command {
	var out []session.Command
	for _, step := range b.state.Next() {
		switch step.Kind {
		case session.StepModel:
			out = append(out, b.likelyModel(t, step, uses, plan, catalog)...)
		case session.StepTool:
			out = append(out, likelyTool(t, step)...)
		case session.StepCondense:
			out = append(out, b.likelyCondense(t, step))
		case session.StepExpire:
			if rapid.IntRange(0, 20).Draw(t, "late") == 0 {
				b.now = step.NotBefore
				out = append(out, session.Command{Type: session.Expire, Data: &session.Expired{RequestID: step.RequestID}})
			}
		case session.StepTick:
			b.now = step.NotBefore
			out = append(out, session.Command{Type: session.Tick})
		}
	}
	for _, o := range b.state.Requests.Open {
		out = append(out, likelyAnswer(t, o))
	}
	if b.state.Turns.Current == nil {
		out = append(out, session.Command{Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: "do it"}})
	}
	return out
}

func (b *bench) likelyModel(t *rapid.T, step session.Step, uses, plan []session.ToolUse, catalog []session.ToolSpec) []session.Command {
	turn := b.state.Turns.Current
	if turn.Loop.Call == nil {
		b.now = later(b.now, step)
		return []session.Command{{Type: session.ModelBegin, Data: &session.ModelBegun{TurnID: turn.ID, Model: "m", Purpose: step.Purpose}}}
	}
	ended := &session.ModelEnded{TurnID: turn.ID, Call: turn.Loop.Call.Seq, Catalog: catalog, Usage: protocol.Usage{InputTokens: 3, OutputTokens: 4}}
	switch step.Purpose {
	case session.PurposeIntent:
		ended.Uses = []session.ToolUse{{ID: "i", Tool: "record_intent", Input: []byte(rapid.SampledFrom([]string{
			`{"intent":{"domain":"x"},"needs_plan":true}`,
			`{"intent":{"domain":"x"},"needs_plan":false}`,
			`{"clarification":{"question":"which?","ambiguity":"unclear"}}`,
			`{}`,
		}).Draw(t, "intent"))}}
	case session.PurposePlan:
		ended.Uses = plan
	case session.PurposeTurn:
		ended.Uses = rapid.SampledFrom([][]session.ToolUse{nil, uses, plan, plan}).Draw(t, "answer")
	}
	return []session.Command{{Type: session.ModelEnd, Data: ended, Open: []session.OpenText{{OpenID: protocol.ID(protocol.OpenPrefix, turn.Loop.Call.Seq), Say: protocol.SayText, Text: "so"}}}}
}

func (b *bench) likelyCondense(t *rapid.T, step session.Step) session.Command {
	k := b.state.Contexts.Condensing
	if k.Call == nil {
		b.now = later(b.now, step)
		return session.Command{Type: session.CondenseBegin, Data: &session.CondenseBegun{ID: step.Condense, Model: "m"}}
	}
	ended := &session.CondenseEnded{
		ID: step.Condense, Call: k.Call.Seq, Summary: "so far so good", PrevTokens: 100, NewTokens: 10,
		KeepsFrom: rapid.Uint64Range(1, b.state.Ledger.Last).Draw(t, "keeps from"), Usage: protocol.Usage{InputTokens: 3, OutputTokens: 4},
	}
	switch rapid.IntRange(0, 4).Draw(t, "condense") {
	case 0:
		ended.Error = &session.CallError{Code: "X", Message: "no", Retryable: true}
	case 1:
		ended.NewTokens = 200
	}
	return session.Command{Type: session.CondenseEnd, Data: ended}
}

func likelyTool(t *rapid.T, step session.Step) []session.Command {
	if step.Tool.Status == session.ToolReady {
		return []session.Command{{Type: session.ToolBegin, Data: &session.ToolBegun{TurnID: step.TurnID, CallID: step.Tool.ID}}}
	}
	ended := &session.ToolEnded{TurnID: step.TurnID, CallID: step.Tool.ID, OK: true, Output: "done"}
	if rapid.IntRange(0, 3).Draw(t, "fails") == 0 {
		ended.OK, ended.Error = false, &protocol.TurnError{Code: "TOOL_EXECUTION_FAILED", Message: "no", Recoverable: true}
	}
	return []session.Command{{Type: session.ToolEnd, Data: ended}}
}

func likelyAnswer(t *rapid.T, o protocol.Request) session.Command {
	switch o.Type {
	case protocol.TypeHitlPlanReview:
		action := rapid.SampledFrom([]string{"approve", "approve", "approve", "modify", "reject"}).Draw(t, "review")
		return session.Command{Type: protocol.TypeHitlPlanResponse, Data: &protocol.HitlPlanResponse{RequestID: o.RequestID, Action: action, Instruction: "otherwise"}}
	case protocol.TypeHitlApprovalRequest:
		action := rapid.SampledFrom([]string{"approve", "approve", "skip", "reject"}).Draw(t, "approval")
		return session.Command{Type: protocol.TypeHitlApprovalResponse, Data: &protocol.HitlApprovalResponse{RequestID: o.RequestID, Action: action}}
	case protocol.TypeHitlClarification:
		return session.Command{Type: protocol.TypeHitlClarificationResponse, Data: &protocol.HitlClarificationResponse{RequestID: o.RequestID, Value: []byte(`"this one"`)}}
	}
	value := []byte(`"an answer"`)
	switch o.InputType {
	case protocol.InputConfirm:
		value = []byte(rapid.SampledFrom([]string{"true", "false"}).Draw(t, "confirm"))
	case protocol.InputChoice:
		value = []byte(`"` + rapid.SampledFrom(o.Options).Draw(t, "choice").Value + `"`)
	}
	return session.Command{Type: protocol.TypeHitlInputResponse, Data: &protocol.HitlInputResponse{RequestID: o.RequestID, Value: value}}
}

// later is when a step may start.
func later(now time.Time, step session.Step) time.Time {
	if step.NotBefore.After(now) {
		return step.NotBefore
	}
	return now
}
