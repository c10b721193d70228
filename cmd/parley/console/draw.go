package console

import "fmt"

// mostRows is how many rows of the screen a line takes at the most; of a longer
// one the part around the cursor is shown.
const mostRows = 5

// drawing is a line on the screen: the bytes that draw it from the first column
// on, and the row in which the cursor is left.
type drawing struct {
	bytes []byte
	row   int
}

// pen writes letters and knows where it is. A terminal breaks a full row itself
// when the next letter comes, so that what is copied from it has no breaks of
// ours; but it forgets that it was full when the cursor has been elsewhere.
type pen struct {
	out         []byte
	width       int
	column, row int
	moved       bool // and has not written since
}

func (p *pen) put(r rune) {
	n := columns(r)
	switch {
	case p.column+n <= p.width:
	case p.column == p.width && p.moved:
		p.wrap()
	default:
		p.column, p.row = 0, p.row+1
	}
	p.out = append(p.out, string(r)...)
	p.column, p.moved = p.column+n, false
}

func (p *pen) wrap() {
	p.out = append(p.out, "\r\n"...)
	p.column, p.row = 0, p.row+1
}

// print writes a letter of the output.
func (p *pen) print(r rune) {
	switch {
	case r == '\n':
		p.wrap()
	case r == '\t':
		for p.put(' '); p.column%tab != 0; {
			p.put(' ')
		}
	case visible(r):
		p.put(r)
	}
}

// draw draws the prompt and the line, and puts the cursor in its place.
func (l *line) draw(prompt string, width int) drawing {
	p := pen{width: width}
	from, to := l.window(p.width * (mostRows - 1))
	if from > 0 {
		prompt += cut
	}
	for _, r := range prompt {
		p.put(r)
	}
	column, row := p.column, p.row
	for i, r := range l.text[from:to] {
		p.put(stand(r))
		if from+i+1 == l.pos {
			column, row = p.column, p.row
		}
	}
	if to < len(l.text) {
		for _, r := range cut {
			p.put(r)
		}
	}
	if p.column == p.width { // the cursor may have to stand there
		p.wrap()
	}
	if column == p.width {
		column, row = 0, row+1
	}
	return drawing{append(p.out, move(row-p.row, column)...), row}
}

// cut stands for what is not shown.
const cut = ".."

// stand is the letter that stands for one in a line.
func stand(r rune) rune {
	switch r {
	case '\n':
		return '⏎'
	case '\t':
		return ' '
	}
	return r
}

// window is the part of the line around the cursor that takes no more than about
// that many columns.
func (l *line) window(most int) (from, to int) {
	from, to = l.pos, l.pos
	used := 0
	back := func(until int) {
		for from > 0 && used < until {
			from = l.before(from)
			used += columns(stand(l.text[from]))
		}
	}
	back(most * 3 / 4)
	for to < len(l.text) && used < most {
		used += columns(stand(l.text[to]))
		to = l.after(to)
	}
	back(most)
	return from, to
}

// move is what brings the cursor to another row, counted downwards from where it
// is, and to a column.
func move(rows, column int) string {
	text := "\r"
	switch {
	case rows < 0:
		text += fmt.Sprintf("\x1b[%dA", -rows)
	case rows > 0:
		text += fmt.Sprintf("\x1b[%dB", rows)
	}
	if column > 0 {
		text += fmt.Sprintf("\x1b[%dC", column)
	}
	return text
}
