package script

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-dev/parley/model"
)

// scene is what the script looks at in a request.
type scene struct {
	purpose    string
	answers    int    // assistant messages so far
	exchange   int    // user messages with text so far
	step       int    // assistant messages since the last of them
	lastUser   string // its text
	lastResult string // tool results since the last answer
	resultOf   map[string]bool
}

func look(req model.Request) scene {
	sc := scene{purpose: req.Purpose}
	tools := map[string]string{} // call id → tool
	for _, m := range req.Messages {
		if m.Role == model.RoleAssistant {
			sc.answers++
			sc.step++
			sc.lastResult, sc.resultOf = "", nil
		} else if text := m.Text(); strings.TrimSpace(text) != "" {
			sc.exchange++
			sc.step = 0
			sc.lastUser = text
		}
		for _, b := range m.Blocks {
			switch {
			case b.ToolUse != nil:
				tools[b.ToolUse.ID] = b.ToolUse.Name
			case b.ToolResult != nil:
				sc.result(tools[b.ToolResult.ToolUseID], b.ToolResult.Text)
			}
		}
	}
	return sc
}

func (sc *scene) result(tool, text string) {
	if sc.resultOf == nil {
		sc.resultOf = map[string]bool{}
	} else {
		sc.lastResult += "\n"
	}
	sc.resultOf[tool] = true
	sc.lastResult += text
}

// pick gives the turn to play: the first rule that fits, else the turn of the
// sequence that stands at the place of the answer asked for.
func (s *Script) pick(sc scene) (*turn, error) {
	for i := range s.rules {
		if s.rules[i].when.fits(sc) {
			return &s.rules[i], nil
		}
	}
	place := sc.answers
	for i := range s.sequence {
		t := &s.sequence[i]
		if place < t.repeat {
			return t, nil
		}
		place -= t.repeat
	}
	return nil, &model.Error{Kind: model.Invalid, Message: fmt.Sprintf(
		"the script %s has no turn for answer %d (purpose %q): no rule fits, and its sequence has %d; add a turn, or give the last one `repeat: forever`",
		s.name, sc.answers+1, sc.purpose, sc.answers-place)}
}

// when is the condition of a rule: all that is set must hold.
type when struct {
	purpose        string
	userContains   string
	resultContains string
	resultOf       string
	exchange       int // from 1; zero: any
	step           int // from 0; negative: any
}

func (w *when) fits(sc scene) bool {
	return (w.purpose == "" || w.purpose == sc.purpose) &&
		contains(sc.lastUser, w.userContains) &&
		contains(sc.lastResult, w.resultContains) &&
		(w.resultOf == "" || sc.resultOf[w.resultOf]) &&
		(w.exchange == 0 || w.exchange == sc.exchange) &&
		(w.step < 0 || w.step == sc.step)
}

func contains(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// placeholder is what a text or an input may hold, written {{.name}}.
type placeholder struct {
	name  string
	value func(scene) string
}

func placeholders() []placeholder {
	return []placeholder{
		{"last_user", func(sc scene) string { return sc.lastUser }},
		{"last_result", func(sc scene) string { return sc.lastResult }},
		{"purpose", func(sc scene) string { return sc.purpose }},
		{"exchange", func(sc scene) string { return strconv.Itoa(sc.exchange) }},
		{"answer", func(sc scene) string { return strconv.Itoa(sc.answers + 1) }},
	}
}

// filler puts the values in for the placeholders.
func (sc scene) filler() *strings.Replacer {
	var pairs []string
	for _, p := range placeholders() {
		pairs = append(pairs, "{{."+p.name+"}}", strings.ToValidUTF8(p.value(sc), "\uFFFD"))
	}
	return strings.NewReplacer(pairs...)
}
