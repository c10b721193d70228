package console

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// screen is a terminal: what would be seen of what was written to it. Like a real
// one it stays in the last column until the next letter comes.
type screen struct {
	t             *testing.T
	width, height int
	cells         [][]string // a wide letter has the next cell empty
	row, column   int
	odd           []string // what no console should send
}

func newScreen(t *testing.T, width, height int) *screen {
	s := &screen{t: t, width: width, height: height}
	s.cells = make([][]string, height)
	for i := range s.cells {
		s.cells[i] = s.empty()
	}
	return s
}

func (s *screen) empty() []string {
	row := make([]string, s.width)
	for i := range row {
		row[i] = " "
	}
	return row
}

var csi = regexp.MustCompile(`^\x1b\[([?0-9]*)([A-Za-z])`)

func (s *screen) Write(b []byte) (int, error) {
	for text := string(b); text != ""; {
		if m := csi.FindStringSubmatch(text); m != nil {
			s.control(m[1], m[2])
			text = text[len(m[0]):]
			continue
		}
		r, n := utf8.DecodeRuneInString(text)
		text = text[n:]
		switch {
		case r == '\r':
			s.column = 0
		case r == '\n':
			s.down()
		case !visible(r):
			s.odd = append(s.odd, fmt.Sprintf("%q", r))
		default:
			s.put(r)
		}
	}
	return len(b), nil
}

func (s *screen) down() {
	if s.row++; s.row == s.height {
		s.row--
		s.cells = append(s.cells[1:], s.empty())
	}
}

func (s *screen) put(r rune) {
	n := cells(r)
	if n == 0 {
		s.cells[s.row][max(0, s.column-1)] += string(r)
		return
	}
	if s.column+n > s.width {
		s.column = 0
		s.down()
	}
	s.cells[s.row][s.column] = string(r)
	if n == 2 {
		s.cells[s.row][s.column+1] = ""
	}
	s.column += n
}

// cells is what the letters of these tests take on a real terminal.
func cells(r rune) int {
	switch {
	case r >= 0x1160 && r <= 0x11ff:
		return 0
	case r >= 0x1100 && r < 0x1160, r >= 0xac00 && r <= 0xd7a3:
		return 2
	}
	return 1
}

func (s *screen) control(arg, what string) {
	n, err := strconv.Atoi(arg)
	if err != nil {
		n = 1
	}
	switch what {
	case "A":
		s.row = max(0, s.row-n)
	case "B":
		s.row = min(s.height-1, s.row+n)
	case "C":
		s.column = min(s.width-1, s.column+n)
	case "H":
		s.row, s.column = 0, 0
	case "J":
		for i := min(s.column, s.width-1); i < s.width && arg != "2"; i++ {
			s.cells[s.row][i] = " "
		}
		for i := range s.cells {
			if i > s.row || arg == "2" {
				s.cells[i] = s.empty()
			}
		}
	case "h", "l": // pastes are bracketed, or not
	default:
		s.odd = append(s.odd, "CSI "+arg+what)
	}
}

// String is what is seen, with the cursor as a bar.
func (s *screen) String() string {
	var out []string
	for i, row := range s.cells {
		line := ""
		for j, cell := range append(row[:len(row):len(row)], "") {
			if i == s.row && j == s.column {
				line += "|"
			}
			line += cell
		}
		out = append(out, strings.TrimRight(line, " "))
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}

// shows compares what is seen.
func (s *screen) shows(want ...string) {
	s.t.Helper()
	if len(s.odd) > 0 {
		s.t.Errorf("the screen was sent %s", s.odd)
	}
	if got := s.String(); got != strings.Join(want, "\n") {
		s.t.Errorf("the screen shows\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}
