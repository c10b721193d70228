package builtin

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/parley-dev/parley/tool"
)

// What is kept of a command's output, and how much is streamed while it runs.
const (
	keepHead  = 32 << 10
	keepTail  = 32 << 10
	maxStream = 1 << 20
	maxPiece  = 16 << 10
)

// output takes what a command writes, from any goroutine and without ever waiting.
// It keeps the beginning and the end of it, and what has not been shown yet, in
// pieces of valid UTF-8.
type output struct {
	mu sync.Mutex

	bytes   int64 // all that was written
	head    []byte
	tail    []byte // at most twice keepTail
	dropped int64  // between head and tail

	cut      [2][]byte // for stdout and stderr: the bytes of an unfinished character
	pending  []tool.Event
	streamed int
	terminal bool // it comes from one
}

// add takes the next bytes of a stream.
func (o *output) add(stream string, chunk []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bytes += int64(len(chunk))
	cut := o.cutOf(stream)
	chunk = append(*cut, chunk...)
	whole := wholeRunes(chunk)
	*cut = slices.Clone(chunk[whole:])
	o.take(stream, chunk[:whole])
}

// end says that nothing more comes from a stream.
func (o *output) end(stream string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	cut := o.cutOf(stream)
	o.take(stream, *cut)
	*cut = nil
}

func (o *output) cutOf(stream string) *[]byte {
	if stream == tool.Stdout {
		return &o.cut[0]
	}
	return &o.cut[1]
}

func (o *output) take(stream string, chunk []byte) {
	text := strings.ToValidUTF8(string(chunk), "\uFFFD")
	if text == "" {
		return
	}
	o.keep(text)
	if o.streamed > maxStream {
		return
	}
	if o.streamed += len(text); o.streamed > maxStream {
		text += "\n[the output is long; from here on it is not shown while the command runs]\n"
	}
	if last := len(o.pending) - 1; last >= 0 && o.pending[last].Stream == stream && len(o.pending[last].Output) < maxPiece {
		o.pending[last].Output += text
		return
	}
	o.pending = append(o.pending, tool.Event{Output: text, Stream: stream})
}

// flush emits what has come since the last time, if anybody watches.
func (o *output) flush(emit func(tool.Event)) {
	o.mu.Lock()
	pending := o.pending
	o.pending = nil
	o.mu.Unlock()
	if emit == nil {
		return
	}
	for _, e := range pending {
		emit(e)
	}
}

func (o *output) keep(text string) {
	if room := keepHead - len(o.head); room > 0 && len(o.tail) == 0 {
		n := room
		if n >= len(text) {
			n = len(text)
		} else {
			for !utf8.RuneStart(text[n]) {
				n--
			}
		}
		o.head = append(o.head, text[:n]...)
		text = text[n:]
	}
	o.tail = append(o.tail, text...)
	if len(o.tail) > 2*keepTail {
		o.trim()
	}
}

// trim drops what is too much of the tail, by whole characters.
func (o *output) trim() {
	n := len(o.tail) - keepTail
	for n < len(o.tail) && !utf8.RuneStart(o.tail[n]) {
		n++
	}
	o.dropped += int64(n)
	o.tail = append(o.tail[:0], o.tail[n:]...)
}

// text is what was kept.
func (o *output) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.joined()
}

func (o *output) joined() string {
	if len(o.tail) > keepTail {
		o.trim()
	}
	if o.dropped == 0 {
		return string(o.head) + string(o.tail)
	}
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", o.head, o.dropped, o.tail)
}

// drain gives what was kept since the last time and forgets it, and says how much
// was written in all.
func (o *output) drain() (string, int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := o.joined()
	o.head, o.tail, o.dropped, o.streamed = nil, nil, 0, 0
	if o.terminal {
		text = strings.ReplaceAll(escapes.ReplaceAllString(text, ""), "\r\n", "\n")
	}
	return text, o.bytes
}

// escapes are what moves and colours the text of a terminal.
var escapes = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])`)

// written says how much has come, for whoever waits for more.
func (o *output) written() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes
}

// unread says whether anything came since it was last drained.
func (o *output) unread() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.head)+len(o.tail) > 0
}

// wholeRunes says how many of the bytes are there without an unfinished character
// at the end.
func wholeRunes(b []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return len(b) - i
			}
			break
		}
	}
	return len(b)
}
