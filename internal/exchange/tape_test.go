package exchange_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parley-dev/parley/internal/blob"
	"github.com/parley-dev/parley/internal/branch"
	"github.com/parley-dev/parley/internal/exchange"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/protocol"
)

// tape is a session being made up.
type tape struct {
	records []protocol.Record
	blobs   map[string][]byte
	ts      int64
	moves   branch.Tree
}

func newTape() *tape {
	t := &tape{blobs: map[string][]byte{}, ts: noon.UnixMilli()}
	t.add(protocol.TypeSessionCreated, &protocol.SessionCreated{Owner: "ann", Title: "A talk", Workspace: "/w", Pipeline: protocol.PipelineAuto, Version: protocol.Version})
	return t
}

func (t *tape) add(typ protocol.Type, data any) uint64 {
	seq := uint64(len(t.records)) + 1
	t.records = append(t.records, protocol.Record{
		Seq: seq, Type: typ, Time: noon.Add(time.Duration(seq) * time.Millisecond), AgentID: agent, MonitorID: protocol.DefaultMonitor, Data: data,
	})
	return seq
}

func (t *tape) message(role protocol.Role, m protocol.Message) uint64 {
	t.ts++
	m.Ts = t.ts
	if m.Type == "" {
		m.Type = protocol.KindSay
	}
	return t.add(protocol.TypeMessage, &protocol.MessageRecord{Action: protocol.MessageCreated, Role: role, Message: m})
}

func (t *tape) say(role protocol.Role, say protocol.Say, text string) uint64 {
	return t.message(role, protocol.Message{Say: say, Text: text})
}

// call asks for tools and gives the calls.
func (t *tape) call(n int) []protocol.ToolCall {
	d := &protocol.ModelCompleted{StopReason: "tool_use"}
	for i := range n {
		id := fmt.Sprintf("call_%010d_%d", len(t.records)+1, i+1)
		d.ToolCalls = append(d.ToolCalls, protocol.ToolCall{CallID: id, UseID: "use-" + id, Tool: "read_file", Input: json.RawMessage(`{"path":"a"}`), Approval: protocol.ApprovalAuto})
	}
	t.add(protocol.TypeModelCompleted, d)
	return d.ToolCalls
}

func (t *tape) done(c protocol.ToolCall, ok bool, output string) {
	t.add(protocol.TypeToolStarted, &protocol.ToolStarted{CallID: c.CallID, Tool: c.Tool})
	t.add(protocol.TypeToolCompleted, &protocol.ToolCompleted{CallID: c.CallID, Tool: c.Tool, OK: ok, Output: output})
}

// long says something that is kept beside the journal.
func (t *tape) long(role protocol.Role, text string) {
	hash := blob.Hash([]byte(text))
	t.blobs[hash] = []byte(text)
	t.message(role, protocol.Message{Say: protocol.SayText, Text: text[:1], TextBlob: &protocol.BlobRef{Hash: hash, Size: int64(len(text))}})
}

func (t *tape) rewind(head uint64) {
	seq := t.add(protocol.TypeRewound, &protocol.Rewound{RewindID: "r", Head: protocol.MessageID(head)})
	t.moves = append(t.moves, branch.Move{Seq: seq, Head: head})
}

// visible is what people and models see, texts whole.
func (t *tape) visible() (all []protocol.Record) {
	path := t.moves.Path(uint64(len(t.records)))
	for _, r := range t.records {
		if !path.Contains(r.Seq) {
			continue
		}
		if d, ok := r.Data.(*protocol.MessageRecord); ok && d.Message.TextBlob != nil {
			whole := *d
			whole.Message.Text, whole.Message.TextBlob = string(t.blobs[d.Message.TextBlob.Hash]), nil
			r.Data = &whole
		}
		all = append(all, r)
	}
	return all
}

type fataler interface {
	Helper()
	Fatal(args ...any)
}

func (t *tape) frames(f fataler) (all []journal.Record) {
	f.Helper()
	for _, r := range t.records {
		frame, err := r.Encode()
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, journal.Record{Seq: r.Seq, Frame: frame})
	}
	return all
}

// session makes an export's source of stored frames.
func session(frames []journal.Record, blobs map[string][]byte) exchange.Session {
	return exchange.Session{
		ID: "sess_1", Last: uint64(len(frames)),
		Read: func(_ context.Context, after uint64, limit int) ([]journal.Record, error) {
			if limit > 256 {
				return nil, errors.New("an export reads page by page")
			}
			return frames[after:min(after+uint64(limit), uint64(len(frames)))], nil
		},
		Blob: func(hash string) ([]byte, error) {
			if content, ok := blobs[hash]; ok {
				return content, nil
			}
			return nil, errors.New("no such blob")
		},
	}
}

func (t *tape) export(f fataler, format exchange.Format) []byte {
	f.Helper()
	var b bytes.Buffer
	if err := exchange.Export(context.Background(), &b, format, session(t.frames(f), t.blobs)); err != nil {
		f.Fatal(err)
	}
	return b.Bytes()
}

// anyTape makes up a session as it could have happened, rewinds included.
func anyTape(rt *rapid.T) *tape {
	t := newTape()
	words := rapid.StringMatching(`[a-z<>가-힣 "\n]{1,12}`)
	var open []protocol.ToolCall
	for range rapid.IntRange(0, 40).Draw(rt, "steps") {
		text := words.Draw(rt, "text")
		switch rapid.IntRange(0, 11).Draw(rt, "kind") {
		case 11:
			if rapid.Bool().Draw(rt, "wordless") {
				text = ""
			}
			t.message(protocol.RoleUser, protocol.Message{Say: protocol.SayUserFeedback, Text: text, Images: []string{"data:image/png;base64,AAAA"}})
		case 0, 1:
			t.say(protocol.RoleUser, rapid.SampledFrom([]protocol.Say{protocol.SayText, protocol.SayUserFeedback}).Draw(rt, "say"), text)
		case 2, 3:
			t.say(protocol.RoleAssistant, protocol.SayText, text)
		case 4:
			t.say(protocol.RoleAssistant, rapid.SampledFrom([]protocol.Say{protocol.SayReasoning, protocol.SayCompletionResult, protocol.SayCommandOutput}).Draw(rt, "say"), text)
		case 5:
			t.message(protocol.RoleAssistant, protocol.Message{Type: protocol.KindAsk, Ask: protocol.AskTool, Text: text, IsAnswered: true})
		case 6:
			if len(open) == 0 {
				open = t.call(rapid.IntRange(1, 3).Draw(rt, "calls"))
			}
		case 7:
			if len(open) > 0 {
				t.done(open[0], rapid.Bool().Draw(rt, "ok"), text)
				open = open[1:]
			}
		case 8:
			t.long(rapid.SampledFrom([]protocol.Role{protocol.RoleUser, protocol.RoleAssistant}).Draw(rt, "role"), "long: "+text)
		case 9:
			t.message("", protocol.Message{Say: protocol.SayText, Text: text, Partial: rapid.Bool().Draw(rt, "partial")})
		case 10:
			if rapid.IntRange(0, 3).Draw(rt, "rewind") == 0 {
				t.rewind(uint64(rapid.IntRange(1, len(t.records)).Draw(rt, "head")))
				open = nil
			}
		}
	}
	return t
}

var _ fataler = (*testing.T)(nil)
var _ fataler = (*rapid.T)(nil)
