package ws

import (
	"encoding/binary"
	"strings"

	"github.com/gobwas/ws"

	"github.com/parley-dev/parley/protocol"
)

// The close codes of RFC 6455 that the door uses beside those of the protocol.
const (
	closeNormal   protocol.CloseCode = 1000
	closeProtocol protocol.CloseCode = 1002
	closeInternal protocol.CloseCode = 1011
	closeTryLater protocol.CloseCode = 1013
)

// appendHeader appends the header of a whole, unmasked frame.
func appendHeader(b []byte, op ws.OpCode, n int) []byte {
	b = append(b, 0x80|byte(op))
	switch {
	case n <= 125:
		return append(b, byte(n))
	case n <= 0xffff:
		return binary.BigEndian.AppendUint16(append(b, 126), uint16(n))
	}
	return binary.BigEndian.AppendUint64(append(b, 127), uint64(n))
}

func appendFrame(b []byte, op ws.OpCode, payload []byte) []byte {
	return append(appendHeader(b, op, len(payload)), payload...)
}

// encodeText gives a message as its frame. It is built once for all clients.
func encodeText(json []byte) []byte {
	return appendFrame(make([]byte, 0, len(json)+10), ws.OpText, json)
}

// appendClose appends a close frame. A reason that is too long is cut.
func appendClose(b []byte, code protocol.CloseCode, reason string) []byte {
	if code == 0 { // the client gave none, nor do we
		return appendHeader(b, ws.OpClose, 0)
	}
	const most = ws.MaxControlFramePayloadSize - 2
	if len(reason) > most {
		reason = strings.ToValidUTF8(reason[:most], "")
	}
	b = appendHeader(b, ws.OpClose, 2+len(reason))
	return append(binary.BigEndian.AppendUint16(b, uint16(code)), reason...)
}
