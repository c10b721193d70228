package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parley-dev/parley/protocol"
)

// Query says which sessions to list, and in which order.
type Query struct {
	// Owners are whose sessions; none means everyone's.
	Owners []string
	// OrSessions are ids to list besides the owners'. Without an owner they
	// say nothing.
	OrSessions []string
	// Q is a part of the title or of the id, in any case.
	Q         string
	Status    protocol.Status
	Parent    string // the session that handed the work on
	Root      string // the first session of a tree
	Workspace string
	Pinned    *bool
	Sort      Sort  // by the last change if not set
	Order     Order // the usual one if not set
	Limit     int   // 50 if not set, at most 200
	Cursor    string
}

// List gives sessions, the last changed first if the query says nothing else.
//
// While sessions change between two pages: one whose place does not change is
// shown exactly once. Sorted by the last change, one that changes moves to the
// front, so that it may be missing from the pages to come, but is not shown
// twice (unless the clock was set back), and new ones are at the front.
func (ix *Index) List(ctx context.Context, q Query) (Page[Item], error) {
	o, err := orderOf(q.Sort, q.Order)
	if err != nil {
		return Page[Item]{}, err
	}
	after, err := parseListCursor(q.Cursor, o)
	if err != nil {
		return Page[Item]{}, err
	}
	if err := q.check(); err != nil {
		return Page[Item]{}, err
	}
	limit := limitOf(q.Limit)
	query, args := q.sql(o, after, limit+1)
	var items []Item
	incomplete, err := ix.ask(ctx, func(st *store) (err error) {
		items, err = collect(ctx, st.readers, scanItem, query, args...)
		return err
	})
	if err != nil {
		return Page[Item]{}, fmt.Errorf("list sessions: %w", err)
	}
	page := cutPage(items, limit, func(i Item) string {
		return (&listCursor{o, i.SessionID, i.sorted}).String()
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

// maxParts is how many owners are read apart. Sessions of more owners are
// picked out of everyone's.
const maxParts = 20

// sql writes the query. Which sessions are on the page is found first, and
// only of those all else is read.
func (q *Query) sql(o order, after *listCursor, limit int) (string, []any) {
	keys, args := q.keys(o, after, limit)
	return "SELECT " + itemColumns + ", k.sorted FROM (" + keys + ") k CROSS JOIN sessions s ON s.key = k.key" +
		o.clause("k.sorted", "k.session_id"), args
}

// keys chooses the sessions. Each owner's and those besides are read apart,
// each from an index in the order of the list, so that a page costs a page and
// not all sessions.
func (q *Query) keys(o order, after *listCursor, limit int) (string, []any) {
	if len(q.Owners) == 0 {
		return q.part(o, after, limit, "1")
	}
	theirs := "s.owner IN (SELECT value FROM json_each(?))"
	var parts []string
	var args []any
	add := func(which string, values ...any) {
		part, more := q.part(o, after, limit, which, values...)
		parts, args = append(parts, "SELECT * FROM ("+part+")"), append(args, more...)
	}
	if len(q.Owners) > maxParts {
		add(theirs, jsonList(q.Owners))
	} else {
		for _, owner := range slices.Compact(slices.Sorted(slices.Values(q.Owners))) {
			add("s.owner = ?", owner)
		}
	}
	if len(q.OrSessions) > 0 {
		add("NOT "+theirs+" AND s.session_id IN (SELECT value FROM json_each(?))", jsonList(q.Owners), jsonList(q.OrSessions))
	}
	if len(parts) == 1 {
		return parts[0], args
	}
	return strings.Join(parts, " UNION ALL ") + o.clause("sorted", "session_id") + " LIMIT ?", append(args, limit)
}

// part is the query for some of the sessions.
func (q *Query) part(o order, after *listCursor, limit int, which string, args ...any) (string, []any) {
	where := []string{which}
	and := func(condition string, values ...any) {
		where, args = append(where, condition), append(args, values...)
	}
	if after != nil {
		and(o.beyond(), after.value, after.id)
	}
	for column, value := range map[string]string{
		"status": string(q.Status), "parent_id": q.Parent, "root_id": q.Root, "workspace": q.Workspace,
	} {
		if value != "" {
			and("s."+column+" = ?", value)
		}
	}
	if q.Pinned != nil {
		and("s.pinned = ?", *q.Pinned)
	}
	if sought := normalize(strings.TrimSpace(q.Q)); sought != "" {
		and("instr(s.sought, ?) > 0", sought)
	}
	return "SELECT s.key, s.session_id, " + o.column() + " AS sorted FROM sessions s WHERE " + strings.Join(where, " AND ") +
		o.clause(o.column(), "s.session_id") + " LIMIT ?", append(args, limit)
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
