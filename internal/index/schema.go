package index

import (
	"fmt"

	"github.com/parley-dev/parley/internal/session"
)

const (
	// application marks the file as an index of ours ("PrlI").
	application = 0x50726c49
	// version of the file: of its tables, of how text becomes words, and of how
	// the session package folds. Any other version is thrown away.
	version = 2 + 1000*session.FoldVersion
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
		parent_id     TEXT NOT NULL,
		root_id       TEXT NOT NULL,
		forked_from   TEXT NOT NULL,
		summary       TEXT NOT NULL
	)`,
	`CREATE INDEX sessions_all          ON sessions (updated_at, session_id)`,
	`CREATE INDEX sessions_owner        ON sessions (owner, updated_at, session_id)`,
	`CREATE INDEX sessions_status       ON sessions (status, updated_at, session_id)`,
	`CREATE INDEX sessions_owner_status ON sessions (owner, status, updated_at, session_id)`,
	`CREATE TABLE messages (
		id      INTEGER PRIMARY KEY,
		session INTEGER NOT NULL,
		ts      INTEGER NOT NULL,
		seq     INTEGER NOT NULL,
		at      INTEGER NOT NULL,
		say     TEXT NOT NULL,
		ask     TEXT NOT NULL,
		role    TEXT NOT NULL,
		agent   TEXT NOT NULL,
		text    TEXT NOT NULL,
		UNIQUE (session, ts)
	)`,
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
