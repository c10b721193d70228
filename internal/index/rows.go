package index

import (
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parley-dev/parley/internal/journal"
)

// save stores a session as far as it is folded.
func (st *store) save(id string, r *row) error {
	l := &r.summary.Ledger
	usage, err := json.Marshal(l.Usage)
	if err != nil {
		return err
	}
	summary, err := json.Marshal(&r.summary)
	if err != nil {
		return err
	}
	u := l.Usage
	return st.exec(`
		INSERT INTO sessions (key, session_id, owner, title, sought, status, created_at, updated_at,
			message_count, usage, tokens, cost, size, pinned, keep_days, workspace, model, mode,
			parent_id, root_id, forked_from, awaiting, completed_by, result, summary)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET
			owner = excluded.owner, title = excluded.title, sought = excluded.sought, status = excluded.status,
			created_at = excluded.created_at, updated_at = excluded.updated_at, message_count = excluded.message_count,
			usage = excluded.usage, tokens = excluded.tokens, cost = excluded.cost, size = excluded.size, pinned = excluded.pinned, keep_days = excluded.keep_days,
			workspace = excluded.workspace, model = excluded.model, mode = excluded.mode,
			parent_id = excluded.parent_id, root_id = excluded.root_id, forked_from = excluded.forked_from,
			awaiting = excluded.awaiting, completed_by = excluded.completed_by, result = excluded.result, summary = excluded.summary`,
		r.key, id, l.Owner, l.Title, normalize(l.Title)+"\n"+normalize(id), string(r.summary.Status()),
		l.Created.UnixMilli(), l.LastTime.UnixMilli(), l.Messages, string(usage),
		u.InputTokens+u.OutputTokens+u.CacheReadTokens+u.CacheWriteTokens, u.CostUSD, r.size, l.Pinned, l.KeepDays,
		l.Workspace, l.Model, l.Mode, l.ParentID, l.RootID, l.ForkedFrom,
		r.kin.awaiting, r.kin.completedBy, r.kin.result, string(summary))
}

// bury removes a deleted session and remembers that it was deleted.
func (st *store) bury(s journal.Tombstone) error {
	for _, query := range []string{
		"DELETE FROM words WHERE rowid IN (SELECT f.id FROM sessions s JOIN facts f ON f.session = s.key WHERE s.session_id = ? AND f.ts IS NOT NULL)",
		"DELETE FROM facts WHERE session = (SELECT key FROM sessions WHERE session_id = ?)",
		"DELETE FROM inputs WHERE session = (SELECT key FROM sessions WHERE session_id = ?)",
		"DELETE FROM choices WHERE session = (SELECT key FROM sessions WHERE session_id = ?)",
		"DELETE FROM sessions WHERE session_id = ?",
		"DELETE FROM holes WHERE session_id = ?",
	} {
		if err := st.exec(query, s.Session); err != nil {
			return err
		}
	}
	return st.exec("INSERT OR IGNORE INTO dead (position, session_id) VALUES (?, ?)", s.Position, s.Session)
}

// isDead says whether a deletion of the session was folded.
func (st *store) isDead(id string) (bool, error) {
	var one int
	return found(st.queryRow("SELECT 1 FROM dead WHERE session_id = ?", id).Scan(&one))
}

// found tells that there is no row from an error.
func found(err error) (bool, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// putHole notes that a record of a session could not be read.
func (st *store) putHole(id string) error {
	return st.exec("INSERT OR IGNORE INTO holes (session_id) VALUES (?)", id)
}

// putWords makes a text findable: by its words, and by the signs for its
// session and for what its words begin with.
func (st *store) putWords(id, key int64, text string) error {
	list := []string{within(key)}
	begins := make(map[rune]bool)
	for w := range words(text) {
		list = append(list, w.text)
		if first, _ := utf8.DecodeRuneInString(w.text); !w.letter {
			begins[first] = true
		}
	}
	if len(list) == 1 {
		return nil
	}
	for _, first := range slices.Sorted(maps.Keys(begins)) {
		list = append(list, beginsWith(string(first)))
	}
	return st.exec("INSERT INTO words (rowid, text) VALUES (?, ?)", id, strings.Join(list, " "))
}
