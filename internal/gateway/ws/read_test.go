package ws

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/gobwas/ws"
)

// FuzzReader holds the reader against any bytes: it must end, keep to the limit,
// give only UTF-8 as text, and not depend on how the bytes are cut.
func FuzzReader(f *testing.F) {
	frame := func(fs ...ws.Frame) (b []byte) {
		for _, one := range fs {
			b = append(b, ws.MustCompileFrame(ws.MaskFrameWith(one, [4]byte{1, 2, 3, 4}))...)
		}
		return b
	}
	f.Add(frame(ws.NewTextFrame([]byte("κόσμε"))))
	f.Add(frame(ws.NewFrame(ws.OpText, false, []byte("κ")[:1]), ws.NewPingFrame([]byte("x")), ws.NewFrame(ws.OpContinuation, true, []byte("κ")[1:])))
	f.Add(frame(ws.NewBinaryFrame(make([]byte, 300)), ws.NewCloseFrame(ws.NewCloseFrameBody(1000, "bye"))))
	f.Add([]byte{0x81, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		whole, wholeErr := readAll(t, bytes.NewReader(b))
		slowly, slowlyErr := readAll(t, iotest.OneByteReader(bytes.NewReader(b)))
		if len(whole) != len(slowly) || wholeErr.Error() != slowlyErr.Error() {
			t.Fatalf("%d messages (%v) at once, %d (%v) byte by byte", len(whole), wholeErr, len(slowly), slowlyErr)
		}
		for i := range whole {
			if !bytes.Equal(whole[i].data, slowly[i].data) {
				t.Fatalf("message %d: %q and %q", i, whole[i].data, slowly[i].data)
			}
		}
	})
}

func readAll(t *testing.T, src io.Reader) (all []message, err error) {
	const most = 1 << 10
	r := reader{src: src, control: func(op ws.OpCode, payload []byte) {
		if op != ws.OpPing && op != ws.OpPong || len(payload) > 125 {
			t.Fatalf("control frame %v with %d bytes", op, len(payload))
		}
	}}
	for {
		m, err := r.next(most)
		if err != nil {
			var v *violation
			var f *farewell
			if !errors.As(err, &v) && !errors.As(err, &f) && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatal("an error nobody knows:", err)
			}
			if errors.Is(err, io.ErrUnexpectedEOF) {
				err = io.EOF
			}
			return all, err
		}
		if len(m.data) > most || m.op == ws.OpText && !utf8.Valid(m.data) {
			t.Fatalf("message of %d bytes, %q", len(m.data), m.data)
		}
		all = append(all, m)
	}
}

func TestReaderMakesRoomAsBytesCome(t *testing.T) {
	var b bytes.Buffer
	if err := ws.WriteHeader(&b, ws.Header{Fin: true, OpCode: ws.OpText, Masked: true, Length: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	b.WriteString("just a few bytes")
	r := reader{src: &b}
	m, err := r.next(1 << 20)
	if !errors.Is(err, io.EOF) || cap(m.data) > 4<<10 {
		t.Errorf("%d bytes were set aside: %v", cap(m.data), err)
	}
}

func TestUnfinished(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "a": 0, "é": 0, "é"[:1]: 1, "a€"[:3]: 2, "🙂"[:3]: 3, "a🙂"[:2]: 1, "🙂": 0, "\xff": 0, "\x80\x80\x80\x80": 0, "\xf4\x90": 0,
	} {
		if got := unfinished([]byte(s)); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

func TestBeatComesWhenTheTokenExpires(t *testing.T) {
	now := time.Now()
	c := &conn{pingAt: now.Add(time.Minute)}
	if got := c.nextBeat(now); got != time.Minute {
		t.Error(got)
	}
	c.who.Expires = now.Add(time.Second)
	if got := c.nextBeat(now); got != time.Second {
		t.Error(got)
	}
	c.who.Expires = now.Add(time.Hour)
	if got := c.nextBeat(now); got != time.Minute {
		t.Error(got)
	}
}

func TestCloseReasonIsCutToFit(t *testing.T) {
	b := appendClose(nil, 4500, string(bytes.Repeat([]byte("é"), 100)))
	if len(b) > 2+125 || !utf8.Valid(b[4:]) || int(b[1]) != len(b)-2 {
		t.Errorf("%d bytes: %q", len(b), b)
	}
}
