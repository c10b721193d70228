package history_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// core is a session that the real core decides on, in memory.
type core struct {
	state   session.State
	records []protocol.Record
	now     time.Time
	// done sees each record once it is applied.
	done func(protocol.Record, protocol.Status)
}

func newCore(t rapid.TB) *core {
	c := &core{now: noon, done: func(protocol.Record, protocol.Status) {}}
	c.must(t, session.CreateSession, &protocol.SessionCreated{Owner: "ann", AutoApprove: []string{"read"}})
	return c
}

// do carries a command out, and folds the past if the head moves there.
func (c *core) do(typ protocol.Type, data any, open ...session.OpenText) ([]protocol.Record, error) {
	c.now = c.now.Add(time.Millisecond)
	d, err := c.state.Weigh(session.Command{Type: typ, Data: data, By: session.Actor{User: "ann"}, Open: open}, c.now)
	if err != nil {
		return nil, err
	}
	if head, moves := d.Head(); moves {
		at := c.at(head)
		d = d.Land(&at)
	}
	for _, r := range d.Records {
		c.records = append(c.records, r)
		if d.Moved() {
			c.state = c.at(r.Seq)
		} else {
			c.state.Ledger.Apply(r)
			c.state.Apply(r)
		}
		c.done(r, c.state.Status())
	}
	return d.Records, nil
}

func (c *core) must(t rapid.TB, typ protocol.Type, data any, open ...session.OpenText) []protocol.Record {
	t.Helper()
	records, err := c.do(typ, data, open...)
	if err != nil {
		t.Fatalf("%s: %v", typ, err)
	}
	return records
}

// at folds the session as it was at a record.
func (c *core) at(seq uint64) session.State {
	var ledger session.Ledger
	for _, r := range c.records[:seq] {
		ledger.Apply(r)
	}
	folder := session.NewFolder(ledger.Moves.Path(seq))
	for _, r := range c.records[:seq] {
		folder.Add(r)
	}
	return folder.State
}

func (c *core) visible() (seen tape) {
	path := c.state.Path()
	for _, r := range c.records {
		if path.Contains(r.Seq) {
			seen = append(seen, r)
		}
	}
	return seen
}

func (c *core) say(t rapid.TB, words string) {
	t.Helper()
	c.must(t, protocol.TypeUserMessage, &protocol.UserMessage{Content: words})
}

// answers has the model that is due say something and ask for tools.
func (c *core) answers(t rapid.TB, text string, uses ...session.ToolUse) {
	t.Helper()
	turn := c.state.Turns.Current.ID
	call := c.must(t, session.ModelBegin, &session.ModelBegun{TurnID: turn, Model: "m"})[0].Seq
	c.must(t, session.ModelEnd, &session.ModelEnded{
		TurnID: turn, Call: call, Uses: uses, Usage: protocol.Usage{InputTokens: 10, OutputTokens: 5},
	}, session.OpenText{OpenID: protocol.ID(protocol.OpenPrefix, call), Say: protocol.SayText, Text: text})
}

// runs has the first tool that may run do so.
func (c *core) runs(t rapid.TB, ok bool, output string) {
	t.Helper()
	for _, step := range c.state.Next() {
		if step.Kind != session.StepTool {
			continue
		}
		c.must(t, session.ToolBegin, &session.ToolBegun{TurnID: step.TurnID, CallID: step.Tool.ID})
		c.must(t, session.ToolEnd, &session.ToolEnded{TurnID: step.TurnID, CallID: step.Tool.ID, OK: ok, Output: output})
		return
	}
	t.Fatalf("no tool may run: %+v", c.state.Next())
}

// asked is the request that is open.
func (c *core) asked(t testing.TB) string {
	t.Helper()
	if len(c.state.Requests.Open) != 1 {
		t.Fatalf("open requests: %+v", c.state.Requests.Open)
	}
	return c.state.Requests.Open[0].RequestID
}

var (
	readUse = session.ToolUse{ID: "u1", Tool: "read_file", Input: []byte(`{"path":"a"}`), Class: protocol.ClassRead, Effect: protocol.EffectRead}
	runUse  = session.ToolUse{ID: "u2", Tool: "run_command", Input: []byte(`{"command":"make"}`), Class: protocol.ClassExecute, Effect: protocol.EffectEffect}
)
