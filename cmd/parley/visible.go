package main

import (
	"strconv"
	"strings"
	"unicode"
)

// visible is a text as a terminal may be given it, on one line: names of files and
// words of others could hold commands to the terminal.
func visible(text string) string { return escaped(text, "") }

// visibleLines is visible for a text of several lines.
func visibleLines(text string) string { return escaped(text, "\n\t") }

// escaped writes what controls a terminal, or turns the direction of a text, as Go
// does.
func escaped(text, except string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	unsafe := func(r rune) bool {
		return (unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control) || r == '\u2028' || r == '\u2029') && !strings.ContainsRune(except, r)
	}
	if !strings.ContainsFunc(text, unsafe) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if unsafe(r) {
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
