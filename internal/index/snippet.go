package index

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// Marks around what was found. Such quotes in the text itself become
	// single ones.
	markFrom, markTo = "«", "»"
	cut              = "…"

	snippetBefore = 60  // characters before the first match
	snippetAfter  = 140 // and from it on
)

type span struct{ start, end int }

// snippet shows the first place of a text where a term is found, in one line of
// plain text: what matches stands between « and », a cut end is "…".
func snippet(text string, terms []term) string {
	shown, found := find(text, terms)
	var b strings.Builder
	at := shown.start
	for _, m := range found {
		b.WriteString(plain(text[at:m.start]))
		b.WriteString(markFrom)
		b.WriteString(plain(text[m.start:m.end]))
		b.WriteString(markTo)
		at = m.end
	}
	b.WriteString(plain(text[at:shown.end]))
	line := strings.TrimSpace(b.String())
	if shown.start > 0 {
		line = cut + line
	}
	if shown.end < len(text) {
		line += cut
	}
	return line
}

// find gives the part of a text to show and what to mark in it. It reads no
// further than it must.
func find(text string, terms []term) (shown span, found []span) {
	longest := 0
	for _, t := range terms {
		longest = max(longest, len(t.words))
	}
	shown = span{0, forward(text, 0, snippetBefore+snippetAfter)}
	var seen []word // the last words
	for w := range words(text) {
		if len(found) > 0 && w.end > shown.end {
			break
		}
		if seen = append(seen, w); len(seen) > longest {
			seen = seen[1:]
		}
		for _, t := range terms {
			if !t.endsAt(seen) {
				continue
			}
			m := span{seen[len(seen)-len(t.words)].start, w.end}
			if len(found) == 0 {
				shown = around(text, m)
			}
			found = append(found, span{max(m.start, shown.start), m.end})
		}
	}
	return shown, join(found)
}

// join makes one span of those that touch.
func join(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
	var joined []span
	for _, s := range spans {
		if n := len(joined); n > 0 && s.start <= joined[n-1].end {
			joined[n-1].end = max(joined[n-1].end, s.end)
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

// around gives the part of a text about a match, cut between words where one
// ends nearby.
func around(text string, m span) span {
	s := span{m.start, max(m.end, forward(text, m.start, snippetAfter))}
	for range snippetBefore {
		if s.start == 0 {
			break
		}
		_, n := utf8.DecodeLastRuneInString(text[:s.start])
		s.start -= n
	}
	if s.start > 0 {
		const nearby = 30
		if i := strings.IndexFunc(text[s.start:m.start], unicode.IsSpace); i >= 0 && i < nearby {
			s.start += i
		}
	}
	return s
}

// forward gives where n characters after a place end.
func forward(text string, from, n int) int {
	for ; n > 0 && from < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[from:])
		from += size
	}
	return from
}

// plain makes one line of a text and takes our marks and control characters out of it.
func plain(s string) string {
	space := false
	return strings.Map(func(r rune) rune {
		was := space
		space = unicode.IsSpace(r)
		switch {
		case space && was, !space && unicode.IsControl(r):
			return -1
		case space:
			return ' '
		case r == '«':
			return '‹'
		case r == '»':
			return '›'
		}
		return r
	}, s)
}
