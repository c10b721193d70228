package index

import (
	"encoding/json"

	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/protocol"
)

// askedBy is the visible message by which a request is asked.
const askedBy = `
	SELECT id, ui_n, begun, agent, ui, text FROM facts INDEXED BY facts_request
	WHERE session = ? AND request = ? AND ui_shown ORDER BY ui_n DESC LIMIT 1`

// tellResolved puts a version of the message that asked in its place: it is
// answered. A rewind to before that takes the version away again, as it does
// with any other.
func (b *batch) tellResolved(e journal.Entry, r *row, rec protocol.Record, d *protocol.HitlResolved) error {
	f := fact{
		id: e.Position, session: r.key, seq: rec.Seq, at: rec.Time.UnixMilli(), top: r.top,
		lines: make(map[View]line, 1),
	}
	var l line
	var told []byte
	known, err := found(b.queryRow(askedBy, r.key, d.RequestID).Scan(&l.over, &l.n, &f.begun, &f.agent, &told, &f.text))
	if err != nil || !known {
		return err
	}
	m, err := toldMessage(told, f.text)
	if err != nil {
		return &staleError{"a message of it cannot be read: " + err.Error()}
	}
	m.IsAnswered = true
	f.message = &protocol.MessageRecord{Message: m.Message, RequestID: m.RequestID, Role: m.Role, TurnID: m.TurnID}
	if l.told, err = tellMessage(m); err != nil {
		return err
	}
	f.lines[UI] = l
	if err := b.exec("UPDATE facts SET ui_shown = 0 WHERE id = ?", l.over); err != nil {
		return err
	}
	return b.putFact(&f)
}

// toldMessage reads a line of the ui view back.
func toldMessage(told, text []byte) (m history.Message, err error) {
	if told[0] == ',' {
		told = append([]byte{'{'}, told[1:]...)
	}
	if err = json.Unmarshal(told, &m); err == nil {
		err = json.Unmarshal(text, &m.Text)
	}
	return m, err
}
