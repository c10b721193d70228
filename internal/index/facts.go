package index

import (
	"encoding/json"

	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/protocol"
)

// fact is a record that a view tells. What it is in a view follows from the
// records before it on its path, and of those there is one path only: so its
// line and the version it replaces never change, and showing and hiding it is
// all that a rewind does.
type fact struct {
	id, session int64
	seq         uint64
	at          int64
	agent       string

	message *protocol.MessageRecord // nil if it is none
	text    []byte                  // of the message, as JSON
	fresh   bool                    // there is no other version of the message
	top     int64                   // the newest ts of a message so far
	begun   uint64                  // the record that began its line
	call    string                  // the call that it begins
	child   string                  // the session that a call hands work to
	result  string                  // how the answer of a turn begins
	lines   map[View]line
}

// tell keeps what the views tell of a record. lastTs is the ts of the newest
// message before it, hidden or not.
func (b *batch) tell(e journal.Entry, r *row, rec protocol.Record, lastTs int64) (err error) {
	f := fact{
		id: e.Position, session: r.key, seq: rec.Seq, at: rec.Time.UnixMilli(), agent: rec.AgentID,
		begun: rec.Seq, lines: make(map[View]line, 2),
	}
	switch d := rec.Data.(type) {
	case *protocol.MessageRecord:
		f.message, f.fresh = d, d.Message.Ts > lastTs
		err = b.tellMessage(&f, r, rec)
	case *protocol.ToolStarted:
		err = b.tellStarted(&f, r, rec, d)
	case *protocol.ToolCompleted:
		err = b.tellCompleted(&f, r, rec, d)
	default:
		result := history.ResultOf(rec)
		if result == nil {
			return nil
		}
		if d, ok := rec.Data.(*protocol.Complete); ok {
			if f.result = firstCharacters(d.Response.Text); f.result != "" {
				r.kin.result = f.result
			}
		}
		err = f.begin(Store, r, result)
	}
	if err != nil || len(f.lines) == 0 && f.message == nil {
		return err
	}
	if err := b.putFact(&f); err != nil || f.child == "" {
		return err
	}
	return b.relate(r)
}

// begin adds a line to a view.
func (f *fact) begin(v View, r *row, entry any) error {
	told, err := json.Marshal(entry)
	f.add(v, r, told)
	return err
}

func (f *fact) add(v View, r *row, told []byte) {
	f.lines[v] = line{told: told, n: r.total[v]}
	r.total[v]++
}

// tellMessage follows the rules of the history package's folds: an update of a
// message that is not there is shown only if it is newer than all others.
func (b *batch) tellMessage(f *fact, r *row, rec protocol.Record) error {
	d := f.message
	again := d.Action == protocol.MessageUpdated && d.Message.Ts <= r.top
	r.top = max(r.top, d.Message.Ts)
	f.top = r.top
	var err error
	if f.text, err = json.Marshal(d.Message.Text); err != nil {
		return err
	}
	if err := b.putText(f); err != nil {
		return err
	}
	if again {
		return b.tellUpdate(f, rec)
	}
	told, err := tellMessage(history.MessageOf(rec, d))
	if err != nil {
		return err
	}
	f.add(UI, r, told)
	if text := history.TextOf(d); text != nil {
		if told, err = tellText(text, d.Message.Text); err != nil {
			return err
		}
		f.add(Store, r, told)
	}
	return nil
}

func (b *batch) tellUpdate(f *fact, rec protocol.Record) (err error) {
	d := f.message
	for _, v := range views() {
		text := history.TextOf(d)
		if v == Store && text == nil {
			continue
		}
		l, begun, err := b.supersede(v, f.session, d.Message.Ts)
		if err != nil || l.over == 0 {
			return err
		}
		if v == Store {
			l.told, err = tellText(text, d.Message.Text)
		} else {
			f.begun = begun
			m := history.MessageOf(rec, d)
			m.MessageID = protocol.MessageID(begun)
			l.told, err = tellMessage(m)
		}
		if err != nil {
			return err
		}
		f.lines[v] = l
	}
	return nil
}

// tellStarted begins a line, unless the call runs already and this is its next
// attempt.
func (b *batch) tellStarted(f *fact, r *row, rec protocol.Record, d *protocol.ToolStarted) error {
	running, _, err := b.running(f.session, d.CallID)
	if err != nil || running.over != 0 {
		return err
	}
	input, err := b.input(r, d.CallID, d.TodoID)
	if err != nil {
		return err
	}
	f.call, f.child = d.CallID, d.ChildID
	return f.begin(Store, r, history.StartOf(rec, d, input))
}

func (b *batch) tellCompleted(f *fact, r *row, rec protocol.Record, d *protocol.ToolCompleted) error {
	if d.Retry {
		return nil // it is no end: the call runs again
	}
	l, of, err := b.running(f.session, d.CallID)
	if err != nil {
		return err
	}
	if l.over == 0 {
		input, err := b.input(r, d.CallID, d.TodoID)
		if err != nil {
			return err
		}
		return f.begin(Store, r, history.CompleteOf(rec, d, nil, input))
	}
	f.begun, f.child = of.begun, of.child
	if l.told, err = json.Marshal(history.CompleteOf(rec, d, toldStart(l.told), nil)); err != nil {
		return err
	}
	f.lines[Store] = l
	return b.exec("UPDATE facts SET store_shown = 0 WHERE id = ?", l.over)
}

// running finds the line of a call that was begun and has not ended.
func (b *batch) running(session int64, call string) (l line, of fact, err error) {
	if call == "" {
		return l, of, nil
	}
	_, err = found(b.queryRow(runningCall, session, call).Scan(&l.over, &l.n, &of.begun, &l.told, &of.child))
	return l, of, err
}

// What is replaced. The index is named where SQLite would choose one by which
// a long session is read from its end.
const (
	newestByTs  = "SELECT id, $_n, begun FROM facts INDEXED BY facts_ts WHERE session = ? AND ts = ? AND $_shown ORDER BY $_n DESC LIMIT 1"
	runningCall = "SELECT id, store_n, begun, store, coalesce(child, '') FROM facts INDEXED BY facts_call WHERE session = ? AND call = ? AND store_shown"
)

// supersede hides the visible version of a message, to put another in its place.
func (b *batch) supersede(v View, session, ts int64) (l line, begun uint64, err error) {
	known, err := found(b.queryRow(v.sql(newestByTs), session, ts).Scan(&l.over, &l.n, &begun))
	if err != nil || !known {
		return line{}, 0, err
	}
	return l, begun, b.exec(v.sql("UPDATE facts SET $_shown = 0 WHERE id = ?"), l.over)
}

func (b *batch) putFact(f *fact) error {
	var ts, top any
	d := f.message
	if d == nil {
		d = new(protocol.MessageRecord)
	} else {
		ts, top = d.Message.Ts, f.top
	}
	m := &d.Message
	args := []any{
		f.id, f.session, int64(f.seq), int64(f.begun), f.at, f.agent,
		ts, top, string(m.Say), string(m.Ask), string(d.Role), string(f.text),
		orNull(d.RequestID), orNull(f.call), orNull(f.child), orNull(f.result),
	}
	args = append(append(args, f.lines[UI].columns()...), f.lines[Store].columns()...)
	return b.exec(`
		INSERT INTO facts (id, session, seq, begun, at, agent, ts, top, say, ask, role, text, request, call, child, result,
			ui, ui_n, ui_over, ui_shown, store, store_n, store_over, store_shown)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, args...)
}

// putText makes a message's newest text findable. Whatever its versions, it
// stays where it was first said.
func (b *batch) putText(f *fact) error {
	m := &f.message.Message
	if f.fresh {
		return b.putWords(f.id, f.session, m.Text)
	}
	var first int64
	var had string
	known, err := found(b.queryRow(`
		SELECT min(id), (SELECT text FROM facts INDEXED BY facts_ts WHERE session = ?1 AND ts = ?2 ORDER BY id DESC LIMIT 1)
		FROM facts INDEXED BY facts_ts WHERE session = ?1 AND ts = ?2 HAVING count(*) > 0`, f.session, m.Ts).Scan(&first, &had))
	if err != nil {
		return err
	}
	if !known {
		return b.putWords(f.id, f.session, m.Text)
	}
	if had == string(f.text) {
		return nil
	}
	if err := b.exec("DELETE FROM words WHERE rowid = ?", first); err != nil {
		return err
	}
	return b.putWords(first, f.session, m.Text)
}
