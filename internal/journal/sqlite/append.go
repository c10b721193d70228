package sqlite

import (
	"context"
	"fmt"

	"github.com/parley-dev/parley/internal/journal"
)

// Append adds records to a session.
func (j *Journal) Append(ctx context.Context, a journal.Append) error {
	size, err := checkAppend(a)
	if err != nil {
		return err
	}
	return j.do(ctx, &appendRecords{a}, size)
}

// checkAppend refuses what no journal could store, and says how large it is.
func checkAppend(a journal.Append) (size int, err error) {
	if a.Session == "" {
		return 0, fmt.Errorf("append: no session is named")
	}
	if len(a.Records) == 0 {
		return 0, fmt.Errorf("append to session %s: there are no records", a.Session)
	}
	for i, r := range a.Records {
		if want := a.Expect + uint64(i) + 1; r.Seq != want {
			return 0, fmt.Errorf("append to session %s: record %d is numbered %d instead of %d", a.Session, i, r.Seq, want)
		}
		size += len(r.Frame)
	}
	return size, nil
}

type appendRecords struct{ journal.Append }

func (w *appendRecords) apply(g *group) error {
	h, err := g.head(w.Session)
	switch {
	case err != nil:
		return err
	case h.state == deleted:
		return journal.ErrDeleted
	case h.last != w.Expect:
		return journal.ErrConflict
	case h.state == absent:
		g.key++
		h.head = head{key: g.key, family: g.key, wake: never, state: alive}
	}
	g.append(h, w.Append)
	return nil
}

// append writes what an append says to a session that may take it.
func (g *group) append(h *stagedHead, a journal.Append) {
	first := h.last + 1
	for _, r := range a.Records {
		g.add(h, r.Frame)
	}
	h.wake = wakeOf(a.Wake)
	for _, open := range a.Closes {
		g.exec("DELETE FROM parts WHERE session = ? AND open = ?", h.key, open)
	}
	for _, hash := range a.Blobs {
		g.exec("INSERT OR IGNORE INTO blob_refs (session, hash, seq) VALUES (?, ?, ?)", h.key, hash, int64(first))
	}
}
