package session_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// world plays everything outside the core: models, tools and people. What it
// does depends on the state alone, so it does the same again after a crash.
type world struct {
	bench
	random  *rand.Rand
	effects map[string]int // call → how often it really happened
	crash   int            // crash when this many records are stored; 0: never
	crashed int
	lost    bool // the power went between an effect and its record
}

var catalog = []session.ToolSpec{
	{Name: "look", Class: protocol.ClassRead, Effect: protocol.EffectRead},
	{Name: "act", Class: protocol.ClassExecute, Effect: protocol.EffectEffect},
}

const conversationPlan = `{"summary":"collect, then work on it","todos":[
	{"id":"a","task":"collect","tool":"act","priority":5},
	{"id":"b","task":"left","tool":"act","depends_on":["a"]},
	{"id":"c","task":"right","tool":"look","depends_on":["a"]},
	{"id":"d","task":"join","tool":"act","depends_on":["b","c"],"requires_approval":true}]}`

// step does the next thing, or says that nothing is left to do.
func (w *world) step(t *testing.T) bool {
	for _, o := range w.state.Requests.Open {
		w.answerRequest(t, o)
		return true
	}
	steps := w.state.Next()
	if len(steps) == 0 {
		return false
	}
	step := steps[w.random.IntN(len(steps))]
	switch step.Kind {
	case session.StepModel:
		w.model(t, step)
	case session.StepTool:
		w.tool(t, step)
	case session.StepTick:
		w.now = later(w.now, step)
		w.try(t, session.Command{Type: session.Tick})
	}
	return true
}

func (w *world) model(t *testing.T, step session.Step) {
	turn := w.state.Turns.Current
	if turn.Loop.Call == nil {
		w.now = later(w.now, step)
		w.try(t, session.Command{Type: session.ModelBegin, Data: &session.ModelBegun{TurnID: turn.ID, Model: "m", Purpose: step.Purpose}})
		return
	}
	e := &session.ModelEnded{TurnID: turn.ID, Call: turn.Loop.Call.Seq, Catalog: catalog}
	var open []session.OpenText
	switch step.Purpose {
	case session.PurposeIntent:
		input := `{"clarification":{"question":"which brand?","ambiguity":"none named"}}`
		if w.answered("hitl_clarification") {
			input = `{"intent":{"domain":"analysis"},"needs_plan":true}`
		}
		e.Uses = []session.ToolUse{{ID: "intent", Tool: "record_intent", Input: []byte(input)}}
	case session.PurposePlan:
		e.Uses = []session.ToolUse{{ID: "plan", Tool: "propose_plan", Input: []byte(conversationPlan)}}
	default:
		open = []session.OpenText{{OpenID: protocol.ID(protocol.OpenPrefix, e.Call), Say: protocol.SayText, Text: "all done"}}
	}
	w.try(t, session.Command{Type: session.ModelEnd, Data: e, Open: open})
}

func (w *world) tool(t *testing.T, step session.Step) {
	if step.Tool.Status == session.ToolReady {
		w.try(t, session.Command{Type: session.ToolBegin, Data: &session.ToolBegun{TurnID: step.TurnID, CallID: step.Tool.ID}})
		return
	}
	w.effects[step.Tool.TodoID]++
	if w.lost {
		w.lost = false
		w.restart(t)
		return
	}
	w.try(t, session.Command{Type: session.ToolEnd, Data: &session.ToolEnded{
		TurnID: step.TurnID, CallID: step.Tool.ID, OK: true, Output: "ok", Summary: []byte(`{"todo":"` + step.Tool.TodoID + `"}`),
	}})
}

// answered says whether a request of this type was opened before.
func (w *world) answered(kind protocol.Type) bool {
	return slices.ContainsFunc(w.records, func(r protocol.Record) bool { return r.Type == kind })
}

func (w *world) answerRequest(t *testing.T, o protocol.Request) {
	by := session.Actor{User: "ann"}
	switch {
	case o.Type == protocol.TypeHitlClarification:
		w.try(t, session.Command{Type: protocol.TypeHitlClarificationResponse, By: by, Data: &protocol.HitlClarificationResponse{RequestID: o.RequestID, Value: []byte(`"this"`)}})
	case o.Type == protocol.TypeHitlPlanReview:
		a := &protocol.HitlPlanResponse{RequestID: o.RequestID, Action: "approve"}
		if !w.answered(protocol.TypePlanModified) && !slices.ContainsFunc(w.records, func(r protocol.Record) bool {
			d, ok := r.Data.(*protocol.HitlResolved)
			return ok && d.Action == "modify"
		}) {
			a.Action, a.Instruction = "modify", "add more"
		}
		w.try(t, session.Command{Type: protocol.TypeHitlPlanResponse, By: by, Data: a})
	case o.Type == protocol.TypeHitlApprovalRequest:
		w.try(t, session.Command{Type: protocol.TypeHitlApprovalResponse, By: by, Data: &protocol.HitlApprovalResponse{RequestID: o.RequestID, Action: "approve"}})
	default: // what became of an interrupted call: the person looks
		value := []byte(`"retry"`)
		if w.effects[o.TodoID] > 0 {
			value = []byte(`"done"`)
		}
		w.try(t, session.Command{Type: protocol.TypeHitlInputResponse, By: by, Data: &protocol.HitlInputResponse{RequestID: o.RequestID, Value: value}})
	}
}

// try decides and stores, and crashes where it shall: after the append, before
// anyone has done anything about it.
func (w *world) try(t *testing.T, c session.Command) {
	t.Helper()
	before := len(w.records)
	if _, err := w.do(c); err != nil {
		t.Fatalf("%s: %v", c.Type, err)
	}
	if w.crash > 0 && before < w.crash && len(w.records) >= w.crash {
		w.restart(t)
	}
}

// restart throws the state away and folds it from what is stored, then takes up
// what was interrupted, as the engine does.
func (w *world) restart(t *testing.T) {
	t.Helper()
	w.crashed++
	folder := session.NewFolder(w.state.Path())
	for _, r := range w.records {
		frame, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := protocol.DecodeRecord(frame)
		if err != nil {
			t.Fatal(err)
		}
		folder.Add(decoded)
	}
	w.state = folder.State
	if w.state.InFlight() {
		if _, err := w.do(session.Command{Type: session.Suspend}); err != nil {
			t.Fatal(err)
		}
	}
}

func play(t *testing.T, seed uint64, crash int, lost bool) *world {
	t.Helper()
	w := &world{bench: bench{now: start}, random: rand.New(rand.NewPCG(1, seed)), effects: map[string]int{}, crash: crash, lost: lost}
	w.try(t, session.Command{Type: session.CreateSession, Data: &protocol.SessionCreated{Owner: "ann", Pipeline: protocol.PipelinePlanned}})
	w.try(t, session.Command{Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: "analyse the reviews"}})
	for range 500 {
		w.now = w.now.Add(10 * time.Millisecond)
		if !w.step(t) {
			return w
		}
	}
	t.Fatalf("it does not come to an end: %+v", w.state.Turns.Current)
	return nil
}

// outcome is what must be the same however often the power went.
func (w *world) outcome() string {
	type todo struct {
		ID     string
		Status protocol.TodoStatus
	}
	var todos []todo
	for _, it := range w.state.Plans.Current.Todos {
		todos = append(todos, todo{it.ID, it.Status})
	}
	raw, _ := json.Marshal(map[string]any{"status": w.state.Status(), "plan": w.state.Plans.Current.Status, "todos": todos})
	return string(raw)
}

// The whole conversation, with the power going at every record of it, and at
// every moment between an effect and its record.
func TestCrashAtEveryRecord(t *testing.T) {
	calm := play(t, 0, 0, false)
	want := calm.outcome()
	if want != `{"plan":"completed","status":"completed","todos":[{"ID":"a","Status":"completed"},{"ID":"b","Status":"completed"},{"ID":"c","Status":"completed"},{"ID":"d","Status":"completed"}]}` {
		t.Fatalf("without a crash: %s", want)
	}
	seeds := uint64(4)
	if os.Getenv("PARLEY_SOAK") != "" {
		seeds = 40
	}
	for seed := range seeds {
		for at := 1; at <= len(calm.records); at++ {
			for _, lost := range []bool{false, true} {
				w := play(t, seed, at, lost)
				if w.crashed == 0 {
					t.Fatalf("seed %d: no crash at record %d", seed, at)
				}
				if got := w.outcome(); got != want {
					t.Fatalf("seed %d, crash at record %d (lost %v): %s, want %s", seed, at, lost, got, want)
				}
				for _, todo := range []string{"a", "b", "d"} {
					if n := w.effects[todo]; n != 1 {
						t.Fatalf("seed %d, crash at record %d (lost %v): %s happened %d times", seed, at, lost, todo, n)
					}
				}
			}
		}
	}
	t.Logf("%d records, each with %d seeds and both ways to lose power", len(calm.records), seeds)
}
