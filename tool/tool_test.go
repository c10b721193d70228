package tool_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/parley-dev/parley/protocol"
	"github.com/parley-dev/parley/tool"
)

type named string

func (n named) Info() tool.Info { return tool.Info{Name: string(n)} }

func (n named) Run(context.Context, tool.Call) (tool.Result, error) { return tool.Result{}, nil }

func TestFind(t *testing.T) {
	tools := []tool.Tool{named("a"), named("b")}
	if got, err := tool.Find(tools, "b"); err != nil || got != named("b") {
		t.Errorf("Find gave %v, %v", got, err)
	}
	_, err := tool.Find(tools, "c")
	if tool.CodeOf(err) != tool.CodeNotFound || !strings.Contains(err.Error(), "a, b") {
		t.Errorf("an unknown name gave %v; it must say which there are", err)
	}
	if _, err := tool.Find(nil, "c"); tool.CodeOf(err) != tool.CodeNotFound {
		t.Errorf("no tools gave %v", err)
	}
}

// The words of the port are those of the wire, so that nobody translates.
func TestWordsOfTheWire(t *testing.T) {
	classes := protocol.ToolClasses()
	if len(classes) != len(tool.Classes()) {
		t.Fatalf("%d classes, the wire has %d", len(tool.Classes()), len(classes))
	}
	for i, c := range tool.Classes() {
		if string(c) != string(classes[i]) {
			t.Errorf("class %q is %q on the wire", c, classes[i])
		}
	}
	effects := []protocol.Effect{protocol.EffectRead, protocol.EffectIdempotent, protocol.EffectEffect}
	for i, e := range tool.Effects() {
		if string(e) != string(effects[i]) {
			t.Errorf("effect %q is %q on the wire", e, effects[i])
		}
	}
}

func TestError(t *testing.T) {
	cause := errors.New("disk full")
	for _, c := range []struct {
		err  *tool.Error
		want string
	}{
		{&tool.Error{Code: tool.CodeTimeout, Message: "too slow", Err: cause}, "too slow"},
		{&tool.Error{Code: tool.CodeTimeout, Err: cause}, "TOOL_TIMEOUT: disk full"},
		{&tool.Error{Code: tool.CodeTimeout}, "TOOL_TIMEOUT"},
	} {
		if c.err.Error() != c.want {
			t.Errorf("%q, want %q", c.err, c.want)
		}
	}
	if !errors.Is(&tool.Error{Err: cause}, cause) {
		t.Error("the cause is lost")
	}
	if code := tool.CodeOf(cause); code != "" {
		t.Errorf("another error has the code %q", code)
	}
}
