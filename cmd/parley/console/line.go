package console

import (
	"slices"
	"unicode"
)

// mostKept is how many lines can be called up again.
const mostKept = 200

// line is what is being typed, and what was typed before.
type line struct {
	text []rune
	pos  int // of the cursor, before the letter with this index

	past  []string // the newest last
	at    int      // which of them is shown; len(past) is none
	draft []rune   // what was being typed before one was called up
}

// apply changes the line by a key that only edits.
func (l *line) apply(k key) {
	switch k.name {
	case letter, pasted:
		l.insert(k.runes)
	case newline:
		l.insert([]rune{'\n'})
	case left:
		l.pos = l.before(l.pos)
	case right:
		l.pos = l.after(l.pos)
	case wordLeft:
		l.pos = l.wordBefore()
	case wordRight:
		l.pos = l.wordAfter()
	case home:
		l.pos = 0
	case end:
		l.pos = len(l.text)
	case backspace:
		l.remove(l.before(l.pos), l.pos)
	case del, delOrEnd:
		l.remove(l.pos, l.after(l.pos))
	case delWord:
		l.remove(l.wordBefore(), l.pos)
	case delToStart:
		l.remove(0, l.pos)
	case delToEnd:
		l.remove(l.pos, len(l.text))
	case up:
		l.recall(l.at - 1)
	case down:
		l.recall(l.at + 1)
	}
}

func (l *line) insert(runes []rune) {
	l.text = slices.Insert(l.text, l.pos, runes...)
	l.pos += len(runes)
}

func (l *line) remove(from, to int) {
	l.text = slices.Delete(l.text, from, to)
	l.pos = from
}

// before is where the letter before an index begins, with what joins it.
func (l *line) before(i int) int {
	for i > 0 {
		if i--; joins(l.text[i]) {
			continue
		}
		break
	}
	return i
}

// after is where the letter at an index ends, with what joins it.
func (l *line) after(i int) int {
	if i < len(l.text) {
		i++
	}
	for i < len(l.text) && joins(l.text[i]) {
		i++
	}
	return i
}

func (l *line) wordBefore() int {
	i := l.pos
	for i > 0 && unicode.IsSpace(l.text[i-1]) {
		i--
	}
	for i > 0 && !unicode.IsSpace(l.text[i-1]) {
		i--
	}
	return i
}

func (l *line) wordAfter() int {
	i := l.pos
	for i < len(l.text) && unicode.IsSpace(l.text[i]) {
		i++
	}
	for i < len(l.text) && !unicode.IsSpace(l.text[i]) {
		i++
	}
	return i
}

// recall shows a line of the past, or what was being typed when it was left.
func (l *line) recall(i int) {
	if i < 0 || i > len(l.past) {
		return
	}
	if l.at == len(l.past) {
		l.draft = slices.Clone(l.text)
	}
	l.at = i
	if i == len(l.past) {
		l.text = l.draft
	} else {
		l.text = []rune(l.past[i])
	}
	l.pos = len(l.text)
}

// take ends the line and gives it.
func (l *line) take() string {
	text := string(l.text)
	if text != "" && (len(l.past) == 0 || l.past[len(l.past)-1] != text) {
		l.past = append(l.past, text)
		l.past = l.past[max(0, len(l.past)-mostKept):]
	}
	l.text, l.pos, l.draft, l.at = nil, 0, nil, len(l.past)
	return text
}
