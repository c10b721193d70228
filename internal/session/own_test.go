package session_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// own asks for a change of a session's own settings.
func own(pairs ...string) session.Command {
	changes := map[string]json.RawMessage{}
	for i := 0; i < len(pairs); i += 2 {
		changes[pairs[i]] = json.RawMessage(pairs[i+1])
	}
	return session.Command{Type: protocol.TypeUpdateSession, Data: &protocol.UpdateSession{Settings: changes}, By: ann}
}

func (b *bench) owns(t testing.TB, want string) {
	t.Helper()
	now, err := json.Marshal(b.state.Ledger.Own())
	if err != nil {
		t.Fatal(err)
	}
	if string(now) != want {
		t.Errorf("its own settings are %s, want %s", now, want)
	}
	if folded := b.at(b.state.Ledger.Last); !reflect.DeepEqual(folded.Ledger.Own(), b.state.Ledger.Own()) {
		t.Errorf("folded they are %s", folded.Ledger.Own())
	}
}

func TestOwnSettings(t *testing.T) {
	b := &bench{now: start}
	b.must(t, session.Command{Type: session.CreateSession, Data: &protocol.SessionCreated{
		Owner: "ann", Settings: map[string]json.RawMessage{"mode": []byte(`"ask"`), "budgets": []byte(`{}`), "language": []byte("null")},
	}})
	b.owns(t, `{"budgets":{},"mode":"ask"}`)
	if b.state.Ledger.Mode != "ask" {
		t.Error("the mode is not that of the settings")
	}
	before := b.state
	b.must(t, own("mistake_limit", "7", "budgets", "null", "mode", "null", "model", `"m/a"`, "auto_approve", "[]"))
	b.owns(t, `{"auto_approve":[],"mistake_limit":7,"model":"m/a"}`)
	if len(before.Ledger.Settings) != 1 {
		t.Error("a state that was kept has changed")
	}
	b.must(t, own("auto_approve", "null", "active_profile", `"fast"`))
	b.owns(t, `{"active_profile":"fast","mistake_limit":7}`) // the profile in the place of the model
	b.must(t, own("model", `"m/b"`))
	b.owns(t, `{"active_profile":"fast","mistake_limit":7,"model":"m/b"}`)
	b.must(t, move(1)) // settings do not go back
	b.owns(t, `{"active_profile":"fast","mistake_limit":7,"model":"m/b"}`)
	b.must(t, own("active_profile", "null", "mistake_limit", "null", "model", "null"))
	b.owns(t, `null`)
	b.refused(t, protocol.CodeInvalidMessage, own())
	b.refused(t, protocol.CodeInvalidMessage, own("model", "5"))
	b.refused(t, protocol.CodeInvalidMessage, own("auto_approve", `["fly"]`))
	twice := own("model", `"a"`)
	twice.Data.(*protocol.UpdateSession).Model = new("b")
	b.refused(t, protocol.CodeInvalidMessage, twice)
}

// The session's own list goes in the place of its owner's, and none counts where
// nothing may run without asking.
func TestOwnApprovals(t *testing.T) {
	for _, c := range []struct {
		own    []string
		limits session.Limits
		want   protocol.Approval
	}{
		{nil, session.Limits{}, protocol.ApprovalAsk},
		{nil, session.Limits{AutoApprove: []string{"execute"}}, protocol.ApprovalAuto},
		{nil, session.Limits{AutoApprove: []string{"execute"}, AskAll: true}, protocol.ApprovalAsk},
		{[]string{"auto_approve", `["execute"]`}, session.Limits{}, protocol.ApprovalAuto},
		{[]string{"auto_approve", `["execute"]`}, session.Limits{AskAll: true}, protocol.ApprovalAsk},
		{[]string{"auto_approve", `["write"]`}, session.Limits{AutoApprove: []string{"execute"}}, protocol.ApprovalAsk},
		{[]string{"auto_approve", `[]`}, session.Limits{AutoApprove: []string{"execute"}}, protocol.ApprovalAsk},
		{[]string{"auto_approval_enabled", `false`}, session.Limits{AutoApprove: []string{"execute"}}, protocol.ApprovalAsk},
		{[]string{"auto_approval_enabled", `true`}, session.Limits{AutoApprove: []string{"execute"}}, protocol.ApprovalAuto},
	} {
		b := benchOf(t, protocol.PipelineDirect)
		if c.own != nil {
			b.must(t, own(c.own...))
		}
		turn, seq := b.call(t)
		records := b.must(t, session.Command{Type: session.ModelEnd, Data: &session.ModelEnded{
			TurnID: turn, Call: seq, StopReason: "tool_use", Uses: []session.ToolUse{use("u", "act", `{}`)}, Limits: c.limits,
		}})
		if got := found[protocol.ModelCompleted](t, records).ToolCalls[0].Approval; got != c.want {
			t.Errorf("own %v, limits %+v: %s, want %s", c.own, c.limits, got, c.want)
		}
	}
}

// Whoever forks somebody else's session has agreed to nothing.
func TestOwnSettingsOfAFork(t *testing.T) {
	for owner, want := range map[string]string{"ann": `{"auto_approve":["execute"],"mistake_limit":7,"mode":"ask"}`, "bob": `{"mode":"ask"}`} {
		b := newBench(t)
		b.must(t, own("mistake_limit", "7", "auto_approve", `["execute"]`, "mode", `"ask"`))
		r := protocol.Record{Seq: b.state.Ledger.Last + 1, Type: protocol.TypeForked, Time: b.now, Data: &protocol.Forked{Owner: owner, From: "original"}}
		b.state.Ledger.Apply(r)
		b.records = append(b.records, r)
		b.owns(t, want)
	}
}
