package history

import (
	"fmt"

	"github.com/parley-dev/parley/protocol"
)

// Entry is one line of the message store: *Text, *ToolStart, *ToolComplete or
// *Result. Timestamps are milliseconds since 1970.
type Entry interface{ entry() }

// Text is something said: by the user, by the assistant, or (type error) by the
// system. Of a text that is kept beside the journal it holds the beginning.
type Text struct {
	Role      string `json:"role" enum:"user,assistant,system"`
	Type      string `json:"type" enum:"text,error"`
	Content   string `json:"content"`
	Timestamp int64  `json:"timestamp"`
}

// ToolStart is a tool call that has not ended.
type ToolStart struct {
	Role      string         `json:"role" enum:"assistant"`
	Type      string         `json:"type" enum:"tool_start"`
	ToolName  string         `json:"toolName"`
	ToolInput map[string]any `json:"toolInput"`
	Timestamp int64          `json:"timestamp"`
}

// ToolComplete takes the place of its ToolStart, whose timestamp it keeps.
type ToolComplete struct {
	Role      string         `json:"role" enum:"assistant"`
	Type      string         `json:"type" enum:"tool_complete"`
	ToolName  string         `json:"toolName"`
	ToolInput map[string]any `json:"toolInput"`
	Success   bool           `json:"success"`
	Output    string         `json:"output"`
	Error     *string        `json:"error"`
	Timestamp int64          `json:"timestamp"`
}

// Result sums up a turn. Duration is in seconds.
type Result struct {
	Role         string  `json:"role" enum:"system"`
	Type         string  `json:"type" enum:"result"`
	Duration     float64 `json:"duration"`
	InputTokens  int64   `json:"inputTokens"`
	OutputTokens int64   `json:"outputTokens"`
	Timestamp    int64   `json:"timestamp"`
}

func (*Text) entry()         {}
func (*ToolStart) entry()    {}
func (*ToolComplete) entry() {}
func (*Result) entry()       {}

// TextOf gives what the message store tells of a message; nil if nothing.
func TextOf(d *protocol.MessageRecord) *Text {
	m := &d.Message
	role, kind := speaker(d)
	if role == "" {
		return nil
	}
	text := &Text{Role: role, Type: kind, Content: m.Text, Timestamp: m.Ts}
	if m.TextBlob != nil {
		text.Content += fmt.Sprintf("... (%d bytes total)", m.TextBlob.Size)
	}
	return text
}

// speaker gives role and type of a message's entry; "" for what the message
// store does not tell.
func speaker(d *protocol.MessageRecord) (role, kind string) {
	m := &d.Message
	switch {
	case d.Role == protocol.RoleUser:
		return "user", "text"
	case m.Say == protocol.SayError:
		return "system", "error"
	case d.Role != protocol.RoleAssistant:
		return "", ""
	case m.Say == protocol.SayText, m.Say == protocol.SayCompletionResult, m.Ask == protocol.AskFollowup:
		return "assistant", "text"
	}
	return "", ""
}

// StartOf gives the entry of a call that begins. The input, nil if it is not
// known, is what InputsOf gave for it.
func StartOf(r protocol.Record, d *protocol.ToolStarted, input map[string]any) *ToolStart {
	if len(d.Input) > 0 || input == nil {
		input = summary(d.Tool, d.Input)
	}
	return &ToolStart{
		Role: "assistant", Type: "tool_start", ToolName: d.Tool, ToolInput: input, Timestamp: r.Time.UnixMilli(),
	}
}

// CompleteOf gives the entry of a call that ended: one that began, or one that
// did not get that far, with the input that is known of it.
func CompleteOf(r protocol.Record, d *protocol.ToolCompleted, start *ToolStart, input map[string]any) *ToolComplete {
	if input == nil {
		input = map[string]any{}
	}
	e := &ToolComplete{
		Role: "assistant", Type: "tool_complete", ToolName: d.Tool, ToolInput: input,
		Success: d.OK, Output: cut(d.Output, MaxOutputLength), Timestamp: r.Time.UnixMilli(),
	}
	if start != nil {
		e.ToolName, e.ToolInput, e.Timestamp = start.ToolName, start.ToolInput, start.Timestamp
	}
	if b := d.OutputBlob; b != nil {
		e.Output = first(d.Output, MaxOutputLength) + fmt.Sprintf("... (%d bytes total)", b.Size)
	}
	if d.Error != nil {
		text := cut(d.Error.Message, MaxOutputLength)
		e.Error = &text
	}
	return e
}

// ResultOf sums up a turn that ended; nil if there is nothing to sum up.
func ResultOf(r protocol.Record) *Result {
	var of *protocol.Statistics
	switch d := r.Data.(type) {
	case *protocol.Complete:
		of = &d.Statistics
	case *protocol.Failed:
		of = d.Statistics
	}
	if of == nil {
		return nil
	}
	return &Result{
		Role: "system", Type: "result", Duration: float64(of.ExecutionTimeMS) / 1000,
		InputTokens: of.Usage.InputTokens, OutputTokens: of.Usage.OutputTokens, Timestamp: r.Time.UnixMilli(),
	}
}
