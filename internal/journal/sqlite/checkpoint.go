package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"os"
)

const (
	// largestLog is the size of the write-ahead log at which reads have to
	// pause for a moment.
	largestLog = 64 << 20
	// usualPart is the part of it, a quarter, at which the committer moves
	// pages into the file while everybody goes on. Pages that many groups
	// changed are moved once.
	usualPart = 4
)

// checkpoints keeps the write-ahead log from growing without end. Usually
// SQLite starts it over by itself when all of it has been moved and nobody
// reads it; if reads overlap all the time that moment never comes, so it is
// made here.
type checkpoints struct {
	log     string // the write-ahead log
	readers *readers
	limit   int64 // the size not to pass
	next    int64 // at which size to act
}

func newCheckpoints(path string, r *readers, limit int64) *checkpoints {
	return &checkpoints{log: path + "-wal", readers: r, limit: limit, next: limit}
}

// tend is called between two groups.
func (k *checkpoints) tend(m *committer) {
	info, err := os.Stat(k.log)
	if err != nil || info.Size() < k.next {
		return
	}
	resume := k.readers.pause()
	defer resume()
	busy, err := truncateLog(m.conn)
	if err == nil && !busy {
		k.next = k.limit
		return
	}
	// Another program reads the file, or the disk fails. Appends go on; the
	// next try is when the log has grown by as much again.
	k.next = info.Size() + k.limit
	m.log.Warn("the write-ahead log cannot be emptied; another program may have the file open", "file", k.log, "bytes", info.Size(), "error", err)
}

// truncateLog moves the whole log into the file, without waiting for anybody.
func truncateLog(c *conn) (busy bool, err error) {
	if err := c.pragma("busy_timeout = 0"); err != nil {
		return false, err
	}
	err = c.query(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)", func(v []driver.Value) error {
		busy = v[0] != int64(0)
		return nil
	})
	if err == nil {
		err = c.pragma(fmt.Sprintf("busy_timeout = %d", busyTimeout))
	}
	return busy, err
}
