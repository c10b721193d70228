package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Encode gives the frame of e around data, in one pass. Text stays as it was
// written ('<' is not escaped), and lists that may not be missing are written
// as [] and not as null: data, if it is a pointer, has them empty afterwards.
func (e Envelope) Encode(data any) ([]byte, error) {
	b := make([]byte, 0, 768)
	b = append(b, `{"type":`...)
	b = appendString(b, string(e.Type))
	b = appendField(b, `,"session_id":`, e.SessionID)
	b = appendField(b, `,"message_id":`, e.MessageID)
	b = append(b, `,"timestamp":`...)
	b = e.Timestamp.append(b)
	b = appendField(b, `,"agent_id":`, e.AgentID)
	b = appendField(b, `,"monitor_id":`, e.MonitorID)
	if c := e.Cause; c != nil {
		b = append(b, `,"cause":{"scope":`...)
		b = appendString(b, c.Scope)
		b = append(b, `,"message_id":`...)
		b = appendString(b, c.MessageID)
		b = append(b, `,"digest":`...)
		b = appendString(b, c.Digest)
		b = append(b, '}')
	}
	if data == nil {
		return append(b, '}'), nil
	}
	fillLists(data)
	b, err := appendJSON(append(b, `,"data":`...), data)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", e.Type, err)
	}
	return append(b, '}'), nil
}

func appendField(b []byte, key, value string) []byte {
	if value == "" {
		return b
	}
	return appendString(append(b, key...), value)
}

// appendString quotes s. Nearly all ids are plain and need no escaping.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			b, _ = appendJSON(b, s) // a string always encodes
			return b
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

func appendJSON(b []byte, v any) ([]byte, error) {
	buf := bytes.NewBuffer(b)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte{'\n'}), nil
}
