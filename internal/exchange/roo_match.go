package exchange

import (
	"strings"

	"github.com/parley-dev/parley/protocol"
)

// place is a text of the model history: a turn and a block of it.
type place struct{ turn, block int }

// lookAhead is how many messages further on a turn's words are looked for.
const lookAhead = 200

// match finds for texts of the model history the message that shows them.
func (t *rooFolder) match() map[place]int {
	found := map[place]int{}
	next := 0
	for i, turn := range t.api {
		if turn.IsSummary || turn.IsMarker {
			continue
		}
		list, err := blocks(turn.Content)
		if err != nil {
			continue
		}
		before := next
		for j, b := range list {
			k := -1
			switch {
			case b.Type == "text" && b.Text != nil:
				k = t.find(turn.Role, *b.Text, next)
			case b.Type == "image" && next == before: // a picture without words
				k = t.findPicture(turn.Role, next)
			}
			if k >= 0 {
				found[place{i, j}] = k
				next = k + 1
			}
		}
	}
	return found
}

func (t *rooFolder) find(role, text string, from int) int {
	words := plain(role, text)
	// The same words to the letter go before those that an editor dressed up.
	for _, same := range []func(string) bool{
		func(s string) bool { return s == text },
		func(s string) bool { return words != "" && strings.TrimSpace(s) == words },
	} {
		for k := from; k < min(len(t.ui), from+lookAhead); k++ {
			if m := &t.ui[k]; speaks(&m.Message, role) && same(m.Text) {
				return k
			}
		}
	}
	return -1
}

// findPicture finds the message in which a person only showed something.
func (t *rooFolder) findPicture(role string, from int) int {
	for k := from; k < min(len(t.ui), from+lookAhead); k++ {
		if m := &t.ui[k]; speaks(&m.Message, role) && m.Text == "" && len(m.Images) > 0 {
			return k
		}
	}
	return -1
}

// speaks says whether a message can be what somebody said to, or as, a model.
func speaks(m *protocol.Message, role string) bool {
	if m.Type != protocol.KindSay || m.Partial {
		return false
	}
	return m.Say == protocol.SayText || role == "user" && (m.Say == protocol.SayUserFeedback || m.Say == protocol.SayUserFeedbackDiff)
}

// wrappers are the marks that an editor puts around a person's words.
var wrappers = []string{"task", "user_message", "feedback", "answer"}

// plain gives a text without what an editor puts around it.
func plain(role, text string) string {
	text = strings.TrimSpace(text)
	if role != "user" {
		return text
	}
	for _, tag := range wrappers {
		if inner, ok := strings.CutPrefix(text, "<"+tag+">"); ok {
			if inner, ok := strings.CutSuffix(inner, "</"+tag+">"); ok {
				return strings.TrimSpace(inner)
			}
		}
	}
	return text
}
