package sqlite

import (
	"bytes"
	"context"
	"database/sql/driver"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/parley-dev/parley/internal/journal"
)

// PutParts queues parts and returns at once. A part that is put again replaces
// the one before.
func (j *Journal) PutParts(session string, parts []journal.Part, failed func(error)) {
	w := &putParts{session: session, parts: slices.Clone(parts)}
	size := 0
	for i := range w.parts {
		p := &w.parts[i]
		p.Meta = bytes.Clone(p.Meta)
		size += len(p.Text) + len(p.Meta) + 64
	}
	done := func(err error) {
		if err != nil && failed != nil {
			// Nobody waits for this goroutine: the committer must not be
			// held up by what its owner does with the news.
			go failed(err)
		}
	}
	if err := j.queue.add(&task{work: w, bytes: size, done: done}); err != nil {
		done(err)
	}
}

type putParts struct {
	session string
	parts   []journal.Part
}

func (w *putParts) apply(g *group) error {
	h, err := g.living(w.session)
	if err != nil {
		return err
	}
	for _, p := range w.parts {
		g.exec("INSERT OR REPLACE INTO parts (session, open, idx, crc, text, meta) VALUES (?, ?, ?, ?, ?, ?)",
			h.key, p.Open, int64(p.Index), int64(partChecksum(p)), p.Text, p.Meta)
	}
	return nil
}

// living finds a session that exists.
func (g *group) living(id string) (*stagedHead, error) {
	h, err := g.head(id)
	switch {
	case err != nil:
		return nil, err
	case h.state == deleted:
		return nil, journal.ErrDeleted
	case h.state == absent:
		return nil, journal.ErrNotFound
	}
	return h, nil
}

// Parts gives a session's parts, ordered by open message and index.
func (j *Journal) Parts(ctx context.Context, session string) ([]journal.Part, error) {
	var parts []journal.Part
	err := j.read(ctx, func(c *conn) error {
		return c.query(ctx, `
			SELECT p.open, p.idx, p.crc, p.text, p.meta
			FROM sessions s JOIN parts p ON p.session = s.key
			WHERE s.id = ? ORDER BY p.open, p.idx`, func(v []driver.Value) error {
			p, ok := part(v)
			if !ok {
				return &journal.DamageError{Where: j.path, What: fmt.Sprintf("part %d of open message %s of session %s is not what was stored", p.Index, p.Open, session)}
			}
			parts = append(parts, p)
			return nil
		}, session)
	})
	return parts, err
}

// part decodes the columns open, idx, crc, text, meta and says whether they
// are what was stored.
func part(v []driver.Value) (journal.Part, bool) {
	p := journal.Part{Open: string(bytesOf(v[0])), Text: string(bytesOf(v[3])), Meta: bytesOf(v[4])}
	idx, err := integerOf(v[1])
	if err != nil {
		return p, false
	}
	p.Index = int(idx)
	crc, err := integerOf(v[2])
	return p, err == nil && crc == int64(partChecksum(p))
}

func partChecksum(p journal.Part) uint32 {
	sum := crc32.Checksum([]byte(p.Text), castagnoli)
	return crc32.Update(sum, castagnoli, p.Meta)
}
