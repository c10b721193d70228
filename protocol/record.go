package protocol

import (
	"fmt"
	"time"
)

// Record is a fact of a session, decoded. Data points to the payload struct
// that the table gives for Type.
type Record struct {
	Seq       uint64
	Type      Type
	Time      time.Time
	AgentID   string
	MonitorID string
	Cause     *Cause
	Data      any
}

// ID is the record's message_id.
func (r Record) ID() string { return MessageID(r.Seq) }

// Encode gives the record's frame: the bytes that are stored, replayed and,
// with the session id put in, sent.
func (r Record) Encode() ([]byte, error) {
	return Envelope{
		Type: r.Type, MessageID: r.ID(), Timestamp: At(r.Time),
		AgentID: r.AgentID, MonitorID: r.MonitorID, Cause: r.Cause,
	}.Encode(r.Data)
}

// DecodeRecord reads a stored frame. It trusts its size and depth: the frame
// was ours before it was stored.
func DecodeRecord(frame []byte) (Record, error) {
	e, data, err := decodeTyped(frame, func(t Type) any {
		if spec, ok := Lookup(t); ok && spec.Family == Fact {
			return spec.New()
		}
		return nil
	})
	if err != nil {
		return Record{}, fmt.Errorf("decode record: %w", err)
	}
	seq, err := ParseMessageID(e.MessageID)
	if err != nil {
		return Record{}, fmt.Errorf("decode record: %w", err)
	}
	if data == nil {
		return Record{}, fmt.Errorf("decode record %s: type %q is not a record of this version", e.MessageID, clip(string(e.Type), 40))
	}
	return Record{
		Seq: seq, Type: e.Type, Time: e.Timestamp.Time,
		AgentID: e.AgentID, MonitorID: e.MonitorID, Cause: e.Cause, Data: data,
	}, nil
}
