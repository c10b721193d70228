package console

import (
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"
)

const (
	bracketPastes = "\x1b[?2004h"
	leavePastes   = "\x1b[?2004l"
	eraseBelow    = "\x1b[J"
	eraseAll      = "\x1b[H\x1b[2J"
)

// ErrInterrupted says that the person wants to leave at once, whatever goes on.
var ErrInterrupted = errors.New("interrupted")

// Console is a terminal that somebody types at. It is a writer of its output.
type Console struct {
	in     io.Reader
	out    io.Writer
	width  func() int
	prompt string
	reset  func() error

	unread []byte // typed, and not looked at yet; of the reader alone

	mu      sync.Mutex
	line    line
	reading bool   // somebody waits for a line
	shown   bool   // and it is on the screen
	row     int    // of the line, in which the cursor is
	column  int    // at which the output ended
	partial []byte // of a letter, at the end of the output
}

// Usable says whether these are terminals that a console can work with. On Windows
// a terminal edits lines itself.
func Usable(files ...any) bool {
	for _, f := range files {
		file, ok := f.(*os.File)
		if !ok || !term.IsTerminal(int(file.Fd())) {
			return false
		}
	}
	return runtime.GOOS != "windows" && os.Getenv("TERM") != "dumb"
}

// Open takes over a terminal, which has to be Usable for both. The caller owes a
// Close, also when the program fails: nothing is seen of what is typed until then.
func Open(in, out *os.File, prompt string) (*Console, error) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil, err
	}
	c := newConsole(in, out, prompt, func() int {
		width, _, err := term.GetSize(int(out.Fd()))
		if err != nil || width <= 0 {
			return 80
		}
		return max(width, 8) // less is no place to write
	})
	c.reset = func() error { return term.Restore(int(in.Fd()), before) }
	return c, nil
}

func newConsole(in io.Reader, out io.Writer, prompt string, width func() int) *Console {
	c := &Console{in: in, out: out, prompt: prompt, width: width, reset: func() error { return nil }}
	_, _ = io.WriteString(out, bracketPastes)
	return c
}

// Close gives the terminal back. Somebody who reads a line goes on waiting.
func (c *Console) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := c.hide()
	if c.reading = false; c.column > 0 {
		text += "\r\n"
	}
	_, _ = io.WriteString(c.out, text+leavePastes)
	return c.reset()
}

// Write writes output above the line.
func (c *Console) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := append(c.partial, b...)
	c.partial = nil
	p := pen{out: []byte(c.hide()), width: c.width(), column: c.column, moved: true}
	for len(text) > 0 {
		if !utf8.FullRune(text) {
			c.partial = text
			break
		}
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		p.print(r)
	}
	c.column = p.column
	if _, err := c.out.Write(append(p.out, c.show()...)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// ReadLine waits for a line. It gives io.EOF when no more is to come, and
// ErrInterrupted.
func (c *Console) ReadLine() (string, error) {
	c.mu.Lock()
	c.reading = true
	c.mu.Unlock()
	for {
		k, n := next(c.unread)
		if n == 0 {
			if err := c.read(); err != nil {
				return "", err
			}
			continue
		}
		c.unread = c.unread[n:]
		if text, done, err := c.press(k); done || err != nil {
			return text, err
		}
	}
}

// read draws what was typed, and waits for more.
func (c *Console) read() error {
	c.mu.Lock()
	_, _ = io.WriteString(c.out, c.hide()+c.show()) // where nothing can be written, nothing comes either
	c.mu.Unlock()
	var b [4096]byte
	n, err := c.in.Read(b[:])
	c.unread = append(c.unread, b[:n]...)
	if n > 0 {
		return nil // an error comes again
	}
	return err
}

// press does what a key is for; done says that the line has ended.
func (c *Console) press(k key) (text string, done bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case k.name == enter:
		text = c.line.take()
		return text, true, c.echo(text)
	case k.name == interrupt:
		return "", true, ErrInterrupted
	case k.name == delOrEnd && len(c.line.text) == 0:
		return "", true, io.EOF
	case k.name == clearScreen:
		c.column, c.shown = 0, false
		_, err = io.WriteString(c.out, eraseAll+c.show())
		return "", false, err
	}
	c.line.apply(k)
	return "", false, nil
}

// echo makes a line that was typed part of the output.
func (c *Console) echo(said string) error {
	p := pen{out: []byte(c.hide()), width: c.width(), column: c.column, moved: true}
	if p.column > 0 {
		p.wrap()
	}
	for _, r := range c.prompt + said + "\n" {
		p.print(r)
	}
	c.column, c.reading = 0, false
	_, err := c.out.Write(p.out)
	return err
}

// hide is what takes the line from the screen and goes to where the output ended.
func (c *Console) hide() string {
	if !c.shown {
		return ""
	}
	c.shown = false
	text := move(-c.row, 0) + eraseBelow
	if c.column > 0 {
		text += move(-1, c.column)
	}
	return text
}

// show is what puts the line on the screen, below the output, if one is waited for.
func (c *Console) show() string {
	if !c.reading {
		return ""
	}
	text := ""
	if c.column > 0 {
		text = "\r\n"
	}
	d := c.line.draw(c.prompt, c.width())
	c.shown, c.row = true, d.row
	return text + string(d.bytes)
}
