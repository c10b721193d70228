package console

import (
	"unicode"

	"golang.org/x/text/width"
)

// tab is how far apart the stops of a tabulator are.
const tab = 8

// columns is how many columns a letter takes in a terminal: two in the scripts of
// East Asia, none if it joins the one before.
func columns(r rune) int {
	if joins(r) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// joins says whether a letter is part of the one before.
func joins(r rune) bool {
	// The range is that of vowels and finals that join a Korean syllable.
	return r >= 0x1160 && r <= 0x11FF || unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf)
}

// visible says whether a letter may be written to a terminal as it is.
func visible(r rune) bool {
	// Marks of direction would show a text in another order than it has.
	return !unicode.IsControl(r) && !unicode.In(r, unicode.Bidi_Control) && r != '\u2028' && r != '\u2029'
}
