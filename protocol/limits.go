package protocol

import (
	"bytes"
	"encoding/json"
	"io"
	"unicode/utf8"
)

// Limits bound what a client may send. A zero field means its default.
type Limits struct {
	Bytes  int // of one frame; 1 MiB
	Depth  int // of nested objects and lists; 64
	Values int // in one frame; 20,000
}

const (
	defaultBytes  = 1 << 20
	defaultDepth  = 64
	defaultValues = 20_000

	maxMessageID = 128
)

func (l Limits) orDefaults() Limits {
	if l.Bytes <= 0 {
		l.Bytes = defaultBytes
	}
	if l.Depth <= 0 {
		l.Depth = defaultDepth
	}
	if l.Values <= 0 {
		l.Values = defaultValues
	}
	return l
}

// check refuses a frame that could harm whoever decodes it. It does so token
// by token, so that what it refuses costs no more than what was read so far.
func (l Limits) check(frame []byte) *Error {
	l = l.orDefaults()
	if len(frame) > l.Bytes {
		return Errorf(CodeMessageTooLarge, "the message has %d bytes; at most %d are allowed", len(frame), l.Bytes)
	}
	if !utf8.Valid(frame) {
		return Errorf(CodeInvalidMessage, "the message is not valid UTF-8")
	}
	if b := bytes.TrimLeft(frame, " \t\r\n"); len(b) == 0 || b[0] != '{' {
		return Errorf(CodeInvalidMessage, "a message is one JSON object, such as {\"type\":\"pong\"}")
	}
	dec := json.NewDecoder(bytes.NewReader(frame))
	dec.UseNumber()
	var n nesting
	for first := true; ; first = false {
		token, err := dec.Token()
		switch {
		case err == io.EOF && !first && len(n.open) == 0:
			return nil
		case err != nil:
			return malformed(err, dec.InputOffset())
		case !first && len(n.open) == 0:
			return Errorf(CodeInvalidMessage, "there is more after the JSON object; send one object in a message")
		}
		if key, twice := n.see(token); twice {
			return Errorf(CodeInvalidMessage, "the key %q is there twice in one object", clip(key, 40))
		}
		if len(n.open) > l.Depth {
			return Errorf(CodeInvalidMessage, "the message is nested deeper than %d levels", l.Depth)
		}
		if n.values > l.Values {
			return Errorf(CodeInvalidMessage, "the message holds more than %d values", l.Values)
		}
	}
}

// nesting follows a walk through a JSON text.
type nesting struct {
	open   []level // the objects and lists around the walker
	values int     // seen so far
}

type level struct {
	list  bool
	value bool // in an object: a value is next, not a key
	keys  map[string]struct{}
}

// see takes the next token and tells a key that its object already has.
func (n *nesting) see(token json.Token) (key string, twice bool) {
	d, delim := token.(json.Delim)
	if delim && (d == '}' || d == ']') {
		n.open = n.open[:len(n.open)-1]
		return "", false
	}
	if len(n.open) > 0 {
		if top := &n.open[len(n.open)-1]; !top.list {
			if top.value = !top.value; top.value {
				key, _ = token.(string)
				return key, top.add(key)
			}
		}
	}
	n.values++
	if delim {
		n.open = append(n.open, level{list: d == '['})
	}
	return "", false
}

func (l *level) add(key string) (twice bool) {
	if _, twice = l.keys[key]; twice {
		return true
	}
	if l.keys == nil {
		l.keys = make(map[string]struct{}, 8)
	}
	l.keys[key] = struct{}{}
	return false
}
