package exchange

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/protocol"
)

// writeStore writes the message store: the whole of it, not only the newest
// entries that its own system keeps.
func writeStore(ctx context.Context, w io.Writer, e *export) error {
	id, _ := json.Marshal(e.ID) // a string always encodes
	if _, err := fmt.Fprintf(w, `{"sessionId":%s,"messages":`, id); err != nil {
		return err
	}
	s := storeSegments{list: list{w: w}, open: map[string]bool{}}
	if err := e.visible(ctx, s.add); err != nil {
		return err
	}
	if err := s.flush(); err != nil {
		return err
	}
	if err := s.list.close(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, `,"updatedAt":%d}`+"\n", e.last.UnixMilli())
	return err
}

// storeSegments gives the fold of package history so much at a time that a
// call is in one: who asked for it, its start and its end.
type storeSegments struct {
	list   list
	buffer []protocol.Record
	open   map[string]bool
}

func (s *storeSegments) add(r protocol.Record) error {
	switch d := r.Data.(type) {
	case *protocol.MessageRecord:
		if told(d) {
			return nil
		}
	case *protocol.ModelCompleted:
		for _, c := range d.ToolCalls {
			s.open[c.CallID] = true
		}
	case *protocol.ToolStarted:
		s.open[d.CallID] = true
	case *protocol.ToolCompleted:
		if !d.Retry {
			delete(s.open, d.CallID)
		}
	case *protocol.Complete:
		clear(s.open)
	case *protocol.Failed:
		clear(s.open) // what ran in the turn runs no more
	default:
		return nil
	}
	// A call without an end must not make the rest wait for ever.
	if s.buffer = append(s.buffer, r); len(s.open) > 0 && len(s.buffer) < 16*page {
		return nil
	}
	clear(s.open)
	return s.flush()
}

func (s *storeSegments) flush() error {
	fold := history.NewStore(history.Page{})
	for _, r := range s.buffer {
		fold.Add(r)
	}
	s.buffer = s.buffer[:0]
	for _, entry := range fold.Items() {
		if err := s.list.add(entry); err != nil {
			return err
		}
	}
	return nil
}

// storeEntry is any entry of a message store.
type storeEntry struct {
	Role         string          `json:"role"`
	Type         string          `json:"type"`
	Content      string          `json:"content"`
	ToolName     string          `json:"toolName"`
	ToolInput    json.RawMessage `json:"toolInput"`
	Success      bool            `json:"success"`
	Output       string          `json:"output"`
	Error        *string         `json:"error"`
	Duration     float64         `json:"duration"`
	InputTokens  int64           `json:"inputTokens"`
	OutputTokens int64           `json:"outputTokens"`
	Timestamp    float64         `json:"timestamp"`
}

func readStore(_ context.Context, src Source, o Options) (*Incoming, error) {
	if src.Size > o.Limits.File {
		return nil, refuse("the file has %d bytes; at most %d are taken", src.Size, o.Limits.File)
	}
	report := &Report{}
	var id string
	var updated float64
	var s *storeDraft
	begin := func(at int64) {
		if s == nil {
			began := o.Now
			if at > 0 {
				began = time.UnixMilli(at)
			}
			s = &storeDraft{newDraft(began, protocol.SessionCreated{ImportedFrom: originOf(Store, id)}, report), src.Name}
		}
	}
	err := members(src.open(), func(key string, dec *json.Decoder) error {
		switch key {
		case "sessionId":
			return dec.Decode(&id)
		case "updatedAt":
			return dec.Decode(&updated)
		case "messages":
			return entries(dec, src.Name, o.Limits, report, func(i int, raw json.RawMessage) error {
				var e storeEntry
				if err := json.Unmarshal(raw, &e); err != nil {
					return err
				}
				begin(millis(e.Timestamp))
				return s.add(e, i)
			})
		}
		var other json.RawMessage
		return dec.Decode(&other)
	})
	if err != nil {
		report.Add(src.Name, "from here on the file cannot be read: %v", err)
	}
	begin(0)
	s.records[0].Data.(*protocol.SessionCreated).ImportedFrom = originOf(Store, id)
	return s.incoming(id, o.Limits)
}

type storeDraft struct {
	*draft
	file string
}

func (s *storeDraft) add(e storeEntry, i int) error {
	at := millis(e.Timestamp)
	switch {
	case e.Type == "text" && (e.Role == "user" || e.Role == "assistant"):
		s.say(protocol.Role(e.Role), at, e.Content, s.file, i)
	case e.Type == "error":
		s.message(protocol.RoleSystem, protocol.Message{Ts: at, Type: protocol.KindSay, Say: protocol.SayError, Text: e.Content}, s.file, i)
	case e.Type == "tool_start" || e.Type == "tool_complete":
		return s.tool(e, at)
	case e.Type == "result":
		s.draft.add(at, protocol.TypeComplete, &protocol.Complete{Status: "success", Response: protocol.Response{Format: "text"}, Statistics: protocol.Statistics{
			ExecutionTimeMS: int64(min(max(e.Duration, 0), 1e9) * 1000), TokensUsed: e.InputTokens + e.OutputTokens,
			Usage: protocol.Usage{InputTokens: e.InputTokens, OutputTokens: e.OutputTokens},
		}})
	default:
		return fmt.Errorf("there is no entry of role %.20q and type %.20q", e.Role, e.Type)
	}
	return nil
}

func (s *storeDraft) tool(e storeEntry, at int64) error {
	var object map[string]json.RawMessage
	if e.ToolName == "" || len(e.ToolInput) > 0 && json.Unmarshal(e.ToolInput, &object) != nil {
		return fmt.Errorf("a tool call has a name and an object as input")
	}
	c := s.calls(at, []protocol.ToolCall{{Tool: e.ToolName, Input: e.ToolInput}}, nil)[0]
	s.start(at, c)
	if e.Type == "tool_complete" {
		s.end(at, c, e.Success, e.Output, e.Error)
	}
	return nil
}
