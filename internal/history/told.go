package history

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

// Told is a message of a model's history, with where it comes from and whether
// the model is told it still.
type Told struct {
	model.Message
	// Seq is the record that brought it; of results, the one that asked for them.
	Seq uint64
	// HiddenBy is the summary or the truncation that took its place.
	HiddenBy string
	// CondenseID and TruncationID are set of what takes the place of others.
	CondenseID   string
	TruncationID string
}

// Visible gives what the model is told of a history.
func Visible(told []Told) []Told {
	out := make([]Told, 0, len(told))
	for _, m := range told {
		if m.HiddenBy == "" {
			out = append(out, m)
		}
	}
	return out
}

// Messages gives a history as a model takes it.
func Messages(told []Told) []model.Message {
	out := make([]model.Message, len(told))
	for i, m := range told {
		out[i] = m.Message
	}
	return out
}

// Tokens guesses how long a history is.
func Tokens(told []Told) (n int64) {
	for _, m := range told {
		n += model.EstimateMessage(m.Message)
	}
	return n
}

// mark hides what a summary or a truncation covers and puts it in front of what
// is left.
func (m *modelFold) mark(r protocol.Record, d *protocol.MessageRecord) {
	switch c, t := d.Message.ContextCondense, d.Message.ContextTruncation; {
	case d.Message.Say == protocol.SayCondenseContext && c != nil:
		m.begin(keptFrom(c.KeepsFrom, r.Seq))
		m.cover(c.CondenseID, nil)
		m.insert(Told{
			Message: model.Text(model.RoleUser, "This is a summary of what was said and done before:\n\n"+c.Summary), Seq: r.Seq, CondenseID: c.CondenseID,
		})
	case d.Message.Say == protocol.SaySlidingWindowTruncation && t != nil:
		m.begin(keptFrom(t.KeepsFrom, r.Seq))
		m.cover(t.TruncationID, m.spared())
		m.insert(Told{
			Message: model.Text(model.RoleUser, fmt.Sprintf("(%d older messages were left out here to save room.)", t.MessagesRemoved)), Seq: r.Seq, TruncationID: t.TruncationID,
		})
	}
}

// begin tells everything from a record on only. Calls from before it are done
// with: what they give later has no place any more.
func (m *modelFold) begin(from uint64) {
	if m.from = max(m.from, from); m.asked < m.from {
		m.close()
	}
}

func keptFrom(id string, marker uint64) uint64 {
	if seq, err := protocol.ParseMessageID(id); err == nil {
		return seq
	}
	return marker
}

// cover hides what comes before what is kept, but for the one message that is
// spared.
func (m *modelFold) cover(by string, spared *Told) {
	for i := range m.told {
		if t := &m.told[i]; t.HiddenBy == "" && t != spared && t.from() < m.from {
			t.HiddenBy = by
		}
	}
}

// from is the record that decides whether a message is covered. What takes the
// place of others is always before what is kept.
func (t *Told) from() uint64 {
	if t.CondenseID != "" || t.TruncationID != "" {
		return 0
	}
	return t.Seq
}

// spared is what a truncation leaves: the summary of what came before, or,
// without one, what the person said first.
func (m *modelFold) spared() *Told {
	for i := range m.told {
		if t := &m.told[i]; t.HiddenBy == "" && t.CondenseID != "" {
			return t
		}
	}
	for i := range m.told {
		if t := &m.told[i]; t.HiddenBy == "" && t.Seq == m.first {
			return t
		}
	}
	return nil
}

// insert puts a marker in front of what is kept, behind what it covers.
func (m *modelFold) insert(t Told) {
	at := len(m.told)
	for i := range m.told {
		if m.told[i].HiddenBy == "" && m.told[i].from() >= m.from {
			at = i
			break
		}
	}
	m.told = append(m.told, Told{})
	copy(m.told[at+1:], m.told[at:])
	m.told[at] = t
}

// pictures gives the images that come with a message. What is no picture that a
// model could be shown is left out.
func pictures(images []string) []model.Block {
	var out []model.Block
	for _, image := range images {
		head, data, ok := strings.Cut(strings.TrimPrefix(image, "data:"), ";base64,")
		if !ok || !strings.HasPrefix(image, "data:image/") {
			continue
		}
		if raw, err := base64.StdEncoding.DecodeString(data); err == nil {
			out = append(out, model.Block{Kind: model.BlockImage, Image: &model.Image{MediaType: head, Data: raw}})
		}
	}
	return out
}
