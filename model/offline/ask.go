package offline

import (
	"strings"
	"unicode"

	"github.com/parley-dev/parley/model"
)

// ask is what an intent looks at.
type ask struct {
	text     string          // the last thing the person said
	pictures bool            // it came with pictures
	earlier  []model.Message // the conversation before it
	korean   bool
	args     map[string]string // what the pattern's named groups found
}

func newAsk(messages []model.Message) ask {
	a := ask{}
	last := len(messages)
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == model.RoleUser && said(messages[i]) {
			last = i
			break
		}
	}
	a.earlier = messages[:last]
	if last < len(messages) {
		a.text = clean(messages[last].Text())
		a.pictures = pictured(messages[last])
	}
	a.korean = korean(a.text)
	return a
}

// said tells a person's message from one that only carries tool results.
func said(m model.Message) bool {
	for _, b := range m.Blocks {
		if b.Kind == model.BlockText || b.Kind == model.BlockImage {
			return true
		}
	}
	return false
}

func pictured(m model.Message) bool {
	for _, b := range m.Blocks {
		if b.Kind == model.BlockImage {
			return true
		}
	}
	return false
}

// say gives the sentence in the person's language.
func (a ask) say(english, korean string) string {
	if a.korean {
		return korean
	}
	return english
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
