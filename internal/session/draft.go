package session

import (
	"slices"
	"strings"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// draft collects the records of one decision. Each is applied at once to a copy
// of the state, so that what comes next can be decided from there.
type draft struct {
	state   *State
	records []protocol.Record
	next    uint64
	now     time.Time // the records' time
	clock   time.Time // what the clock says; for what is to happen later
	ts      int64
	agent   string
	monitor string
	by      Actor      // who asked for all this
	open    []OpenText // what is being written and not finished by this draft
}

func (s *State) draft(c Command, now time.Time) *draft {
	now = protocol.At(now).Time
	clock := now
	if now.Before(s.Ledger.LastTime) {
		now = s.Ledger.LastTime // time in a session does not run backwards
	}
	return &draft{state: s, next: s.Ledger.Last + 1, now: now, clock: clock, ts: s.Ledger.LastTs, monitor: protocol.DefaultMonitor, by: c.By, open: slices.Clone(c.Open)}
}

// of sets which agent the following records belong to.
func (d *draft) of(agent, monitor string) { d.agent, d.monitor = agent, monitor }

// add appends a record and gives its sequence number.
func (d *draft) add(t protocol.Type, data any) uint64 {
	r := protocol.Record{Seq: d.next, Type: t, Time: d.now, AgentID: d.agent, MonitorID: d.monitor, Data: data}
	d.records = append(d.records, r)
	d.next++
	d.state.Ledger.Apply(r)
	d.state.Apply(r)
	return r.Seq
}

// message appends a message with the next free ts.
func (d *draft) message(m protocol.MessageRecord) uint64 {
	d.ts = max(d.ts+1, d.now.UnixMilli())
	m.Message.Ts = d.ts
	if m.Action == "" {
		m.Action = protocol.MessageCreated
	}
	if m.Message.Type == "" {
		m.Message.Type = protocol.KindSay
	}
	return d.add(protocol.TypeMessage, &m)
}

// take removes the texts that an owner is writing from those that are open.
func (d *draft) take(owner func(OpenText) bool) []OpenText {
	var taken []OpenText
	d.open = slices.DeleteFunc(d.open, func(o OpenText) bool {
		if owner(o) {
			taken = append(taken, o)
			return true
		}
		return false
	})
	return taken
}

// breakOff finishes texts that will not be written to their end.
func (d *draft) breakOff(turn string, owner func(OpenText) bool) {
	for _, o := range d.take(owner) {
		d.message(finished(turn, o, true))
	}
}

func anyText(OpenText) bool { return true }

// writtenBy says whether a text belongs to the call that began with a record.
func writtenBy(seq uint64) func(OpenText) bool {
	id := protocol.ID(protocol.OpenPrefix, seq)
	return func(o OpenText) bool { return strings.HasPrefix(o.OpenID, id) }
}
