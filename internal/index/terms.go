package index

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// term is a part of a query between spaces: words that follow each other.
type term struct {
	words []string
	// prefix says that the last one is the beginning of a word.
	prefix bool
}

// parse cuts a query into its terms. Nothing in it is syntax: what is no
// letter and no digit only separates words.
func parse(q string) []term {
	var terms []term
	for _, field := range strings.Fields(q) {
		var t term
		for w := range words(field) {
			t.words = append(t.words, w.text)
			t.prefix = !w.letter
		}
		if len(t.words) > 0 {
			terms = append(terms, t)
		}
	}
	return terms
}

// within is the word that stands in every text of a session. No word of a text
// or a query has such a sign.
func within(key int64) string { return fmt.Sprintf("§%d", key) }

// beginsWith is the word that stands in every text in which a word begins with
// the letter. It answers the first key that a person presses, for which FTS5
// would have to join a large part of its index.
func beginsWith(letter string) string { return "¶" + letter }

// expression writes the terms, all of which must be found, in the language of
// FTS5; with keys, only in the texts of those sessions. Words have neither
// quotes nor spaces, and what is quoted is no syntax.
func expression(terms []term, keys []int64) string {
	var parts []string
	if len(keys) > 0 {
		var in []string
		for _, k := range keys {
			in = append(in, `"`+within(k)+`"`)
		}
		parts = append(parts, "("+strings.Join(in, " OR ")+")")
	}
	for _, t := range terms {
		parts = append(parts, t.expression())
	}
	return strings.Join(parts, " AND ")
}

func (t *term) expression() string {
	words := strings.Join(t.words, " ")
	switch {
	case !t.prefix:
		return `"` + words + `"`
	case utf8.RuneCountInString(words) == 1:
		return `"` + beginsWith(words) + `"`
	}
	return `"` + words + `" *`
}

// endsAt says whether the term's words are the last of a text's.
func (t *term) endsAt(text []word) bool {
	n := len(t.words)
	if len(text) < n {
		return false
	}
	text = text[len(text)-n:]
	for i, w := range t.words {
		if text[i].text == w || i == n-1 && t.prefix && strings.HasPrefix(text[i].text, w) {
			continue
		}
		return false
	}
	return true
}
