package sqlite

import (
	"context"
	"database/sql/driver"
	"hash/crc32"

	"github.com/parley-dev/parley/internal/journal"
)

// newestKept is how many of the newest snapshots are kept whatever their
// distance.
const newestKept = 3

// PutSnapshot keeps a snapshot and thins out the older ones. Snapshots of
// older fold versions go: nobody reads them again.
func (j *Journal) PutSnapshot(ctx context.Context, session string, s journal.Snapshot) error {
	return j.do(ctx, &putSnapshot{session, s}, len(s.Path)+len(s.State))
}

type putSnapshot struct {
	session string
	journal.Snapshot
}

func (w *putSnapshot) apply(g *group) error {
	h, err := g.living(w.session)
	if err != nil {
		return err
	}
	if w.Seq > h.last {
		return journal.ErrConflict
	}
	g.exec("DELETE FROM snapshots WHERE session = ? AND version < ?", h.key, w.Version)
	g.exec("INSERT OR REPLACE INTO snapshots (session, version, seq, crc, path, state) VALUES (?, ?, ?, ?, ?, ?)",
		h.key, w.Version, int64(w.Seq), int64(snapshotChecksum(w.Snapshot)), blob(w.Path), blob(w.State))
	if g.failed != nil {
		return nil
	}
	var seqs []uint64
	g.failed = g.m.conn.query(context.Background(), "SELECT seq FROM snapshots WHERE session = ? AND version = ? ORDER BY seq DESC", func(v []driver.Value) error {
		seq, err := integerOf(v[0])
		seqs = append(seqs, uint64(seq))
		return err
	}, h.key, w.Version)
	for _, seq := range thinned(seqs) {
		g.exec("DELETE FROM snapshots WHERE session = ? AND version = ? AND seq = ?", h.key, w.Version, int64(seq))
	}
	return nil
}

// thinned says which snapshots to drop, given all, newest first. Behind the
// newest few, one is dropped if its older neighbour is at most twice as far
// from the newest as its younger one: going back by any distance then costs
// at most that distance again, and a session of a million records keeps about
// twenty.
func thinned(seqs []uint64) []uint64 {
	if len(seqs) <= newestKept {
		return nil
	}
	var drop []uint64
	kept := seqs[newestKept-1]
	for i := newestKept; i+1 < len(seqs); i++ {
		if younger, older := seqs[0]-kept, seqs[0]-seqs[i+1]; older <= 2*younger {
			drop = append(drop, seqs[i])
		} else {
			kept = seqs[i]
		}
	}
	return drop
}

// Snapshots gives a session's snapshots with a version, newest first. A damaged
// one is left out and logged: the records can make it again.
func (j *Journal) Snapshots(ctx context.Context, session string, version int, upto uint64, limit int) ([]journal.Snapshot, error) {
	if limit < 1 {
		return nil, nil
	}
	if upto == 0 {
		upto = ^upto
	}
	var list []journal.Snapshot
	err := j.read(ctx, func(c *conn) error {
		return c.query(ctx, `
			SELECT n.seq, n.crc, n.path, n.state
			FROM sessions s JOIN snapshots n ON n.session = s.key
			WHERE s.id = ? AND n.version = ? AND n.seq <= ? ORDER BY n.seq DESC LIMIT ?`, func(v []driver.Value) error {
			n, ok := snapshot(v, version)
			if !ok {
				j.log.Warn("a damaged snapshot is ignored", "session_id", session, "seq", n.Seq, "file", j.path)
				return nil
			}
			list = append(list, n)
			return nil
		}, session, version, seqValue(upto), limit)
	})
	return list, err
}

// snapshot decodes the columns seq, crc, path, state and says whether they are
// what was stored.
func snapshot(v []driver.Value, version int) (journal.Snapshot, bool) {
	seq, err := integerOf(v[0])
	n := journal.Snapshot{Seq: uint64(seq), Version: version, Path: bytesOf(v[2]), State: bytesOf(v[3])}
	if err != nil {
		return n, false
	}
	crc, err := integerOf(v[1])
	return n, err == nil && crc == int64(snapshotChecksum(n))
}

func snapshotChecksum(s journal.Snapshot) uint32 {
	return crc32.Update(checksum(int64(s.Version), s.Seq, s.Path), castagnoli, s.State)
}
