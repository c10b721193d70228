package model_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-dev/parley/model"
)

// teller says some words and then fails, or does not.
type teller struct {
	info  model.Info
	words []string
	err   error
	asked *int
}

func (t teller) Info() model.Info { return t.info }

func (t teller) Stream(_ context.Context, _ model.Request, yield func(model.Event) error) error {
	if t.asked != nil {
		*t.asked++
	}
	for _, w := range t.words {
		if err := yield(model.Event{Kind: model.EventTextDelta, Text: w}); err != nil {
			return err
		}
	}
	if t.err != nil {
		return t.err
	}
	return yield(model.Event{Kind: model.EventDone, StopReason: model.StopEndTurn})
}

func failing(kind model.ErrorKind) error {
	return &model.Error{Kind: kind, Message: "it is " + string(kind)}
}

func TestFallbackMovesOn(t *testing.T) {
	stop := errors.New("stop")
	for name, tc := range map[string]struct {
		first   teller
		attempt int
		second  bool // is asked
		err     error
	}{
		"good":                     {teller{words: []string{"a"}}, 1, false, nil},
		"no key":                   {teller{err: failing(model.Auth)}, 1, true, nil},
		"overloaded":               {teller{err: failing(model.Overloaded)}, 1, true, nil},
		"unavailable":              {teller{err: failing(model.Unavailable)}, 1, true, nil},
		"broke off at once":        {teller{err: failing(model.Interrupted)}, 1, true, nil},
		"limited":                  {teller{err: failing(model.RateLimited)}, 1, false, failing(model.RateLimited)},
		"limited, again and again": {teller{err: failing(model.RateLimited)}, 3, true, nil},
		"too long":                 {teller{err: failing(model.ContextOverflow)}, 5, false, failing(model.ContextOverflow)},
		"invalid":                  {teller{err: failing(model.Invalid)}, 5, false, failing(model.Invalid)},
		"refused":                  {teller{err: failing(model.Refused)}, 5, false, failing(model.Refused)},
		"broke off in the midst":   {teller{words: []string{"a"}, err: failing(model.Overloaded)}, 5, false, failing(model.Overloaded)},
		"another error":            {teller{err: stop}, 1, false, stop},
		"cancelled":                {teller{err: context.Canceled}, 1, false, context.Canceled},
	} {
		asked := 0
		m := model.Fallback(tc.first, teller{words: []string{"second"}, asked: &asked})
		err := m.Stream(t.Context(), model.Request{Attempt: tc.attempt}, func(model.Event) error { return nil })
		if (asked > 0) != tc.second {
			t.Errorf("%s: the second was asked %d times", name, asked)
		}
		if model.KindOf(err) != model.KindOf(tc.err) || (err == nil) != (tc.err == nil) {
			t.Errorf("%s: %v, want %v", name, err, tc.err)
		}
	}
}

func TestFallbackYieldError(t *testing.T) {
	stop, asked := errors.New("stop"), 0
	m := model.Fallback(teller{words: []string{"a"}}, teller{asked: &asked})
	err := m.Stream(t.Context(), model.Request{}, func(model.Event) error { return stop })
	if !errors.Is(err, stop) || asked > 0 {
		t.Errorf("%v; the second was asked %d times", err, asked)
	}
}

func TestFallbackAllFail(t *testing.T) {
	wait := &model.Error{Kind: model.Overloaded, Message: "B is busy.", RetryAfter: 3 * time.Second}
	m := model.Fallback(teller{err: &model.Error{Kind: model.Auth, Message: "A has no key."}}, teller{err: wait})
	err := m.Stream(t.Context(), model.Request{}, func(model.Event) error { return nil })
	var e *model.Error
	if !errors.As(err, &e) || e.Kind != model.Overloaded || e.RetryAfter != wait.RetryAfter {
		t.Fatalf("%#v; one of them is worth a retry", err)
	}
	for _, part := range []string{"A has no key.", "B is busy."} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	if wait.Message != "B is busy." {
		t.Error("a model's own error was changed")
	}
}

func TestFallbackInfo(t *testing.T) {
	a := model.Info{Name: "a", ContextWindow: 200, MaxOutput: 10, Tools: true, Images: true, InputPrice: 3}
	b := model.Info{Name: "b", ContextWindow: 100, Tools: true, Reasoning: true}
	want := model.Info{Name: "a|b", ContextWindow: 100, MaxOutput: 10, Tools: true, Reasoning: true, InputPrice: 3}
	if diff := cmp.Diff(want, model.Fallback(teller{info: a}, teller{info: b}).Info()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := model.Fallback(teller{info: a}).Info(); got != a {
		t.Errorf("one alone is itself: %+v", got)
	}
}

func TestResolveList(t *testing.T) {
	provider := func(prefix string) model.Provider {
		return model.Provider{Prefix: prefix, Open: func(_ context.Context, rest string) (model.Model, error) {
			if rest == "broken" {
				return nil, failing(model.Invalid)
			}
			return teller{info: model.Info{Name: prefix + rest}}, nil
		}}
	}
	providers := []model.Provider{provider("offline"), provider("a/"), provider("run:")}
	for spec, want := range map[string]string{
		"a/x|a/y|offline":  "a/x|a/y|offline",
		" a/x | offline ":  "a/x|offline",
		"run:this | that":  "run:this | that", // not a list: there is no model "that"
		"run:this|offline": "run:this|offline",
		"a/x|a/broken":     "",
		"a/x|":             "a/x|",
		"nobody|offline":   "",
		"|":                "",
	} {
		m, err := model.Resolve(t.Context(), providers, spec)
		if (err == nil) != (want != "") || err == nil && m.Info().Name != want {
			t.Errorf("%q: %v, %v; want %q", spec, m, err, want)
		}
	}
}

// doer is a model that does one thing by itself, and holds something.
type doer struct {
	teller
	does   string
	closed *int
}

func (d doer) Act(call model.ToolUse) (model.Act, bool) {
	return model.Act{Preview: d.does}, call.Name == d.does
}

func (d doer) Carry(_ context.Context, call model.ToolUse, _ func(string)) (model.ToolResult, error) {
	return model.ToolResult{Text: d.does + " did " + call.Name}, nil
}

func (d doer) Close() error { *d.closed++; return nil }

func TestFallbackActs(t *testing.T) {
	closed := 0
	m := model.Fallback(teller{}, doer{does: "a", closed: &closed}, doer{does: "b", closed: &closed})
	actor, ok := m.(model.Actor)
	if !ok {
		t.Fatal("a list with an actor is none")
	}
	for _, name := range []string{"a", "b"} {
		use := model.ToolUse{Name: name}
		act, ok := actor.Act(use)
		r, err := actor.Carry(t.Context(), use, nil)
		if !ok || act.Preview != name || err != nil || r.Text != name+" did "+name {
			t.Errorf("%s: %+v %v, %+v %v", name, act, ok, r, err)
		}
	}
	if _, ok := actor.Act(model.ToolUse{Name: "c"}); ok {
		t.Error("nobody does c")
	}
	if _, err := actor.Carry(t.Context(), model.ToolUse{Name: "c"}, nil); model.KindOf(err) != model.Invalid {
		t.Errorf("nobody does c: %v", err)
	}
	if err := model.Close(m); err != nil || closed != 2 {
		t.Errorf("%v, %d were closed", err, closed)
	}
}
