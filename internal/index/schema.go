package index

import (
	"fmt"

	"github.com/parley-dev/parley/internal/session"
)

const (
	// application marks the file as an index of ours ("PrlI").
	application = 0x50726c49
	// version of the file: of its tables, of how text becomes words, of what the
	// lines tell, and of how the session package folds. Any other version is
	// thrown away.
	version = 5 + 1000*session.FoldVersion
)

// schema of the file.
//
// Keys are positions in the feed: of a session's first record, of the record
// that created a message. So a rebuilt index is the same index, and cursors
// outlive it.
var schema = []string{
	// place is one row: how far the feed was folded, and which record was there.
	`CREATE TABLE place (
		position INTEGER NOT NULL,
		session  TEXT NOT NULL,
		seq      INTEGER NOT NULL,
		crc      INTEGER NOT NULL
	)`,
	`INSERT INTO place VALUES (0, '', 0, 0)`,
	// dead are the sessions that were deleted, by their position among the deletions.
	`CREATE TABLE dead (
		position   INTEGER PRIMARY KEY,
		session_id TEXT NOT NULL UNIQUE
	)`,
	`CREATE TABLE sessions (
		key           INTEGER PRIMARY KEY,
		session_id    TEXT NOT NULL UNIQUE,
		owner         TEXT NOT NULL,
		title         TEXT NOT NULL,
		sought        TEXT NOT NULL, -- title and id, normalized
		status        TEXT NOT NULL,
		created_at    INTEGER NOT NULL,
		updated_at    INTEGER NOT NULL,
		message_count INTEGER NOT NULL,
		usage         TEXT NOT NULL,
		tokens        INTEGER NOT NULL,
		cost          REAL NOT NULL,
		size          INTEGER NOT NULL, -- bytes of its frames
		pinned        INTEGER NOT NULL,
		keep_days     INTEGER NOT NULL,
		workspace     TEXT NOT NULL,
		model         TEXT NOT NULL,
		mode          TEXT NOT NULL,
		parent_id     TEXT NOT NULL,
		root_id       TEXT NOT NULL,
		forked_from   TEXT NOT NULL,
		awaiting      TEXT NOT NULL, -- the session it has handed work to
		completed_by  TEXT NOT NULL, -- the last one that gave work back
		result        TEXT NOT NULL, -- how the last answer begins
		summary       TEXT NOT NULL
	)`,
	`CREATE INDEX sessions_all          ON sessions (updated_at, session_id)`,
	`CREATE INDEX sessions_owner        ON sessions (owner, updated_at, session_id)`,
	`CREATE INDEX sessions_status       ON sessions (status, updated_at, session_id)`,
	`CREATE INDEX sessions_owner_status ON sessions (owner, status, updated_at, session_id)`,
	`CREATE INDEX sessions_parent       ON sessions (parent_id)`,
	`CREATE INDEX sessions_root         ON sessions (root_id)`,
	// holes are the sessions of which a record could not be read: what the views
	// tell of them here is not all.
	`CREATE TABLE holes (session_id TEXT PRIMARY KEY) WITHOUT ROWID`,
	// facts are the records that a view tells, hidden ones too. Of each view:
	// what it tells (see view.go), the number of the line, the version of it
	// that this one replaces, and whether this one is to be seen.
	`CREATE TABLE facts (
		id          INTEGER PRIMARY KEY,
		session     INTEGER NOT NULL,
		seq         INTEGER NOT NULL,
		begun       INTEGER NOT NULL, -- the record that began the line
		at          INTEGER NOT NULL,
		agent       TEXT NOT NULL,
		ts          INTEGER,          -- of messages
		top         INTEGER,          -- the newest ts up to here
		say         TEXT NOT NULL,
		ask         TEXT NOT NULL,
		role        TEXT NOT NULL,
		text        TEXT NOT NULL,    -- JSON
		request     TEXT,             -- of asks: the request that they belong to
		call        TEXT,             -- of a call's beginning: which call
		child       TEXT,             -- of calls: the session that they hand work to
		result      TEXT,             -- of turns that ended: how the answer begins
		ui          TEXT,
		ui_n        INTEGER,
		ui_over     INTEGER,
		ui_shown    INTEGER NOT NULL,
		store       TEXT,
		store_n     INTEGER,
		store_over  INTEGER,
		store_shown INTEGER NOT NULL
	)`,
	`CREATE UNIQUE INDEX facts_seq ON facts (session, seq)`,
	`CREATE INDEX facts_ts    ON facts (session, ts) WHERE ts IS NOT NULL`,
	`CREATE INDEX facts_ui    ON facts (session, ui_n) WHERE ui_shown`,
	`CREATE INDEX facts_store ON facts (session, store_n) WHERE store_shown`,
	`CREATE INDEX facts_request ON facts (session, request) WHERE request IS NOT NULL`,
	`CREATE INDEX facts_call   ON facts (session, call) WHERE call IS NOT NULL`,
	`CREATE INDEX facts_child  ON facts (session, seq) WHERE child IS NOT NULL AND store_shown`,
	`CREATE INDEX facts_result ON facts (session, seq) WHERE result IS NOT NULL AND store_shown`,
	// inputs are what calls are given, in short, by the record that told it.
	`CREATE TABLE inputs (
		session INTEGER NOT NULL,
		key     TEXT NOT NULL, -- see history.InputKeys
		seq     INTEGER NOT NULL,
		input   TEXT NOT NULL, -- JSON
		PRIMARY KEY (session, key, seq)
	) WITHOUT ROWID`,
	// choices are what owners said once for all their sessions.
	`CREATE TABLE choices (
		position INTEGER PRIMARY KEY,
		session  INTEGER NOT NULL,
		owner    TEXT NOT NULL,
		tool     TEXT NOT NULL,
		choice   TEXT NOT NULL
	)`,
	`CREATE INDEX choices_owner ON choices (owner, position)`,
	`CREATE INDEX choices_session ON choices (session)`,
	// words are cut in Go (see words.go), so that SQLite only has to split at
	// spaces: its ascii tokenizer takes every character beyond ASCII for a letter.
	`CREATE VIRTUAL TABLE words USING fts5 (
		text, content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '2 3'
	)`,
	fmt.Sprintf(`PRAGMA application_id = %d`, application),
	fmt.Sprintf(`PRAGMA user_version = %d`, version),
}
