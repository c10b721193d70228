package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/parley-dev/parley/internal/branch"
	"github.com/parley-dev/parley/protocol"
)

// ErrUnsure says that the index cannot tell a session as it is: it is behind
// the journal, or a record of the session could not be read. The journal can.
var ErrUnsure = errors.New("the index cannot tell this session yet; read its journal, or try again later")

// Range is which lines to read.
type Range struct {
	// Offset is how many to leave out, from the oldest.
	Offset int
	Limit  int
	// Tail asks for the newest ones. The offset then counts from the newest.
	Tail bool
}

// of gives the first line of the range, and how many there are in it.
func (r Range) of(total int) (first, n int) {
	if r.Tail {
		end := max(0, total-r.Offset)
		first = max(0, end-r.Limit)
		return first, end - first
	}
	return r.Offset, max(0, min(r.Limit, total-r.Offset))
}

// Lines is a page of a view.
type Lines struct {
	Items string // a JSON array; a string, because that is how SQLite's driver gives it without another copy
	Total int    // on all pages
}

// Lines gives the visible lines of a session, oldest first: what the history
// package's folds give, at the cost of what is read. Before anything is read,
// may says whether the session of this owner may be; its error is the answer.
// The error is ErrUnsure if the index does not know.
func (ix *Index) Lines(ctx context.Context, session string, v View, r Range, may func(owner string) error) (page Lines, err error) {
	err = ix.told(ctx, session, may, func(tx *sql.Tx, key int64) error {
		if page.Total, err = total(ctx, tx, v, key); err != nil {
			return err
		}
		first, n := r.of(page.Total)
		return tx.QueryRowContext(ctx, v.sql(pageOfLines), v.textField(), key, first, n).Scan(&page.Items)
	})
	return page, err
}

const (
	countLines = "SELECT $_n + 1 FROM facts WHERE session = ? AND $_shown ORDER BY $_n DESC LIMIT 1"
	// pageOfLines is one row: SQLite joins the lines, which is several times
	// faster than to hand over each.
	pageOfLines = `
		SELECT '[' || coalesce(group_concat(iif(substr($, 1, 1) = '{', $, '{"' || ? || '":' || text || $)), '') || ']'
		FROM (SELECT $, text FROM facts WHERE session = ? AND $_n >= ? AND $_shown ORDER BY $_n LIMIT ?)`
)

func total(ctx context.Context, tx *sql.Tx, v View, key int64) (n int, err error) {
	_, err = found(tx.QueryRowContext(ctx, v.sql(countLines), key).Scan(&n))
	return n, err
}

// told reads about one session, all at one moment. What is not known yet, or
// not wholly, is ErrUnsure.
func (ix *Index) told(ctx context.Context, session string, may func(owner string) error, read func(tx *sql.Tx, key int64) error) error {
	incomplete, err := ix.ask(ctx, func(st *store) error {
		tx, err := st.readers.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return err
		}
		defer tx.Rollback() // nothing was written
		var key int64
		var owner string
		var holes bool
		known, err := found(tx.QueryRowContext(ctx, `
			SELECT key, owner, EXISTS (SELECT 1 FROM holes h WHERE h.session_id = s.session_id)
			FROM sessions s WHERE session_id = ?`, session).Scan(&key, &owner, &holes))
		if err == nil && (!known || holes) {
			err = ErrUnsure
		}
		if err == nil && may != nil {
			err = may(owner)
		}
		if err != nil {
			return err
		}
		return read(tx, key)
	})
	if err == nil && incomplete {
		err = ErrUnsure
	}
	var refused *protocol.Error
	if err == nil || errors.Is(err, ErrUnsure) || errors.As(err, &refused) {
		return err
	}
	return fmt.Errorf("read session %s: %w", session, err)
}

// Address names a visible message of the ui view. ByIndex and ByTs make one.
type Address struct {
	ts    bool
	value int64
}

// ByIndex is the message with so many before it; a negative one counts from
// the end, -1 being the newest.
func ByIndex(n int) Address { return Address{value: int64(n)} }

// ByTs is the message with exactly this ts.
func ByTs(ts int64) Address { return Address{ts: true, value: ts} }

const (
	messageByIndex = "SELECT begun FROM facts WHERE session = ? AND ui_n = ? AND ui_shown"
	messageByTs    = "SELECT begun FROM facts INDEXED BY facts_ts WHERE session = ? AND ts = ? AND ui_shown ORDER BY ui_n DESC LIMIT 1"
)

// Message gives the record that brought a visible message first.
func (ix *Index) Message(ctx context.Context, session string, a Address) (seq uint64, err error) {
	err = ix.told(ctx, session, nil, func(tx *sql.Tx, key int64) error {
		n, err := total(ctx, tx, UI, key)
		if err != nil {
			return err
		}
		which, value := messageByIndex, a.value
		if a.ts {
			which = messageByTs
		} else if value < 0 {
			value += int64(n)
		}
		known, err := found(tx.QueryRowContext(ctx, which, key, value).Scan(&seq))
		if err == nil && !known {
			err = a.missing(n)
		}
		return err
	})
	return seq, err
}

func (a Address) missing(total int) error {
	if a.ts {
		return protocol.Errorf(protocol.CodeInvalidMessage, "no message has exactly this ts: %d", a.value).With("field", "ts")
	}
	return protocol.Errorf(protocol.CodeInvalidMessage, "index out of range: %d, and the session has %d messages", a.value, total).With("field", "index")
}

// MessagesAfter counts the visible messages that were begun after a record.
func (ix *Index) MessagesAfter(ctx context.Context, session string, seq uint64) (count int, err error) {
	err = ix.told(ctx, session, nil, func(tx *sql.Tx, key int64) error {
		var summary []byte
		if err := tx.QueryRowContext(ctx, "SELECT summary FROM sessions WHERE key = ?", key).Scan(&summary); err != nil {
			return err
		}
		path, err := pathOf(summary)
		if err != nil {
			return &staleError{fmt.Sprintf("its summary of session %s cannot be read: %v", session, err)}
		}
		if count, err = total(ctx, tx, UI, key); err != nil {
			return err
		}
		before, err := linesUpTo(ctx, tx, key, path, seq)
		count -= before
		return err
	})
	return count, err
}

// linesUpTo counts the lines of the ui view that were begun at a record or before.
func linesUpTo(ctx context.Context, tx *sql.Tx, key int64, path branch.Path, seq uint64) (n int, err error) {
	for i := len(path) - 1; i >= 0; i-- {
		s := path[i]
		if s.To = min(s.To, seq); s.Empty() {
			continue
		}
		known, err := found(tx.QueryRowContext(ctx, `
			SELECT ui_n + 1 FROM facts INDEXED BY facts_seq
			WHERE session = ? AND seq BETWEEN ? AND ? AND ui IS NOT NULL AND ui_over IS NULL
			ORDER BY seq DESC LIMIT 1`, key, int64(s.From), int64(s.To)).Scan(&n))
		if known || err != nil {
			return n, err
		}
	}
	return 0, nil
}
