package session_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

var start = time.Date(2026, 2, 6, 10, 0, 0, 0, time.UTC)

// bench drives a session in memory, as the engine would.
type bench struct {
	state   session.State
	records []protocol.Record
	now     time.Time
	last    session.Command
}

func newBench(t testing.TB) *bench {
	b := &bench{now: start}
	b.must(t, session.Command{Type: session.CreateSession, Data: &protocol.SessionCreated{Owner: "ann"}})
	return b
}

func (b *bench) do(c session.Command) ([]protocol.Record, error) {
	b.now = b.now.Add(time.Millisecond)
	b.last = c
	d, err := b.weigh(c)
	if d.Moved() {
		b.state = *d.State()
		b.records = append(b.records, d.Records...)
		return d.Records, err
	}
	for _, r := range d.Records {
		b.state.Ledger.Apply(r)
		b.state.Apply(r)
	}
	b.records = append(b.records, d.Records...)
	return d.Records, err
}

// weigh decides, folding the past if the head moves there, as the engine does.
func (b *bench) weigh(c session.Command) (session.Decision, error) {
	d, err := b.state.Weigh(c, b.now)
	if head, moves := d.Head(); err == nil && moves {
		at := b.at(head)
		return d.Land(&at), nil
	}
	return d, err
}

// at folds the session as it was at a record.
func (b *bench) at(seq uint64) session.State {
	var ledger session.Ledger
	for _, r := range b.records[:seq] {
		ledger.Apply(r)
	}
	folder := session.NewFolder(ledger.Moves.Path(seq))
	for _, r := range b.records[:seq] {
		folder.Add(stored(r))
	}
	return folder.State
}

// stored is a record as it comes back from the journal.
func stored(r protocol.Record) protocol.Record {
	frame, err := r.Encode()
	if err != nil {
		panic(err)
	}
	again, err := protocol.DecodeRecord(frame)
	if err != nil {
		panic(err)
	}
	return again
}

// move asks for the head to be moved to a record.
func move(head uint64) session.Command {
	return session.Command{Type: session.MoveHead, Data: &session.Move{Head: head}, By: ann}
}

func (b *bench) must(t testing.TB, c session.Command) []protocol.Record {
	t.Helper()
	records, err := b.do(c)
	if err != nil {
		t.Fatalf("%s: %v", c.Type, err)
	}
	return records
}

func (b *bench) say(t testing.TB, words string) []protocol.Record {
	t.Helper()
	return b.must(t, session.Command{Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: words}, By: session.Actor{User: "ann"}})
}

// begin starts the model call that is due and gives its sequence number.
func (b *bench) begin(t testing.TB) (turn string, call uint64) {
	t.Helper()
	steps := b.state.Next()
	if len(steps) != 1 {
		t.Fatalf("steps: %v, want one", steps)
	}
	r := b.must(t, session.Command{Type: session.ModelBegin, Data: &session.ModelBegun{TurnID: steps[0].TurnID, Model: "m"}})
	return steps[0].TurnID, r[0].Seq
}

func (b *bench) answer(t testing.TB, text string) []protocol.Record {
	t.Helper()
	turn, call := b.begin(t)
	return b.must(t, session.Command{
		Type: session.ModelEnd,
		Data: &session.ModelEnded{TurnID: turn, Call: call, StopReason: "end_turn", Usage: protocol.Usage{InputTokens: 10, OutputTokens: 5}},
		Open: []session.OpenText{{OpenID: protocol.ID(protocol.OpenPrefix, call), Say: protocol.SayText, Text: text}},
	})
}

func types(records []protocol.Record) []protocol.Type {
	var out []protocol.Type
	for _, r := range records {
		out = append(out, r.Type)
	}
	return out
}

func TestTurn(t *testing.T) {
	b := newBench(t)
	want := []protocol.Type{"message_accepted", "turn_started", "message", "layer_start"}
	if diff := cmp.Diff(want, types(b.say(t, "hello"))); diff != "" {
		t.Errorf("user_message (-want +got):\n%s", diff)
	}
	if got := b.state.Status(); got != protocol.StatusExecuting {
		t.Errorf("status %s, want executing", got)
	}
	records := b.answer(t, "hi there")
	want = []protocol.Type{"model_completed", "layer_complete", "layer_start", "message", "layer_complete", "complete"}
	if diff := cmp.Diff(want, types(records)); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	c := records[len(records)-1].Data.(*protocol.Complete)
	if c.Response.Text != "hi there" || c.Statistics.TokensUsed != 15 || c.Statistics.ExecutionTimeMS != 2 {
		t.Errorf("complete: %+v", c)
	}
	m := records[3].Data.(*protocol.MessageRecord)
	if m.OpenID == "" || m.Message.Say != protocol.SayText || c.Response.MessageID != records[3].ID() {
		t.Errorf("message: %+v, complete names %s", m, c.Response.MessageID)
	}
	if got := b.state.Status(); got != protocol.StatusCompleted {
		t.Errorf("status %s, want completed", got)
	}
	if b.state.Ledger.Title != "hello" {
		t.Errorf("title %q, want the first words", b.state.Ledger.Title)
	}
	again := b.say(t, "more")[2].Data.(*protocol.MessageRecord)
	if again.Message.Say != protocol.SayUserFeedback {
		t.Errorf("the second message is %s, want user_feedback", again.Message.Say)
	}
}

func TestLongAnswerIsCutInComplete(t *testing.T) {
	b := newBench(t)
	b.say(t, "write")
	long := ""
	for len(long) < 5000 {
		long += "한"
	}
	records := b.answer(t, long)
	c := records[len(records)-1].Data.(*protocol.Complete)
	if !c.Response.Truncated || len(c.Response.Text) > 4096 || len(c.Response.Text)%3 != 0 {
		t.Errorf("response of %d bytes, truncated %v", len(c.Response.Text), c.Response.Truncated)
	}
	if m := records[3].Data.(*protocol.MessageRecord); m.Message.Text != long {
		t.Error("the message does not hold the whole text")
	}
}

func TestQueue(t *testing.T) {
	b := newBench(t)
	b.say(t, "first")
	for i := range session.QueueLimit {
		r := b.must(t, session.Command{Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: "later", When: protocol.WhenQueue}})
		if q := r[0].Data.(*protocol.MessageQueued); q.Position != i+1 {
			t.Fatalf("position %d, want %d", q.Position, i+1)
		}
	}
	_, err := b.do(session.Command{Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: "one too many", When: protocol.WhenQueue}})
	if e := protocol.AsError(err); err == nil || e.Code != protocol.CodeSessionInvalidState {
		t.Fatalf("a full queue gave %v, want 3003", err)
	}
	ids := []string{}
	for _, q := range b.state.Queue.Items {
		ids = append(ids, q.MessageID)
	}
	b.must(t, session.Command{Type: protocol.TypeQueueEdit, Data: &protocol.QueueEdit{Order: []string{ids[3]}, Remove: []string{ids[0]}}})
	if b.state.Queue.Items[0].MessageID != ids[3] || len(b.state.Queue.Items) != session.QueueLimit-1 {
		t.Errorf("queue after the edit: %v", b.state.Queue.Items)
	}
	b.answer(t, "done")
	if b.state.Status() != protocol.StatusExecuting || len(b.state.Queue.Items) != session.QueueLimit-2 {
		t.Errorf("the next message did not start: %s, %d wait", b.state.Status(), len(b.state.Queue.Items))
	}
}

func TestCancel(t *testing.T) {
	b := newBench(t)
	_, err := b.do(session.Command{Type: protocol.TypeControlCancel, Data: &protocol.ControlCancel{}})
	if protocol.AsError(err).Code != protocol.CodeSessionInvalidState {
		t.Fatalf("cancel of nothing gave %v", err)
	}
	b.say(t, "work")
	turn, call := b.begin(t)
	records := b.must(t, session.Command{
		Type: protocol.TypeControlCancel, Data: &protocol.ControlCancel{Reason: "enough"}, By: session.Actor{User: "ann"},
		Open: []session.OpenText{{OpenID: "open_1", Say: protocol.SayText, Text: "half a"}},
	})
	if diff := cmp.Diff([]protocol.Type{"message", "model_completed", "failed"}, types(records)); diff != "" {
		t.Errorf("cancel (-want +got):\n%s", diff)
	}
	if m := records[0].Data.(*protocol.MessageRecord); !m.Message.Partial {
		t.Error("the interrupted text is not marked partial")
	}
	if b.state.Status() != protocol.StatusCancelled || len(b.state.Next()) != 0 {
		t.Errorf("status %s, steps %v", b.state.Status(), b.state.Next())
	}
	_, err = b.do(session.Command{Type: session.ModelEnd, Data: &session.ModelEnded{TurnID: turn, Call: call}})
	if err == nil {
		t.Error("the answer of a cancelled call was taken")
	}
}

func TestFailingModel(t *testing.T) {
	b := newBench(t)
	b.say(t, "work")
	for attempt := 1; ; attempt++ {
		turn, call := b.begin(t)
		before := b.state.Next()[0].ID
		b.must(t, session.Command{Type: session.ModelEnd, Data: &session.ModelEnded{
			TurnID: turn, Call: call, Error: &session.CallError{Code: "MODEL_OVERLOADED", Message: "busy", Retryable: true},
		}})
		if b.state.Status() == protocol.StatusWaiting {
			if attempt != 5 {
				t.Errorf("a person is asked after %d attempts, want 5", attempt)
			}
			break
		}
		step := b.state.Next()[0]
		if step.ID == before || !step.NotBefore.After(b.now) {
			t.Fatalf("attempt %d: step %s not before %s, now %s", attempt, step.ID, step.NotBefore, b.now)
		}
	}
	o := b.asked(t, protocol.TypeHitlInputRequest)
	if o.Ask != protocol.AskAPIReqFailed || !strings.Contains(o.Question, "busy") {
		t.Errorf("asked %+v", o)
	}
	b.must(t, input(o.RequestID, "true"))
	if step := b.state.Next()[0]; step.Kind != session.StepModel || step.Attempt != 1 || step.NotBefore.After(b.now) {
		t.Errorf("after yes: %+v", step)
	}
	turn, call := b.begin(t)
	b.must(t, session.Command{Type: session.ModelEnd, Data: &session.ModelEnded{TurnID: turn, Call: call, Error: &session.CallError{Code: "MODEL_AUTH_FAILED", Message: "no key"}}})
	records := b.must(t, input(b.asked(t, protocol.TypeHitlInputRequest).RequestID, "false"))
	if f := found[protocol.Failed](t, records); f.Status != protocol.StatusFailed || f.Error.Code != "MODEL_AUTH_FAILED" {
		t.Errorf("after no: %+v", f)
	}
}

// An answer that is cut off before its first word is no answer.
func TestOutputLimit(t *testing.T) {
	b := newBench(t)
	b.say(t, "work")
	turn, call := b.begin(t)
	b.must(t, session.Command{Type: session.ModelEnd, Data: &session.ModelEnded{TurnID: turn, Call: call, StopReason: "max_tokens"}})
	if o := b.asked(t, protocol.TypeHitlInputRequest); o.Ask != protocol.AskAPIReqFailed {
		t.Errorf("asked %+v", o)
	}
}

// A model that finds the past too long is asked once more after it was summed
// up, and a second time only if a person wants it.
func TestOverflow(t *testing.T) {
	b := newBench(t)
	b.say(t, "work")
	overflow := func() {
		turn, call := b.begin(t)
		b.must(t, session.Command{Type: session.ModelEnd, Data: &session.ModelEnded{
			TurnID: turn, Call: call, Error: &session.CallError{Code: "MODEL_CONTEXT_OVERFLOW", Message: "too long"},
		}})
	}
	overflow()
	step := b.state.Next()[0]
	if step.Kind != session.StepCondense || len(b.state.Next()) != 1 {
		t.Fatalf("steps %+v", b.state.Next())
	}
	begun := b.must(t, session.Command{Type: session.CondenseBegin, Data: &session.CondenseBegun{ID: step.Condense, Model: "m"}})
	b.must(t, session.Command{Type: session.CondenseEnd, Data: &session.CondenseEnded{ID: step.Condense, Call: begun[0].Seq, Summary: "short", KeepsFrom: 4, PrevTokens: 100, NewTokens: 10}})
	if b.state.Contexts.Meter.Tokens != 10 {
		t.Errorf("the meter shows %+v", b.state.Contexts.Meter)
	}
	overflow()
	b.asked(t, protocol.TypeHitlInputRequest)
}

func TestSuspendedWorkIsTakenUpAgain(t *testing.T) {
	b := newBench(t)
	b.say(t, "work")
	b.begin(t)
	before := b.state.Next()[0].ID
	if b.state.Wake().IsZero() {
		t.Error("a session with work in flight is not due")
	}
	b.must(t, session.Command{Type: session.Suspend, Open: []session.OpenText{{OpenID: "open_1", Say: protocol.SayText, Text: "so far"}}})
	if steps := b.state.Next(); len(steps) != 1 || steps[0].ID == before {
		t.Errorf("steps after a crash: %v", steps)
	}
	b.answer(t, "done")
	if b.state.Status() != protocol.StatusCompleted || !b.state.Wake().IsZero() {
		t.Errorf("status %s, wake %s", b.state.Status(), b.state.Wake())
	}
}

func TestIdempotency(t *testing.T) {
	b := newBench(t)
	cause := &protocol.Cause{Scope: "ann/tab", MessageID: "m1", Digest: "d"}
	r := b.must(t, session.Command{Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: "hi"}, Cause: cause})
	seq, seen, err := b.state.Ledger.Seen(cause)
	if !seen || seq != r[0].Seq || err != nil {
		t.Errorf("seen %v at %d (%v), want %d", seen, seq, err, r[0].Seq)
	}
	if _, _, err := b.state.Ledger.Seen(&protocol.Cause{Scope: "ann/tab", MessageID: "m1", Digest: "other"}); err == nil {
		t.Error("the same id with other content passed")
	}
	if _, seen, _ := b.state.Ledger.Seen(&protocol.Cause{Scope: "ann/phone", MessageID: "m1", Digest: "d"}); seen {
		t.Error("another client's id counts as seen")
	}
}

// randomPlan is a plan as a model might propose it, good or bad.
func randomPlan(t *rapid.T) []byte {
	type todo struct {
		ID         string   `json:"id"`
		Task       string   `json:"task"`
		Tool       string   `json:"tool"`
		DependsOn  []string `json:"depends_on"`
		Priority   int      `json:"priority"`
		MaxRetries int      `json:"max_retries"`
		Approval   bool     `json:"requires_approval"`
	}
	var todos []todo
	for i := range rapid.IntRange(0, 6).Draw(t, "todos") {
		next := todo{ID: fmt.Sprintf("t%d", i), Task: "work", Tool: "do", DependsOn: []string{}}
		next.Priority = rapid.IntRange(0, 3).Draw(t, "priority")
		next.MaxRetries = rapid.IntRange(0, 2).Draw(t, "retries")
		next.Approval = rapid.IntRange(0, 4).Draw(t, "approval") == 0
		for j := range i {
			if rapid.IntRange(0, 2).Draw(t, "edge") == 0 {
				next.DependsOn = append(next.DependsOn, fmt.Sprintf("t%d", j))
			}
		}
		if rapid.IntRange(0, 30).Draw(t, "bad") == 0 {
			next.DependsOn = append(next.DependsOn, "t5")
		}
		todos = append(todos, next)
	}
	raw, _ := json.Marshal(map[string]any{"summary": "a plan", "todos": todos})
	return raw
}

// act does something that may happen to a session; refusals are fine.
func (b *bench) act(t *rapid.T) {
	open := []session.OpenText{{OpenID: "open_1", Say: protocol.SayText, Text: "text"}}
	var turn, tool, request string
	var call uint64
	if c := b.state.Turns.Current; c != nil {
		turn = c.ID
		if c.Loop.Call != nil {
			call = c.Loop.Call.Seq
		}
		calls := slices.Clone(c.Loop.Tools)
		for _, task := range c.Tasks {
			calls = append(calls, task.Tools...)
		}
		if n := len(calls); n > 0 {
			tool = calls[rapid.IntRange(0, n-1).Draw(t, "tool")].ID
		}
	}
	if n := len(b.state.Requests.Open); n > 0 {
		request = b.state.Requests.Open[rapid.IntRange(0, n-1).Draw(t, "request")].RequestID
	}
	effect := rapid.SampledFrom([]protocol.Effect{protocol.EffectRead, protocol.EffectIdempotent, protocol.EffectEffect}).Draw(t, "effect")
	class := rapid.SampledFrom(protocol.ToolClasses()).Draw(t, "class")
	uses := []session.ToolUse{
		{ID: "u1", Tool: "do", Input: []byte(`{}`), Class: class, Effect: effect},
		{ID: "u2", Tool: "ask_user", Input: []byte(`{"question":"which?"}`)},
		{ID: "u3", Tool: "nothing", Problem: "there is no such tool"},
	}[:rapid.IntRange(1, 3).Draw(t, "uses")]
	catalog := []session.ToolSpec{{Name: "do", Class: class, Effect: effect}}
	plan := []session.ToolUse{{ID: "u4", Tool: "propose_plan", Input: randomPlan(t)}}
	todo := fmt.Sprintf("t%d", rapid.IntRange(0, 5).Draw(t, "todo"))
	action := rapid.SampledFrom([]string{"approve", "skip", "reject", "nonsense"}).Draw(t, "action")
	planAction := rapid.SampledFrom([]string{"approve", "modify", "reject"}).Draw(t, "plan action")
	commands := []session.Command{
		{Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: "words"}},
		{Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: "later", When: protocol.WhenQueue}},
		{Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: "now", When: protocol.WhenInterrupt}, Open: open},
		{Type: protocol.TypeControlCancel, Data: &protocol.ControlCancel{}, Open: open},
		{Type: protocol.TypeControlPause, Data: &protocol.ControlPause{}},
		{Type: protocol.TypeControlResume, Data: &protocol.ControlResume{}},
		{Type: protocol.TypeHitlApprovalResponse, Data: &protocol.HitlApprovalResponse{RequestID: request, Action: action, Remember: protocol.RememberSession}},
		{Type: protocol.TypeHitlInputResponse, Data: &protocol.HitlInputResponse{RequestID: request, Value: []byte(`"retry"`)}},
		{Type: session.ModelBegin, Data: &session.ModelBegun{TurnID: turn, Model: "m"}},
		{Type: session.ModelEnd, Data: &session.ModelEnded{TurnID: turn, Call: call}, Open: open},
		{Type: session.ModelEnd, Data: &session.ModelEnded{TurnID: turn, Call: call, Uses: uses}, Open: open},
		{Type: session.ModelEnd, Data: &session.ModelEnded{TurnID: turn, Call: call, Error: &session.CallError{Retryable: true}}},
		{Type: session.ModelEnd, Data: &session.ModelEnded{TurnID: turn, Call: call, Uses: plan, Catalog: catalog}},
		{Type: session.ToolEnd, Data: &session.ToolEnded{TurnID: turn, CallID: tool, Output: "broken", Error: &protocol.TurnError{Code: "X", Message: "broken", Recoverable: true}}},
		{Type: protocol.TypeHitlPlanResponse, Data: &protocol.HitlPlanResponse{RequestID: request, Action: "approve"}},
		{Type: protocol.TypeHitlPlanResponse, Data: &protocol.HitlPlanResponse{RequestID: request, Action: planAction, Instruction: "more"}},
		{Type: protocol.TypeControlRetry, Data: &protocol.ControlRetry{TodoID: todo}},
		{Type: protocol.TypeControlSkip, Data: &protocol.ControlSkip{TodoID: todo}},
		{Type: protocol.TypePlanEdit, Data: &protocol.PlanEdit{Changes: []protocol.PlanChange{{Action: protocol.ChangeRemove, TodoID: todo}}}},
		{Type: session.Tick},
		{Type: session.ToolBegin, Data: &session.ToolBegun{TurnID: turn, CallID: tool}},
		{Type: session.ToolEnd, Data: &session.ToolEnded{TurnID: turn, CallID: tool, OK: true, Output: "done"}},
		{Type: session.Expire, Data: &session.Expired{RequestID: request}},
		{Type: session.Suspend},
		{Type: session.MoveHead, Data: b.anyMove(t), Open: open},
		{Type: session.MoveHead, Data: b.anyMove(t), Open: open},
		{Type: protocol.TypeCondense, Data: &protocol.Condense{}},
		{Type: session.CondenseWant, Data: &session.CondenseWanted{TurnID: turn}},
		{Type: session.Truncate, Data: &session.Truncated{TurnID: turn, KeepsFrom: rapid.Uint64Range(1, b.state.Ledger.Last).Draw(t, "keeps"), Removed: 3, PrevTokens: 9, NewTokens: 5}},
	}
	if likely := b.likely(t, uses, plan, catalog); len(likely) > 0 && rapid.IntRange(0, 9).Draw(t, "likely") > 2 {
		commands = likely
	}
	c := rapid.SampledFrom(commands).Draw(t, "command")
	if rapid.Bool().Draw(t, "keyed") {
		c.Cause = &protocol.Cause{Scope: "s", MessageID: protocol.MessageID(b.state.Ledger.Last), Digest: "d"}
	}
	if rapid.IntRange(0, 9).Draw(t, "wait") == 0 {
		b.now = b.now.Add(time.Hour)
	}
	before, _ := json.Marshal(b.state)
	d, err := b.weigh(c)
	records := d.Records
	after, _ := json.Marshal(b.state)
	if string(before) != string(after) {
		t.Fatalf("deciding %s changed the state", c.Type)
	}
	if again, _ := b.weigh(c); len(again.Records) != len(records) {
		t.Fatalf("%s gave %v, then %v", c.Type, types(records), types(again.Records))
	}
	if err == nil {
		_, _ = b.do(c)
	}
	b.check(t)
}

// anyMove goes anywhere: back, to a hidden branch, or back from a move.
func (b *bench) anyMove(t *rapid.T) *session.Move {
	moves := b.state.Ledger.Moves
	if len(moves) > 0 && rapid.Bool().Draw(t, "undo") {
		m := rapid.SampledFrom(moves).Draw(t, "move")
		return &session.Move{Head: m.From, Undoes: protocol.ID(protocol.RewindPrefix, m.Seq)}
	}
	m := &session.Move{Head: rapid.Uint64Range(0, b.state.Ledger.Last).Draw(t, "head")}
	if rapid.IntRange(0, 3).Draw(t, "edit") == 0 {
		m.Again = &protocol.UserMessage{Content: "rather this"}
	}
	return m
}

// check says what always holds.
func (b *bench) check(t *rapid.T) {
	s := &b.state
	steps := map[string]bool{}
	for _, step := range s.Next() {
		if steps[step.ID] {
			t.Fatalf("step %s is listed twice", step.ID)
		}
		steps[step.ID] = true
	}
	if s.Turns.Current == nil && s.Contexts.Condensing == nil && (len(steps) > 0 || len(s.Requests.Open) > 0) {
		t.Fatalf("no turn runs, yet there are %v and %v", steps, s.Requests.Open)
	}
	if s.Turns.Current != nil && !s.Turns.Resting && len(steps) == 0 && len(s.Requests.Open) == 0 {
		t.Fatalf("a turn waits for ever: %+v", s.Turns.Current)
	}
	if s.Turns.Current == nil && len(s.Queue.Items) > 0 && len(s.Ledger.Moves) == 0 {
		t.Fatalf("%d messages wait, and nothing runs", len(s.Queue.Items))
	}
	if p := s.Plans.Current; p != nil && s.Turns.Current != nil {
		running := 0
		for _, todo := range p.Todos {
			if todo.Status != protocol.TodoStatusInProgress {
				continue
			}
			running++
			for _, dep := range todo.DependsOn {
				for _, other := range p.Todos {
					if other.ID == dep && other.Status != protocol.TodoStatusCompleted && other.Status != protocol.TodoStatusSkipped {
						t.Fatalf("todo %s runs before %s", todo.ID, dep)
					}
				}
			}
		}
		if running != len(s.Turns.Current.Tasks) {
			t.Fatalf("%d todos are in progress, %d tasks run", running, len(s.Turns.Current.Tasks))
		}
	}
	started, ended := map[string]int{}, map[string]int{}
	path := s.Path()
	for _, r := range b.records {
		if !path.Contains(r.Seq) {
			continue
		}
		switch d := r.Data.(type) {
		case *protocol.ToolStarted:
			started[d.CallID]++
			if ended[d.CallID] > 0 {
				t.Fatalf("call %s started after its end", d.CallID)
			}
		case *protocol.ToolCompleted:
			if !d.Retry {
				ended[d.CallID]++
			}
		}
	}
	for id, n := range ended {
		if n != 1 {
			t.Fatalf("call %s ended %d times", id, n)
		}
	}
}

// Whatever happens: numbers are dense, time and ts rise, what is folded again
// from the stored bytes is what was live, from the start or from any snapshot.
func TestReplayEqualsLive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := &bench{now: start}
		pipeline := rapid.SampledFrom([]protocol.Pipeline{protocol.PipelineAuto, protocol.PipelineDirect, protocol.PipelinePlanned}).Draw(t, "pipeline")
		if _, err := b.do(session.Command{Type: session.CreateSession, Data: &protocol.SessionCreated{Owner: "ann", Pipeline: pipeline}}); err != nil {
			t.Fatal(err)
		}
		snap := session.Snapshot{}
		for range rapid.IntRange(1, 60).Draw(t, "commands") {
			b.act(t)
			if rapid.IntRange(0, 9).Draw(t, "snapshot") == 0 {
				snap, _ = b.state.Snapshot()
			}
		}
		past := make([]protocol.Record, len(b.records))
		ts := int64(0)
		for i, r := range b.records {
			if r.Seq != uint64(i+1) {
				t.Fatalf("record %d has number %d", i+1, r.Seq)
			}
			if m, ok := r.Data.(*protocol.MessageRecord); ok && m.Action == protocol.MessageCreated {
				if m.Message.Ts <= ts {
					t.Fatalf("ts %d after %d", m.Message.Ts, ts)
				}
				ts = m.Message.Ts
			}
			past[i] = stored(r)
		}
		path := b.state.Path()
		whole := session.NewFolder(path)
		for _, r := range past {
			whole.Add(r)
		}
		want, _ := json.Marshal(b.state)
		got, _ := json.Marshal(whole.State)
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Fatalf("replay (-live +folded):\n%s", diff)
		}
		if snap.Seq == 0 {
			return
		}
		kept, err := session.Restore(snap)
		if err != nil {
			t.Fatal(err)
		}
		resumed, ok := kept.Resume(path)
		if !ok {
			if len(b.state.Ledger.Moves) == 0 {
				t.Fatal("the snapshot does not fit")
			}
			return
		}
		for _, r := range past[snap.Seq:] {
			resumed.Add(r)
		}
		got, _ = json.Marshal(resumed.State)
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Fatalf("from snapshot (-live +folded):\n%s", diff)
		}
	})
}

// What a decision says of the state it leads to is what comes of its records.
func TestDecisionForetells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := &bench{now: start}
		_, _ = b.do(session.Command{Type: session.CreateSession, Data: &protocol.SessionCreated{}})
		for range rapid.IntRange(1, 30).Draw(t, "commands") {
			var before session.State
			raw, _ := json.Marshal(b.state)
			_ = json.Unmarshal(raw, &before)
			n := len(b.records)
			b.act(t)
			if len(b.records) == n {
				continue
			}
			is, now := b.state, b.records
			b.state, b.records = before, b.records[:n]
			d, err := b.weigh(b.last)
			b.state, b.records = is, now
			if err != nil {
				t.Fatal(err)
			}
			if got, want := d.Wake(), b.state.Wake(); !got.Equal(want) {
				t.Fatalf("foretold %s, is %s after %v", got, want, types(b.records[n:]))
			}
			foretold, _ := json.Marshal(d.State())
			live, _ := json.Marshal(b.state)
			if diff := cmp.Diff(string(live), string(foretold)); diff != "" {
				t.Fatalf("after %v (-is +foretold):\n%s", types(b.records[n:]), diff)
			}
		}
	})
}
