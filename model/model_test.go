package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-dev/parley/model"
)

func TestAnswerJoinsEvents(t *testing.T) {
	use := &model.ToolUse{ID: "1", Name: "read_file", Input: json.RawMessage(`{}`)}
	var a model.Answer
	for _, e := range []model.Event{
		{Kind: model.EventReasoningDelta, Text: "let me "},
		{Kind: model.EventReasoningDelta, Text: "see"},
		{Kind: model.EventVendor, Vendor: json.RawMessage(`{"signature":"x"}`)},
		{Kind: model.EventTextDelta, Text: ""},
		{Kind: model.EventTextDelta, Text: "안"},
		{Kind: model.EventTextDelta, Text: "녕"},
		{Kind: model.EventToolUse, ToolUse: use},
		{Kind: model.EventTextDelta, Text: "after"},
	} {
		a.Add(e)
	}
	want := model.Message{Role: model.RoleAssistant, Blocks: []model.Block{
		{Kind: model.BlockReasoning, Text: "let me see"},
		{Kind: model.BlockVendor, Vendor: json.RawMessage(`{"signature":"x"}`)},
		{Kind: model.BlockText, Text: "안녕"},
		{Kind: model.BlockToolUse, ToolUse: use},
		{Kind: model.BlockText, Text: "after"},
	}}
	if diff := cmp.Diff(want, a.Message()); diff != "" {
		t.Errorf("an unfinished answer (-want +got):\n%s", diff)
	}
	if a.Complete {
		t.Error("complete before Done")
	}
	a.Add(model.Event{Kind: model.EventDone, StopReason: model.StopEndTurn, Usage: model.Usage{OutputTokens: 3}})
	if !a.Complete || a.StopReason != model.StopEndTurn || a.Usage.OutputTokens != 3 {
		t.Errorf("after Done: %+v", a)
	}
	if diff := cmp.Diff(want, a.Message()); diff != "" {
		t.Errorf("a finished answer (-want +got):\n%s", diff)
	}
	if got, want := a.Message().Text(), "안녕\nafter"; got != want {
		t.Errorf("Text() = %q, want %q", got, want)
	}
}

func TestAnswerLosesNoText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a model.Answer
		var want strings.Builder
		for _, text := range rapid.SliceOf(rapid.String()).Draw(t, "deltas") {
			a.Add(model.Event{Kind: model.EventTextDelta, Text: text})
			want.WriteString(text)
			if rapid.Bool().Draw(t, "look") && a.Message().Role != model.RoleAssistant {
				t.Fatal("not the assistant's")
			}
		}
		var got strings.Builder
		for _, b := range a.Message().Blocks {
			got.WriteString(b.Text)
		}
		if got.String() != want.String() {
			t.Fatalf("joined %q, want %q", got.String(), want.String())
		}
	})
}

func TestMessageJSON(t *testing.T) {
	want := model.Message{Role: model.RoleUser, Blocks: []model.Block{
		{Kind: model.BlockText, Text: "look"},
		{Kind: model.BlockImage, Image: &model.Image{MediaType: "image/png", Data: []byte{1, 2}}},
		{Kind: model.BlockToolResult, ToolResult: &model.ToolResult{ToolUseID: "1", Text: "no", IsError: true}},
	}}
	raw, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	const form = `{"role":"user","blocks":[{"kind":"text","text":"look"},` +
		`{"kind":"image","image":{"media_type":"image/png","data":"AQI="}},` +
		`{"kind":"tool_result","tool_result":{"tool_use_id":"1","text":"no","is_error":true}}]}`
	if string(raw) != form {
		t.Errorf("the stored form changed:\n%s\n%s", raw, form)
	}
	var got model.Message
	if err := json.Unmarshal(raw, &got); err != nil || !cmp.Equal(want, got) {
		t.Errorf("read back: %v, %s", err, cmp.Diff(want, got))
	}
}

func TestErrors(t *testing.T) {
	retryable := map[model.ErrorKind]bool{
		model.RateLimited: true, model.Overloaded: true, model.Unavailable: true, model.Interrupted: true,
		model.ContextOverflow: false, model.Auth: false, model.Invalid: false, model.Refused: false,
	}
	for _, kind := range model.ErrorKinds() {
		want, known := retryable[kind]
		e := &model.Error{Kind: kind, Err: io.ErrUnexpectedEOF}
		if !known || e.Retryable() != want {
			t.Errorf("%s: Retryable() = %t, want %t", kind, e.Retryable(), want)
		}
		wrapped := fmt.Errorf("call: %w", e)
		if model.KindOf(wrapped) != kind || !errors.Is(wrapped, io.ErrUnexpectedEOF) {
			t.Errorf("%s is lost in %v", kind, wrapped)
		}
		if !strings.Contains(e.Error(), string(kind)) {
			t.Errorf("%q does not name its kind", e)
		}
	}
	if len(model.ErrorKinds()) != len(retryable) {
		t.Errorf("ErrorKinds() has %d kinds, want %d", len(model.ErrorKinds()), len(retryable))
	}
	if got := model.KindOf(context.Canceled); got != "" {
		t.Errorf("KindOf(context.Canceled) = %q", got)
	}
}

func TestResolve(t *testing.T) {
	opened := ""
	provider := func(prefix string) model.Provider {
		return model.Provider{Prefix: prefix, Open: func(_ context.Context, rest string) (model.Model, error) {
			opened = prefix + "|" + rest
			if rest == "broken" {
				return nil, io.ErrUnexpectedEOF
			}
			return nil, nil
		}}
	}
	providers := []model.Provider{provider("offline"), provider("script:"), provider("vendor/")}
	for spec, want := range map[string]string{
		"offline":       "offline|",
		"script:a:b":    "script:|a:b",
		"vendor/a/b":    "vendor/|a/b",
		"offline2":      "",
		"script:":       "",
		"script":        "",
		"":              "",
		"Vendor/a":      "",
		"vendor/broken": "vendor/|broken",
	} {
		opened = ""
		_, err := model.Resolve(t.Context(), providers, spec)
		if opened != want {
			t.Errorf("%q opened %q, want %q", spec, opened, want)
		}
		switch {
		case strings.HasSuffix(spec, "broken"):
			if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), spec) {
				t.Errorf("%q: %v", spec, err)
			}
		case want == "":
			if model.KindOf(err) != model.Invalid || !strings.Contains(err.Error(), "offline, script:…, vendor/…") {
				t.Errorf("%q: %v; it should say what there is", spec, err)
			}
		case err != nil:
			t.Errorf("%q: %v", spec, err)
		}
	}
}

func TestCost(t *testing.T) {
	info := model.Info{InputPrice: 3, OutputPrice: 15, CacheReadPrice: 0.3, CacheWritePrice: 3.75}
	got := info.Cost(model.Usage{InputTokens: 1e6, OutputTokens: 2e6, CacheReadTokens: 1e6, CacheWriteTokens: 4e6})
	if want := 3 + 30 + 0.3 + 15; got != want {
		t.Errorf("Cost = %v, want %v", got, want)
	}
}

func TestEstimate(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "a": 1, "four": 1, "fives": 2, "안녕하세요": 4} {
		if got := model.EstimateText(text); got != want {
			t.Errorf("EstimateText(%q) = %d, want %d", text, got, want)
		}
	}
	full := model.Request{
		System: "1234",
		Tools:  []model.Tool{{Name: "1234", Description: "1234", Schema: json.RawMessage(`{  }`)}},
		Messages: []model.Message{{Role: model.RoleUser, Blocks: []model.Block{
			{Kind: model.BlockText, Text: "12345678"},
			{Kind: model.BlockReasoning, Text: "is not sent"},
			{Kind: model.BlockToolUse, ToolUse: &model.ToolUse{Name: "1234", Input: json.RawMessage(`{}`)}},
			{Kind: model.BlockToolResult, ToolResult: &model.ToolResult{Text: "1234"}},
		}}},
	}
	if got := model.Estimate(full); got != 1+3+4+2+2+1 {
		t.Errorf("Estimate = %d", got)
	}
}
