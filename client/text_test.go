package client

import (
	"strings"
	"testing"

	"github.com/parley-dev/parley/protocol"
)

// screen shows texts as a terminal does: it can only add, or begin anew.
type screen struct {
	t     *testing.T
	texts Texts
	shown map[string]string
	anew  int
	done  map[string]bool
}

func newScreen(t *testing.T) *screen {
	return &screen{t: t, shown: map[string]string{}, done: map[string]bool{}}
}

func (s *screen) apply(ev Event) {
	for _, x := range s.texts.Apply(ev) {
		if x.Replaced {
			s.shown[x.OpenID] = ""
			s.anew++
		}
		s.shown[x.OpenID] += x.Added
		s.done[x.OpenID] = x.Done
		if s.shown[x.OpenID] != x.Text {
			s.t.Errorf("shown %q, but the text is %q", s.shown[x.OpenID], x.Text)
		}
	}
}

func TestTexts(t *testing.T) {
	open := func(text string, next int) protocol.OpenMessage {
		return protocol.OpenMessage{OpenID: "o", Text: text, NextIndex: next, Say: protocol.SayText}
	}
	blob := frame(protocol.TypeMessage, 1, &protocol.MessageRecord{
		OpenID: "o", Message: protocol.Message{Text: "Hel", TextBlob: &protocol.BlobRef{Hash: "h"}},
	})
	for name, c := range map[string]struct {
		frames string
		shown  string
		anew   int
		done   bool
	}{
		"deltas":                  {lines(delta("o", 0, "Hel"), delta("o", 1, ""), delta("o", 2, "lo")), "Hello", 0, false},
		"twice":                   {lines(delta("o", 0, "Hel"), delta("o", 0, "Hel"), delta("o", 1, "lo"), delta("o", 0, "Hel")), "Hello", 0, false},
		"a gap":                   {lines(delta("o", 0, "Hel"), delta("o", 2, "!")), "Hel", 0, false},
		"a gap, joined":           {lines(delta("o", 0, "Hel"), delta("o", 2, "!"), joined("o", 0, 2, "Hello!"), delta("o", 3, "!")), "Hello!!", 0, false},
		"joined from the middle":  {lines(delta("o", 0, "H"), delta("o", 1, "el"), delta("o", 2, "lo"), joined("o", 1, 3, "ello, "), delta("o", 4, "you")), "Hello, you", 0, false},
		"joined at the end":       {lines(delta("o", 0, "Hel"), joined("o", 1, 5, "lo"), delta("o", 6, "!")), "Hello!", 0, false},
		"joined, older than ours": {lines(delta("o", 0, "Hel"), delta("o", 1, "lo"), joined("o", 0, 0, "Hel")), "Hello", 0, false},
		"joined from the unknown": {lines(state(0, open("Hello", 4)), joined("o", 2, 4, "x")), "Hello", 0, false},
		"joined says otherwise":   {lines(delta("o", 0, "Hel"), joined("o", 0, 1, "Bye")), "Bye", 1, false},
		"state":                   {lines(delta("o", 0, "Hel"), state(0, open("Hello", 4)), joined("o", 0, 3, "Hello"), delta("o", 4, "!")), "Hello!", 0, false},
		"state says otherwise":    {lines(delta("o", 0, "Hello"), state(0, open("Hel", 1)), delta("o", 1, "p")), "Help", 1, false},
		"finished":                {lines(delta("o", 0, "Hel"), finished(1, "o", "Hello")), "Hello", 0, true},
		"finished, otherwise":     {lines(delta("o", 0, "Hello"), finished(1, "o", "Hel")), "Hel", 1, true},
		"finished, never opened":  {lines(finished(1, "o", "Hello")), "Hello", 0, true},
		"finished, in a blob":     {lines(delta("o", 0, "Hello"), blob), "Hello", 0, true},
		"not streamed":            {lines(said(1, "Hello")), "", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScreen(t)
			for line := range strings.Lines(c.frames) {
				s.apply(must(t, line))
			}
			same(t, s.shown["o"], c.shown)
			same(t, s.anew, c.anew)
			same(t, s.done["o"], c.done)
			if c.done && len(s.texts.open) > 0 {
				t.Error("a finished text is kept")
			}
		})
	}
}

func TestResyncForgetsTexts(t *testing.T) {
	s := newScreen(t)
	s.apply(must(t, delta("o", 0, "Hello")))
	s.apply(must(t, frame(protocol.TypeSessionState, 0, &protocol.SessionState{Resync: true})))
	same(t, len(s.texts.open), 0)
}

func TestTextsTellThoughts(t *testing.T) {
	var texts Texts
	thought := must(t, frame(protocol.TypeAgentThinking, 0, &protocol.Delta{OpenID: "o", Delta: "hm"}))
	same(t, texts.Apply(thought), []Text{{OpenID: "o", AgentID: "main-monitor-0", Say: protocol.SayReasoning, Text: "hm", Added: "hm"}})
}

func lines(frames ...string) string { return strings.Join(frames, "\n") }

func must(t *testing.T, frame string) Event {
	t.Helper()
	ev, err := decode([]byte(frame))
	if err != nil {
		t.Fatal(err)
	}
	return ev
}
