package console

import (
	"bytes"
	"unicode/utf8"
)

// key is what was pressed: a letter, or one of the named ones.
type key struct {
	name  name
	runes []rune // of a letter, or of what was pasted
}

type name int

const (
	letter name = iota
	pasted
	unknown
	enter
	newline
	left
	right
	wordLeft
	wordRight
	home
	end
	up
	down
	backspace
	del
	delOrEnd
	delWord
	delToStart
	delToEnd
	clearScreen
	interrupt
)

// controls are the keys of one byte.
var controls = map[byte]name{
	'\r': enter, '\n': enter, 1: home, 2: left, 3: interrupt, 4: delOrEnd, 5: end, 6: right, 8: backspace, 11: delToEnd, 12: clearScreen,
	14: down, 16: up, 21: delToStart, 23: delWord, 127: backspace,
}

// sequences are the keys of several bytes, by what comes after ESC.
var sequences = map[string]name{
	"[A": up, "[B": down, "[C": right, "[D": left, "[H": home, "[F": end,
	"OA": up, "OB": down, "OC": right, "OD": left, "OH": home, "OF": end,
	"[1~": home, "[7~": home, "[4~": end, "[8~": end, "[3~": del,
	"[1;3C": wordRight, "[1;5C": wordRight, "[1;3D": wordLeft, "[1;5D": wordLeft,
	"f": wordRight, "b": wordLeft, "\x7f": delWord, "\r": newline, "\n": newline,
}

const (
	escape     = 0x1b
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// next takes the first key of what was read. Nothing is taken (n is 0) while the
// rest of it is still to come.
func next(b []byte) (k key, n int) {
	if len(b) == 0 {
		return key{}, 0
	}
	if text, ok := bytes.CutPrefix(b, []byte(pasteBegin)); ok {
		i := bytes.Index(text, []byte(pasteEnd))
		if i < 0 {
			return key{}, 0
		}
		return key{pasted, plain(text[:i])}, len(pasteBegin) + i + len(pasteEnd)
	}
	if b[0] == escape {
		n = sequence(b)
		if n == 0 {
			return key{}, 0
		}
		if name, ok := sequences[string(b[1:n])]; ok {
			return key{name: name}, n
		}
		return key{name: unknown}, n
	}
	if name, ok := controls[b[0]]; ok {
		return key{name: name}, 1
	}
	if !utf8.FullRune(b) {
		return key{}, 0
	}
	r, n := utf8.DecodeRune(b)
	if !visible(r) && r != '\t' {
		return key{name: unknown}, n
	}
	return key{letter, []rune{r}}, n
}

// sequence is how long the one is that begins with ESC; 0 if it is not whole.
func sequence(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	if b[1] != '[' && b[1] != 'O' {
		_, n := utf8.DecodeRune(b[1:])
		return 1 + n
	}
	for i, c := range b[2:] {
		if c >= 0x40 && c <= 0x7e {
			return i + 3
		}
	}
	return 0
}

// plain is a pasted text with its lines ended in one way and without what cannot
// be shown.
func plain(b []byte) []rune {
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	var out []rune
	for _, r := range string(b) {
		if r == '\r' {
			r = '\n'
		}
		if visible(r) || r == '\n' || r == '\t' {
			out = append(out, r)
		}
	}
	return out
}
