package index

import (
	"encoding/json"
	"strings"

	"github.com/parley-dev/parley/internal/history"
)

// View is a way to tell a session, line by line.
type View string

const (
	// Store tells it in short: texts, tool calls, errors, results.
	Store View = "store"
	// UI tells every ask and say message.
	UI View = "ui"
)

// views in the order in which they are folded.
func views() [2]View { return [...]View{UI, Store} }

// sql writes a query about the view: its columns are $, $_n, $_over, $_shown.
func (v View) sql(query string) string { return strings.ReplaceAll(query, "$", string(v)) }

// line is what a record is in a view: the beginning of a new line, or a new
// version of one.
type line struct {
	told []byte // JSON, see below; nil if the view does not tell the record
	n    int    // number of the line, from 0
	over int64  // the version whose place it takes; 0 if it begins a line
}

// columns are the values of told, n, over and shown.
func (l line) columns() []any {
	if l.told == nil {
		return []any{nil, nil, nil, 0}
	}
	if l.over == 0 {
		return []any{string(l.told), l.n, nil, 1}
	}
	return []any{string(l.told), l.n, l.over, 1}
}

// A text is stored once, in a column of its own, as JSON. What is told of it
// begins after the text, and pageOfLines puts the two together: reading copies
// bytes and looks at none.

// tellMessage is the line of the ui view.
func tellMessage(m history.Message) ([]byte, error) {
	if m.Text == "" {
		return json.Marshal(m)
	}
	m.Text = ""
	return afterText(m)
}

// tellText is the line of the message store.
func tellText(t *history.Text, text string) ([]byte, error) {
	if t.Content != text {
		return json.Marshal(t) // of a long text only the beginning is told, and its size
	}
	return afterText(struct {
		Role      string `json:"role"`
		Type      string `json:"type"`
		Timestamp int64  `json:"timestamp"`
	}{t.Role, t.Type, t.Timestamp})
}

// afterText encodes an object that has a text for its first field.
func afterText(object any) ([]byte, error) {
	b, err := json.Marshal(object)
	if err == nil {
		b[0] = ','
	}
	return b, err
}

// textField is the name of that first field.
func (v View) textField() string {
	if v == UI {
		return "text"
	}
	return "content"
}

// toldStart reads the line of a call that was begun back; nil if it is another.
func toldStart(told []byte) *history.ToolStart {
	var s struct {
		Type      string
		ToolName  string
		ToolInput map[string]json.RawMessage
		Timestamp int64
	}
	if err := json.Unmarshal(told, &s); err != nil || s.Type != "tool_start" {
		return nil
	}
	start := &history.ToolStart{ToolName: s.ToolName, ToolInput: make(map[string]any, len(s.ToolInput)), Timestamp: s.Timestamp}
	for key, value := range s.ToolInput {
		start.ToolInput[key] = value // as it was, numbers too
	}
	return start
}
