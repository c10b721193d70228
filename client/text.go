package client

import (
	"strings"

	"github.com/parley-dev/parley/protocol"
)

// Texts puts together the messages that are being written, from the events of
// Follow. It is for whoever shows text as it comes: nothing is shown twice and
// nothing is missing, whatever happened to the connection. The zero value is
// ready; it is not safe for concurrent use.
type Texts struct {
	open map[string]*openText
}

// Text is how a message being written looks after an event.
type Text struct {
	OpenID  string
	AgentID string
	// Say is the kind of the message: reasoning for a thought. Otherwise it is
	// empty as long as it is not known.
	Say protocol.Say
	// Text is all of it so far.
	Text string
	// Added is what is new at its end. If Replaced is set, what was shown
	// before does not hold any more and Added is the whole text.
	Added    string
	Replaced bool
	// Done: the message is finished, and this is what it says. If it was too
	// long for a record, Blob holds all of it.
	Done bool
	Blob *protocol.BlobRef
}

type openText struct {
	agent string
	say   protocol.Say
	text  strings.Builder
	next  int // index of the delta that comes next
	// starts are the places in text where the latest deltas begin, the last of
	// them that of index next-1.
	starts []int
}

// Apply takes the next event and gives what it changed: nothing for most, one
// text for a delta or a finished message, several for a session_state.
func (t *Texts) Apply(ev Event) []Text {
	switch data := ev.Data.(type) {
	case *protocol.SessionState:
		return t.restore(data)
	case *protocol.Delta:
		return t.grow(ev, data)
	case *protocol.ToolProgress:
		if data.OpenID != "" {
			t.get(data.OpenID).say = protocol.SayCommandOutput
			return t.grow(ev, &protocol.Delta{OpenID: data.OpenID, Index: data.Index, FromIndex: data.FromIndex, Delta: data.Text})
		}
	case *protocol.MessageRecord:
		if data.OpenID != "" {
			return t.finish(ev, data)
		}
	}
	return nil
}

// restore takes the texts as the server has them. One that it does not list was
// finished meanwhile: its message is still to come, unless the past is void.
func (t *Texts) restore(s *protocol.SessionState) []Text {
	if s.Resync {
		t.open = nil
	}
	var changed []Text
	for _, m := range s.OpenMessages {
		o := t.get(m.OpenID)
		o.agent, o.say, o.next, o.starts = m.AgentID, m.Say, max(0, m.NextIndex), nil
		if m.Text != o.text.String() {
			changed = append(changed, o.replace(m.OpenID, m.Text))
		}
	}
	return changed
}

// grow adds a delta. One that is known already, or lies beyond a gap, changes
// nothing: the finished message makes up for it.
func (t *Texts) grow(ev Event, d *protocol.Delta) []Text {
	o := t.get(d.OpenID)
	o.agent = ev.AgentID
	if ev.Type == protocol.TypeAgentThinking {
		o.say = protocol.SayReasoning
	}
	if d.FromIndex != nil {
		return o.join(d, *d.FromIndex)
	}
	if d.Index != o.next {
		return nil
	}
	o.starts = append(o.starts, o.text.Len())
	o.next++
	if d.Delta == "" {
		return nil
	}
	o.text.WriteString(d.Delta)
	return []Text{o.view(d.OpenID, d.Delta, false)}
}

// join puts one delta in the place of all those from an index on.
func (o *openText) join(d *protocol.Delta, from int) []Text {
	start, ok := o.start(from)
	if !ok || d.Index < from || d.Index < o.next-1 {
		return nil
	}
	o.next, o.starts = d.Index+1, nil
	text := o.text.String()[:start] + d.Delta
	if text == o.text.String() {
		return nil
	}
	return []Text{o.replace(d.OpenID, text)}
}

// start finds where the delta of an index begins.
func (o *openText) start(index int) (int, bool) {
	back := o.next - index
	switch {
	case index == 0:
		return 0, true
	case back == 0:
		return o.text.Len(), true
	case back > 0 && back <= len(o.starts):
		return o.starts[len(o.starts)-back], true
	}
	return 0, false
}

// finish puts what was recorded in the place of what was streamed. The record
// of a long text holds its beginning only; what was streamed of it is kept then.
func (t *Texts) finish(ev Event, m *protocol.MessageRecord) []Text {
	o := t.get(m.OpenID)
	delete(t.open, m.OpenID)
	text := m.Message.Text
	if streamed := o.text.String(); m.Message.TextBlob != nil && strings.HasPrefix(streamed, text) {
		text = streamed
	}
	done := o.replace(m.OpenID, text)
	done.AgentID, done.Say, done.Done, done.Blob = ev.AgentID, m.Message.Say, true, m.Message.TextBlob
	return []Text{done}
}

func (t *Texts) get(id string) *openText {
	o := t.open[id]
	if o == nil {
		if t.open == nil {
			t.open = make(map[string]*openText)
		}
		o = &openText{}
		t.open[id] = o
	}
	return o
}

// replace sets the text, and tells whether it goes on from what was there.
func (o *openText) replace(id, text string) Text {
	added, goesOn := strings.CutPrefix(text, o.text.String())
	if !goesOn {
		added = text
	}
	o.text.Reset()
	o.text.WriteString(text)
	return o.view(id, added, !goesOn)
}

func (o *openText) view(id, added string, replaced bool) Text {
	return Text{OpenID: id, AgentID: o.agent, Say: o.say, Text: o.text.String(), Added: added, Replaced: replaced}
}
