package history_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/anthropic"
	"github.com/parley-dev/parley/model/modeltest/vendor"
	"github.com/parley-dev/parley/model/openai"
	"github.com/parley-dev/parley/protocol"
)

// within carries requests to a handler in this process.
type within struct{ http.Handler }

func (w within) RoundTrip(r *http.Request) (*http.Response, error) {
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	return rec.Result(), nil
}

// vendors are the formats of today's models, all spoken by one strict server
// that plays the turn it is told.
type vendors struct {
	turn   vendor.Turn
	models []model.Model
}

func newVendors(t testing.TB) *vendors {
	v := &vendors{}
	server := &vendor.Server{Pick: func(vendor.Seen) (vendor.Turn, bool) { return v.turn, true }}
	client := &http.Client{Transport: within{server}}
	key := func() string { return "k" }
	claude, err := anthropic.New(anthropic.Config{Name: "claude-test", BaseURL: "http://vendor.example", Key: key, HTTP: client, Info: model.Info{Images: true}})
	if err != nil {
		t.Fatal(err)
	}
	v.models = []model.Model{claude}
	for _, api := range []openai.API{openai.Chat, openai.Responses} {
		v.models = append(v.models, openai.New(openai.Config{
			Name: "gpt-test", BaseURL: "http://vendor.example/v1", Key: key, HTTP: client, API: api, Info: model.Info{Images: true, Reasoning: true},
		}))
	}
	return v
}

// ask has a model answer a history. A history that its vendor would refuse
// fails the test.
func (v *vendors) ask(t *rapid.T, m model.Model, messages []model.Message) (answer model.Answer) {
	t.Helper()
	schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)
	req := model.Request{System: "You are being tested.", Messages: messages, Tools: []model.Tool{{Name: "read_file", Schema: schema}, {Name: "run_command", Schema: schema}, {Name: "ask_user", Schema: schema}}}
	err := m.Stream(t.Context(), req, func(e model.Event) error {
		answer.Add(e)
		return nil
	})
	if err != nil {
		told, _ := json.MarshalIndent(messages, "", " ")
		t.Fatalf("%s refuses the history: %v\n%s", m.Info().Name, err, told)
	}
	return answer
}

// world lets a session go on, as far as it can, or disturbs it.
type world struct {
	*core
	*vendors
}

const tiny = "data:image/png;base64,iVBORw0KGgo="

func (w world) act(t *rapid.T) {
	steps := w.state.Next()
	if rapid.IntRange(0, 9).Draw(t, "what") > 2 && len(steps) > 0 {
		w.goOn(t, rapid.SampledFrom(steps).Draw(t, "step"))
		return
	}
	if n := len(w.state.Requests.Open); n > 0 && rapid.Bool().Draw(t, "answer") {
		w.reply(t, w.state.Requests.Open[rapid.IntRange(0, n-1).Draw(t, "request")])
		return
	}
	w.disturb(t)
}

// disturb does something that nobody waits for. What cannot be now is refused.
func (w world) disturb(t *rapid.T) {
	turn := ""
	if c := w.state.Turns.Current; c != nil {
		turn = c.ID
	}
	last := w.state.Ledger.Last
	any := rapid.Uint64Range(0, last)
	switch rapid.IntRange(0, 10).Draw(t, "disturb") {
	case 0, 1:
		said := &protocol.UserMessage{Content: rapid.SampledFrom([]string{"words", "안녕"}).Draw(t, "words")}
		if rapid.Bool().Draw(t, "picture") {
			said.Images = []string{tiny}
		}
		_, _ = w.do(protocol.TypeUserMessage, said)
	case 2:
		_, _ = w.do(protocol.TypeControlCancel, &protocol.ControlCancel{})
	case 3:
		_, _ = w.do(protocol.TypeControlPause, &protocol.ControlPause{})
	case 4:
		_, _ = w.do(protocol.TypeControlResume, &protocol.ControlResume{})
	case 5:
		_, _ = w.do(protocol.TypeCondense, &protocol.Condense{})
	case 6:
		_, _ = w.do(session.Truncate, &session.Truncated{TurnID: turn, KeepsFrom: rapid.Uint64Range(1, last).Draw(t, "keeps"), Removed: 3, PrevTokens: 9, NewTokens: 5})
	case 7:
		_, _ = w.do(session.MoveHead, &session.Move{Head: any.Draw(t, "head")})
	case 8: // edit or delete a message
		move := &session.Move{Head: w.beforeMessage(t)}
		if rapid.Bool().Draw(t, "edit") {
			move.Again = &protocol.UserMessage{Content: "rather this"}
		}
		_, _ = w.do(session.MoveHead, move)
	case 9:
		if moves := w.state.Ledger.Moves; len(moves) > 0 {
			m := rapid.SampledFrom(moves).Draw(t, "undo")
			_, _ = w.do(session.MoveHead, &session.Move{Head: m.From, Undoes: protocol.ID(protocol.RewindPrefix, m.Seq)})
		}
	case 10:
		_, _ = w.do(session.Suspend, (*session.Suspended)(nil))
	}
}

// beforeMessage is the visible record before some visible message.
func (w world) beforeMessage(t *rapid.T) (head uint64) {
	seen := w.visible()
	at := rapid.IntRange(0, len(seen)).Draw(t, "message")
	for i, r := range seen {
		if _, ok := r.Data.(*protocol.MessageRecord); ok && i >= at && i > 0 {
			return seen[i-1].Seq
		}
	}
	return w.state.Ledger.Last
}

func (w world) goOn(t *rapid.T, step session.Step) {
	if step.NotBefore.After(w.now) {
		w.now = step.NotBefore
	}
	switch step.Kind {
	case session.StepModel:
		if step.AgentID == main {
			w.think(t, step)
		}
	case session.StepTool:
		if step.Tool.Status == session.ToolReady {
			_, _ = w.do(session.ToolBegin, &session.ToolBegun{TurnID: step.TurnID, CallID: step.Tool.ID})
			return
		}
		ended := &session.ToolEnded{TurnID: step.TurnID, CallID: step.Tool.ID, OK: true, Output: rapid.SampledFrom([]string{"", "done"}).Draw(t, "output")}
		if rapid.IntRange(0, 3).Draw(t, "fails") == 0 {
			ended.OK, ended.Error = false, &protocol.TurnError{Code: "TOOL_EXECUTION_FAILED", Message: "no"}
		}
		_, _ = w.do(session.ToolEnd, ended)
	case session.StepCondense:
		begun, err := w.do(session.CondenseBegin, &session.CondenseBegun{ID: step.Condense, Model: "m"})
		if err == nil {
			_, _ = w.do(session.CondenseEnd, &session.CondenseEnded{
				ID: step.Condense, Call: begun[0].Seq, Summary: "so far so good", PrevTokens: 100, NewTokens: 10,
				KeepsFrom: rapid.Uint64Range(1, w.state.Ledger.Last).Draw(t, "keeps from"),
			})
		}
	case session.StepExpire:
		_, _ = w.do(session.Expire, &session.Expired{RequestID: step.RequestID})
	case session.StepTick:
		_, _ = w.do(session.Tick, nil)
	}
}

// think calls one of the models with what the session tells it. Where the head
// is between the beginning of the first turn and its words there is nothing to
// tell.
func (w world) think(t *rapid.T, step session.Step) {
	told := history.Model(w.visible(), main)
	if len(told) == 0 {
		w.disturb(t)
		return
	}
	begun, err := w.do(session.ModelBegin, &session.ModelBegun{TurnID: step.TurnID, Model: "m", Purpose: step.Purpose})
	if err != nil {
		return
	}
	call := begun[0].Seq
	ended := &session.ModelEnded{TurnID: step.TurnID, Call: call}
	id := protocol.ID(protocol.OpenPrefix, call)
	if rapid.IntRange(0, 9).Draw(t, "breaks") == 0 {
		ended.Error = &session.CallError{Code: "MODEL_OVERLOADED", Message: "busy", Retryable: rapid.Bool().Draw(t, "retryable")}
		_, _ = w.do(session.ModelEnd, ended, session.OpenText{OpenID: id, AgentID: main, Say: protocol.SayText, Text: "half an"})
		return
	}
	w.turn = vendor.Turn{
		Thinking: rapid.SampledFrom([][]string{nil, {"hm"}}).Draw(t, "thinks"),
		Text:     rapid.SampledFrom([][]string{nil, {"so"}, {"so"}}).Draw(t, "says"),
		Calls: rapid.SliceOfN(rapid.SampledFrom([]vendor.Call{
			{Name: "read_file", Input: `{"path":"a"}`}, {Name: "run_command", Input: `{"path":"make"}`}, {Name: "ask_user", Input: `{"question":"which?"}`},
		}), 0, 3).Draw(t, "calls"),
	}
	if len(w.turn.Text)+len(w.turn.Calls) == 0 {
		w.turn.Text = []string{"nothing"}
	}
	answer := w.ask(t, rapid.SampledFrom(w.models).Draw(t, "model"), told)
	var open []session.OpenText
	for _, b := range answer.Message().Blocks {
		switch b.Kind {
		case model.BlockText:
			open = append(open, session.OpenText{OpenID: id, AgentID: main, Say: protocol.SayText, Text: b.Text})
		case model.BlockReasoning:
			open = append(open, session.OpenText{OpenID: id + "_0", AgentID: main, Say: protocol.SayReasoning, Text: b.Text})
		case model.BlockVendor:
			ended.Vendor = append(ended.Vendor, b.Vendor)
		case model.BlockToolUse:
			use := session.ToolUse{ID: b.ToolUse.ID, Tool: b.ToolUse.Name, Input: b.ToolUse.Input, Class: protocol.ClassRead, Effect: protocol.EffectRead}
			if use.Tool == runUse.Tool {
				use.Class, use.Effect = runUse.Class, runUse.Effect
			}
			ended.Uses = append(ended.Uses, use)
		}
	}
	_, _ = w.do(session.ModelEnd, ended, open...)
}

func (w world) reply(t *rapid.T, o protocol.Request) {
	if o.Type == protocol.TypeHitlApprovalRequest {
		action := rapid.SampledFrom([]string{"approve", "approve", "skip", "reject"}).Draw(t, "approval")
		_, _ = w.do(protocol.TypeHitlApprovalResponse, &protocol.HitlApprovalResponse{RequestID: o.RequestID, Action: action})
		return
	}
	value := `"an answer"`
	switch o.InputType {
	case protocol.InputConfirm:
		value = "true"
	case protocol.InputChoice:
		value = `"` + rapid.SampledFrom(o.Options).Draw(t, "choice").Value + `"`
	}
	_, _ = w.do(protocol.TypeHitlInputResponse, &protocol.HitlInputResponse{RequestID: o.RequestID, Value: []byte(value)})
}

// Whatever was said, done, condensed, truncated, rewound, edited, deleted and
// undone, with whichever models in turn: every vendor takes what is told.
func TestEveryVendorTakesTheHistory(t *testing.T) {
	vendors := newVendors(t)
	asked, markers := 0, map[protocol.Say]int{}
	rapid.Check(t, func(t *rapid.T) {
		w := world{newCore(t), vendors}
		w.say(t, "begin")
		for range rapid.IntRange(1, 60).Draw(t, "acts") {
			w.act(t)
		}
		for _, r := range w.visible() {
			if m, ok := r.Data.(*protocol.MessageRecord); ok && (m.Message.ContextCondense != nil || m.Message.ContextTruncation != nil) {
				markers[m.Message.Say]++
			}
		}
		told := append(history.Model(w.visible(), main), model.Text(model.RoleUser, "go on"))
		w.turn = vendor.Turn{Text: []string{"fine"}}
		for _, m := range w.models {
			w.ask(t, m, told)
			asked++
		}
	})
	if asked == 0 || markers[protocol.SayCondenseContext] == 0 || markers[protocol.SaySlidingWindowTruncation] == 0 {
		t.Errorf("%d calls, and %v: too little happened for the test to mean something", asked, markers)
	}
}

// Whatever happens, each call that was begun is one entry of the message store.
func TestEachCallIsOneEntry(t *testing.T) {
	vendors := newVendors(t)
	rapid.Check(t, func(t *rapid.T) {
		w := world{newCore(t), vendors}
		w.say(t, "begin")
		for range rapid.IntRange(1, 40).Draw(t, "acts") {
			w.act(t)
		}
		calls := map[string]bool{}
		for _, r := range w.visible() {
			switch d := r.Data.(type) {
			case *protocol.ToolStarted:
				calls[d.CallID] = true
			case *protocol.ToolCompleted:
				if !d.Retry {
					calls[d.CallID] = true
				}
			}
		}
		entries := 0
		for _, e := range w.visible().store(history.Page{}).Items() {
			switch e.(type) {
			case *history.ToolStart, *history.ToolComplete:
				entries++
			}
		}
		if entries != len(calls) {
			t.Fatalf("%d entries for %d calls", entries, len(calls))
		}
	})
}
