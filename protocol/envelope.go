package protocol

import "encoding/json"

// Envelope is the frame around every message, both ways. A stored record's
// frame has no session_id: the door puts it in (see WithSession), so that a
// fork can share the bytes.
type Envelope struct {
	Type      Type            `json:"type"`
	SessionID string          `json:"session_id,omitempty"`
	MessageID string          `json:"message_id,omitempty"`
	Timestamp Time            `json:"timestamp"`
	AgentID   string          `json:"agent_id,omitempty"`
	MonitorID string          `json:"monitor_id,omitempty"`
	Cause     *Cause          `json:"cause,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
}

// Cause remembers which client message made a record, so that the same message
// sent again is answered and not acted on. It stands in the first record that
// the message gave.
type Cause struct {
	// Scope is whose message ids these are: the client_id, else the user.
	Scope     string `json:"scope"`
	MessageID string `json:"message_id"`
	// Digest tells a repeated message from another one under the same id.
	Digest string `json:"digest"`
}

// WithSession gives the frame as a client sees it: with its session id.
func WithSession(frame []byte, session string) []byte {
	return AppendWithSession(make([]byte, 0, len(frame)+len(session)+16), frame, session)
}

// AppendWithSession appends the frame with its session id to dst. Session ids
// hold no character that JSON escapes.
func AppendWithSession(dst, frame []byte, session string) []byte {
	dst = append(dst, `{"session_id":"`...)
	dst = append(dst, session...)
	dst = append(dst, `",`...)
	return append(dst, frame[1:]...)
}
