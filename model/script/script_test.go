package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/modeltest"
)

const conformance = `
turns:
  - when: {user_contains: stall}
    text: "one moment"
    hang: true
  - when: {user_contains: fail}
    text: [half, of it]
    error: {kind: interrupted, after: 1}
  - when: {user_contains: tool}
    reasoning: hm
    calls: [{name: read_file, input: {path: a.txt}}, {name: read_file}]
  - text: ["", "안녕 👩‍👩‍👧 ", "{{.last_user}}"]
    repeat: forever
`

func TestConformance(t *testing.T) {
	ask := func(text string) *model.Request {
		return &model.Request{
			Messages: []model.Message{model.Text(model.RoleUser, text)},
			Tools:    []model.Tool{{Name: "read_file"}},
		}
	}
	modeltest.Run(t, func(t *testing.T) modeltest.Subject {
		return modeltest.Subject{
			Model: parse(t, conformance),
			Tool:  ask("tool"),
			Stall: ask("stall"),
			Fail:  ask("fail"),
		}
	})
}

// The example in the documents is the tour.
func TestDocumentedExample(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "models.md"))
	if err != nil {
		t.Fatal(err)
	}
	tour, err := os.ReadFile(filepath.Join("testdata", "tour.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), "```yaml\n"+string(tour)+"```\n") {
		t.Error("docs/models.md does not hold testdata/tour.yaml as it is; copy it there")
	}
}

// The tour plays as told.
func TestTour(t *testing.T) {
	s, err := Open(filepath.Join("testdata", "tour.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	s.sleep = noSleep
	if got := s.Info(); got.Name != "tour" || got.ContextWindow != 50_000 {
		t.Errorf("Info() = %+v", got)
	}
	conversation := []model.Message{}
	say := func(text string) []model.Event {
		t.Helper()
		conversation = append(conversation, model.Text(model.RoleUser, text))
		return answer(t, s, &conversation, "turn")
	}
	want := func(events []model.Event, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, brief(events)); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	}
	want(say("hi"), "text:Hello. ", "text:I ", "text:am ", "text:a ", "text:script.", "done:end_turn")
	want(say("more"), "text:This is ", "text:slow ", "text:and this is not.", "done:end_turn")
	want(say("more"), "text:Answer 3 looks like the one before.", "done:end_turn")
	want(say("What is the WEATHER?"), "reasoning:I should ", "reasoning:look it up.", "text:Let me see. ",
		`call:fetch_url {"since":"2026-01-31","url":"https://weather.example/today"}`, "done:tool_use")

	use := conversation[len(conversation)-1].Blocks[2].ToolUse
	conversation = append(conversation, model.Message{Role: model.RoleUser, Blocks: []model.Block{{
		Kind: model.BlockToolResult, ToolResult: &model.ToolResult{ToolUseID: use.ID, Text: "rain"},
	}}})
	want(answer(t, s, &conversation, "turn"), "text:It says: ", "text:rain", "done:end_turn")
	want(say("go on"), "text:word ", "text:word ", "text:word ", "text:word ", "text:word ", "done:max_tokens")
	want(answer(t, s, &conversation, "condense"),
		"text:Summary: the person asked 5 things, the last was “go on”.", "done:end_turn")
}

func TestUsage(t *testing.T) {
	s := parse(t, `turns: [{text: "12345678", usage: {input_tokens: 7, cost_usd: 0.5}}, {text: "12345678"}]`)
	conversation := []model.Message{model.Text(model.RoleUser, "hi")}
	events := answer(t, s, &conversation, "")
	if got, want := events[len(events)-1].Usage, (model.Usage{InputTokens: 7, CostUSD: 0.5}); got != want {
		t.Errorf("usage as written: %+v, want %+v", got, want)
	}
	events = answer(t, s, &conversation, "")
	if got, want := events[len(events)-1].Usage, (model.Usage{InputTokens: 11, OutputTokens: 2, Estimated: true}); got != want {
		t.Errorf("estimated usage: %+v, want %+v", got, want)
	}
}

func TestErrorStopsAfterAttempts(t *testing.T) {
	s, err := Open(filepath.Join("testdata", "tour.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for attempt, wantErr := range []bool{true, true, true, false} { // 0 is the first, like 1
		req := model.Request{Messages: []model.Message{model.Text(model.RoleUser, "busy?")}, Attempt: attempt}
		events, err := stream(t.Context(), s, req)
		if (err != nil) != wantErr {
			t.Errorf("attempt %d: %v, want an error: %t", attempt, err, wantErr)
			continue
		}
		if !wantErr {
			continue
		}
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != model.Overloaded || e.RetryAfter != 3*time.Second || e.Message != "The model is busy." {
			t.Errorf("attempt %d: %#v", attempt, err)
		}
		if diff := cmp.Diff([]string{"text:One moment"}, brief(events)); diff != "" {
			t.Errorf("attempt %d (-want +got):\n%s", attempt, diff)
		}
	}
}

func TestEndOfSequence(t *testing.T) {
	s := parse(t, `turns: [{text: a, repeat: 2}, {text: b}]`)
	conversation := []model.Message{model.Text(model.RoleUser, "hi")}
	for range 3 {
		answer(t, s, &conversation, "turn")
	}
	_, err := stream(t.Context(), s, model.Request{Messages: conversation, Purpose: "turn"})
	if model.KindOf(err) != model.Invalid {
		t.Fatalf("got %v, want an Invalid error", err)
	}
	for _, part := range []string{"test.yaml", "answer 4", "has 3", "repeat: forever"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}

// A conversation played by one model and one played by a new model for every
// answer are the same.
func TestRestartChangesNothing(t *testing.T) {
	file := filepath.Join("testdata", "tour.yaml")
	run := func(reopen bool) []model.Message {
		var conversation []model.Message
		var s *Script
		for i := range 8 {
			if s == nil || reopen {
				var err error
				if s, err = Open(file); err != nil {
					t.Fatal(err)
				}
				s.sleep = noSleep
			}
			conversation = append(conversation, model.Text(model.RoleUser, fmt.Sprintf("message %d", i)))
			answer(t, s, &conversation, "turn")
		}
		return conversation
	}
	if diff := cmp.Diff(run(false), run(true)); diff != "" {
		t.Errorf("restarted conversation differs:\n%s", diff)
	}
}

func TestCallIDs(t *testing.T) {
	s := parse(t, `turns: [{calls: [{name: a}, {name: a}, {name: a, id: mine}], repeat: forever}]`)
	conversation := []model.Message{model.Text(model.RoleUser, "hi")}
	seen := map[string]bool{}
	for range 3 {
		before := model.Request{Messages: conversation}
		first, _ := stream(t.Context(), s, before)
		second, _ := stream(t.Context(), s, before)
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("the same request gave different events:\n%s", diff)
		}
		for _, e := range first {
			if e.ToolUse == nil || e.ToolUse.ID == "mine" {
				continue
			}
			if seen[e.ToolUse.ID] {
				t.Errorf("the id %s came before", e.ToolUse.ID)
			}
			seen[e.ToolUse.ID] = true
		}
		answer(t, s, &conversation, "")
	}
	if len(seen) != 6 {
		t.Errorf("%d ids made, want 6", len(seen))
	}
}

// Times are told by a fake clock: nobody waits.
func TestDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := parse(t, `turns: [{wait: 1s, delay: 100ms, text: [a, {text: b, delay: 5s}, c], generate: {deltas: 2, interval: 10ms}}]`)
		start := time.Now()
		var at []time.Duration
		err := s.Stream(t.Context(), model.Request{}, func(model.Event) error {
			at = append(at, time.Since(start).Round(time.Millisecond))
			return nil
		})
		ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
		want := []time.Duration{ms(1100), ms(6100), ms(6200), ms(6210), ms(6220), ms(6220)}
		if diff := cmp.Diff(want, at); diff != "" || err != nil {
			t.Errorf("%v; times (-want +got):\n%s", err, diff)
		}

		ctx, cancel := context.WithTimeout(t.Context(), ms(500))
		defer cancel()
		start = time.Now()
		if _, err := stream(ctx, s, model.Request{}); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != ms(500) {
			t.Errorf("cancelled in wait: %v after %s", err, time.Since(start))
		}
	})
}

func TestProvider(t *testing.T) {
	providers := []model.Provider{Provider()}
	m, err := model.Resolve(t.Context(), providers, "script:"+filepath.Join("testdata", "tour.yaml"))
	if err != nil || m.Info().Name != "tour" {
		t.Errorf("Resolve: %v, %v", m, err)
	}
	if _, err := model.Resolve(t.Context(), providers, "script:missing.yaml"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v, want os.ErrNotExist", err)
	}
}

func parse(t testing.TB, text string) *Script {
	t.Helper()
	s, err := Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func noSleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func stream(ctx context.Context, m model.Model, req model.Request) ([]model.Event, error) {
	var events []model.Event
	err := m.Stream(ctx, req, func(e model.Event) error {
		events = append(events, e)
		return nil
	})
	return events, err
}

// answer plays the next turn and puts it into the conversation.
func answer(t *testing.T, m model.Model, conversation *[]model.Message, purpose string) []model.Event {
	t.Helper()
	events, err := stream(t.Context(), m, model.Request{Messages: *conversation, Purpose: purpose})
	if err != nil {
		t.Fatal(err)
	}
	var a model.Answer
	for _, e := range events {
		a.Add(e)
	}
	*conversation = append(*conversation, a.Message())
	return events
}

// brief writes events on one line each.
func brief(events []model.Event) []string {
	var out []string
	for _, e := range events {
		switch e.Kind {
		case model.EventTextDelta:
			out = append(out, "text:"+e.Text)
		case model.EventReasoningDelta:
			out = append(out, "reasoning:"+e.Text)
		case model.EventToolUse:
			input, _ := json.Marshal(e.ToolUse.Input)
			out = append(out, "call:"+e.ToolUse.Name+" "+string(input))
		case model.EventDone:
			out = append(out, "done:"+e.StopReason)
		}
	}
	return out
}
