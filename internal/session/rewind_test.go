package session_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// views is what people, models and lists see of a session.
func (b *bench) views() map[string]string {
	path := b.state.Path()
	var visible []protocol.Record
	ui, store := history.NewUI(history.Page{}), history.NewStore(history.Page{})
	for _, r := range b.records {
		if r = stored(r); path.Contains(r.Seq) {
			visible = append(visible, r)
			ui.Add(r)
			store.Add(r)
		}
	}
	asked := slices.Clone(b.state.Requests.Open)
	for i := range asked { // a request that is asked anew has another id and deadline
		asked[i].RequestID, asked[i].CreatedAt, asked[i].ExpiresAt = "", protocol.Time{}, protocol.Time{}
	}
	messages := slices.Clone(ui.Items())
	for i := range messages {
		messages[i].RequestID = ""
	}
	out := map[string]string{}
	for name, view := range map[string]any{
		"ui": messages, "store": store.Items(), "model": history.Model(visible, protocol.MainAgent(protocol.DefaultMonitor)),
		"plan": b.state.Plans.Current, "queue": b.state.Queue.Items, "requests": asked,
	} {
		raw, err := json.MarshalIndent(view, "", " ")
		if err != nil {
			panic(err)
		}
		out[name] = string(raw)
	}
	return out
}

// Going back and undoing that changes no view, from any point of any session to
// any other, however often; in a session that rests, nothing at all.
func TestUndoIsIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := &bench{now: start}
		_, _ = b.do(session.Command{Type: session.CreateSession, Data: &protocol.SessionCreated{Owner: "ann", Pipeline: protocol.PipelineAuto}})
		for range rapid.IntRange(1, 25).Draw(t, "commands") {
			b.act(t)
		}
		// Where the session stands, at rest.
		last := b.state.Ledger.Last
		if _, err := b.do(move(rapid.Uint64Range(0, last-1).Draw(t, "away"))); err != nil {
			return // there was nothing to go back from
		}
		undo := func(n int) {
			m := b.state.Ledger.Moves[n]
			if _, err := b.do(session.Command{Type: session.MoveHead, Data: &session.Move{Head: m.From, Undoes: protocol.ID(protocol.RewindPrefix, m.Seq)}}); err != nil {
				t.Fatalf("undo: %v", err)
			}
		}
		undo(len(b.state.Ledger.Moves) - 1)
		want := b.views()
		for range rapid.IntRange(1, 3).Draw(t, "times") {
			if _, err := b.do(move(rapid.Uint64Range(0, last-1).Draw(t, "to"))); err != nil {
				continue
			}
			away := b.views()
			undo(len(b.state.Ledger.Moves) - 1)
			if diff := cmp.Diff(want, b.views()); diff != "" {
				t.Fatalf("after the undo (-before +after):\n%s", diff)
			}
			undo(len(b.state.Ledger.Moves) - 1) // and undo the undo
			if diff := cmp.Diff(away, b.views()); diff != "" {
				t.Fatalf("after the undo of the undo (-before +after):\n%s", diff)
			}
			undo(len(b.state.Ledger.Moves) - 1)
		}
	})
}

// From every record of a conversation one can go back to, and go on to an end.
func TestRewindToEveryRecordAndGoOn(t *testing.T) {
	calm := play(t, 0, 0, false)
	for seed := range uint64(2) {
		for head := range calm.state.Ledger.Last {
			w := &world{
				bench:  bench{now: calm.now, state: calm.at(calm.state.Ledger.Last), records: slices.Clone(calm.records)},
				random: rand.New(rand.NewPCG(2, seed)), effects: map[string]int{},
			}
			w.try(t, move(head))
			if got := len(w.state.Next()) - deadlines(w.state.Next()); got != 0 {
				t.Fatalf("head %d: %d steps start by themselves", head, got)
			}
			switch w.state.Status() {
			case protocol.StatusPaused:
				w.try(t, resume())
			case protocol.StatusIdle:
				w.say(t, "and now?")
			default:
				t.Fatalf("head %d: the session is %s", head, w.state.Status())
			}
			for n := 0; w.step(t); n++ {
				if n > 300 {
					t.Fatalf("head %d: it does not come to an end: %+v", head, w.state.Turns.Current)
				}
			}
			if w.state.Status() != protocol.StatusCompleted {
				t.Fatalf("head %d: it ends as %s", head, w.state.Status())
			}
		}
	}
}

func deadlines(steps []session.Step) (n int) {
	for _, s := range steps {
		if s.Kind == session.StepExpire {
			n++
		}
	}
	return n
}

// A rewind while things run cancels them; undoing it finds the turn paused where
// it was, and a call that acts on the world does not run again by itself.
func TestRewindWhileATurnRuns(t *testing.T) {
	b := benchOf(t, protocol.PipelineAuto)
	b.wants(t, use("u", "act", `{}`))
	b.must(t, approval(b.asked(t, protocol.TypeHitlApprovalRequest).RequestID, "approve"))
	step := b.state.Next()[0]
	b.must(t, session.Command{Type: session.ToolBegin, Data: &session.ToolBegun{TurnID: step.TurnID, CallID: step.Tool.ID}})
	from := b.state.Ledger.Last
	records := b.must(t, move(1))
	if got := records[len(records)-1].Data.(*protocol.Rewound); got.From != protocol.MessageID(from) || len(got.Hidden) != 1 || got.Hidden[0] != (protocol.Span{2, uint64(len(b.records) - 1)}) {
		t.Errorf("rewound %+v", got)
	}
	if found[protocol.Failed](t, records).Status != protocol.StatusCancelled || b.state.Status() != protocol.StatusIdle || len(b.state.Next()) > 0 {
		t.Errorf("the session is %s with %v", b.state.Status(), b.state.Next())
	}
	if _, err := b.do(session.Command{Type: session.ToolEnd, Data: &session.ToolEnded{TurnID: step.TurnID, CallID: step.Tool.ID, OK: true}}); err == nil {
		t.Error("the result of a cancelled call was taken")
	}
	b.must(t, session.Command{Type: session.MoveHead, Data: &session.Move{Head: from, Undoes: "rew_x"}})
	if b.state.Status() != protocol.StatusPaused {
		t.Errorf("after the undo the session is %s", b.state.Status())
	}
	o := b.asked(t, protocol.TypeHitlInputRequest)
	if o.Field != "outcome" || o.CallID != step.Tool.ID {
		t.Errorf("asked %+v", o)
	}
	b.must(t, resume())
	if got := b.does(session.StepTool); len(got) != 0 {
		t.Errorf("it runs again: %v", got)
	}
}

// What a person was being asked is asked anew: under another id, with time left,
// in the same message; todos that were in progress are pending.
func TestRequestsAreIssuedAnew(t *testing.T) {
	b := planned(t, todo("a", "act", "approve"), todo("b", "act"))
	old := b.asked(t, protocol.TypeHitlPlanReview)
	at := b.state.Ledger.Last
	b.must(t, review(old.RequestID, "approve", ""))
	b.starts(t, "b")
	running := b.state.Ledger.Last
	b.must(t, move(at))
	again := b.asked(t, protocol.TypeHitlPlanReview)
	if again.RequestID == old.RequestID || !again.ExpiresAt.After(old.ExpiresAt.Time) || again.Ts != old.Ts || again.Ts == 0 {
		t.Errorf("was %+v\nis %+v", old, again)
	}
	b.refused(t, protocol.CodeRequestExpired, review(old.RequestID, "approve", ""))
	b.stand(t, "a pending, b pending")
	b.must(t, move(running)) // to the branch that was left
	b.stand(t, "a pending, b pending")
	if len(b.state.Requests.Open) != 0 || b.state.Status() != protocol.StatusPaused {
		t.Errorf("%s with %v", b.state.Status(), b.state.Requests.Open)
	}
	b.must(t, resume())
	b.stand(t, "a in_progress, b in_progress")
	if n := len(b.state.Requests.Open); n != 2 { // b had been started: it does not act again unasked
		t.Errorf("%d requests, want those of a and b", n)
	}
}

func TestRewindRefuses(t *testing.T) {
	b := newBench(t)
	b.say(t, "one")
	b.answer(t, "two")
	last := b.state.Ledger.Last
	b.refused(t, protocol.CodeInvalidMessage, move(last+1))
	b.refused(t, protocol.CodeSessionInvalidState, move(last))
	b.must(t, move(1))
	b.refused(t, protocol.CodeSessionInvalidState, session.Command{Type: session.MoveHead, Data: &session.Move{Head: 2, Seen: 4}})
	if got := fmt.Sprint(b.state.Path()); got != fmt.Sprintf("[{1 1} {%d %d}]", last+2, last+1) {
		t.Errorf("path %s", got)
	}
}

// The ledger does not go back: usage, settings, keys.
func TestLedgerStays(t *testing.T) {
	b := newBench(t)
	cause := &protocol.Cause{Scope: "s", MessageID: "m1", Digest: "d"}
	said := b.must(t, session.Command{Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: "hi"}, Cause: cause})
	b.answer(t, "hello")
	title := "kept"
	b.must(t, session.Command{Type: protocol.TypeUpdateSession, Data: &protocol.UpdateSession{Title: &title}})
	usage := b.state.Ledger.Usage
	b.must(t, move(1))
	if seq, seen, err := b.state.Ledger.Seen(cause); !seen || err != nil || seq != said[0].Seq {
		t.Errorf("the message of a hidden past: %d %v %v", seq, seen, err)
	}
	if b.state.Ledger.Usage != usage || usage == (protocol.Usage{}) || b.state.Ledger.Title != "kept" {
		t.Errorf("usage %+v, title %q", b.state.Ledger.Usage, b.state.Ledger.Title)
	}
}

// An edited message takes the place of the old one and what came of it.
func TestEdit(t *testing.T) {
	b := newBench(t)
	b.say(t, "one")
	b.answer(t, "two")
	records := b.must(t, session.Command{Type: session.MoveHead, By: ann, Data: &session.Move{Head: 1, Again: &protocol.UserMessage{Content: "rather three"}}})
	if b.state.Status() != protocol.StatusExecuting || found[protocol.MessageRecord](t, records).Message.Text != "rather three" {
		t.Errorf("%s after %v", b.state.Status(), types(records))
	}
	b.answer(t, "four")
	var texts []string
	ui := history.NewUI(history.Page{})
	for _, r := range b.records {
		if b.state.Path().Contains(r.Seq) {
			ui.Add(r)
		}
	}
	for _, m := range ui.Items() {
		texts = append(texts, m.Text)
	}
	if !slices.Equal(texts, []string{"rather three", "four"}) {
		t.Errorf("the conversation is %q", texts)
	}
}
