package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// decodeTyped reads a frame in one pass, its data into what payload gives for
// its type. Where payload gives nil, data is passed over and nil comes back.
func decodeTyped(frame []byte, payload func(Type) any) (Envelope, any, error) {
	t, err := peekType(frame)
	if err != nil {
		return Envelope{}, nil, err
	}
	data := payload(t)
	f := struct {
		Envelope
		Data any `json:"data"` // hides the envelope's own
	}{Data: data}
	if data == nil {
		f.Data = new(json.RawMessage)
	}
	if err := json.Unmarshal(frame, &f); err != nil {
		return f.Envelope, nil, fmt.Errorf("%s %s: %w", clip(string(t), 40), clip(f.MessageID, 40), err)
	}
	if f.Type != t {
		return f.Envelope, nil, fmt.Errorf("%s: the frame has two types", clip(string(t), 40))
	}
	return f.Envelope, data, nil
}

// peekType finds the type of a frame: at its beginning, where ours have it,
// or right after the session id that the door put in.
func peekType(frame []byte) (Type, error) {
	rest := frame
	if after, ok := bytes.CutPrefix(frame, []byte(`{"session_id":"`)); ok {
		if _, after, ok = bytes.Cut(after, []byte(`",`)); ok {
			rest = after
		}
	} else if len(frame) > 0 && frame[0] == '{' {
		rest = frame[1:]
	}
	if rest, ok := bytes.CutPrefix(rest, []byte(`"type":"`)); ok {
		if name, _, ok := bytes.Cut(rest, []byte{'"'}); ok && isPlain(name) {
			return Type(name), nil
		}
	}
	var e struct {
		Type Type `json:"type"`
	}
	if err := json.Unmarshal(frame, &e); err != nil {
		return "", err
	}
	return e.Type, nil
}

func isPlain(name []byte) bool {
	for _, c := range name {
		if c != '_' && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
