// Package history gives the views of a session's past, each a fold of its
// visible records: what people read, what a model is told, and the short
// message list for display and paging; and, of all records, the events that
// automation waits for.
//
// The folds are pure. They take records one by one and in order, keep no more
// than what they are asked for, and never fail: what they do not know they
// leave out. Whoever feeds them leaves hidden records out.
package history

import "github.com/parley-dev/parley/protocol"

// Page is a part of a view. Offset counts from the oldest entry; a Limit of 0
// means all that follow.
type Page struct{ Offset, Limit int }

func (p Page) holds(i int) bool {
	return i >= p.Offset && (p.Limit <= 0 || i-p.Offset < p.Limit)
}

// Message is an ask or a say, with where it came from.
type Message struct {
	protocol.Message
	// MessageID is the record that brought the message first.
	MessageID string        `json:"message_id"`
	RequestID string        `json:"request_id,omitempty"`
	TurnID    string        `json:"turn_id,omitempty"`
	Role      protocol.Role `json:"role,omitempty"`
	AgentID   string        `json:"agent_id,omitempty"`
}

// MessageOf gives the message that a record brings.
func MessageOf(r protocol.Record, d *protocol.MessageRecord) Message {
	return Message{
		Message: d.Message, MessageID: r.ID(), RequestID: d.RequestID,
		TurnID: d.TurnID, Role: d.Role, AgentID: r.AgentID,
	}
}

// UI folds the ask and say messages, each in its newest version at the place
// of its first. An ask is answered once its request is resolved; asked anew, it
// is not.
type UI struct {
	page  Page
	items []Message
	total int
	last  int64 // ts of the newest message
}

// NewUI makes a fold that keeps one page.
func NewUI(p Page) *UI { return &UI{page: p, items: []Message{}} }

// Add folds the next visible record.
func (u *UI) Add(r protocol.Record) {
	switch d := r.Data.(type) {
	case *protocol.MessageRecord:
		u.message(r, d)
	case *protocol.HitlResolved:
		u.resolved(d.RequestID)
	}
}

func (u *UI) message(r protocol.Record, d *protocol.MessageRecord) {
	m := MessageOf(r, d)
	if d.Action == protocol.MessageUpdated && m.Ts <= u.last {
		u.replace(m)
		return
	}
	if u.page.holds(u.total) {
		u.items = append(u.items, m)
	}
	u.total++
	u.last = max(u.last, m.Ts)
}

// replace puts a new version in the place of the old one, if that is on the page.
func (u *UI) replace(m Message) {
	for i := len(u.items) - 1; i >= 0; i-- {
		if u.items[i].Ts == m.Ts {
			m.MessageID = u.items[i].MessageID
			u.items[i] = m
			return
		}
	}
}

// resolved marks the newest message that a request is asked by, if that is on
// the page.
func (u *UI) resolved(request string) {
	for i := len(u.items) - 1; i >= 0 && request != ""; i-- {
		if u.items[i].RequestID == request {
			u.items[i].IsAnswered = true
			return
		}
	}
}

// Items gives the page, oldest first.
func (u *UI) Items() []Message { return u.items }

// Total is how many messages there are on all pages.
func (u *UI) Total() int { return u.total }
