package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-dev/parley/model"
)

func text(s string) model.Block { return model.Block{Kind: model.BlockText, Text: s} }

func use(id string) model.Block {
	return model.Block{Kind: model.BlockToolUse, ToolUse: &model.ToolUse{ID: id, Name: "t"}}
}

func result(id string) model.Block {
	return model.Block{Kind: model.BlockToolResult, ToolResult: &model.ToolResult{ToolUseID: id}}
}

func own(s string) model.Block {
	return model.Block{Kind: model.BlockVendor, Vendor: json.RawMessage(s)}
}

func TestTurns(t *testing.T) {
	user := func(b ...model.Block) model.Message { return model.Message{Role: model.RoleUser, Blocks: b} }
	assistant := func(b ...model.Block) model.Message { return model.Message{Role: model.RoleAssistant, Blocks: b} }
	for name, tc := range map[string]struct{ in, want []model.Message }{
		"nothing":                  {nil, nil},
		"only another's thoughts":  {[]model.Message{user(text("a")), assistant(own(`{"adapter":"b"}`)), user(text("b"))}, []model.Message{user(text("a"), text("b"))}},
		"blank":                    {[]model.Message{user(text(" \n"))}, nil},
		"neighbours join":          {[]model.Message{user(text("a")), user(text("b")), assistant(text("c")), assistant(use("1")), user(result("1"))}, []model.Message{user(text("a"), text("b")), assistant(text("c"), use("1")), user(result("1"))}},
		"results first":            {[]model.Message{user(text("a")), assistant(use("1")), user(text("b")), user(result("1"))}, []model.Message{user(text("a")), assistant(use("1")), user(result("1"), text("b"))}},
		"a person begins and ends": {[]model.Message{assistant(text("a"))}, []model.Message{user(text(goOn)), assistant(text("a")), user(text(goOn))}},
		"thoughts stay":            {[]model.Message{user(text("a")), assistant(model.Block{Kind: model.BlockReasoning, Text: "hm"}), user(text("b"))}, []model.Message{user(text("a"), text("b"))}},
	} {
		before, _ := json.Marshal(tc.in)
		if diff := cmp.Diff(tc.want, Turns(tc.in, "a", "m")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if after, _ := json.Marshal(tc.in); string(before) != string(after) {
			t.Errorf("%s: the history was changed", name)
		}
	}
}

// Whatever a history does to the order, an answer comes back as it was.
func TestRestoreUndoesTheHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := Keep{Adapter: "a", Model: "m"}
		var want, words, calls []model.Block
		for i, kind := range rapid.SliceOfN(rapid.SampledFrom([]string{"own", "text", "call"}), 1, 8).Draw(t, "kinds") {
			name := string(rune('a' + i))
			switch {
			case kind == "own":
				k.AddOwn(json.RawMessage(`"` + name + `"`))
				want = append(want, own(`"`+name+`"`))
			case kind == "call":
				k.AddCall(name)
				calls = append(calls, use(name))
				want = append(want, use(name))
			case len(want) > 0 && want[len(want)-1].Kind == model.BlockText:
				// histories join neighbouring words
			default:
				k.AddText()
				words = append(words, text(name))
				want = append(want, text(name))
			}
		}
		for len(want) > 0 && want[len(want)-1].Kind == model.BlockVendor {
			want = want[:len(want)-1]
		}
		var kept []model.Block
		if e, ok := k.Event(); ok {
			kept = []model.Block{{Kind: model.BlockVendor, Vendor: e.Vendor}}
		} else {
			return // nothing to restore by
		}
		for _, history := range [][]model.Block{
			append(append(append([]model.Block{}, words...), kept...), calls...),
			append(append(append([]model.Block{}, kept...), calls...), words...),
		} {
			if diff := cmp.Diff(want, Restore(history, "a", "m")); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
		}
	})
}

func TestRestorePassesOverOthers(t *testing.T) {
	k := Keep{Adapter: "a", Model: "m"}
	k.AddOwn(json.RawMessage(`1`))
	k.AddText()
	e, _ := k.Event()
	history := []model.Block{{Kind: model.BlockVendor, Vendor: e.Vendor}, own(`"not ours"`), own(`{"adapter":3}`), text("x"), use("1")}
	for _, who := range [][2]string{{"b", "m"}, {"a", "n"}} {
		if diff := cmp.Diff([]model.Block{text("x"), use("1")}, Restore(history, who[0], who[1])); diff != "" {
			t.Errorf("%v (-want +got):\n%s", who, diff)
		}
	}
	if diff := cmp.Diff([]model.Block{own(`1`), text("x"), use("1")}, Restore(history, "a", "m")); diff != "" {
		t.Errorf("its own (-want +got):\n%s", diff)
	}
}

func TestInputs(t *testing.T) {
	for wrote, want := range map[string]string{
		``: `{}`, ` `: `{}`, `{"a":1}`: `{"a":1}`, `{"a":`: `"{\"a\":"`, `[1]`: `"[1]"`, `"x"`: `"\"x\""`, `null`: `"null"`,
	} {
		got := Input(wrote)
		if string(got) != want {
			t.Errorf("Input(%q) = %s, want %s", wrote, got, want)
		}
		if back := Arguments(got); strings.TrimSpace(wrote) != "" && back != wrote {
			t.Errorf("%q comes back as %q", wrote, back)
		}
		if !IsObject(Object(got)) {
			t.Errorf("Object(%s) = %s", got, Object(got))
		}
	}
}

func TestCallID(t *testing.T) {
	for _, id := range []string{"toolu_01AbC", "call_1-2"} {
		if CallID(id) != id {
			t.Errorf("%s became %s", id, CallID(id))
		}
	}
	seen := map[string]bool{}
	for _, id := range []string{"functions.read:0", "functions.read:1", strings.Repeat("x", 64), ""} {
		got := CallID(id)
		if len(got) > 40 || !plainID.MatchString(got) || seen[got] || got != CallID(id) {
			t.Errorf("%q became %q", id, got)
		}
		seen[got] = true
	}
}
