package ws_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gobwas/ws"

	"github.com/parley-dev/parley/protocol"
)

const hello = `{"type":"user_message","message_id":"m","data":{"content":"안녕 κόσμε 🙂"}}`

// TestWellFormed sends what RFC 6455 allows; each must be taken as one message.
func TestWellFormed(t *testing.T) {
	h := build(t, plan{})
	whole := ws.MustCompileFrame(ws.MaskFrame(text(hello)))
	cut := strings.Index(hello, "안") + 1 // inside a character
	for _, tt := range []struct {
		name  string
		send  func(r *raw)
		pongs []string
	}{
		{"whole", func(r *raw) { r.frame(text(hello)) }, nil},
		{"byte by byte", func(r *raw) {
			for _, b := range whole {
				r.bytes([]byte{b})
			}
		}, nil},
		{"in fragments, cut inside a character", func(r *raw) {
			r.frame(part(ws.OpText, false, hello[:cut]))
			r.frame(part(ws.OpContinuation, false, hello[cut:cut+1]))
			r.frame(part(ws.OpContinuation, false, ""))
			r.frame(part(ws.OpContinuation, true, hello[cut+1:]))
		}, nil},
		{"a ping between fragments", func(r *raw) {
			r.frame(part(ws.OpText, false, hello[:cut]))
			r.frame(ws.NewPingFrame([]byte("between")))
			r.frame(part(ws.OpContinuation, true, hello[cut:]))
		}, []string{"between"}},
		{"a pong nobody asked for", func(r *raw) {
			r.frame(ws.NewPongFrame([]byte("unasked")))
			r.frame(text(hello))
		}, nil},
		{"an empty first fragment", func(r *raw) {
			r.frame(part(ws.OpText, false, ""))
			r.frame(part(ws.OpContinuation, true, hello))
		}, nil},
		{"a ping of 125 bytes", func(r *raw) {
			r.frame(ws.NewPingFrame([]byte(strings.Repeat("p", 125))))
			r.frame(text(hello))
		}, []string{strings.Repeat("p", 125)}},
		{"as large as can be", func(r *raw) {
			pad := 1<<20 - len(hello)
			r.frame(text(strings.Repeat(" ", pad) + hello))
		}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := h.dialRaw(t, "s1", "client_id="+fmt.Sprintf("%x", tt.name))
			go tt.send(r)
			acked := false
			for pongs := tt.pongs; !acked || len(pongs) > 0; {
				f, err := r.next()
				if err != nil {
					t.Fatal(err)
				}
				switch {
				case f.Header.OpCode == ws.OpPong:
					if len(pongs) == 0 || string(f.Payload) != pongs[0] {
						t.Fatalf("pong %q, want %q", f.Payload, pongs)
					}
					pongs = pongs[1:]
				case f.Header.OpCode != ws.OpText:
					t.Fatalf("got %+v %q", f.Header, f.Payload)
				case strings.Contains(string(f.Payload), `"ack"`):
					// A busy session may say no; the message was understood.
					acked = true
				}
			}
			r.frame(ws.NewCloseFrame(ws.NewCloseFrameBody(1000, "done")))
			if code := r.ending(); code != 1000 {
				t.Errorf("closed with %d", code)
			}
		})
	}
}

// TestMalformed sends what RFC 6455 forbids; each ends the connection.
func TestMalformed(t *testing.T) {
	h := build(t, plan{})
	frames := func(fs ...ws.Frame) func(*raw) {
		return func(r *raw) {
			for _, f := range fs {
				r.frame(f)
			}
		}
	}
	reserved := text("{}")
	reserved.Header.Rsv = ws.Rsv(true, false, false)
	halfRune := "κόσμε"[:3]
	closing := func(code ws.StatusCode, reason string) func(*raw) {
		return frames(ws.NewCloseFrame(ws.NewCloseFrameBody(code, reason)))
	}
	for _, tt := range []struct {
		name string
		send func(*raw)
		code protocol.CloseCode
	}{
		{"no mask", func(r *raw) { r.bytes(ws.MustCompileFrame(text(hello))) }, 1002},
		{"a reserved bit", frames(reserved), 1002},
		{"a reserved data opcode", frames(part(3, true, "")), 1002},
		{"a reserved control opcode", frames(part(0xB, true, "")), 1002},
		{"a continuation of nothing", frames(part(ws.OpContinuation, true, "x")), 1002},
		{"a message inside a message", frames(part(ws.OpText, false, "{"), text("}")), 1002},
		{"a ping in fragments", frames(part(ws.OpPing, false, "x")), 1002},
		{"a ping of 126 bytes", frames(ws.NewPingFrame(make([]byte, 126))), 1002},
		{"a length with its highest bit", func(r *raw) {
			r.bytes([]byte{0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4})
		}, 1002},
		{"half a close code", frames(ws.NewCloseFrame([]byte{3})), 1002},
		{"close code 0", closing(0, ""), 1002},
		{"close code 999", closing(999, ""), 1002},
		{"close code 1004", closing(1004, ""), 1002},
		{"close code 1005", closing(1005, ""), 1002},
		{"close code 1006", closing(1006, ""), 1002},
		{"close code 1016", closing(1016, ""), 1002},
		{"close code 2999", closing(2999, ""), 1002},
		{"close code 5000", closing(5000, ""), 1002},
		{"a close reason that is not UTF-8", closing(1000, "\xff"), 1007},
		{"not UTF-8", frames(text("\"\xce\xba\xe1\xbd\xb9\xcf\x83\xed\xa0\x80\"")), 1007},
		{"half a character at the end", frames(text(halfRune)), 1007},
		{"not UTF-8, message unfinished", frames(part(ws.OpText, false, "\xf4\x90\x80\x80")), 1007},
		{"not UTF-8, frame unfinished", func(r *raw) {
			b := ws.MustCompileFrame(ws.MaskFrame(text("abc\xff" + strings.Repeat("x", 1000))))
			r.bytes(b[:20])
		}, 1007},
		{"too large by its header", func(r *raw) {
			h := ws.Header{Fin: true, OpCode: ws.OpText, Masked: true, Length: 1<<20 + 1}
			_ = ws.WriteHeader(r, h)
		}, 1009},
		{"too large in fragments", func(r *raw) {
			r.frame(part(ws.OpText, false, strings.Repeat(" ", 1<<19)))
			r.frame(part(ws.OpContinuation, false, strings.Repeat(" ", 1<<19)))
			r.frame(part(ws.OpContinuation, true, "x"))
		}, 1009},
		{"a binary message too large", func(r *raw) {
			_ = ws.WriteHeader(r, ws.Header{Fin: true, OpCode: ws.OpBinary, Masked: true, Length: 1 << 40})
		}, 1009},
		{"goodbye", closing(1000, "bye"), 1000},
		{"goodbye without a code", frames(ws.NewCloseFrame(nil)), 0},
		{"goodbye with a code of its own", closing(3333, ""), 3333},
		{"goodbye and more", frames(ws.NewCloseFrame(ws.NewCloseFrameBody(1001, "")), text(hello)), 1001},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := h.dialRaw(t, "s1", "")
			go tt.send(r)
			if code := r.ending(); code != int(tt.code) {
				t.Errorf("closed with %d, want %d", code, tt.code)
			}
		})
	}
}

func TestTooLargeIsAlsoAnError(t *testing.T) {
	h := build(t, plan{})
	r := h.dialRaw(t, "s1", "")
	r.message()
	go r.frame(text(strings.Repeat(" ", 1<<20+1)))
	if e, ok := r.message().payload.(*protocol.Error); !ok || e.Code != protocol.CodeMessageTooLarge {
		t.Errorf("%+v", e)
	}
	if code := r.ending(); code != 1009 {
		t.Errorf("closed with %d", code)
	}
}

// TestMessageWithTheHandshake sends the first message before the answer to the
// handshake has come.
func TestMessageWithTheHandshake(t *testing.T) {
	h := build(t, plan{})
	r := &raw{t: t}
	conn, in := h.dialTCP(t)
	r.Conn, r.in = conn, in
	request := "GET /ws/s1 HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
	r.bytes(append([]byte(request), ws.MustCompileFrame(ws.MaskFrame(text(hello)))...))
	r.skipHandshake()
	for r.message().Type != protocol.TypeAck {
	}
}
