package modeltest_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/modeltest"
)

// answer is a model made of one function.
type answer func(ctx context.Context, req model.Request, yield func(model.Event) error) error

func (answer) Info() model.Info { return model.Info{Name: "answer"} }

func (a answer) Stream(ctx context.Context, req model.Request, yield func(model.Event) error) error {
	return a(ctx, req, yield)
}

func delta(text string) model.Event { return model.Event{Kind: model.EventTextDelta, Text: text} }

func done() model.Event {
	return model.Event{Kind: model.EventDone, StopReason: model.StopEndTurn, Usage: model.Usage{InputTokens: 1, OutputTokens: 1}}
}

// events gives them by the contract.
func events(list ...model.Event) answer {
	return func(ctx context.Context, _ model.Request, yield func(model.Event) error) error {
		for _, e := range list {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := yield(e); err != nil {
				return err
			}
		}
		return nil
	}
}

// models that break one promise each, and the checks that must notice. The
// first breaks none.
var models = map[string]struct {
	model answer
	fails []string
}{
	"good_at_all":                {talent(nil), nil},
	"loses_text":                 {talent(map[string]answer{"plain": events(delta("안"), delta("!"), done())}), []string{"whole_text"}},
	"one_call_only":              {talent(map[string]answer{"parallel": events(call("1", `{"a":1}`), stopped())}), []string{"parallel_tools"}},
	"empty_inputs":               {talent(map[string]answer{"parallel": events(call("1", `{}`), call("2", `{"a":1}`), stopped())}), []string{"parallel_tools"}},
	"not_forced":                 {talent(map[string]answer{"forced": events(delta("no"), done())}), []string{"forced_tool"}},
	"keeps_nothing":              {talent(map[string]answer{"think": events(thought("hm"), call("1", `{"a":1}`), stopped())}), []string{"thinking"}},
	"repairs_inputs":             {talent(map[string]answer{"bad": events(call("1", `{}`), stopped())}), []string{"bad_input"}},
	"gives_broken_json":          {talent(map[string]answer{"bad": events(call("1", `{"a":`), stopped())}), []string{"bad_input"}},
	"no_way_on":                  {talent(map[string]answer{"results": fails(model.Invalid)}), []string{"tool_results", "parallel_tools", "thinking", "bad_input"}},
	"swallows_what_was_said":     {talent(map[string]answer{"break": fails(model.Overloaded)}), []string{"broken_off"}},
	"breaks_for_good":            {talent(map[string]answer{"break": then(delta("a"), fails(model.Invalid))}), []string{"broken_off"}},
	"takes_overflow_for_a_fault": {talent(map[string]answer{"overflow": fails(model.Invalid)}), []string{"overflow"}},
	"impatient":                  {talent(map[string]answer{"slow": fails(model.Interrupted)}), []string{"slow_first_byte"}},

	"good":     {events(delta("안녕"), delta(""), done()), nil},
	"no_done":  {events(delta("a"), delta("b")), []string{"order", "empty_user_text", "yield_error_at_done", "concurrent"}},
	"two_done": {events(delta("a"), done(), done()), []string{"order", "empty_user_text", "concurrent"}},
	"cut_utf8": {events(delta("\xec\x95"), delta("\x88"), done()), []string{"order", "empty_user_text", "concurrent"}},
	"no_usage": {events(delta("a"), delta("b"), model.Event{Kind: model.EventDone, StopReason: "end_turn"}), []string{"order"}},
	"deaf_to_yield": {func(ctx context.Context, _ model.Request, yield func(model.Event) error) error {
		for _, e := range []model.Event{delta("a"), delta("b"), done()} {
			if err := ctx.Err(); err != nil {
				return err
			}
			_ = yield(e)
		}
		return nil
	}, []string{"yield_error_stops", "yield_error_at_done"}},
	"deaf_to_context": {func(_ context.Context, _ model.Request, yield func(model.Event) error) error {
		return events(delta("a"), delta("b"), done())(context.Background(), model.Request{}, yield)
	}, []string{"cancelled_before", "cancelled_between", "cancelled_before_done"}},
	"blames_itself": {func(ctx context.Context, req model.Request, yield func(model.Event) error) error {
		err := events(delta("a"), delta("b"), done())(ctx, req, yield)
		if err != nil && ctx.Err() != nil {
			return &model.Error{Kind: model.Interrupted, Err: err}
		}
		return err
	}, []string{"cancelled_before", "cancelled_between", "cancelled_before_done"}},
	"greedy": {func(ctx context.Context, req model.Request, yield func(model.Event) error) error {
		req.Messages[0].Blocks[0].Text += "!"
		return events(delta("a"), delta("b"), done())(ctx, req, yield)
	}, []string{"request_unchanged"}},
	"leaking": {func(ctx context.Context, req model.Request, yield func(model.Event) error) error {
		go func() { select {} }()
		return events(delta("a"), delta("b"), done())(ctx, req, yield)
	}, []string{"order", "empty_user_text", "request_unchanged", "yield_error_stops", "yield_error_at_done",
		"cancelled_before", "cancelled_between", "concurrent"}},
}

// simpleModels answer everything alike, and are tried with a greeting only.
var simpleModels = map[string]bool{
	"good": true, "no_done": true, "two_done": true, "cut_utf8": true, "no_usage": true,
	"deaf_to_yield": true, "deaf_to_context": true, "greedy": true, "leaking": true, "blames_itself": true,
}

func ask(text string) *model.Request {
	return &model.Request{Messages: []model.Message{model.Text(model.RoleUser, text)}, Tools: []model.Tool{{Name: "read"}}}
}

func call(id, input string) model.Event {
	return model.Event{Kind: model.EventToolUse, ToolUse: &model.ToolUse{ID: id, Name: "read", Input: json.RawMessage(input)}}
}

func thought(text string) model.Event {
	return model.Event{Kind: model.EventReasoningDelta, Text: text}
}

func stopped() model.Event {
	e := done()
	e.StopReason = model.StopToolUse
	return e
}

func fails(kind model.ErrorKind) answer {
	return func(context.Context, model.Request, func(model.Event) error) error { return &model.Error{Kind: kind} }
}

func then(first model.Event, rest answer) answer {
	return func(ctx context.Context, req model.Request, yield func(model.Event) error) error {
		if err := yield(first); err != nil {
			return err
		}
		return rest(ctx, req, yield)
	}
}

// gated holds back the answer to what is slow.
func gated(m answer, arrived, gate chan struct{}) answer {
	return func(ctx context.Context, req model.Request, yield func(model.Event) error) error {
		if req.Messages[0].Text() == "slow" {
			close(arrived)
			<-gate
		}
		return m(ctx, req, yield)
	}
}

// talent answers each kind of request by the contract, but for those that are put
// in its place.
func talent(instead map[string]answer) answer {
	kept := model.Event{Kind: model.EventVendor, Vendor: json.RawMessage(`{"mine":1}`)}
	scenes := map[string]answer{
		"plain":    events(delta("안"), delta("녕"), done()),
		"tool":     events(call("1", `{"a":1}`), stopped()),
		"forced":   events(call("1", `{"a":1}`), stopped()),
		"parallel": events(call("1", `{"a":1}`), call("2", `{"a":1}`), stopped()),
		"think":    events(thought("hm"), delta("so"), call("1", `{"a":1}`), kept, stopped()),
		"bad":      events(call("1", `"{\"a\":"`), stopped()),
		"break":    then(delta("a"), fails(model.Overloaded)),
		"overflow": fails(model.ContextOverflow),
		"slow":     events(delta("at"), delta("last"), done()),
		"results":  events(delta("so it is"), done()),
	}
	return func(ctx context.Context, req model.Request, yield func(model.Event) error) error {
		last := req.Messages[len(req.Messages)-1]
		scene := last.Text()
		if len(last.Blocks) > 0 && last.Blocks[0].ToolResult != nil {
			scene = "results"
		}
		if _, ok := scenes[scene]; !ok {
			scene = "plain"
		}
		if other, ok := instead[scene]; ok {
			return other(ctx, req, yield)
		}
		return scenes[scene](ctx, req, yield)
	}
}

const environment = "MODELTEST_MODEL"

// TestModel runs the suite on the model that the environment names.
func TestModel(t *testing.T) {
	name := os.Getenv(environment)
	if name == "" {
		t.Skip("runs inside TestSuiteNotices")
	}
	modeltest.Run(t, func(*testing.T) modeltest.Subject {
		arrived, gate := make(chan struct{}), make(chan struct{})
		s := modeltest.Subject{
			Model: models[name].model, Text: "안녕",
			Slow: &modeltest.Slow{Request: *ask("slow"), Arrived: arrived, Release: func() { close(gate) }},
		}
		if name != "impatient" {
			s.Model = gated(models[name].model, arrived, gate)
		}
		if simpleModels[name] {
			return modeltest.Subject{Model: s.Model}
		}
		s.Tool, s.Parallel, s.Think, s.BadInput = ask("tool"), ask("parallel"), ask("think"), ask("bad")
		s.Break, s.Overflow, s.Forced = ask("break"), ask("overflow"), ask("forced")
		s.Forced.ToolChoice = "read"
		return s
	})
}

// A suite that lets a broken model pass proves nothing of the others.
func TestSuiteNotices(t *testing.T) {
	failed := regexp.MustCompile(`(?m)^ +--- FAIL: TestModel/(\S+)`)
	for name, m := range models {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestModel$", "-test.v")
			cmd.Env = append(os.Environ(), environment+"="+name)
			out, err := cmd.CombinedOutput()
			var got []string
			for _, found := range failed.FindAllStringSubmatch(string(out), -1) {
				got = append(got, found[1])
			}
			for _, want := range m.fails {
				if !slices.Contains(got, want) {
					t.Errorf("%s passed; failed were %v", want, got)
				}
			}
			if len(m.fails) == 0 && err != nil {
				t.Errorf("a good model failed: %v\n%s", err, out)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	call := func(id, name, input string) model.Event {
		return model.Event{Kind: model.EventToolUse, ToolUse: &model.ToolUse{ID: id, Name: name, Input: json.RawMessage(input)}}
	}
	for _, c := range []struct {
		name   string
		events []model.Event
		want   string // "": no fault
	}{
		{"good", []model.Event{delta("a"), call("1", "x", `{}`), call("2", "x", ` {"a":1}`), done()}, ""},
		{"only done", []model.Event{done()}, ""},
		{"nothing", nil, "no events"},
		{"no done", []model.Event{delta("a")}, "must be Done"},
		{"done early", []model.Event{done(), delta("a"), done()}, "2 events follow"},
		{"no reason", []model.Event{{Kind: model.EventDone}}, "no stop reason"},
		{"bytes", []model.Event{delta("\xff"), done()}, "UTF-8"},
		{"no call", []model.Event{{Kind: model.EventToolUse}, done()}, "no call"},
		{"no id", []model.Event{call("", "x", `{}`), done()}, "id and a name"},
		{"same id", []model.Event{call("1", "x", `{}`), call("1", "x", `{}`), done()}, "twice"},
		{"a list", []model.Event{call("1", "x", `[]`), done()}, "JSON object"},
		{"half an object", []model.Event{call("1", "x", `{"a":`), done()}, "JSON object"},
		{"vendor", []model.Event{{Kind: model.EventVendor, Vendor: json.RawMessage("x")}, done()}, "not JSON"},
		{"kind", []model.Event{{Kind: "new"}, done()}, "no such kind"},
	} {
		got := strings.Join(modeltest.Faults(c.events), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
