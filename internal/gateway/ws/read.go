package ws

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/gobwas/ws"

	"github.com/parley-dev/parley/protocol"
)

// reader takes a client's byte stream apart into messages. Between two frames
// it holds nothing but a few bytes of its own.
type reader struct {
	src   io.Reader
	early []byte // what came with the handshake
	buf   [256]byte
	r, w  int
	// control is given the pings and pongs.
	control func(op ws.OpCode, payload []byte)
}

// message is what a client sent, joined and unmasked.
type message struct {
	op      ws.OpCode // OpText or OpBinary
	data    []byte
	checked int // how much of a text is known to be UTF-8
}

// violation says that a client broke the rules, and the code to close with.
type violation struct {
	code protocol.CloseCode
	why  string
}

func (v *violation) Error() string { return fmt.Sprintf("%s (%d)", v.why, v.code) }

// farewell says that the client has closed the connection.
type farewell struct{ code protocol.CloseCode }

func (f *farewell) Error() string { return fmt.Sprintf("the client left (%d)", f.code) }

// next gives the next message of at most that many bytes.
func (r *reader) next(most int) (message, error) {
	var m message
	state := ws.StateServerSide
	for {
		h, err := ws.ReadHeader(r)
		if err != nil {
			return m, headerError(err)
		}
		if err := ws.CheckHeader(h, state); err != nil {
			return m, &violation{closeProtocol, err.Error()}
		}
		if h.OpCode.IsControl() {
			if err := r.takeControl(h); err != nil {
				return m, err
			}
			continue
		}
		if h.Length > int64(most-len(m.data)) {
			return m, &violation{protocol.CloseTooBig, fmt.Sprintf("a message may have at most %d bytes", most)}
		}
		if h.OpCode != ws.OpContinuation {
			m.op = h.OpCode
		}
		if err := r.fill(&m, h); err != nil {
			return m, err
		}
		if h.Fin {
			return m, nil
		}
		state = state.Set(ws.StateFragmented)
	}
}

func headerError(err error) error {
	if errors.Is(err, ws.ErrHeaderLengthMSB) || errors.Is(err, ws.ErrHeaderLengthUnexpected) {
		return &violation{closeProtocol, err.Error()}
	}
	return err
}

// fill adds a frame's payload to the message. It makes room as bytes come, not
// as the header promises.
func (r *reader) fill(m *message, h ws.Header) error {
	for read := 0; int64(read) < h.Length; {
		room := int(min(h.Length-int64(read), int64(max(512, len(m.data)))))
		m.data = slices.Grow(m.data, room)
		part := m.data[len(m.data) : len(m.data)+room]
		n, err := r.Read(part)
		if err != nil {
			return err
		}
		ws.Cipher(part[:n], h.Mask, read)
		read += n
		m.data = m.data[:len(m.data)+n]
		if !m.valid(false) {
			return &violation{protocol.CloseInvalidText, "a text message must be UTF-8"}
		}
	}
	if h.Fin && !m.valid(true) {
		return &violation{protocol.CloseInvalidText, "a text message must be UTF-8"}
	}
	return nil
}

// valid says whether a text is UTF-8 as far as it has come. Until the end, its
// last character may be unfinished.
func (m *message) valid(end bool) bool {
	if m.op != ws.OpText {
		return true
	}
	rest := m.data[m.checked:]
	if !end {
		rest = rest[:len(rest)-unfinished(rest)]
	}
	m.checked += len(rest)
	return utf8.Valid(rest)
}

// unfinished is how many bytes at the end begin a character and do not end it.
func unfinished(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		tail := b[len(b)-n:]
		if utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// takeControl reads a control frame. A close frame ends the stream.
func (r *reader) takeControl(h ws.Header) error {
	var space [ws.MaxControlFramePayloadSize]byte
	payload := space[:h.Length]
	if _, err := io.ReadFull(r, payload); err != nil {
		return err
	}
	ws.Cipher(payload, h.Mask, 0)
	if h.OpCode != ws.OpClose {
		r.control(h.OpCode, payload)
		return nil
	}
	switch {
	case len(payload) == 0:
		return &farewell{}
	case len(payload) == 1:
		return &violation{closeProtocol, "a close frame holds a whole code or nothing"}
	}
	code, reason := ws.ParseCloseFrameData(payload)
	if !utf8.ValidString(reason) {
		return &violation{protocol.CloseInvalidText, "the reason of a close frame must be UTF-8"}
	}
	if !mayClose(code) {
		return &violation{closeProtocol, fmt.Sprintf("%d is no code to close with", code)}
	}
	return &farewell{protocol.CloseCode(code)}
}

// mayClose says whether RFC 6455 and its registry let a client use a code.
func mayClose(code ws.StatusCode) bool {
	return code >= 1000 && code <= 1003 || code >= 1007 && code <= 1014 || code >= 3000 && code <= 4999
}

// Read gives what is held, else reads: into the own few bytes if little is
// asked for, so that a small frame takes one call.
func (r *reader) Read(p []byte) (int, error) {
	if len(r.early) > 0 {
		n := copy(p, r.early)
		if r.early = r.early[n:]; len(r.early) == 0 {
			r.early = nil
		}
		return n, nil
	}
	if r.r == r.w {
		if len(p) >= len(r.buf) {
			return r.src.Read(p)
		}
		n, err := r.src.Read(r.buf[:])
		if r.r, r.w = 0, n; n == 0 {
			return 0, err
		}
	}
	n := copy(p, r.buf[r.r:r.w])
	r.r += n
	return n, nil
}
