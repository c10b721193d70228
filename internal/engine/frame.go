package engine

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// Frame is a message on its way to clients: built once, shared by all of them,
// never changed.
type Frame struct {
	// JSON is the message as a client sees it, session id included.
	JSON []byte
	// Seq is the record's sequence number; 0 for a signal.
	Seq uint64
	// moves marks a record that moves the head: whoever has it needs a fresh state.
	moves bool
	// private marks a signal for one client, which is kept for it even when it
	// falls behind.
	private bool
	wire    atomic.Pointer[[]byte]
}

// Wire gives the frame in a door's own encoding, built on first use. One kind
// of door uses it.
func (f *Frame) Wire(encode func(json []byte) []byte) []byte {
	if b := f.wire.Load(); b != nil {
		return *b
	}
	b := encode(f.JSON)
	f.wire.Store(&b)
	return b
}

func recordFrame(session string, seq uint64, stored []byte) *Frame {
	return &Frame{JSON: protocol.WithSession(stored, session), Seq: seq, moves: bytes.HasPrefix(stored, moved)}
}

// NewSignal makes a frame of a signal. A signal has no message_id.
func NewSignal(session string, t protocol.Type, agent, monitor string, data any) (*Frame, error) {
	e := protocol.Envelope{Type: t, SessionID: session, Timestamp: protocol.At(time.Now()), AgentID: agent, MonitorID: monitor}
	b, err := e.Encode(data)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", t, err)
	}
	return &Frame{JSON: b}, nil
}
