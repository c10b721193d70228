package ws_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"testing"

	"github.com/gobwas/ws"

	"github.com/parley-dev/parley/protocol"
)

// TestNoiseHarmsNobodyElse sends 10,000 broken frames, half of them broken as
// WebSocket frames and half as messages, while another client works on.
func TestNoiseHarmsNobodyElse(t *testing.T) {
	const visits, messages = 5_000, 5_000
	h := build(t, plan{})
	healthy := h.dial(t, "s1", "client_id=healthy")
	want[protocol.SessionState](healthy, protocol.TypeSessionState)
	random := rand.New(rand.NewPCG(7, 7))
	works := func(round int) {
		id := fmt.Sprint("m", round)
		healthy.send(map[string]any{"type": "update_session", "message_id": id, "data": map[string]any{"title": id}})
		if a := healthy.until(protocol.TypeAck).payload.(*protocol.Ack); !a.OK || a.InReplyTo != id {
			t.Fatalf("after %d: %+v", round, a)
		}
	}
	for i := range visits { // each ends with its first frame
		h.heckle(t, noise(random))
		if i%100 == 0 {
			works(i)
		}
	}
	answered := h.door.Stats.Errors.Load() // some noise makes a frame
	for i := range messages / 100 {
		var batch []byte
		for range 100 {
			batch = append(batch, ws.MustCompileFrame(ws.MaskFrame(text(brokenMessage(random))))...)
		}
		h.heckle(t, batch)
		works(visits + i)
	}
	if n := h.door.Stats.Errors.Load() - answered; n != messages {
		t.Errorf("%d of %d broken messages were answered", n, messages)
	}
}

// heckle connects, sends bytes and waits until the server has dealt with them.
func (h *house) heckle(t *testing.T, b []byte) {
	r := h.dialRaw(t, "s1", "")
	defer r.Close()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, r.in)
	}()
	r.bytes(b)
	_ = r.Conn.(*net.TCPConn).CloseWrite()
	<-gone
}

// noise is bytes that begin like a frame, or do not.
func noise(random *rand.Rand) []byte {
	b := make([]byte, random.IntN(300))
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	if len(b) > 14 && random.IntN(2) == 0 {
		b[0], b[1] = 0x80|byte(random.IntN(16)), 0x80|byte(random.IntN(128))
		if b[1] == 0xff {
			binary.BigEndian.PutUint64(b[2:], random.Uint64())
		}
	}
	return b
}

// brokenMessage is a message with something wrong in it.
func brokenMessage(random *rand.Rand) string {
	good := hello
	switch random.IntN(5) {
	case 0:
		return good[:random.IntN(strings.Index(good, "안"))]
	case 1:
		return `{"type":"` + string(rune('a'+random.IntN(26))) + `"}`
	case 2:
		return strings.Repeat("[", random.IntN(200))
	case 3:
		return `{"type":"user_message","type":"x","data":` + fmt.Sprint(random.IntN(9)) + `}`
	}
	return `{"type":"user_message","data":{"content":` + fmt.Sprint(random.IntN(9)) + `}}`
}
