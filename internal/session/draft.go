package session

import (
	"time"

	"github.com/parley-dev/parley/protocol"
)

// draft collects the records of one decision.
type draft struct {
	records []protocol.Record
	next    uint64
	now     time.Time // the records' time
	clock   time.Time // what the clock says; for what is to happen later
	ts      int64
	agent   string
	monitor string
}

func (s *State) draft(c Command, now time.Time) *draft {
	now = protocol.At(now).Time
	clock := now
	if now.Before(s.Ledger.LastTime) {
		now = s.Ledger.LastTime // time in a session does not run backwards
	}
	return &draft{next: s.Ledger.Last + 1, now: now, clock: clock, ts: s.Ledger.LastTs, monitor: protocol.DefaultMonitor}
}

// of sets which agent the following records belong to.
func (d *draft) of(agent, monitor string) { d.agent, d.monitor = agent, monitor }

// add appends a record and gives its sequence number.
func (d *draft) add(t protocol.Type, data any) uint64 {
	seq := d.next
	d.records = append(d.records, protocol.Record{
		Seq: seq, Type: t, Time: d.now, AgentID: d.agent, MonitorID: d.monitor, Data: data,
	})
	d.next++
	return seq
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
