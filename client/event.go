package client

import (
	"encoding/json"
	"errors"

	"github.com/parley-dev/parley/protocol"
)

// FromStart is the cursor before the first record of a session.
const FromStart = "msg_0000000000"

// Event is one thing that came from the server: a record, or a signal.
type Event struct {
	// Envelope is the frame as it came, its Data raw.
	protocol.Envelope
	// Data is the payload: a pointer to the struct that package protocol gives
	// for Type, such as *protocol.MessageRecord. Of a type that this version
	// does not know it is a json.RawMessage.
	Data any
	// Seq is the sequence number of a record; 0 for a signal.
	Seq uint64
	// Reconnected marks the session_state with which a lost connection came
	// back. If its Resync is set, the server does not know the records that
	// were followed so far: forget them, and read the session anew.
	Reconnected bool

	size int
}

// MarshalJSON gives the event as the server sent it.
func (ev Event) MarshalJSON() ([]byte, error) { return json.Marshal(ev.Envelope) }

// decode reads a frame. A record whose payload does not fit this version is
// given raw, because skipping it would be a gap.
func decode(frame []byte) (Event, error) {
	var e protocol.Envelope
	if err := json.Unmarshal(frame, &e); err != nil {
		return Event{}, &malformed{err: err}
	}
	if e.Type == "" {
		return Event{}, &malformed{err: errors.New("the frame has no type")}
	}
	ev := Event{Envelope: e, Data: e.Data, size: len(frame)}
	_, data, err := protocol.DecodeFrame(frame)
	if err == nil {
		ev.Data = data
	}
	if !isRecord(e) {
		if err != nil {
			return Event{}, &malformed{err: err}
		}
		return ev, nil
	}
	if ev.Seq, err = protocol.ParseMessageID(e.MessageID); err != nil {
		return Event{}, &malformed{err: err}
	}
	if ev.Seq == 0 {
		return Event{}, &malformed{err: errors.New("the number of a record is 0")}
	}
	return ev, nil
}

// isRecord goes by the table; of types that are not in it, by the message_id,
// which signals never carry.
func isRecord(e protocol.Envelope) bool {
	if spec, known := protocol.Lookup(e.Type); known {
		return spec.Family == protocol.Fact
	}
	return e.MessageID != ""
}
