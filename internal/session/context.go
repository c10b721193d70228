package session

import (
	"maps"
	"slices"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// Contexts is what models are told of the past: where each agent's part of it
// begins, how long it is, and whether it is being made shorter.
type Contexts struct {
	Windows map[string]Window `json:"windows,omitempty"`
	// First is the first thing that a person said.
	First uint64 `json:"first,omitempty"`
	// Meter is how much of the model's window the last call took.
	Meter      protocol.Context `json:"meter"`
	Condensing *Condensing      `json:"condensing,omitempty"`
}

// Window is the part of the past that an agent's model is told: some records
// from before, and everything from a record on.
type Window struct {
	From    uint64   `json:"from"`
	Heads   []uint64 `json:"heads,omitempty"`
	Summary uint64   `json:"summary,omitempty"` // the record that holds the latest summary
}

// Condensing is a summary that is being written.
type Condensing struct {
	ID       string    `json:"id"`
	Ts       int64     `json:"ts"` // of the message that shows it
	AgentID  string    `json:"agent_id"`
	TurnID   string    `json:"turn_id,omitempty"` // the turn that waits for it; empty if a person wants it
	Call     *Call     `json:"call,omitempty"`
	Attempts int       `json:"attempts"`
	RetryAt  time.Time `json:"retry_at"`
}

func (c Contexts) clone() Contexts {
	c.Windows = maps.Clone(c.Windows)
	if c.Condensing != nil {
		condensing := *c.Condensing
		c.Condensing = &condensing
	}
	return c
}

func (c *Contexts) apply(r protocol.Record) {
	switch d := r.Data.(type) {
	case *protocol.MessageRecord:
		c.applyMessage(r, d)
	case *protocol.ModelStarted:
		if k := c.Condensing; k != nil && d.Purpose == PurposeCondense {
			k.Call = &Call{Seq: r.Seq, Model: d.Model, Started: r.Time}
		}
	case *protocol.ModelCompleted:
		if k := c.Condensing; k != nil && k.Call.is(d.Call) {
			k.ended(d)
			return
		}
		c.measure(d)
	}
}

func (c *Contexts) applyMessage(r protocol.Record, d *protocol.MessageRecord) {
	m := &d.Message
	if c.First == 0 && d.Role == protocol.RoleUser {
		c.First = r.Seq
	}
	switch m.Say {
	case protocol.SayCondenseContext:
		if m.ContextCondense == nil {
			c.Condensing = &Condensing{ID: protocol.ID(protocol.CondensePrefix, r.Seq), Ts: m.Ts, AgentID: r.AgentID, TurnID: d.TurnID}
			return
		}
		c.Condensing = nil
		c.Meter.Tokens = int64(m.ContextCondense.NewContextTokens)
		from := max(c.Windows[r.AgentID].From, keeps(m.ContextCondense.KeepsFrom, r.Seq))
		c.setWindow(r.AgentID, Window{From: from, Summary: r.Seq})
	case protocol.SayCondenseContextError:
		c.Condensing = nil
	case protocol.SaySlidingWindowTruncation:
		if m.ContextTruncation == nil {
			return
		}
		c.Meter.Tokens = int64(m.ContextTruncation.NewContextTokens)
		c.setWindow(r.AgentID, c.truncated(c.Windows[r.AgentID], keeps(m.ContextTruncation.KeepsFrom, r.Seq)))
	}
}

// truncated begins a window later. A summary is still told, and without one
// what the person said first.
func (c *Contexts) truncated(w Window, from uint64) Window {
	from = max(w.From, from)
	w.From, w.Heads = from, nil
	switch {
	case w.Summary > 0 && w.Summary < from:
		w.Heads = []uint64{w.Summary}
	case w.Summary == 0 && c.First > 0 && c.First < from:
		w.Heads = []uint64{c.First}
	}
	return w
}

// keeps is the record from which on everything is told; nothing before the
// marker itself, if it does not say.
func keeps(id string, marker uint64) uint64 {
	if seq, err := protocol.ParseMessageID(id); err == nil {
		return seq
	}
	return marker
}

func (c *Contexts) setWindow(agent string, w Window) {
	if c.Windows == nil {
		c.Windows = map[string]Window{}
	}
	c.Windows[agent] = w
}

func (c *Contexts) measure(d *protocol.ModelCompleted) {
	if t := d.Usage.InputTokens + d.Usage.CacheReadTokens + d.Usage.CacheWriteTokens; t > 0 {
		c.Meter.Tokens = t + d.Usage.OutputTokens
	}
	if d.ContextWindow > 0 {
		c.Meter.Window = d.ContextWindow
	}
}

// is says whether a record names this call.
func (c *Call) is(id string) bool { return c != nil && protocol.MessageID(c.Seq) == id }

func (k *Condensing) ended(d *protocol.ModelCompleted) {
	k.Call = nil
	if d.Error == nil {
		return
	}
	k.Attempts++
	k.RetryAt = time.Time{}
	if d.RetryAt != nil {
		k.RetryAt = d.RetryAt.Time
	}
}

func (c *Contexts) rest() { c.Condensing = nil }

// Window is what an agent is told of the past. An agent that works on a todo
// has no past of its own.
func (c *Contexts) Window(agent string) Window {
	w := c.Windows[agent]
	w.Heads = slices.Clone(w.Heads)
	return w
}
