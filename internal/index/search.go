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

	"github.com/parley-dev/parley/internal/branch"
	"github.com/parley-dev/parley/protocol"
)

// maxScope is how many sessions are named to the full-text index. Who may see
// more than that has their hits picked out of everyone's.
const maxScope = 200

// SearchQuery says what to find, and in which sessions.
type SearchQuery struct {
	// Q is what to find: all its words, in any order, in one message. Words in
	// Latin and the like are found by their beginning; letters of Korean,
	// Japanese and Chinese wherever they follow each other, spaces or not. Case,
	// accents and width make no difference. Nothing in it is syntax.
	Q string
	// Session limits the search to one session.
	Session string
	// Agent is who said it.
	Agent string
	// Kind is a say or ask word, or who speaks: user, assistant or system.
	Kind string
	// From and To bound when it was said; the zero time does not.
	From, To time.Time
	// Visible leaves out what was rewound.
	Visible bool
	// Owners are in whose sessions; none means everyone's.
	Owners []string
	// OrSessions are ids to search besides the owners'.
	OrSessions []string
	Limit      int // 50 if not set, at most 200
	Cursor     string
}

// Hit is a message that was found.
type Hit struct {
	SessionID string `json:"session_id"`
	Title     string `json:"title,omitempty"` // of the session
	// MessageID is the record that created the message, also when a later
	// version of its text was found.
	MessageID string `json:"message_id"`
	// Snippet is one line of plain text, with what was found between « and ».
	Snippet   string        `json:"snippet"`
	Timestamp protocol.Time `json:"timestamp"`
	Say       protocol.Say  `json:"say,omitempty"`
	Ask       protocol.Ask  `json:"ask,omitempty"`
	Role      protocol.Role `json:"role,omitempty"`
	AgentID   string        `json:"agent_id,omitempty"`
	// Hidden says that the message was rewound.
	Hidden bool `json:"hidden,omitempty"`

	id int64
}

// Search finds messages by their latest text, the newest first: in the order in
// which the journal got them. What a fork copied counts as written when it was
// forked.
//
// A message keeps its place whatever happens to it, so that paging shows each
// one exactly once. New ones are on the first page only.
func (ix *Index) Search(ctx context.Context, q SearchQuery) (Page[Hit], error) {
	before, err := parseSearchCursor(q.Cursor)
	if err != nil {
		return Page[Hit]{}, err
	}
	if err := q.checkKind(); err != nil {
		return Page[Hit]{}, err
	}
	if strings.TrimSpace(q.Q) == "" || utf8.RuneCountInString(q.Q) > maxQuery {
		return Page[Hit]{}, protocol.Errorf(protocol.CodeInvalidMessage, "q must say what to find, in at most %d characters", maxQuery)
	}
	limit, terms := limitOf(q.Limit), parse(q.Q)
	if len(terms) == 0 {
		return Page[Hit]{Items: []Hit{}}, nil
	}
	var hits []Hit
	incomplete, err := ix.ask(ctx, func(st *store) (err error) {
		hits, err = q.run(ctx, st.readers, terms, before, limit+1)
		return err
	})
	if err != nil {
		return Page[Hit]{}, fmt.Errorf("search: %w", err)
	}
	page := cutPage(hits, limit, func(h Hit) string { return searchCursor(h.id).String() })
	page.Incomplete = incomplete
	return page, nil
}

// mayRead is the condition on sessions that a search is limited to.
func (q *SearchQuery) mayRead() (string, []any) {
	where, args := "1", []any(nil)
	if q.Session != "" {
		where, args = "s.session_id = ?", []any{q.Session}
	}
	if len(q.Owners) > 0 {
		where += " AND (s.owner IN (SELECT value FROM json_each(?)) OR s.session_id IN (SELECT value FROM json_each(?)))"
		args = append(args, jsonList(q.Owners), jsonList(q.OrSessions))
	}
	return where, args
}

func (q *SearchQuery) run(ctx context.Context, db *sql.DB, terms []term, before searchCursor, limit int) ([]Hit, error) {
	where, args := q.mayRead()
	var keys []int64
	if len(args) > 0 {
		var err error
		keys, err = collect(ctx, db, func(rows *sql.Rows) (key int64, err error) {
			return key, rows.Scan(&key)
		}, "SELECT s.key FROM sessions s WHERE "+where+" LIMIT ?", append(args, maxScope+1)...)
		if err != nil || len(keys) == 0 {
			return []Hit{}, err
		}
		if len(keys) > maxScope {
			keys = nil
		}
	}
	scan := func(rows *sql.Rows) (Hit, error) { return scanHit(rows, terms) }
	wanted, more := q.wanted()
	// CROSS JOIN holds SQLite to the order of the words, newest first.
	return collect(ctx, db, scan, `
		SELECT m.id, s.session_id, s.title, m.seq, m.at, t.say, t.ask, coalesce(nullif(t.role, ''), m.role), m.agent, t.text, `+isVisible+`
		FROM words w CROSS JOIN facts m ON m.id = w.rowid CROSS JOIN sessions s ON s.key = m.session
		CROSS JOIN facts t ON t.id = (SELECT max(v.id) FROM facts v INDEXED BY facts_ts WHERE v.session = m.session AND v.ts = m.ts)
		WHERE words MATCH ? AND w.rowid < ? AND `+where+wanted+` ORDER BY w.rowid DESC LIMIT ?`,
		append(append(append([]any{expression(terms, keys), int64(before)}, args...), more...), limit)...)
}

// isVisible says whether a version of the message m is to be seen.
const isVisible = "EXISTS (SELECT 1 FROM facts v INDEXED BY facts_ts WHERE v.session = m.session AND v.ts = m.ts AND v.ui_shown)"

// wanted is the condition on messages m, whose newest text is t.
func (q *SearchQuery) wanted() (where string, args []any) {
	and := func(condition string, values ...any) {
		where, args = where+" AND "+condition, append(args, values...)
	}
	if q.Agent != "" {
		and("m.agent = ?", q.Agent)
	}
	if q.Kind != "" {
		and("? IN (t.say, t.ask, coalesce(nullif(t.role, ''), m.role))", q.Kind)
	}
	if !q.From.IsZero() {
		and("m.at >= ?", q.From.UnixMilli())
	}
	if !q.To.IsZero() {
		and("m.at <= ?", q.To.UnixMilli())
	}
	if q.Visible {
		and(isVisible)
	}
	return where, args
}

// checkKind refuses a word that no message has.
func (q *SearchQuery) checkKind() error {
	if q.Kind == "" || slices.Contains([]string{string(protocol.RoleUser), string(protocol.RoleAssistant), string(protocol.RoleSystem)}, q.Kind) ||
		slices.Contains(protocol.Says(), protocol.Say(q.Kind)) ||
		slices.ContainsFunc(protocol.Asks(), func(a protocol.AskSpec) bool { return string(a.Ask) == q.Kind }) {
		return nil
	}
	return protocol.Errorf(protocol.CodeInvalidMessage, "no message is of the kind %.40q; it is user, assistant, system, or the word of a say or ask such as text or followup", q.Kind).
		With("field", "kind")
}

func scanHit(rows *sql.Rows, terms []term) (h Hit, err error) {
	var seq, at int64
	var text string
	var told sql.RawBytes
	var visible bool
	if err := rows.Scan(&h.id, &h.SessionID, &h.Title, &seq, &at, &h.Say, &h.Ask, &h.Role, &h.AgentID, &told, &visible); err != nil {
		return h, err
	}
	if err := json.Unmarshal(told, &text); err != nil {
		return h, &staleError{fmt.Sprintf("a text of session %s cannot be read: %v", h.SessionID, err)}
	}
	h.MessageID = protocol.MessageID(uint64(seq))
	h.Timestamp = protocol.At(time.UnixMilli(at))
	h.Snippet = snippet(text, terms)
	h.Hidden = !visible
	return h, nil
}

// pathOf reads which records of a session are visible.
func pathOf(summary []byte) (branch.Path, error) {
	var s struct {
		Ledger struct {
			Last  uint64      `json:"last"`
			Moves branch.Tree `json:"moves"`
		} `json:"ledger"`
	}
	if err := json.Unmarshal(summary, &s); err != nil {
		return nil, err
	}
	return s.Ledger.Moves.Path(s.Ledger.Last), nil
}
