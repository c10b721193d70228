package ws_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"github.com/parley-dev/parley/protocol"
)

// raw is a client that decides about every byte it sends.
type raw struct {
	t testing.TB
	net.Conn
	in *bufio.Reader
}

func (h *house) dialRaw(t testing.TB, session, query string) *raw {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, br, _, err := ws.Dialer{}.Dial(ctx, h.address(session, query))
	if err != nil {
		t.Fatal("dial:", err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	if br == nil {
		br = bufio.NewReader(conn)
	}
	return &raw{t, conn, br}
}

// bytes sends bytes as they are. The server may have hung up already.
func (r *raw) bytes(b []byte) { _, _ = r.Write(b) }

func (r *raw) frame(f ws.Frame) { r.bytes(ws.MustCompileFrame(ws.MaskFrame(f))) }

func text(s string) ws.Frame { return ws.NewTextFrame([]byte(s)) }

func part(op ws.OpCode, fin bool, s string) ws.Frame { return ws.NewFrame(op, fin, []byte(s)) }

// next gives the next frame of the server, or how the connection ended.
func (r *raw) next() (ws.Frame, error) { return ws.ReadFrame(r.in) }

// message gives the next message.
func (r *raw) message() frame {
	r.t.Helper()
	f, err := r.next()
	if err != nil {
		r.t.Fatal("read:", err)
	}
	if f.Header.OpCode != ws.OpText || !f.Header.Fin || f.Header.Masked {
		r.t.Fatalf("got frame %+v %q, want a text", f.Header, f.Payload)
	}
	e, payload, err := protocol.DecodeFrame(f.Payload)
	if err != nil {
		r.t.Fatal(err)
	}
	return frame{e, payload, f.Payload}
}

// ending reads up to the close frame and the end of the stream, and gives the
// code; 0 for a close frame without one, -1 for none.
func (r *raw) ending() int {
	r.t.Helper()
	code := -1
	for {
		f, err := r.next()
		if errors.Is(err, io.EOF) {
			return code
		}
		if err != nil {
			r.t.Fatal("read:", err)
		}
		if code >= 0 {
			r.t.Fatalf("after the close frame came %+v", f)
		}
		if f.Header.OpCode == ws.OpClose {
			code = 0
			if len(f.Payload) >= 2 {
				code = int(binary.BigEndian.Uint16(f.Payload))
			}
		}
	}
}

func (h *house) dialTCP(t testing.TB) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", h.http.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	return conn, bufio.NewReader(conn)
}

// skipHandshake reads the server's answer to the upgrade.
func (r *raw) skipHandshake() {
	r.t.Helper()
	for {
		line, err := r.in.ReadString('\n')
		if err != nil {
			r.t.Fatal(err)
		}
		if line == "\r\n" {
			return
		}
	}
}

// newNarrowClient makes connections that take in little before they are read.
func newNarrowClient(t testing.TB) *http.Client {
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err == nil {
			err = conn.(*net.TCPConn).SetReadBuffer(64 << 10)
		}
		return conn, err
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}
