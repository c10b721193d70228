package exchange

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// draft makes the records of a session that was no journal. No record in it
// opens a turn or asks for anything, so the session rests from the start.
type draft struct {
	records []protocol.Record
	now     time.Time // of the newest record: time does not run backwards
	ts      int64     // of the newest message
	heard   bool      // a person has spoken
	agent   string
	report  *Report
}

// lastTs is the newest time in milliseconds that a record can have.
var lastTs = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC).UnixMilli()

func newDraft(at time.Time, created protocol.SessionCreated, report *Report) *draft {
	d := &draft{now: protocol.At(at).Time, agent: protocol.MainAgent(protocol.DefaultMonitor), report: report}
	created.Pipeline, created.Version = protocol.PipelineAuto, protocol.Version
	created.Title = titleOf(created.Title)
	d.add(0, protocol.TypeSessionCreated, &created)
	d.records[0].AgentID = ""
	return d
}

// add appends a record of a time in milliseconds; 0 is the time of the one
// before it.
func (d *draft) add(at int64, t protocol.Type, data any) uint64 {
	if when := time.UnixMilli(at).UTC(); at > 0 && at < lastTs && when.After(d.now) {
		d.now = when
	}
	r := protocol.Record{
		Seq: uint64(len(d.records)) + 1, Type: t, Time: d.now, AgentID: d.agent, MonitorID: protocol.DefaultMonitor, Data: data,
	}
	d.records = append(d.records, r)
	return r.Seq
}

// message appends something that people see. Its ts stays, unless another
// message has it or a later one.
func (d *draft) message(role protocol.Role, m protocol.Message, file string, index int) {
	at := m.Ts
	if at <= 0 || at >= lastTs {
		at = d.now.UnixMilli()
		if m.Ts != 0 {
			d.report.entry(file, index, "the time %d is none; the message stands where it was found", m.Ts)
		}
	}
	if at <= d.ts {
		if m.Ts != 0 {
			d.report.entry(file, index, "the ts %d is moved to %d: each message has one of its own, and they rise", at, d.ts+1)
		}
		at = d.ts + 1
	}
	d.ts, m.Ts = at, at
	var dropped int
	m.TextBlob = nil
	if m.Images, dropped = keepImages(m.Images); dropped > 0 {
		d.report.entry(file, index, "%d images are not in the file", dropped)
	}
	d.heard = d.heard || role == protocol.RoleUser
	d.add(at, protocol.TypeMessage, &protocol.MessageRecord{Action: protocol.MessageCreated, Role: role, Message: m})
}

// say appends words of a person or of the agent.
func (d *draft) say(role protocol.Role, at int64, text, file string, index int) {
	say := protocol.SayText
	if role == protocol.RoleUser && d.heard {
		say = protocol.SayUserFeedback
	}
	d.message(role, protocol.Message{Ts: at, Type: protocol.KindSay, Say: say, Text: text}, file, index)
}

// tell appends words that the model is told and people are not shown: a new
// version, with the ts 0 that no message has, of nothing that is on view.
func (d *draft) tell(role protocol.Role, at int64, text string) {
	d.add(at, protocol.TypeMessage, &protocol.MessageRecord{
		Action: protocol.MessageUpdated, Role: role,
		Message: protocol.Message{Type: protocol.KindSay, Say: protocol.SayText, Text: text},
	})
}

// told says that a message is one of those that tell made.
func told(d *protocol.MessageRecord) bool {
	return d.Action == protocol.MessageUpdated && d.Message.Ts == 0
}

// calls appends that the agent asked for tools, and gives the calls their ids.
func (d *draft) calls(at int64, calls []protocol.ToolCall, vendor []json.RawMessage) []protocol.ToolCall {
	seq := uint64(len(d.records)) + 1
	for i := range calls {
		calls[i].CallID = fmt.Sprintf("call_%010d_%d", seq, i+1)
		calls[i].Approval = protocol.ApprovalAuto
		calls[i].Class, calls[i].Effect = classOf(calls[i].Tool), protocol.EffectEffect
		if calls[i].Class == protocol.ClassRead {
			calls[i].Effect = protocol.EffectRead
		}
	}
	d.add(at, protocol.TypeModelCompleted, &protocol.ModelCompleted{StopReason: "tool_use", ToolCalls: calls, Vendor: vendor})
	return calls
}

// start appends that a call began.
func (d *draft) start(at int64, c protocol.ToolCall) {
	d.add(at, protocol.TypeToolStarted, &protocol.ToolStarted{
		CallID: c.CallID, Tool: c.Tool, Input: c.Input, Effect: c.Effect, Class: c.Class, Attempt: 1,
	})
}

// end appends what a call gave.
func (d *draft) end(at int64, c protocol.ToolCall, ok bool, output string, failure *string) {
	done := &protocol.ToolCompleted{CallID: c.CallID, Tool: c.Tool, OK: ok, Output: output}
	if failure != nil {
		done.Error = &protocol.TurnError{Code: "TOOL_FAILED", Message: *failure}
	}
	d.add(at, protocol.TypeToolCompleted, done)
}

// classOf guesses what kind of tool another system's is. It is shown, and
// allows nothing.
func classOf(tool string) protocol.ToolClass {
	switch tool {
	case "read_file", "list_files", "search_files", "codebase_search", "list_code_definition_names", "Read", "Glob", "Grep", "LS":
		return protocol.ClassRead
	case "write_to_file", "write_file", "edit_file", "apply_diff", "insert_content", "search_and_replace", "apply_patch", "Write", "Edit", "NotebookEdit":
		return protocol.ClassWrite
	case "browser_action":
		return protocol.ClassBrowser
	case "use_mcp_tool", "access_mcp_resource":
		return protocol.ClassMCP
	}
	return protocol.ClassExecute
}

// incoming is the session that was drafted.
func (d *draft) incoming(id string, l Limits) (*Incoming, error) {
	in := &Incoming{ID: id, Records: d.records, Report: d.report}
	if len(d.records) > l.Records {
		return nil, refuse("the session is too large: at most %d records can be taken in", l.Records)
	}
	return in, in.check()
}

// originOf says where a session came from, in session_created.
func originOf(f Format, id string) string {
	const most = 200
	if len(id) > most || id == "" {
		return string(f)
	}
	return string(f) + " " + id
}
