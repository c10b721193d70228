package exchange

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/parley-dev/parley/internal/branch"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/protocol"
)

// Session is what an export reads.
type Session struct {
	ID string
	// Last is the record at which the export ends, whatever comes meanwhile.
	Last uint64
	// Read gives up to limit stored records after a sequence number.
	Read func(ctx context.Context, after uint64, limit int) ([]journal.Record, error)
	// Blob gives what was too long for a record.
	Blob func(hash string) ([]byte, error)
}

type exporter func(context.Context, io.Writer, *export) error

// Export writes a session in a format.
func Export(ctx context.Context, w io.Writer, f Format, s Session) error {
	spec, err := Lookup(string(f))
	if err != nil {
		return err
	}
	e := &export{Session: s, sum: sha256.New(), created: &protocol.SessionCreated{}}
	if err := e.survey(ctx); err != nil {
		return fmt.Errorf("export session %s: %w", s.ID, err)
	}
	if err := spec.write(ctx, w, e); err != nil {
		return fmt.Errorf("export session %s: %w", s.ID, err)
	}
	return nil
}

// export is a session with what a first look at all of it tells.
type export struct {
	Session
	records uint64
	bytes   int64 // of the frames, with a line break each
	sum     hash.Hash
	blobs   []string // every hash, once, in order of appearance
	path    branch.Path
	updates map[int64]*protocol.MessageRecord // newest visible version by ts
	answers map[string][]uint64               // request → the records that resolved it
	marks   []mark                            // visible, in order

	created     *protocol.SessionCreated
	title, mode string
	model       string
	began, last time.Time
	usage       protocol.Usage
}

// mark is a message that hides what the model was told before.
type mark struct {
	seq   uint64
	keeps uint64 // the first record that it does not hide
	*protocol.Message
}

func newMark(seq uint64, m *protocol.Message) mark {
	id := ""
	if m.ContextCondense != nil {
		id = m.ContextCondense.KeepsFrom
	} else {
		id = m.ContextTruncation.KeepsFrom
	}
	keeps, err := protocol.ParseMessageID(id)
	if err != nil {
		keeps = seq
	}
	return mark{seq, keeps, m}
}

// id is what turns that the mark hides refer to.
func (m mark) id() string {
	if m.ContextCondense != nil {
		return cmp.Or(m.ContextCondense.CondenseID, protocol.MessageID(m.seq))
	}
	return cmp.Or(m.ContextTruncation.TruncationID, protocol.MessageID(m.seq))
}

const page = 256

// each visits every stored record, in order.
func (e *export) each(ctx context.Context, visit func(journal.Record) error) error {
	for after := uint64(0); after < e.Last; {
		limit := int(min(page, e.Last-after))
		records, err := e.Read(ctx, after, limit)
		if err != nil {
			return err
		}
		for _, r := range records {
			if err := visit(r); err != nil {
				return err
			}
			after = r.Seq
		}
		if len(records) < limit {
			return nil
		}
	}
	return nil
}

type update struct {
	seq  uint64
	data *protocol.MessageRecord
}

// survey looks at all records once.
func (e *export) survey(ctx context.Context) error {
	var moves branch.Tree
	var updates []update
	var marks []mark
	var newest int64
	seen := map[string]bool{}
	e.answers = map[string][]uint64{}
	err := e.each(ctx, func(stored journal.Record) error {
		r, err := protocol.DecodeRecord(stored.Frame)
		if err != nil {
			return fmt.Errorf("record %d: %w", stored.Seq, err)
		}
		e.records++
		e.bytes += int64(len(stored.Frame)) + 1
		e.sum.Write(stored.Frame)
		e.sum.Write([]byte{'\n'})
		for _, hash := range r.Blobs() {
			if !seen[hash] {
				seen[hash] = true
				e.blobs = append(e.blobs, hash)
			}
		}
		switch d := r.Data.(type) {
		case *protocol.Rewound:
			if head, err := protocol.ParseMessageID(d.Head); err == nil {
				moves = append(moves, branch.Move{Seq: r.Seq, Head: head})
			}
		case *protocol.HitlResolved:
			e.answers[d.RequestID] = append(e.answers[d.RequestID], r.Seq)
		case *protocol.MessageRecord:
			if d.Action == protocol.MessageUpdated && d.Message.Ts > 0 && d.Message.Ts <= newest {
				updates = append(updates, update{r.Seq, d})
			}
			newest = max(newest, d.Message.Ts)
			if d.Message.ContextCondense != nil || d.Message.ContextTruncation != nil {
				marks = append(marks, newMark(r.Seq, &d.Message))
			}
		}
		e.note(r)
		return nil
	})
	if err != nil {
		return err
	}
	e.path = moves.Path(e.Last)
	e.updates = map[int64]*protocol.MessageRecord{}
	for _, u := range updates {
		if e.sees(u.seq) {
			e.updates[u.data.Message.Ts] = u.data
		}
	}
	for _, m := range marks {
		if e.sees(m.seq) {
			e.marks = append(e.marks, m)
		}
	}
	return nil
}

// note keeps what the session as a whole is called and has cost.
func (e *export) note(r protocol.Record) {
	if e.began.IsZero() {
		e.began = r.Time
	}
	e.last = r.Time
	switch d := r.Data.(type) {
	case *protocol.SessionCreated:
		e.created, e.title, e.mode, e.model = d, d.Title, d.Mode, d.Model
	case *protocol.SessionUpdated:
		for _, set := range []struct{ to, from *string }{{&e.title, d.Title}, {&e.mode, d.Mode}, {&e.model, d.Model}} {
			if set.from != nil {
				*set.to = *set.from
			}
		}
	case *protocol.Forked:
		e.usage = protocol.Usage{}
		if d.Title != "" {
			e.title = d.Title
		}
	case *protocol.ModelCompleted:
		e.usage = e.usage.Add(d.Usage)
	case *protocol.MessageRecord:
		if e.title == "" && d.Role == protocol.RoleUser {
			e.title = titleOf(d.Message.Text)
		}
	}
}

// titleOf makes a title of a text's first line.
func titleOf(text string) string {
	const most = 80
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if runes := []rune(line); len(runes) > most {
		return strings.TrimSpace(string(runes[:most])) + "…"
	}
	return strings.TrimSpace(line)
}

// sees says whether a record is on the path. Spans lie in order, and a session
// from elsewhere may have any number of them.
func (e *export) sees(seq uint64) bool {
	i := sort.Search(len(e.path), func(i int) bool { return e.path[i].From > seq }) - 1
	return i >= 0 && seq <= e.path[i].To
}

// answered says whether a request was resolved, as far as people see.
func (e *export) answered(request string) bool {
	return request != "" && slices.ContainsFunc(e.answers[request], e.sees)
}

// visible visits the records that people see, in order: each message once, in
// its newest version, with its text whole, and each call with its input.
func (e *export) visible(ctx context.Context, visit func(protocol.Record) error) error {
	calls := newInputs()
	return e.each(ctx, func(stored journal.Record) error {
		if !e.sees(stored.Seq) {
			return nil
		}
		r, err := protocol.DecodeRecord(stored.Frame)
		if err != nil {
			return fmt.Errorf("record %d: %w", stored.Seq, err)
		}
		if d, ok := r.Data.(*protocol.MessageRecord); ok {
			newer, updated := e.updates[d.Message.Ts]
			switch {
			case updated && d.Action == protocol.MessageUpdated:
				return nil
			case updated:
				r.Data, d = newer, newer
			}
			d.Message.IsAnswered = d.Message.IsAnswered || e.answered(d.RequestID)
		}
		if err := e.fill(r); err != nil {
			return fmt.Errorf("record %d: %w", stored.Seq, err)
		}
		calls.fill(r)
		return visit(r)
	})
}

// fill puts back what was moved out of line.
func (e *export) fill(r protocol.Record) error {
	switch d := r.Data.(type) {
	case *protocol.MessageRecord:
		for i, image := range d.Message.Images {
			if hash, ok := strings.CutPrefix(image, protocol.BlobURL); ok {
				content, err := e.Blob(hash)
				if err != nil {
					return err
				}
				d.Message.Images[i] = string(content)
			}
		}
		return e.whole(&d.Message.Text, &d.Message.TextBlob)
	case *protocol.ToolCompleted:
		return e.whole(&d.Output, &d.OutputBlob)
	}
	return nil
}

func (e *export) whole(text *string, blob **protocol.BlobRef) error {
	if *blob == nil {
		return nil
	}
	content, err := e.Blob((*blob).Hash)
	if err != nil {
		return err
	}
	*text, *blob = string(content), nil
	return nil
}
