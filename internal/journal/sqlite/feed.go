package sqlite

import (
	"context"
	"database/sql/driver"

	"github.com/parley-dev/parley/internal/journal"
)

// Entries gives up to limit records of all sessions after a position. There is
// one committer, so whatever is visible below a position is all there will
// ever be. With a *DamageError come the entries before the damage.
func (j *Journal) Entries(ctx context.Context, after int64, limit int) ([]journal.Entry, error) {
	if limit < 1 {
		return nil, nil
	}
	var entries []journal.Entry
	err := j.read(ctx, func(c *conn) error {
		// CROSS JOIN holds SQLite to the order of the records.
		return c.query(ctx, `
			SELECT r.id, s.key, s.id, s.family, s.crc, r.seq, r.crc, r.frame
			FROM records r CROSS JOIN sessions s ON s.key = r.session
			WHERE r.id > ? ORDER BY r.id LIMIT ?`, func(v []driver.Value) error {
			position, err := integerOf(v[0])
			if err != nil {
				return err
			}
			_, family, err := identity(v[1:5])
			if err != nil {
				return err
			}
			session := string(bytesOf(v[2]))
			r, err := j.record(session, family, v[5:])
			if err != nil {
				return err
			}
			entries = append(entries, journal.Entry{Position: position, Session: session, Record: r})
			return nil
		}, after, limit)
	})
	return entries, err
}

// Tombstones gives up to limit deletions after a position of their own.
func (j *Journal) Tombstones(ctx context.Context, after int64, limit int) ([]journal.Tombstone, error) {
	if limit < 1 {
		return nil, nil
	}
	var stones []journal.Tombstone
	err := j.read(ctx, func(c *conn) error {
		return c.query(ctx, "SELECT position, id FROM tombstones WHERE position > ? ORDER BY position LIMIT ?", func(v []driver.Value) error {
			position, err := integerOf(v[0])
			stones = append(stones, journal.Tombstone{Position: position, Session: string(bytesOf(v[1]))})
			return err
		}, after, limit)
	})
	return stones, err
}

// HasBlob says whether a record of the session refers to the blob.
func (j *Journal) HasBlob(ctx context.Context, session, hash string) (has bool, err error) {
	err = j.read(ctx, func(c *conn) error {
		return c.query(ctx, "SELECT 1 FROM sessions s JOIN blob_refs b ON b.session = s.key WHERE s.id = ? AND b.hash = ?", func([]driver.Value) error {
			has = true
			return nil
		}, session, hash)
	})
	return has, err
}

// Blobs gives every hash that any session refers to, in order, after a hash.
func (j *Journal) Blobs(ctx context.Context, after string, limit int) ([]string, error) {
	if limit < 1 {
		return nil, nil
	}
	var hashes []string
	err := j.read(ctx, func(c *conn) error {
		return c.query(ctx, "SELECT DISTINCT hash FROM blob_refs WHERE hash > ? ORDER BY hash LIMIT ?", func(v []driver.Value) error {
			hashes = append(hashes, string(bytesOf(v[0])))
			return nil
		}, after, limit)
	})
	return hashes, err
}
