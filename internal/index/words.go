package index

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord is how much of a word is indexed, in bytes: beyond it are hashes and
// encoded data.
const maxWord = 64

// word is a word of a text as it is sought: lower case, without accents.
type word struct {
	text       string
	start, end int // in the text
	// letter says that it is one letter of a script that is written without
	// spaces or glues its words together. It is sought as it is, the others as
	// the beginning of a word.
	letter bool
}

// words cuts a text. A word is a run of letters, marks and digits; of Korean,
// Japanese, Chinese and their like each letter is a word, so that any part of
// a word can be found as letters that follow each other.
func words(text string) iter.Seq[word] {
	return func(yield func(word) bool) {
		var run []byte
		var start, end int
		flush := func() bool {
			if len(run) == 0 {
				return true
			}
			w := word{text: string(run), start: start, end: end}
			run = run[:0]
			return yield(w)
		}
		for u := range units(text) {
			for _, r := range u.text {
				switch {
				case isLetter(r):
					if !flush() || !yield(word{string(r), u.start, u.end, true}) {
						return
					}
				case isWord(r):
					if len(run) == 0 {
						start = u.start
					}
					if end = u.end; len(run)+utf8.RuneLen(r) <= maxWord {
						run = utf8.AppendRune(run, r)
					}
				case !flush():
					return
				}
			}
		}
		flush()
	}
}

// normalize gives a text as it is sought, spaces and all.
func normalize(text string) string {
	var b strings.Builder
	for u := range units(text) {
		b.WriteString(u.text)
	}
	return b.String()
}

// unit is a character with its marks.
type unit struct {
	text       string // as it is sought
	start, end int    // in the text
}

const asciiLower = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f" +
	"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f" +
	" !\"#$%&'()*+,-./0123456789:;<=>?@abcdefghijklmnopqrstuvwxyz[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\x7f"

func units(text string) iter.Seq[unit] {
	return func(yield func(unit) bool) {
		for i := 0; i < len(text); {
			n, sought := 1, ""
			if c := text[i]; c < utf8.RuneSelf && (i+1 == len(text) || text[i+1] < utf8.RuneSelf) {
				sought = asciiLower[c : c+1]
			} else {
				n = max(1, norm.NFKC.NextBoundaryInString(text[i:], true))
				sought = normalizeUnit(text[i : i+n])
			}
			if !yield(unit{sought, i, i + n}) {
				return
			}
			i += n
		}
	}
}

// normalizeUnit brings the ways of writing one character together: composed or not,
// wide or narrow, upper or lower case, with or without the accents of European
// scripts. Marks of other scripts make other letters, and stay.
func normalizeUnit(s string) string {
	if r, n := utf8.DecodeRuneInString(s); n == len(s) && isPlain(r) {
		return s
	}
	bare := strings.Map(func(r rune) rune {
		if r >= 0x300 && r <= 0x36f {
			return -1
		}
		return r
	}, norm.NFKD.String(s))
	return strings.Map(func(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }, norm.NFKC.String(bare))
}

// isPlain knows the letters, by far the most of a Korean, Chinese or Japanese
// text, that normalizing leaves alone.
func isPlain(r rune) bool {
	return r >= 0xac00 && r <= 0xd7a3 || r >= 0x4e00 && r <= 0x9fff || r >= 0x3041 && r <= 0x3096 || r >= 0x30a1 && r <= 0x30fc
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.M)
}

func isLetter(r rune) bool {
	const prolonged = 'ー' // belongs to no script of its own
	return r >= 0x0e00 && isWord(r) && (r == prolonged || unicode.In(r,
		unicode.Hangul, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Yi,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}
