package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parley-dev/parley/protocol"
)

// Query says which sessions to list.
type Query struct {
	// Owner is whose sessions; empty means everyone's.
	Owner string
	// OrSessions are ids to list besides the owner's. Without an owner they
	// say nothing.
	OrSessions []string
	// Q is a part of the title or of the id, in any case.
	Q      string
	Status protocol.Status
	Limit  int // 50 if not set, at most 200
	Cursor string
}

// Item is a session in a list.
type Item struct {
	SessionID    string          `json:"session_id"`
	Owner        string          `json:"owner"`
	Title        string          `json:"title"`
	Status       protocol.Status `json:"status"`
	CreatedAt    protocol.Time   `json:"created_at"`
	UpdatedAt    protocol.Time   `json:"updated_at"`
	MessageCount int             `json:"message_count"`
	Usage        protocol.Usage  `json:"usage"`
	ParentID     string          `json:"parent_id,omitempty"`
	RootID       string          `json:"root_id,omitempty"`
	ForkedFrom   string          `json:"forked_from,omitempty"`
}

// List gives sessions, the last changed first.
//
// While sessions change between two pages: one that does not change is shown
// exactly once; one that does moves to the front, so that it may be missing
// from the pages to come, but is not shown twice (unless the clock was set
// back). New ones are at the front.
func (ix *Index) List(ctx context.Context, q Query) (Page[Item], error) {
	after, err := parseListCursor(q.Cursor)
	if err != nil {
		return Page[Item]{}, err
	}
	if err := q.check(); err != nil {
		return Page[Item]{}, err
	}
	limit := limitOf(q.Limit)
	query, args := q.sql(after, limit+1)
	var items []Item
	incomplete, err := ix.ask(ctx, func(st *store) (err error) {
		items, err = collect(ctx, st.readers, scanItem, query, args...)
		return err
	})
	if err != nil {
		return Page[Item]{}, fmt.Errorf("list sessions: %w", err)
	}
	page := cutPage(items, limit, func(i Item) string {
		return listCursor{i.UpdatedAt.UnixMilli(), i.SessionID}.String()
	})
	page.Incomplete = incomplete
	return page, nil
}

func (q *Query) check() error {
	if utf8.RuneCountInString(q.Q) > maxQuery {
		return protocol.Errorf(protocol.CodeInvalidMessage, "q may have at most %d characters", maxQuery)
	}
	if q.Status != "" && !slices.Contains(protocol.Statuses(), q.Status) {
		return protocol.Errorf(protocol.CodeInvalidMessage, "no session has the status %.40q; it is one of %v", q.Status, protocol.Statuses())
	}
	return nil
}

// sql writes the query. The owner's sessions and those besides are read apart,
// each from an index in the order of the list, so that a page costs a page and
// not all sessions.
func (q *Query) sql(after listCursor, limit int) (string, []any) {
	if q.Owner == "" {
		return q.part(after, limit, "1")
	}
	own, args := q.part(after, limit, "owner = ?", q.Owner)
	if len(q.OrSessions) == 0 {
		return own, args
	}
	others, more := q.part(after, limit, "owner <> ? AND session_id IN (SELECT value FROM json_each(?))", q.Owner, jsonList(q.OrSessions))
	return "SELECT * FROM (" + own + ") UNION ALL SELECT * FROM (" + others + ") ORDER BY updated_at DESC, session_id DESC LIMIT ?",
		append(append(args, more...), limit)
}

// part is the query for some of the sessions.
func (q *Query) part(after listCursor, limit int, which string, args ...any) (string, []any) {
	where := []string{which}
	and := func(condition string, values ...any) {
		where, args = append(where, condition), append(args, values...)
	}
	and("(updated_at, session_id) < (?, ?)", after.updated, after.id)
	if q.Status != "" {
		and("status = ?", string(q.Status))
	}
	if sought := normalize(strings.TrimSpace(q.Q)); sought != "" {
		and("instr(sought, ?) > 0", sought)
	}
	return "SELECT " + itemColumns + " FROM sessions WHERE " + strings.Join(where, " AND ") +
		" ORDER BY updated_at DESC, session_id DESC LIMIT ?", append(args, limit)
}

const itemColumns = "session_id, owner, title, status, created_at, updated_at, message_count, usage, parent_id, root_id, forked_from"

func scanItem(rows *sql.Rows) (i Item, err error) {
	var created, updated int64
	var usage []byte
	if err := rows.Scan(&i.SessionID, &i.Owner, &i.Title, &i.Status, &created, &updated, &i.MessageCount, &usage,
		&i.ParentID, &i.RootID, &i.ForkedFrom); err != nil {
		return i, err
	}
	i.CreatedAt, i.UpdatedAt = protocol.At(time.UnixMilli(created)), protocol.At(time.UnixMilli(updated))
	if err := json.Unmarshal(usage, &i.Usage); err != nil {
		return i, &staleError{fmt.Sprintf("its usage of session %s cannot be read: %v", i.SessionID, err)}
	}
	return i, nil
}

// collect runs a query and scans its rows. The list is never nil.
func collect[T any](ctx context.Context, db *sql.DB, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := []T{}
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

func jsonList(ids []string) string {
	b, _ := json.Marshal(ids) // strings always can be
	return string(b)
}
