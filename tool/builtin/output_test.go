package builtin

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/parley-dev/parley/tool"
)

// However the bytes are cut, the pieces are whole characters and join to the same
// text.
func TestOutputJoins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 200, -1).Draw(t, "text") + rapid.SampledFrom([]string{"", "\xed\x95", "\xff", "\xf0\x9f"}).Draw(t, "end")
		var o output
		var got strings.Builder
		emit := func(e tool.Event) {
			if e.Output == "" || !utf8.ValidString(e.Output) || e.Stream != tool.Stdout {
				t.Fatalf("emitted %q on %q", e.Output, e.Stream)
			}
			got.WriteString(e.Output)
		}
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			o.add(tool.Stdout, []byte(rest[:n]))
			rest = rest[n:]
			if rapid.Bool().Draw(t, "flush") {
				o.flush(emit)
			}
		}
		o.end(tool.Stdout)
		o.flush(emit)
		want := strings.ToValidUTF8(text, "\uFFFD")
		if got.String() != want || o.text() != want || o.bytes != int64(len(text)) {
			t.Fatalf("emitted %q\nkept %q\nwant %q", got.String(), o.text(), want)
		}
	})
}

// A character cut on one stream is not finished by the other.
func TestOutputKeepsStreamsApart(t *testing.T) {
	var o output
	o.add(tool.Stdout, []byte("a\xed\x95"))
	o.add(tool.Stderr, []byte("err"))
	o.add(tool.Stdout, []byte("\x9cb"))
	var got []tool.Event
	o.flush(func(e tool.Event) { got = append(got, e) })
	want := []tool.Event{{Output: "a", Stream: tool.Stdout}, {Output: "err", Stream: tool.Stderr}, {Output: "한b", Stream: tool.Stdout}}
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestOutputKeepsBothEnds(t *testing.T) {
	for _, unit := range []string{"x", "한", "👩"} {
		var o output
		n := 0
		for i := range 1000 {
			chunk := strings.Repeat(unit, 97+i%7)
			n += len(chunk)
			o.add(tool.Stdout, []byte("<"+chunk+">"))
			n += 2
		}
		text := o.text()
		head, tail, ok := strings.Cut(text, "\n[… ")
		if !ok || len(head) > keepHead || len(head) < keepHead-4 || len(tail) < keepTail || len(text) > keepHead+keepTail+100 {
			t.Errorf("%s: %d bytes of head, %d of tail", unit, len(head), len(tail))
		}
		if !utf8.ValidString(text) || strings.Contains(text, "\uFFFD") {
			t.Errorf("%s: a character was cut", unit)
		}
		_, end, _ := strings.Cut(tail, "]\n")
		if int64(len(head)+len(end))+o.dropped != int64(n) {
			t.Errorf("%s: %d + %d kept, %d left out, %d written", unit, len(head), len(end), o.dropped, n)
		}
		if cap(o.tail) > 8*keepTail {
			t.Errorf("%s: the tail takes %d bytes", unit, cap(o.tail))
		}
	}
}
