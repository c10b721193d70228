package builtin

import (
	"errors"
	"fmt"
	"strings"
)

// apply makes the edit in a text and says how often. It takes, in this order, what
// is there letter by letter, what is there with other line endings, and the one
// place that differs in white space only.
func (e edit) apply(text string) (string, int, error) {
	if e.Old == e.New {
		return "", 0, errors.New("old_text and new_text are the same")
	}
	exact := []edit{e}
	if strings.Contains(text, "\r\n") && !strings.Contains(e.Old, "\r") {
		exact = append(exact, edit{Old: crlf(e.Old), New: crlf(e.New), All: e.All})
		if !strings.Contains(e.Old, "\n") { // what is put into such a file ends its lines likewise
			exact = exact[1:]
		}
	}
	for _, x := range exact {
		switch n := strings.Count(text, x.Old); {
		case n == 0:
			continue
		case n > 1 && !e.All:
			return "", 0, fmt.Errorf("old_text stands there %d times, at lines %s; add lines around it, or set all", n, places(text, x.Old))
		default:
			return strings.ReplaceAll(text, x.Old, x.New), n, nil
		}
	}
	return e.applyLoosely(text)
}

func crlf(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

// places lists the lines at which a text begins, the first ten of them.
func places(text, old string) string {
	var lines []string
	at, n := 0, 1
	for {
		i := strings.Index(text[at:], old)
		if i < 0 {
			return strings.Join(lines, ", ")
		}
		if len(lines) == 10 {
			return strings.Join(lines, ", ") + ", …"
		}
		n += strings.Count(text[at:at+i], "\n")
		lines = append(lines, fmt.Sprint(n))
		n += strings.Count(old, "\n")
		at += i + len(old)
	}
}

// applyLoosely looks for whole lines that are the same but for white space.
func (e edit) applyLoosely(text string) (string, int, error) {
	if strings.TrimSpace(e.Old) == "" {
		return "", 0, errors.New("old_text is white space only, and not there")
	}
	have, want := splitLines(text), splitLines(e.Old)
	found := alike(have, want)
	switch len(found) {
	case 0:
		return "", 0, errors.New("old_text is not there" + nearest(have, want))
	case 1:
		at := found[0]
		place := have[at : at+len(want)]
		return strings.Join(have[:at], "") + fit(e.New, want, place) + strings.Join(have[at+len(want):], ""), 1, nil
	}
	return "", 0, fmt.Errorf("old_text is not there letter by letter, and but for white space it stands there more than once, first at lines %d and %d; copy it from read_file", found[0]+1, found[1]+1)
}

// splitLines gives the lines with their endings.
func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	}
	return lines
}

// alike gives the first two places at which the lines are the same but for white
// space.
func alike(have, want []string) []int {
	text, part := squeezeAll(have), squeezeAll(want)
	var found []int
	for at, line := 0, 0; len(found) < 2; {
		i := strings.Index(text[at:], part)
		if i < 0 {
			break
		}
		line += strings.Count(text[at:at+i], "\n")
		found = append(found, line)
		at += i + 1 // past the line break that the part begins with
		line++
	}
	return found
}

// squeezeAll joins lines so that whole ones can be looked for.
func squeezeAll(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString("\n")
		b.WriteString(squeeze(line))
	}
	b.WriteString("\n")
	return b.String()
}

// squeeze makes lines equal that differ in white space only.
func squeeze(line string) string { return strings.Join(strings.Fields(line), " ") }

// fit gives new text the indentation and the line endings of the place it goes to.
func fit(text string, want, place []string) string {
	if text == "" {
		return ""
	}
	from, to := "", ""
	for i, line := range want {
		if strings.TrimSpace(line) != "" {
			from, to = indent(line), indent(place[i])
			break
		}
	}
	lines := splitLines(text)
	for i, line := range lines {
		if rest, ok := strings.CutPrefix(line, from); ok && strings.TrimSpace(line) != "" {
			lines[i] = to + rest
		}
	}
	text = strings.Join(lines, "")
	last := place[len(place)-1]
	if strings.HasSuffix(last, "\n") && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if strings.HasSuffix(last, "\r\n") {
		text = crlf(text)
	}
	return text
}

func indent(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// nearest shows the place that shares most lines with what was looked for.
func nearest(have, want []string) string {
	const mostShown = 12
	wanted := map[string]bool{}
	for _, line := range want {
		if s := squeeze(line); len(s) > 3 { // a bracket is everywhere
			wanted[s] = true
		}
	}
	best, at, in := 0, 0, 0
	for i, line := range have {
		if wanted[squeeze(line)] {
			in++
		}
		if i >= len(want) && wanted[squeeze(have[i-len(want)])] {
			in--
		}
		if in >= best && in > 0 {
			best, at = in, max(0, i-len(want)+1)
		}
	}
	if best == 0 {
		return "; read the file again"
	}
	end := min(len(have), at+min(len(want), mostShown))
	var b strings.Builder
	for _, line := range have[at:end] {
		if len(line) > 200 {
			line = strings.ToValidUTF8(line[:200], "") + "…\n"
		}
		b.WriteString(strings.ToValidUTF8(line, "\uFFFD"))
	}
	return fmt.Sprintf("; what comes nearest stands at line %d:\n%s", at+1, b.String())
}
