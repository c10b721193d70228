package index

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func wordsOf(text string) string {
	var list []string
	for w := range words(text) {
		list = append(list, w.text)
	}
	return strings.Join(list, " ")
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"Hello, World!", "hello world"},
		{"read_file(x1)", "read file x1"},
		{"Crème BRÛLÉE", "creme brulee"},
		{"Cre\u0300me", "creme"},
		{"ΑΣ ας", "ασ ασ"},
		{"Ёлка", "елка"},
		{"İstanbul ısı", "istanbul isi"},
		{"한국어 검색", "한 국 어 검 색"},
		{"\u1112\u1161\u11ab\u1100\u116e\u11a8", "한 국"}, // as some file systems write it
		{"東京タワー", "東 京 タ ワ ー"},
		{"ﾀﾜｰ ＡＢＣ１", "タ ワ ー abc1"},
		{"か\u3099", "が"},
		{"Go언어1.26판", "go 언 어 1 26 판"},
		{"ภาษาไทย", "ภ า ษ า ไ ท ย"},
		{"हिन्दी", "हिन्दी"},
		{"a\x00b\xffc", "a b c"},
		{"「引用」、。・", "引 用"},
		{"𠮷野家", "𠮷 野 家"},
		{strings.Repeat("x", 100), strings.Repeat("x", maxWord)},
	} {
		check(t, c.text, wordsOf(c.text), c.want)
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"Hello", "한국어", "\u1112\u1161\u11ab", "ﬁ ㍿ ½", "e\u0301\u0302", "\xff\xfe", "«§1»", "A\u030a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for w := range words(text) {
			if w.start < at || w.end <= w.start || w.end > len(text) {
				t.Fatalf("word %q lies at %d..%d after %d", w.text, w.start, w.end, at)
			}
			at = w.start
			if w.text == "" || len(w.text) > maxWord || !utf8.ValidString(w.text) {
				t.Fatalf("word %q", w.text)
			}
			// Whatever FTS5 would take for a space, a quote or our own sign.
			for _, r := range w.text {
				if !isWord(r) || r == '§' {
					t.Fatalf("word %q has %q", w.text, r)
				}
			}
		}
		s := snippet(text, parse(text))
		if utf8.ValidString(text) && !utf8.ValidString(s) {
			t.Fatalf("snippet %q of %q", s, text)
		}
		if strings.Count(s, markFrom) != strings.Count(s, markTo) {
			t.Fatalf("snippet %q of %q", s, text)
		}
	})
}

func TestSnippet(t *testing.T) {
	long := strings.Repeat("far away ", 50)
	for _, c := range []struct{ text, q, want string }{
		{"Hello, World!", "wor", "Hello, «World»!"},
		{"Hello, World!", "hello world", "«Hello», «World»!"},
		{"한국어 검색을 시험한다", "검색", "한국어 «검색»을 시험한다"},
		{"검색", "검 색", "«검색»"},
		{"東京タワー", "京タ", "東«京タ»ワー"},
		{"Crème brûlée", "brulee", "Crème «brûlée»"},
		{"line\n\n  two\tthree", "three", "line two «three»"},
		{"« quoted » word", "word", "‹ quoted › «word»"},
		{"read_file", "read_f", "«read_file»"},
		{"nothing here", "else", "nothing here"},
		{long + "needle " + long, "needle", "…" + strings.Repeat("away far ", 6) + "away «needle» " + strings.Repeat("far away ", 14) + "far awa…"},
	} {
		check(t, c.text, snippet(c.text, parse(c.q)), c.want)
	}
}
