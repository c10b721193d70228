package tooltest

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/parley-dev/parley/tool"
)

// What vendors of models take for a name.
var name = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func checkInfo(t *testing.T, tr *trial) {
	info := tr.Tool.Info()
	if !name.MatchString(info.Name) {
		t.Errorf("the name %q does not match %s", info.Name, name)
	}
	if len(strings.Fields(info.Description)) < 5 || !utf8.ValidString(info.Description) {
		t.Errorf("the description %q tells a model nothing", info.Description)
	}
	if !slices.Contains(tool.Classes(), info.Class) {
		t.Errorf("there is no class %q", info.Class)
	}
	if !slices.Contains(tool.Effects(), info.Effect) {
		t.Errorf("there is no effect %q", info.Effect)
	}
	if info.Class == tool.ClassRead && info.Effect != tool.EffectRead {
		t.Errorf("a tool of class read has the effect %q", info.Effect)
	}
	if info.Timeout < 0 {
		t.Errorf("the timeout is %v", info.Timeout)
	}
	if again := tr.Tool.Info(); !reflect.DeepEqual(again, info) {
		t.Errorf("Info() changed from %+v to %+v", info, again)
	}
}

func checkSchema(t *testing.T, tr *trial) {
	info := tr.Tool.Info()
	var s struct {
		Type       string
		Properties map[string]property
		Required   []string
	}
	if err := json.Unmarshal(info.Schema, &s); err != nil {
		t.Fatalf("the schema is not one of an object: %v", err)
	}
	if s.Type != "object" {
		t.Errorf("the schema's type is %q, want object", s.Type)
	}
	for field, p := range s.Properties {
		if p.Description == "" {
			t.Errorf("the field %s has no description: a model does not know what to write", field)
		}
	}
	for _, field := range s.Required {
		if _, ok := s.Properties[field]; !ok {
			t.Errorf("the field %s is required and not described", field)
		}
	}
	var whole jsonschema.Schema
	if err := json.Unmarshal(info.Schema, &whole); err != nil {
		t.Fatalf("this is not JSON Schema: %v", err)
	}
	if _, err := whole.Resolve(nil); err != nil {
		t.Fatalf("this is not JSON Schema: %v", err)
	}
	if err := tool.Check(info, []byte(tr.Good)); err != nil {
		t.Errorf("the good input does not fit: %v", err)
	}
}

func checkGood(t *testing.T, tr *trial) {
	before := snapshot(t, tr.base)
	result, err := tr.run(t.Context(), t, tr.call(tr.Good))
	if err != nil || result.IsError {
		t.Fatalf("Run: %v\n%s", err, result.Text)
	}
	if result.Text == "" {
		t.Error("the text is empty; a model needs to be told something")
	}
	if tr.Tool.Info().Effect == tool.EffectRead {
		sameTree(t, before, snapshot(t, tr.base))
	}
}

func checkNobodyWatches(t *testing.T, tr *trial) {
	call := tr.call(tr.Good)
	call.Emit = nil
	if result, err := tr.run(t.Context(), t, call); err != nil || result.IsError {
		t.Errorf("Run without Emit: %v\n%s", err, result.Text)
	}
}

// Where the tool needs a workspace it says that there is none, instead of working
// wherever the server happens to run.
func checkNoWorkspace(t *testing.T, tr *trial) {
	for _, folder := range []string{"", ".", "relative/folder", tr.work + "/missing"} {
		call := tr.call(tr.Good)
		call.Workspace = folder
		if _, err := tr.run(t.Context(), t, call); tool.CodeOf(err) != tool.CodeUnavailable {
			t.Errorf("Run in the workspace %q returned %v, want %s", folder, err, tool.CodeUnavailable)
		}
	}
}

func checkBadInput(t *testing.T, tr *trial) {
	before := snapshot(t, tr.base)
	bad := bend(t, tr.Tool.Info().Schema, tr.Good)
	for _, input := range tr.Bad {
		bad[input] = input
	}
	for what, input := range bad {
		if _, err := tr.run(t.Context(), t, tr.call(input)); tool.CodeOf(err) != tool.CodeInputInvalid {
			t.Errorf("%s: %.200s\nRun returned %v, want %s", what, input, err, tool.CodeInputInvalid)
		}
	}
	if n := tr.watch.count(); n > 0 {
		t.Errorf("%d events came from inputs that do not fit", n)
	}
	sameTree(t, before, snapshot(t, tr.base))
}

func checkPreview(t *testing.T, tr *trial) {
	before := snapshot(t, tr.base)
	p := tr.Tool.(tool.Previewer)
	text, err := p.Preview(t.Context(), tr.call(tr.Good))
	if err != nil || text == "" || !utf8.ValidString(text) || len(text) > tool.MaxText {
		t.Errorf("Preview: %v, %d bytes: %.200q", err, len(text), text)
	}
	if _, err := p.Preview(t.Context(), tr.call("[]")); tool.CodeOf(err) != tool.CodeInputInvalid {
		t.Errorf("Preview of an input that does not fit returned %v", err)
	}
	if n := tr.watch.count(); n > 0 {
		t.Errorf("%d events came from a preview", n)
	}
	sameTree(t, before, snapshot(t, tr.base))
}

// What a call weighs is among the words of the port, and asking for it does
// nothing.
func checkWeight(t *testing.T, tr *trial) {
	before := snapshot(t, tr.base)
	w, err := tool.Weigh(t.Context(), tr.Tool, tr.call(tr.Good))
	if err != nil || !slices.Contains(tool.Classes(), w.Class) || !slices.Contains(tool.Effects(), w.Effect) {
		t.Errorf("Weigh: %+v, %v", w, err)
	}
	if w.Class == tool.ClassRead && w.Effect != tool.EffectRead {
		t.Errorf("a call of class read has the effect %q", w.Effect)
	}
	if _, err := tool.Weigh(t.Context(), tr.Tool, tr.call("[]")); tool.CodeOf(err) != tool.CodeInputInvalid {
		t.Errorf("Weigh of an input that does not fit returned %v", err)
	}
	sameTree(t, before, snapshot(t, tr.base))
}

func checkConcurrent(t *testing.T, tr *trial) {
	var wg sync.WaitGroup
	for range 8 {
		one := &trial{Subject: tr.Subject, base: tr.base, work: tr.work}
		t.Cleanup(func() { one.watch.report(t) })
		wg.Go(func() {
			if result, err := one.run(t.Context(), t, one.call(tr.Good)); err != nil || result.IsError {
				t.Errorf("Run: %v\n%s", err, result.Text)
			}
		})
	}
	wg.Wait()
}

func checkCancelledBefore(t *testing.T, tr *trial) {
	before := snapshot(t, tr.base)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tr.run(ctx, t, tr.call(tr.Good)); !errors.Is(err, context.Canceled) {
		t.Errorf("Run returned %v, want context.Canceled", err)
	}
	if n := tr.watch.count(); n > 0 {
		t.Errorf("%d events came though the context was done from the start", n)
	}
	sameTree(t, before, snapshot(t, tr.base))
}

// If the tool works on without looking at its context, the test never ends.
func checkCancelledRunning(t *testing.T, tr *trial) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	tr.watch.onEvent = cancel
	if _, err := tr.run(ctx, t, tr.call(tr.Stall)); !errors.Is(err, context.Canceled) {
		t.Errorf("Run returned %v, want context.Canceled", err)
	}
}
