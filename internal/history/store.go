package history

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/parley-dev/parley/protocol"
)

// How much of a tool's input and output the message store shows, in characters.
const (
	MaxOutputLength = 500
	MaxInputLength  = 300
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

// Store folds the message store: a session told in few words. Inputs and
// outputs of tools are cut for display; the journal keeps all.
type Store struct {
	page  Page
	items []Entry
	total int
	last  int64          // ts of the newest message
	calls map[string]int // running calls by their id: which entry they are
}

// NewStore makes a fold that keeps one page.
func NewStore(p Page) *Store {
	return &Store{page: p, items: []Entry{}, calls: map[string]int{}}
}

// Add folds the next visible record.
func (s *Store) Add(r protocol.Record) {
	at := r.Time.UnixMilli()
	switch d := r.Data.(type) {
	case *protocol.MessageRecord:
		s.message(d)
	case *protocol.ToolStarted:
		s.calls[r.ID()] = s.total
		s.add(&ToolStart{Role: "assistant", Type: "tool_start", ToolName: d.Tool, ToolInput: summary(d.Tool, d.Input), Timestamp: at})
	case *protocol.ToolCompleted:
		s.completed(d, at)
	case *protocol.Complete:
		s.result(&d.Statistics, at)
	case *protocol.Failed:
		s.result(d.Statistics, at)
	}
}

// Items gives the page, oldest first.
func (s *Store) Items() []Entry { return s.items }

// Total is how many entries there are on all pages.
func (s *Store) Total() int { return s.total }

func (s *Store) add(e Entry) {
	if s.page.holds(s.total) {
		s.items = append(s.items, e)
	}
	s.total++
}

func (s *Store) message(d *protocol.MessageRecord) {
	m := &d.Message
	role, kind := speaker(d)
	again := d.Action == protocol.MessageUpdated && m.Ts <= s.last
	s.last = max(s.last, m.Ts)
	if role == "" {
		return
	}
	text := &Text{Role: role, Type: kind, Content: m.Text, Timestamp: m.Ts}
	if m.TextBlob != nil {
		text.Content += fmt.Sprintf("... (%d bytes total)", m.TextBlob.Size)
	}
	if !again {
		s.add(text)
		return
	}
	for i, e := range s.items {
		if old, ok := e.(*Text); ok && old.Timestamp == m.Ts {
			s.items[i] = text
		}
	}
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

func (s *Store) completed(d *protocol.ToolCompleted, at int64) {
	e := &ToolComplete{
		Role: "assistant", Type: "tool_complete", ToolName: d.Tool, ToolInput: map[string]any{},
		Success: d.OK, Output: cut(d.Output, MaxOutputLength), Timestamp: at,
	}
	if b := d.OutputBlob; b != nil {
		e.Output = first(d.Output, MaxOutputLength) + fmt.Sprintf("... (%d bytes total)", b.Size)
	}
	if d.Error != nil {
		text := cut(d.Error.Message, MaxOutputLength)
		e.Error = &text
	}
	i, running := s.calls[d.CallID]
	if !running {
		s.add(e)
		return
	}
	delete(s.calls, d.CallID)
	if !s.page.holds(i) {
		return
	}
	place := &s.items[i-s.page.Offset]
	if start, ok := (*place).(*ToolStart); ok {
		e.ToolName, e.ToolInput, e.Timestamp = start.ToolName, start.ToolInput, start.Timestamp
	}
	*place = e
}

func (s *Store) result(of *protocol.Statistics, at int64) {
	if of == nil {
		return
	}
	s.add(&Result{
		Role: "system", Type: "result", Duration: float64(of.ExecutionTimeMS) / 1000,
		InputTokens: of.Usage.InputTokens, OutputTokens: of.Usage.OutputTokens, Timestamp: at,
	})
}

// rule says what of a tool's input is shown.
type rule struct {
	keep []string
	line string // of this value the first line only
}

// rules never changes: the tools whose input has a short form, by the names of
// the message store's own document and by ours. Other inputs are shown whole,
// each value cut.
var rules = func() map[string]rule {
	file := rule{keep: []string{"file_path", "notebook_path", "path"}}
	shell := rule{keep: []string{"description", "command"}, line: "command"}
	find := rule{keep: []string{"pattern", "path"}}
	return map[string]rule{
		"Read": file, "Edit": file, "Write": file, "NotebookEdit": file,
		"read_file": file, "edit_file": file, "write_file": file,
		"Bash": shell, "run_command": shell,
		"Glob": find, "Grep": find, "search_files": find, "list_files": find,
	}
}()

func summary(tool string, input json.RawMessage) map[string]any {
	out := map[string]any{}
	if len(input) == 0 {
		return out
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(input, &values); err != nil {
		out["input"] = cut(string(input), MaxInputLength)
		return out
	}
	r, short := rules[tool]
	if !short {
		for key, value := range values {
			out[key] = shown(value, false)
		}
		return out
	}
	for _, key := range r.keep {
		if value, ok := values[key]; ok {
			out[key] = shown(value, key == r.line)
		}
	}
	return out
}

// shown gives a value as it is, or its beginning.
func shown(value json.RawMessage, firstLine bool) any {
	var text string
	if err := json.Unmarshal(value, &text); err != nil || string(value) == "null" {
		if utf8.RuneCount(value) <= MaxInputLength {
			return value
		}
		return cut(string(value), MaxInputLength)
	}
	if firstLine {
		text, _, _ = strings.Cut(text, "\n")
	}
	return cut(text, MaxInputLength)
}

// cut gives a text of at most n characters, or its beginning and how long it is.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	total := utf8.RuneCountInString(text)
	if total <= n {
		return text
	}
	return first(text, n) + fmt.Sprintf("... (%d chars total)", total)
}

// first gives the first n characters.
func first(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
