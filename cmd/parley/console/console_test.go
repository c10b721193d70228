package console

import (
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// desk is a console on a screen, and somebody who types at it.
type desk struct {
	*Console
	*screen
	keys  chan string
	rest  string        // typed, and not read yet
	quiet chan struct{} // has an element whenever all that was typed is drawn
	said  chan string
	left  error // why no more is said; to be read when said is closed
}

// keyboard gives what is typed piece by piece.
type keyboard struct{ *desk }

func (k keyboard) Read(b []byte) (int, error) {
	if k.rest == "" {
		k.quiet <- struct{}{}
		k.rest = <-k.keys
	}
	n := copy(b, k.rest)
	k.rest = k.rest[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func sit(t *testing.T, width, height int) *desk {
	t.Helper()
	d := &desk{screen: newScreen(t, width, height), keys: make(chan string), quiet: make(chan struct{}), said: make(chan string, 10)}
	d.Console = newConsole(keyboard{d}, d.screen, "> ", func() int { return width })
	go func() {
		defer close(d.said)
		defer close(d.quiet)
		for {
			text, err := d.ReadLine()
			if err != nil {
				d.left = err
				return
			}
			d.said <- text
		}
	}()
	<-d.quiet
	t.Cleanup(func() {
		close(d.keys)
		for range d.quiet {
			continue
		}
	})
	return d
}

// types presses keys and waits until they are on the screen.
func (d *desk) types(keys ...string) {
	d.t.Helper()
	for _, k := range keys {
		d.keys <- k
		<-d.quiet
	}
}

func (d *desk) heard(want string) {
	d.t.Helper()
	if got := <-d.said; got != want {
		d.t.Errorf("said %q, want %q", got, want)
	}
}

func (d *desk) print(text string) {
	d.t.Helper()
	if n, err := io.WriteString(d.Console, text); n != len(text) || err != nil {
		d.t.Errorf("write: %d, %v", n, err)
	}
}

const (
	keyUp    = "\x1b[A"
	keyDown  = "\x1b[B"
	keyRight = "\x1b[C"
	keyLeft  = "\x1b[D"
	keyHome  = "\x1b[H"
	keyDel   = "\x1b[3~"
	keyBack  = "\x7f"
)

func TestType(t *testing.T) {
	d := sit(t, 20, 6)
	d.shows("> |")
	d.types("helo", keyLeft, "l")
	d.shows("> hell|o")
	d.types("\r")
	d.heard("hello")
	d.shows("> hello", "> |")
	d.types("one two three\x17\x17", "\x01", keyDel, keyRight, "X\x0b")
	d.shows("> hello", "> nX|")
	d.types("\x15", "\x02\x06", keyBack, keyDel, "\x1b[1;5C", "\x1bb", "a b\x1bb\x1bf\x1b\x7fc")
	d.shows("> hello", "> a c|")
}

// Korean is typed, gone over and taken back letter by letter, in what it takes of
// columns, whether its letters are stored whole or in parts.
func TestTypeKorean(t *testing.T) {
	d := sit(t, 20, 6)
	d.types("안녕하세", "\xec\x9a", "\x94") // the last letter in two pieces
	d.shows("> 안녕하세요|")
	d.types(keyLeft, keyLeft, keyBack)
	d.shows("> 안녕|세요")
	d.types("!", keyHome, keyDel)
	d.shows("> |녕!세요")
	d.types("\r")
	d.heard("녕!세요")
	d.types("\u1112\u1161\u11ab\u1100\u1173\u11af", keyBack, "x")
	d.shows("> 녕!세요", "> \u1112\u1161\u11abx|")
	d.types("\r")
	d.heard("\u1112\u1161\u11abx")
}

// A pasted text is one text, however many lines it has; what is no text in it is
// left out.
func TestPaste(t *testing.T) {
	d := sit(t, 20, 8)
	d.types("a\x1b[200~one\r\n두 줄\rthr", "ee\x1b[31m\x03\x1b[2", "01~z")
	d.shows("> aone⏎두 줄⏎three[3", "1mz|")
	d.types("\r")
	d.heard("aone\n두 줄\nthree[31mz")
	d.shows("> aone", "두 줄", "three[31mz", "> |")
	d.types("x\x1b\ry", "\r")
	d.heard("x\ny")
}

func TestHistory(t *testing.T) {
	d := sit(t, 20, 9)
	d.types("one\r", "둘\r", "둘\r", "dr", keyUp)
	d.shows("> one", "> 둘", "> 둘", "> 둘|")
	d.types(keyUp, keyUp)
	d.shows("> one", "> 둘", "> 둘", "> one|")
	d.types("!", keyDown, keyDown, keyDown)
	d.shows("> one", "> 둘", "> 둘", "> dr|")
	d.types(keyUp, keyUp, "!\r")
	for _, want := range []string{"one", "둘", "둘", "one!"} {
		d.heard(want)
	}
}

// Output is written above what is being typed, also in the middle of a line of
// either.
func TestOutputAbove(t *testing.T) {
	d := sit(t, 20, 8)
	d.types("typ", keyLeft)
	d.print("Hello")
	d.shows("Hello", "> ty|p")
	d.print(", wor")
	d.print("ld.\nNext")
	d.shows("Hello, world.", "Next", "> ty|p")
	d.types("!")
	d.print("\ta\n")
	d.shows("Hello, world.", "Next    a", "> ty!|p")
	d.types("\r")
	d.print("x")
	d.types("y\r")
	d.shows("Hello, world.", "Next    a", "> ty!p", "x", "> y", "> |")
}

// A row that is just full is not followed by an empty one, and one that is too
// long goes on where the terminal would go on; at the bottom all moves up.
func TestFullRows(t *testing.T) {
	d := sit(t, 10, 5)
	d.print("0123456789")
	d.shows("0123456789", "> |")
	d.print("\n")
	d.shows("0123456789", "> |")
	d.print("0123456789")
	d.print("가나다라마바\n")
	d.shows("0123456789", "0123456789", "가나다라마", "바", "> |")
	d.print("0123456789")
	d.print("a\n")
	d.shows("가나다라마", "바", "0123456789", "a", "> |")
	d.types("\x0c")
	d.print("0123456789\n가나다라마\n바\n")
	d.types("12345678")
	d.shows("0123456789", "가나다라마", "바", "> 12345678", "|")
	d.types(keyBack)
	d.shows("0123456789", "가나다라마", "바", "> 1234567|")
	d.types("가", keyHome)
	d.shows("0123456789", "가나다라마", "바", "> |1234567", "가")
	d.print("go on\n")
	d.shows("가나다라마", "바", "go on", "> |1234567", "가")
}

// A long word can be copied from the screen: nobody broke it but the terminal.
func TestNoBreaksOfOurs(t *testing.T) {
	var out strings.Builder
	c := newConsole(nil, &out, "> ", func() int { return 10 })
	if _, err := io.WriteString(c, "0123456789abcdefghij가나다라마바사"); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(out.String(), "0123456789abcdefghij가나다라마바사") {
		t.Errorf("written: %q", out.String())
	}
}

// Of a line that would fill the screen the part around the cursor is shown, and
// all of it is said.
func TestLongLine(t *testing.T) {
	d := sit(t, 10, 8)
	long := strings.Repeat("가나다라마바사아자차", 1000)
	d.print("above\n")
	d.types("\x1b[200~" + long[:3000])
	d.types(long[3000:] + "\x1b[201~")
	if rows := strings.Split(d.String(), "\n"); rows[0] != "above" || len(rows) > 1+mostRows || !strings.HasPrefix(rows[1], "> ..") || !strings.HasSuffix(d.String(), "차|") {
		t.Errorf("the screen shows\n%s", d)
	}
	d.types(keyHome)
	if rows := strings.Split(d.String(), "\n"); rows[1] != "> |가나다라" || !strings.HasSuffix(d.String(), "..") {
		t.Errorf("the screen shows\n%s", d)
	}
	d.types("\x05\r")
	d.heard(long)
}

// Nothing that is printed can do more than be read.
func TestOutputIsOnlyText(t *testing.T) {
	d := sit(t, 30, 4)
	d.print("a\x1b[2Jb\x1b]0;title\x07c\rd\u009be\u202ef\x00g\n")
	d.print("한"[:1])
	d.print("한"[1:] + "\xff.\n")
	d.shows("a[2Jb]0;titlecdefg", "한\uFFFD.", "> |")
}

func TestClearScreen(t *testing.T) {
	d := sit(t, 20, 4)
	d.print("above\nhalf")
	d.types("abc\x0c")
	d.shows("> abc|")
}

func TestLeave(t *testing.T) {
	for keys, want := range map[string]error{"abc\x03": ErrInterrupted, "\x04": io.EOF} {
		t.Run(want.Error(), func(t *testing.T) {
			d := sit(t, 20, 4)
			d.keys <- keys
			if text, ok := <-d.said; ok || d.left != want {
				t.Errorf("said %q, %v", text, d.left)
			}
			d.print("half")
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			d.shows("half", "|")
		})
	}
	d := sit(t, 20, 4)
	d.types("ab", keyLeft, "\x04") // in a line it removes a letter
	d.shows("> a|")
}
