package client

import (
	"time"

	"github.com/parley-dev/parley/protocol"
)

// frame builds what a server sends. Seq 0 makes a signal.
func frame(t protocol.Type, seq uint64, data any) string {
	e := protocol.Envelope{Type: t, SessionID: "s1", Timestamp: protocol.At(time.Now()), AgentID: "main-monitor-0"}
	if seq > 0 {
		e.MessageID = protocol.MessageID(seq)
	}
	b, err := e.Encode(data)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// state is a session_state that contains everything up to a record.
func state(last uint64, open ...protocol.OpenMessage) string {
	return frame(protocol.TypeSessionState, 0, &protocol.SessionState{
		Status: protocol.StatusIdle, LastMessageID: protocol.MessageID(last), OpenMessages: open,
	})
}

// said is the record of a message.
func said(seq uint64, text string) string { return finished(seq, "", text) }

// finished is the record of a message that was streamed.
func finished(seq uint64, openID, text string) string {
	return frame(protocol.TypeMessage, seq, &protocol.MessageRecord{
		Action: protocol.MessageCreated, OpenID: openID,
		Message: protocol.Message{Ts: int64(seq), Type: protocol.KindSay, Say: protocol.SayText, Text: text},
	})
}

func delta(openID string, index int, text string) string {
	return frame(protocol.TypeAgentResponse, 0, &protocol.Delta{OpenID: openID, Index: index, Delta: text})
}

func joined(openID string, from, index int, text string) string {
	return frame(protocol.TypeAgentResponse, 0, &protocol.Delta{OpenID: openID, FromIndex: &from, Index: index, Delta: text})
}

func acked(id string, seq uint64) string {
	return frame(protocol.TypeAck, 0, &protocol.Ack{InReplyTo: id, OK: true, MessageID: protocol.MessageID(seq)})
}

func nacked(id string, err *protocol.Error) string {
	return frame(protocol.TypeAck, 0, &protocol.Ack{InReplyTo: id, Error: err})
}
