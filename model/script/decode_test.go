package script

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/modeltest"
)

func TestBadFiles(t *testing.T) {
	for _, c := range []struct {
		name, file string
		says       []string // where it is and what to do
	}{
		{"empty", "", []string{"line 1", "empty"}},
		{"only a comment", "# nothing\n", []string{"line 1"}},
		{"not yaml", "turns:\n  - text: [a\n", []string{"line", "not YAML"}},
		{"no turns", "model: {name: x}\n", []string{"line 1", "at least one"}},
		{"turns empty", "turns: []\n", []string{"line 1", "at least one"}},
		{"two documents", "turns: [{text: a}]\n---\nturns: []\n", []string{"one YAML document"}},
		{"a list", "- text: a\n", []string{"line 1", "must be a mapping of model, turns"}},
		{"unknown field", "turns:\n  - txt: a\n", []string{"line 2", `no "txt"`, "text"}},
		{"twice", "turns:\n  - text: a\n    text: b\n", []string{"line 3", "twice"}},
		{"empty turn", "turns:\n  - {}\n", []string{"line 2", "give it text"}},
		{"turn is text", "turns:\n  - hello\n", []string{"line 2", `"hello"`}},
		{"turns is text", "turns: hello\n", []string{"line 1", "list"}},
		{"text missing", "turns:\n  - text:\n", []string{"line 2", "must be a text", "empty"}},
		{"text nested", "turns:\n  - text: [[a]]\n", []string{"line 2", "a list"}},
		{"delay without unit", "turns:\n  - text: a\n    delay: 20\n", []string{"line 3", "unit", "20ms"}},
		{"negative delay", "turns:\n  - text: a\n    delay: -1s\n", []string{"line 3", "unit"}},
		{"repeat", "turns:\n  - text: a\n    repeat: 0\n", []string{"line 3", "repeat", "forever"}},
		{"repeat of a rule", "turns:\n  - when: {step: 0}\n    text: a\n    repeat: 2\n", []string{"line 2", "remove its repeat"}},
		{"unknown condition", "turns:\n  - when: {user: a}\n    text: a\n", []string{"line 2", "user_contains"}},
		{"call without name", "turns:\n  - calls:\n      - input: {}\n", []string{"line 3", "name"}},
		{"input not a mapping", "turns:\n  - calls:\n      - {name: a, input: [1]}\n", []string{"line 3", "mapping"}},
		{"input with odd keys", "turns:\n  - calls:\n      - {name: a, input: {b: {1: 2}}}\n", []string{"line 3", "text keys"}},
		{"input not a number", "turns:\n  - calls:\n      - {name: a, input: {b: .nan}}\n", []string{"line 3", "JSON"}},
		{"input in itself", "turns:\n  - calls:\n      - {name: a, input: &i {b: *i}}\n", []string{"line 3"}},
		{"same id", "turns:\n  - calls: [{name: a, id: x}, {name: b, id: x}]\n", []string{"line 2", "remove the ids"}},
		{"error kind", "turns:\n  - error: {kind: bad}\n", []string{"line 2", "rate_limited"}},
		{"error too late", "turns:\n  - text: [a, b]\n    error: {kind: auth, after: 3}\n", []string{"line 2", "has 2"}},
		{"generate nothing", "turns:\n  - generate: {text: a}\n", []string{"line 2", "deltas"}},
		{"placeholder", "turns:\n  - text: a\n  - text: \"{{.user}}\"\n", []string{"line 3", "{{.last_user}}"}},
		{"placeholder in input", "turns:\n  - calls: [{name: a, input: {b: \"{{.x}}\"}}]\n", []string{"line 2", "{{.last_user}}"}},
		{"split", "turns:\n  - text: a\n    split: letters\n", []string{"line 3", "words"}},
		{"hang", "turns:\n  - hang: perhaps\n", []string{"line 2", "true or false"}},
		{"cost", "turns:\n  - text: a\n    usage: {cost_usd: NaN}\n", []string{"line 3", "cost_usd"}},
		{"too large", strings.Repeat("#", maxFile+1), []string{"generate"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("bad.yaml", []byte(c.file))
			if err == nil {
				t.Fatal("no error")
			}
			for _, part := range append(c.says, "bad.yaml") {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		})
	}
}

func TestAnchors(t *testing.T) {
	s := parse(t, "turns:\n  - &hello {text: &t hello}\n  - *hello\n  - text: [*t, *t]\n")
	if len(s.sequence) != 3 || len(s.sequence[1].deltas) != 1 || len(s.sequence[2].deltas) != 2 {
		t.Errorf("%+v", s.sequence)
	}
}

// Whatever a file holds, it is refused with a line or plays by the contract.
func FuzzParse(f *testing.F) {
	tour, err := os.ReadFile("testdata/tour.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(tour)
	f.Add([]byte(conformance))
	f.Add([]byte("turns: [{text: \"\\ud83d{{.last_user}}\"}]"))
	f.Add([]byte("turns: &a [*a]"))
	errEnough := errors.New("enough")
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("fuzz.yaml", data)
		if err != nil {
			return
		}
		s.sleep = noSleep
		for i := range s.rules {
			s.rules[i].hang = false
		}
		for i := range s.sequence {
			s.sequence[i].hang = false
		}
		req := modeltest.Greeting()
		var events []model.Event
		err = s.Stream(t.Context(), req, func(e model.Event) error {
			if events = append(events, e); len(events) > 1000 {
				return errEnough
			}
			return nil
		})
		switch {
		case errors.Is(err, errEnough):
		case err == nil:
			for _, fault := range modeltest.Faults(events) {
				t.Error(fault)
			}
		case model.KindOf(err) == "":
			t.Errorf("failed with %v (%T), want *model.Error", err, err)
		}
	})
}
