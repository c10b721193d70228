package modeltest

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/parley-dev/parley/model"
)

// checkWholeText holds the pieces to the text that was sent: no character is lost
// where packets cut it.
func checkWholeText(t *testing.T, tr trial) {
	var got strings.Builder
	for _, e := range tr.good(t) {
		if e.Kind == model.EventTextDelta {
			got.WriteString(e.Text)
		}
	}
	if got.String() != tr.subject.Text {
		t.Errorf("the answer says\n%q, want\n%q", got.String(), tr.subject.Text)
	}
}

// checkResults gives the results of the calls back and wants another answer.
func checkResults(t *testing.T, tr trial) { tr.goOn(t, tr.good(t)) }

func checkParallel(t *testing.T, tr trial) {
	events := tr.good(t)
	if n := len(uses(events)); n < 2 {
		t.Fatalf("%d calls, want two or more", n)
	}
	for _, u := range uses(events) {
		var input map[string]any
		if err := json.Unmarshal(u.Input, &input); err != nil || len(input) == 0 {
			t.Errorf("the input of %s is %s (%v)", u.ID, u.Input, err)
		}
	}
	tr.goOn(t, events)
}

func checkForced(t *testing.T, tr trial) {
	calls := uses(tr.good(t))
	if len(calls) != 1 || calls[0].Name != tr.req.ToolChoice {
		t.Errorf("%s was demanded; the calls are %+v", tr.req.ToolChoice, calls)
	}
}

// checkThinking gives an answer with thoughts back in both orders in which a
// history may keep it: as it came, and with the words before the rest.
func checkThinking(t *testing.T, tr trial) {
	events := tr.good(t)
	kinds := map[model.EventKind]bool{}
	for _, e := range events {
		kinds[e.Kind] = true
	}
	if !kinds[model.EventReasoningDelta] || !kinds[model.EventVendor] || !kinds[model.EventToolUse] {
		t.Fatalf("the answer has %v; it needs thoughts, something of the vendor's own, and a call", kinds)
	}
	tr.goOn(t, events)

	var words, rest []model.Event
	for _, e := range events {
		if e.Kind == model.EventTextDelta {
			words = append(words, e)
		} else {
			rest = append(rest, e)
		}
	}
	tr.goOn(t, append(words, rest...))
}

func checkBadInput(t *testing.T, tr trial) {
	events := tr.good(t)
	calls := uses(events)
	if len(calls) != 1 {
		t.Fatalf("%d calls, want one", len(calls))
	}
	var wrote string
	if err := json.Unmarshal(calls[0].Input, &wrote); err != nil || wrote == "" {
		t.Errorf("the input is %s, want a JSON string with what the model wrote", calls[0].Input)
	}
	tr.goOn(t, events) // the history keeps it, and it must do no harm there
}

func checkBroken(t *testing.T, tr trial) {
	events, err := tr.collect()
	var e *model.Error
	if !errors.As(err, &e) || !e.Retryable() {
		t.Errorf("Stream returned %v, want an *model.Error that is worth a retry", err)
	}
	if len(events) == 0 || events[0].Kind != model.EventTextDelta {
		t.Errorf("%d events; what was said before the failure is lost", len(events))
	}
	for _, e := range events {
		if e.Kind == model.EventDone {
			t.Error("an answer that failed has a Done")
		}
	}
}

func checkOverflow(t *testing.T, tr trial) {
	if _, err := tr.collect(); model.KindOf(err) != model.ContextOverflow {
		t.Errorf("Stream returned %v, want kind %q", err, model.ContextOverflow)
	}
}

func checkSlow(t *testing.T, tr trial) {
	type outcome struct {
		events []model.Event
		err    error
	}
	ended := make(chan outcome, 1)
	go func() {
		events, err := tr.collect()
		ended <- outcome{events, err}
	}()
	select {
	case <-tr.subject.Slow.Arrived:
	case got := <-ended:
		t.Fatalf("the call ended before the vendor had it: %v", got.err)
	}
	tr.subject.Slow.Release()
	got := <-ended
	if got.err != nil {
		t.Fatalf("Stream: %v", got.err)
	}
	for _, fault := range Faults(got.events) {
		t.Error(fault)
	}
}

// checkHangUp waits for the vendor to notice. If the connection stays open, the
// test never ends.
func checkHangUp(t *testing.T, tr trial) {
	tr.cancelAt(t, 1)
	<-tr.subject.Gone
}

// good is an answer by the contract.
func (tr trial) good(t *testing.T) []model.Event {
	t.Helper()
	events, err := tr.collect()
	if err != nil {
		t.Fatalf("Stream: %v", err)
	}
	for _, fault := range Faults(events) {
		t.Error(fault)
	}
	return events
}

// goOn puts an answer and the results of its calls into the history, and asks
// again.
func (tr trial) goOn(t *testing.T, events []model.Event) {
	t.Helper()
	var a model.Answer
	results := model.Message{Role: model.RoleUser}
	for _, e := range events {
		a.Add(e)
	}
	for _, u := range uses(events) {
		results.Blocks = append(results.Blocks, model.Block{
			Kind: model.BlockToolResult, ToolResult: &model.ToolResult{ToolUseID: u.ID, Text: "the result of " + u.Name},
		})
	}
	next := tr
	next.req.ToolChoice = model.ChooseFreely
	next.req.Messages = append(append([]model.Message{}, tr.req.Messages...), a.Message(), results)
	next.good(t)
}

func uses(events []model.Event) []*model.ToolUse {
	var out []*model.ToolUse
	for _, e := range events {
		if e.ToolUse != nil {
			out = append(out, e.ToolUse)
		}
	}
	return out
}
