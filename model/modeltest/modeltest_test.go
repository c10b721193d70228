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

const environment = "MODELTEST_MODEL"

// TestModel runs the suite on the model that the environment names.
func TestModel(t *testing.T) {
	name := os.Getenv(environment)
	if name == "" {
		t.Skip("runs inside TestSuiteNotices")
	}
	modeltest.Run(t, func(*testing.T) modeltest.Subject { return modeltest.Subject{Model: models[name].model} })
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
