package engine

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/parley-dev/parley/protocol"
)

// hide takes secrets out of a text.
func (e *Engine) hide(text string) string {
	if e.Redact == nil {
		return text
	}
	return e.Redact.Redact(text)
}

// hideLong takes secrets out of texts that are about to become blobs: those are
// not looked through again when the record is encoded.
func (e *Engine) hideLong(records []protocol.Record) (changed bool) {
	for _, r := range records {
		var text *string
		switch d := r.Data.(type) {
		case *protocol.MessageRecord:
			text = &d.Message.Text
		case *protocol.ToolCompleted:
			text = &d.Output
		case *protocol.MessageQueued:
			text = &d.Content
		}
		if text == nil || len(*text) <= inlineMost {
			continue
		}
		clean := e.hide(*text)
		changed = changed || clean != *text
		*text = clean
	}
	return changed
}

// redact takes secrets out of what a frame says. What it is made of stays: the
// envelope, numbers, and the names of fields. A secret may look like any of them.
func (e *Engine) redact(frame []byte) (clean []byte, changed bool) {
	if text := string(frame); e.hide(text) == text {
		return frame, false
	}
	var out bytes.Buffer
	depth := 0
	for i := 0; i < len(frame); {
		switch frame[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			end := stringEnd(frame, i)
			token := frame[i:end]
			isKey := end < len(frame) && frame[end] == ':'
			if hidden, ok := e.hideToken(token, isKey); ok && depth > 1 {
				token, changed = hidden, true
			}
			out.Write(token)
			i = end
			continue
		}
		out.WriteByte(frame[i])
		i++
	}
	if !changed {
		return frame, false
	}
	return out.Bytes(), true
}

// hideToken takes secrets out of a quoted string; ok is false if there are none.
func (e *Engine) hideToken(token []byte, isKey bool) (hidden []byte, ok bool) {
	var text string
	if json.Unmarshal(token, &text) != nil || isKey && isField(text) {
		return nil, false
	}
	clean := e.hide(text)
	if clean == text {
		return nil, false
	}
	hidden, err := json.Marshal(clean)
	return hidden, err == nil
}

// isField says whether a key can be the name of a field of ours.
func isField(key string) bool {
	return strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// stringEnd is where the string ends that begins at i.
func stringEnd(frame []byte, i int) int {
	for i++; i < len(frame) && frame[i] != '"'; i++ {
		if frame[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(frame))
}
