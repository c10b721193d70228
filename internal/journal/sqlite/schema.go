package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"

	"github.com/parley-dev/parley/internal/journal"
)

const (
	fileName = "journal.db"
	pageSize = 4096
	// application marks the file as a journal of ours ("Prly").
	application = 0x50726c79
	// version of the schema. A change that an older program would misread
	// raises it.
	version = 1
)

// schema is explained in docs/journal-format.md.
var schema = []string{
	`CREATE TABLE sessions (
		key    INTEGER PRIMARY KEY,
		id     TEXT NOT NULL UNIQUE,
		family INTEGER NOT NULL,
		crc    INTEGER NOT NULL,
		era    INTEGER NOT NULL,
		wake   INTEGER
	)`,
	`CREATE INDEX sessions_wake ON sessions (wake) WHERE wake IS NOT NULL`,
	`CREATE TABLE records (
		id      INTEGER PRIMARY KEY,
		era     INTEGER NOT NULL,
		session INTEGER NOT NULL,
		seq     INTEGER NOT NULL,
		crc     INTEGER NOT NULL,
		frame   BLOB NOT NULL
	)`,
	`CREATE UNIQUE INDEX records_seq ON records (era, session, seq)`,
	`CREATE TABLE spans (
		session INTEGER NOT NULL,
		first   INTEGER NOT NULL,
		era     INTEGER NOT NULL,
		PRIMARY KEY (session, first)
	) WITHOUT ROWID`,
	`CREATE TABLE parts (
		session INTEGER NOT NULL,
		open    TEXT NOT NULL,
		idx     INTEGER NOT NULL,
		crc     INTEGER NOT NULL,
		text    TEXT NOT NULL,
		meta    BLOB,
		PRIMARY KEY (session, open, idx)
	) WITHOUT ROWID`,
	`CREATE TABLE snapshots (
		id      INTEGER PRIMARY KEY,
		session INTEGER NOT NULL,
		version INTEGER NOT NULL,
		seq     INTEGER NOT NULL,
		crc     INTEGER NOT NULL,
		path    BLOB NOT NULL,
		state   BLOB NOT NULL
	)`,
	`CREATE UNIQUE INDEX snapshots_seq ON snapshots (session, version, seq)`,
	`CREATE TABLE blob_refs (
		session INTEGER NOT NULL,
		hash    TEXT NOT NULL,
		seq     INTEGER NOT NULL,
		PRIMARY KEY (session, hash)
	) WITHOUT ROWID`,
	`CREATE INDEX blob_refs_hash ON blob_refs (hash)`,
	`CREATE TABLE tombstones (
		position INTEGER PRIMARY KEY AUTOINCREMENT,
		id       TEXT NOT NULL UNIQUE
	)`,
	`CREATE TABLE purges (session INTEGER PRIMARY KEY)`,
	`CREATE TABLE marks (
		name  TEXT PRIMARY KEY,
		value INTEGER NOT NULL
	) WITHOUT ROWID`,
	fmt.Sprintf(`PRAGMA application_id = %d`, application),
	fmt.Sprintf(`PRAGMA user_version = %d`, version),
}

// establish creates the schema in a new file, and refuses a file that is not
// ours to write.
func establish(c *conn, path string) error {
	tables, _, err := c.integer("SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return err
	}
	if tables == 0 {
		return create(c)
	}
	return identify(c, path)
}

// identify refuses what is not a journal of a version that we know.
func identify(c *conn, path string) error {
	app, _, err := c.integer("PRAGMA application_id")
	if err != nil {
		return err
	}
	have, _, err := c.integer("PRAGMA user_version")
	if err != nil {
		return err
	}
	switch {
	case app != application:
		return &journal.DamageError{Where: path, What: "it is a database, but not a Parley journal; move it away, or choose another folder"}
	case have > version:
		return fmt.Errorf("%w: %s has format %d and this program knows up to %d; use the newer program", ErrNewer, path, have, version)
	}
	return nil
}

func create(c *conn) error {
	return c.atomically(func() error {
		for _, s := range schema {
			if err := c.query(context.Background(), s, func([]driver.Value) error { return nil }); err != nil {
				return err
			}
		}
		return nil
	})
}

// atomically runs do in one transaction.
func (c *conn) atomically(do func() error) error {
	if _, err := c.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := do()
	if err == nil {
		_, err = c.exec("COMMIT")
	}
	if err != nil {
		// SQLite has rolled back by itself after some errors; a second
		// rollback only says so.
		_, _ = c.exec("ROLLBACK")
	}
	return err
}
