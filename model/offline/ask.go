package offline

import (
	"slices"
	"strings"
	"unicode"

	"github.com/parley-dev/parley/model"
)

// ask is what an intent looks at.
type ask struct {
	text     string          // the last thing the person said
	pictures bool            // it came with pictures
	earlier  []model.Message // the conversation before it
	since    []exchange      // the calls made for it, in order
	korean   bool
	args     map[string]string // what the pattern's named groups found
	answer   string            // what the person said when they were asked back
	purpose  string
	tools    []model.Tool // that may be called
}

func newAsk(req model.Request) ask {
	a := ask{purpose: req.Purpose}
	if req.ToolChoice != model.ChooseNone {
		a.tools = req.Tools
	}
	last := len(req.Messages)
	for i := len(req.Messages) - 1; i >= 0; i-- {
		if req.Messages[i].Role == model.RoleUser && said(req.Messages[i]) {
			last = i
			break
		}
	}
	a.earlier = req.Messages[:last]
	if last < len(req.Messages) {
		a.text = clean(req.Messages[last].Text())
		a.pictures = pictured(req.Messages[last])
		a.since = exchanges(req.Messages[last+1:])
	}
	a.korean = korean(nameless(a.text))
	for _, e := range a.since {
		if words, ok := e.answer(); ok {
			a.answer = clean(words)
		}
	}
	return a
}

// said tells a person's message from one that only carries tool results.
func said(m model.Message) bool {
	return slices.ContainsFunc(m.Blocks, func(b model.Block) bool {
		return b.Kind == model.BlockText || b.Kind == model.BlockImage
	})
}

func pictured(m model.Message) bool {
	return slices.ContainsFunc(m.Blocks, func(b model.Block) bool { return b.Kind == model.BlockImage })
}

// say gives the sentence in the person's language.
func (a ask) say(english, korean string) string {
	if a.korean {
		return korean
	}
	return english
}

// tool finds a tool that may be called.
func (a ask) tool(name string) (model.Tool, bool) {
	i := slices.IndexFunc(a.tools, func(t model.Tool) bool { return t.Name == name })
	if i < 0 {
		return model.Tool{}, false
	}
	return a.tools[i], true
}

func (a ask) offers(name string) bool {
	_, ok := a.tool(name)
	return ok
}

// argOrEarlier is what the pattern found, or, where it found nothing, what the person
// said before.
func (a ask) argOrEarlier(name string) string {
	if text := strings.TrimSpace(a.args[name]); text != "" {
		return text
	}
	for i := len(a.earlier) - 1; i >= 0; i-- {
		if a.earlier[i].Role == model.RoleUser && said(a.earlier[i]) {
			return clean(a.earlier[i].Text())
		}
	}
	return ""
}

// korean says whether a text is mostly Korean. A syllable block counts as two
// letters, so that names and words of other languages do not outweigh it.
func korean(text string) bool {
	hangul, other := 0, 0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Hangul, r):
			hangul += 2
		case unicode.IsLetter(r):
			other++
		}
	}
	return hangul > 0 && hangul >= other
}

func clean(text string) string {
	return strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
}

// excerpt is the beginning of a text, on one line.
func excerpt(text string, most int) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= most {
		return string(runes)
	}
	return strings.TrimSpace(string(runes[:most])) + "…"
}
