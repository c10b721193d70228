package exchange

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/parley-dev/parley/protocol"
)

const (
	yaarMeta = "metadata.json"
	yaarLog  = "messages.jsonl"
)

// yaarSession is the metadata of a session log.
type yaarSession struct {
	SessionID string            `json:"sessionId,omitempty"`
	Title     string            `json:"title,omitempty"`
	Provider  string            `json:"provider,omitempty"`
	CreatedAt string            `json:"createdAt,omitempty"`
	UpdatedAt string            `json:"updatedAt,omitempty"`
	ThreadIDs map[string]string `json:"threadIds,omitempty"`
}

// yaarEntry is a line of a session log.
type yaarEntry struct {
	Type      string          `json:"type"`
	Content   json.RawMessage `json:"content,omitempty"`
	AgentID   string          `json:"agentId,omitempty"`
	Source    json.RawMessage `json:"source,omitempty"`
	Timestamp json.RawMessage `json:"timestamp,omitempty"`
	ToolName  string          `json:"toolName,omitempty"`
	ToolInput json.RawMessage `json:"toolInput,omitempty"`
	ToolUseID string          `json:"toolUseId,omitempty"`
}

func writeYaar(ctx context.Context, w io.Writer, e *export) error {
	out := packed{zip.NewWriter(w)}
	err := out.file(yaarMeta, func(w io.Writer) error {
		return encode(w, yaarSession{
			SessionID: e.ID, Title: e.title, Provider: e.model,
			CreatedAt: stamp(e.began), UpdatedAt: stamp(e.last),
		})
	})
	if err == nil {
		err = out.file(yaarLog, func(w io.Writer) error {
			return e.visible(ctx, func(r protocol.Record) error {
				if entry := yaarOf(r); entry != nil {
					return encode(w, entry)
				}
				return nil
			})
		})
	}
	if err != nil {
		return err
	}
	return out.Close()
}

func stamp(t time.Time) string { return protocol.At(t).Format("2006-01-02T15:04:05.000Z07:00") }

// yaarOf gives a record as a line of the log; nil if the log has no such line.
func yaarOf(r protocol.Record) *yaarEntry {
	at, _ := json.Marshal(stamp(r.Time)) // a string always encodes
	entry := &yaarEntry{AgentID: r.AgentID, Source: sourceOf(r.AgentID), Timestamp: at}
	text := func(s string) json.RawMessage { b, _ := json.Marshal(s); return b }
	switch d := r.Data.(type) {
	case *protocol.MessageRecord:
		switch {
		case told(d) || d.Message.Text == "":
			return nil
		case d.Role == protocol.RoleUser:
			entry.Type = "user"
		case d.Message.Say == protocol.SayReasoning:
			entry.Type = "thinking"
		case d.Role == protocol.RoleAssistant && d.Message.Type == protocol.KindSay:
			entry.Type = "assistant"
		default:
			return nil
		}
		entry.Content = text(d.Message.Text)
	case *protocol.ToolStarted:
		entry.Type, entry.ToolName, entry.ToolInput, entry.ToolUseID = "tool_use", d.Tool, d.Input, d.CallID
	case *protocol.ToolCompleted:
		if d.Retry {
			return nil
		}
		entry.Type, entry.ToolName, entry.ToolUseID, entry.Content = "tool_result", d.Tool, d.CallID, text(d.Output)
	default:
		return nil
	}
	return entry
}

// sourceOf says where an agent works: at the main conversation or at a window.
func sourceOf(agent string) json.RawMessage {
	source := json.RawMessage(`"main"`)
	if window, ok := strings.CutPrefix(agent, "window-"); ok {
		source, _ = json.Marshal(map[string]string{"window": window}) // strings always encode
	}
	return source
}

func readYaar(_ context.Context, src Source, o Options) (*Incoming, error) {
	f, err := openFolder(src, FolderFiles(Yaar), o.Limits)
	if err != nil {
		return nil, err
	}
	if f.files[yaarLog] == nil {
		return nil, refuse("this is no session log: there is no %s in it", yaarLog)
	}
	report := &Report{}
	var meta yaarSession
	if f.files[yaarMeta] != nil {
		f.read(yaarMeta, report, func(r io.Reader) {
			if err := json.NewDecoder(r).Decode(&meta); err != nil {
				report.Add(yaarMeta, "it cannot be read: %v", err)
			}
		})
	}
	id := cmp.Or(meta.SessionID, path.Base(f.name))
	d := newDraft(began(meta, id, o.Now), protocol.SessionCreated{Title: meta.Title, ImportedFrom: originOf(Yaar, id)}, report)
	y := yaarDraft{draft: d, main: d.agent, open: map[string]protocol.ToolCall{}}
	f.read(yaarLog, report, func(r io.Reader) { y.read(r, o.Limits) })
	return d.incoming(id, o.Limits)
}

// began is when a session log begins: as it says, or as its name says.
func began(meta yaarSession, id string, now time.Time) time.Time {
	if t, err := time.Parse(time.RFC3339, meta.CreatedAt); err == nil && t.Year() >= 1970 && t.Year() < 9999 {
		return t
	}
	if parts := strings.Split(id, "-"); len(parts) > 1 {
		if ms, err := strconv.ParseInt(parts[1], 10, 64); err == nil && ms > 0 && ms < lastTs {
			return time.UnixMilli(ms)
		}
	}
	return now
}

type yaarDraft struct {
	*draft
	main string
	open map[string]protocol.ToolCall // calls that wait for their result
}

func (y *yaarDraft) read(r io.Reader, l Limits) {
	lines := newLines(r, l.Frame)
	for lines.next() {
		raw := bytes.TrimSpace(lines.bytes())
		if len(raw) == 0 {
			continue
		}
		var e yaarEntry
		err := checkValue(raw, l.Depth)
		if err == nil {
			err = json.Unmarshal(raw, &e)
		}
		if err == nil {
			err = y.add(e, lines.number)
		}
		if err != nil {
			y.report.line(yaarLog, lines.number, "left out: %v", err)
		}
	}
	if err := lines.err(); err != nil {
		y.report.line(yaarLog, lines.number+1, "%v", err)
	}
}

func (y *yaarDraft) add(e yaarEntry, line int) error {
	y.agent = y.main
	if e.AgentID != "" && string(e.Source) != `"main"` && len(e.Source) > 0 && len(e.AgentID) <= 128 {
		y.agent = e.AgentID
	}
	at, text := instant(e.Timestamp), contentOf(e.Content)
	switch e.Type {
	case "user":
		y.say(protocol.RoleUser, at, text, yaarLog, line-1)
	case "assistant":
		y.say(protocol.RoleAssistant, at, text, yaarLog, line-1)
	case "thinking":
		y.message(protocol.RoleAssistant, protocol.Message{Ts: at, Type: protocol.KindSay, Say: protocol.SayReasoning, Text: text}, yaarLog, line-1)
	case "error":
		y.message(protocol.RoleSystem, protocol.Message{Ts: at, Type: protocol.KindSay, Say: protocol.SayError, Text: text}, yaarLog, line-1)
	case "tool_use":
		return y.use(e, at)
	case "tool_result":
		c, ok := y.open[e.ToolUseID]
		if !ok {
			return fmt.Errorf("no call %.60q waits for this result", e.ToolUseID)
		}
		delete(y.open, e.ToolUseID)
		y.end(at, c, true, text, nil)
	default:
		return fmt.Errorf("there is no place here for an entry of type %.40q", e.Type)
	}
	return nil
}

func (y *yaarDraft) use(e yaarEntry, at int64) error {
	var object map[string]json.RawMessage
	if e.ToolName == "" || len(e.ToolInput) > 0 && json.Unmarshal(e.ToolInput, &object) != nil {
		return fmt.Errorf("a tool call has a name and an object as input")
	}
	c := y.calls(at, []protocol.ToolCall{{UseID: e.ToolUseID, Tool: e.ToolName, Input: e.ToolInput}}, nil)[0]
	y.start(at, c)
	y.open[e.ToolUseID] = c
	return nil
}

// instant reads a time that is written as a text or as milliseconds; 0 if it is
// neither.
func instant(raw json.RawMessage) int64 {
	var ms float64
	if json.Unmarshal(raw, &ms) == nil {
		return millis(ms)
	}
	var t protocol.Time
	if json.Unmarshal(raw, &t) == nil && !t.IsZero() {
		return max(t.UnixMilli(), 0)
	}
	return 0
}

// contentOf gives a content as text; one that is no text stays as it is written.
func contentOf(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
