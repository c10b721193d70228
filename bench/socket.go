package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// socket is a WebSocket client that does as little as it can: it takes a byte
// stream apart into messages, in place, and checks nothing. Whoever measures a
// server must not be slower than it is.
type socket struct {
	conn net.Conn
	buf  []byte
	r, w int
}

// dial connects to a path, and gives a socket whose buffer holds size bytes at
// first.
func dial(addr, path string, size int) (*socket, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", path, addr)
	if err != nil {
		conn.Close()
		return nil, err
	}
	_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	in := bufio.NewReaderSize(conn, 4096)
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("connect to %s: %w", path, err)
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		why, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
		conn.Close()
		return nil, fmt.Errorf("connect to %s: %s %s", path, resp.Status, why)
	}
	_ = conn.SetReadDeadline(time.Time{})
	s := &socket{conn: conn, buf: make([]byte, size)}
	early, _ := in.Peek(in.Buffered())
	s.w = copy(s.buf, early)
	if s.w < len(early) {
		conn.Close()
		return nil, fmt.Errorf("connect to %s: the first message is larger than %d bytes", path, size)
	}
	return s, nil
}

// next waits for the next text message. It is valid until the next call.
func (s *socket) next() ([]byte, error) {
	for {
		text, ok, err := s.held()
		if err != nil || ok {
			return text, err
		}
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
}

// batch waits until something has come and gives each whole message of it.
func (s *socket) batch(visit func(text []byte)) error {
	if err := s.fill(); err != nil {
		return err
	}
	for {
		text, ok, err := s.held()
		if err != nil || !ok {
			return err
		}
		visit(text)
	}
}

const (
	opText  = 1
	opClose = 8
)

// held gives the next text message of what has been read, if it is whole.
func (s *socket) held() (text []byte, ok bool, err error) {
	for {
		b := s.buf[s.r:s.w]
		if len(b) < 2 {
			return nil, false, nil
		}
		head, n := 2, int(b[1]&0x7f)
		switch n {
		case 126:
			head = 4
		case 127:
			head = 10
		}
		if len(b) < head {
			return nil, false, nil
		}
		switch head {
		case 4:
			n = int(binary.BigEndian.Uint16(b[2:]))
		case 10:
			n = int(binary.BigEndian.Uint64(b[2:]))
		}
		if len(b) < head+n {
			return nil, false, s.room(head + n)
		}
		s.r += head + n
		switch b[0] & 0xf {
		case opText:
			return b[head : head+n], true, nil
		case opClose:
			return nil, false, fmt.Errorf("the server closed the connection: %q", b[head:head+n])
		}
	}
}

// room makes sure that a message of n bytes fits.
func (s *socket) room(n int) error {
	if n > 64<<20 {
		return fmt.Errorf("a message of %d bytes", n)
	}
	if n > len(s.buf) {
		bigger := make([]byte, 2*n)
		s.w = copy(bigger, s.buf[s.r:s.w])
		s.buf, s.r = bigger, 0
	}
	return nil
}

func (s *socket) fill() error {
	if s.r > 0 {
		s.w = copy(s.buf, s.buf[s.r:s.w])
		s.r = 0
	}
	n, err := s.conn.Read(s.buf[s.w:])
	s.w += n
	if n > 0 {
		return nil
	}
	return err
}

// send writes text messages in one call. The mask is zero, which is a mask like
// any other.
func (s *socket) send(texts ...[]byte) error {
	var b []byte
	for _, t := range texts {
		b = append(b, 0x80|opText)
		switch n := len(t); {
		case n < 126:
			b = append(b, 0x80|byte(n))
		case n <= 0xffff:
			b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(n))
		default:
			b = binary.BigEndian.AppendUint64(append(b, 0x80|127), uint64(n))
		}
		b = append(append(b, 0, 0, 0, 0), t...)
	}
	_, err := s.conn.Write(b)
	return err
}

func (s *socket) close() { _ = s.conn.Close() }

// messages counts what one text message holds: the peer joins several with line
// ends.
func messages(text []byte) int {
	return bytes.Count(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) + 1
}
