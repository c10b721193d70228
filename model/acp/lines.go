package acp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"sync"

	sdk "github.com/coder/acp-go-sdk"
)

// maxLine is the longest message that an agent may send.
const maxLine = 10 << 20

// ahead is how many updates may wait: less than the connection holds.
const ahead = 500

// lines hands an agent's messages to the connection in their order. The
// connection serves requests as they come, beside the notifications that came
// before them; here a request waits until these have been dealt with, so that
// what an agent said stands before what it asks for.
type lines struct {
	from  *bufio.Scanner
	begun chan struct{} // closed when the connection is set up
	left  []byte

	mu      sync.Mutex
	waiting int
	changed *sync.Cond
	closed  bool
}

func newLines(from io.Reader) *lines {
	l := &lines{from: bufio.NewScanner(from), begun: make(chan struct{})}
	l.from.Buffer(nil, maxLine)
	l.changed = sync.NewCond(&l.mu)
	return l
}

func (l *lines) Read(b []byte) (int, error) {
	<-l.begun
	for len(l.left) == 0 {
		if !l.from.Scan() {
			if err := l.from.Err(); err != nil {
				return 0, err
			}
			return 0, io.EOF
		}
		l.left = append(bytes.Clone(l.from.Bytes()), '\n')
		l.order(l.left)
	}
	n := copy(b, l.left)
	l.left = l.left[n:]
	return n, nil
}

// order waits until the message may go on.
func (l *lines) order(line []byte) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(line, &m) != nil || m.Method == "" {
		return
	}
	note := m.ID == nil || string(m.ID) == "null"
	if note && m.Method != sdk.ClientMethodSessionUpdate {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.closed && (l.waiting > 0 && !note || l.waiting >= ahead) {
		l.changed.Wait()
	}
	if note {
		l.waiting++
	}
}

// done says that an update was dealt with.
func (l *lines) done() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = max(l.waiting-1, 0) // one that came as a request was not counted
	l.changed.Broadcast()
}

// settle waits until all updates that came have been dealt with.
func (l *lines) settle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.closed && l.waiting > 0 {
		l.changed.Wait()
	}
}

func (l *lines) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.changed.Broadcast()
}
