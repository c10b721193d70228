package protocol

import (
	"bytes"
	"encoding/json"
)

// DecodeCommand reads a frame of a client. It gives the payload as a pointer to
// the struct of the table. What it refuses it refuses with a message for the
// person who wrote the client; the envelope then holds what could be read, so
// that the answer can name the message.
//
// Fields it does not know are passed over, null counts as missing, a key that
// stands twice in one object is refused. The type is matched without regard to
// case and given as the table writes it. A client has no say in `cause`.
func DecodeCommand(frame []byte, limits Limits) (Envelope, any, *Error) {
	if err := limits.check(frame); err != nil {
		return Envelope{}, nil, err
	}
	e, err := decodeHead(frame)
	if err != nil {
		return e, nil, err.replyTo(e)
	}
	spec, err := commandSpec(e.Type)
	if err != nil {
		return e, nil, err.replyTo(e)
	}
	e.Type = spec.Type
	payload := spec.New()
	if len(e.Data) > 0 {
		if err := json.Unmarshal(e.Data, payload); err != nil {
			return e, nil, wrongKind(err, "data").replyTo(e)
		}
	}
	if v, ok := payload.(validator); ok {
		if err := v.Validate(); err != nil {
			return e, nil, invalid(e.Type, err).replyTo(e)
		}
	}
	return e, payload, nil
}

// head is the envelope as clients send it: all of it optional but the type.
type head struct {
	Type      *string         `json:"type"`
	SessionID string          `json:"session_id"`
	MessageID string          `json:"message_id"`
	Timestamp json.RawMessage `json:"timestamp"`
	AgentID   string          `json:"agent_id"`
	MonitorID string          `json:"monitor_id"`
	Data      json.RawMessage `json:"data"`
}

func decodeHead(frame []byte) (Envelope, *Error) {
	var h head
	kindErr := json.Unmarshal(frame, &h) // reads on past a field of the wrong kind
	e := Envelope{SessionID: h.SessionID, AgentID: h.AgentID, MonitorID: h.MonitorID}
	if err := checkID("message_id", h.MessageID, maxMessageID); err != nil {
		return e, Errorf(CodeInvalidMessage, "%s", err).With("field", "message_id")
	}
	e.MessageID = h.MessageID
	if kindErr != nil {
		return e, wrongKind(kindErr, "")
	}
	if h.Type == nil || *h.Type == "" {
		return e, Errorf(CodeInvalidMessage, "type is missing: every message says what it is").With("field", "type")
	}
	e.Type = CanonicalType(*h.Type)
	for _, id := range []struct{ field, value string }{
		{"session_id", h.SessionID}, {"agent_id", h.AgentID}, {"monitor_id", h.MonitorID},
	} {
		if err := checkID(id.field, id.value, maxMessageID); err != nil {
			return e, Errorf(CodeInvalidMessage, "%s", err).With("field", id.field)
		}
	}
	if len(h.Timestamp) > 0 {
		if err := json.Unmarshal(h.Timestamp, &e.Timestamp); err != nil {
			return e, Errorf(CodeInvalidMessage, "timestamp must be a time such as 2026-02-06T10:00:00Z").With("field", "timestamp")
		}
	}
	if len(h.Data) > 0 && !bytes.Equal(h.Data, []byte("null")) {
		e.Data = h.Data
	}
	return e, nil
}

func commandSpec(t Type) (Spec, *Error) {
	spec, ok := Lookup(t)
	if !ok {
		return spec, Errorf(CodeInvalidMessage, "there is no message type %q", clip(string(t), 60)).With("field", "type")
	}
	if spec.Family != Command {
		return spec, Errorf(CodeInvalidMessage, "%s is a %s: the server sends it, a client cannot", t, spec.Family).With("field", "type")
	}
	return spec, nil
}

func (e *Error) replyTo(env Envelope) *Error {
	e.InReplyTo = env.MessageID
	return e
}

// DecodeFrame reads a frame of the server. The payload is a pointer to the
// struct of the table; of a type that this version does not know it is the raw
// data, so that an old client lives with a new server.
func DecodeFrame(frame []byte) (Envelope, any, error) {
	e, data, err := decodeTyped(frame, func(t Type) any {
		if spec, ok := Lookup(t); ok && spec.Family != Command {
			return spec.New()
		}
		return new(json.RawMessage)
	})
	if raw, ok := data.(*json.RawMessage); ok {
		return e, *raw, err
	}
	return e, data, err
}
