package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// CheckOptions says what else Check looks at.
type CheckOptions struct {
	// Blobs, if given, must have every blob that a record refers to.
	Blobs interface {
		Has(hash string) (bool, error)
	}
	// Progress, if given, is called now and then: which step, how much of it.
	Progress func(step string, done, total int64)
}

// Check reads the journal of a data folder that nobody has open and reports
// all that is not as it was written. The error says why it could not look;
// what it found is in the report.
func Check(ctx context.Context, dir string, o CheckOptions) (*Report, error) {
	var r *Report
	err := withFolder(dir, "a check", func(path string, c *conn) (err error) {
		r, err = check(ctx, path, c, o)
		return err
	})
	return r, err
}

// withFolder locks a data folder and lends a connection to its journal.
func withFolder(dir, holder string, do func(path string, c *conn) error) (err error) {
	path := filepath.Join(dir, fileName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no journal in %s: %w", dir, err)
	}
	lock, err := lockFolder(dir, fmt.Sprintf("%s by process %d", holder, os.Getpid()))
	if err != nil {
		return explain(path, err)
	}
	defer func() { err = errors.Join(err, explain(path, lock.release())) }()
	c, err := dial(path, fmt.Sprintf("busy_timeout = %d", busyTimeout), "synchronous = FULL")
	if err != nil {
		return explain(path, err)
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := identify(c, path); err != nil {
		return explain(path, err)
	}
	return do(path, c)
}

// checker is one check under way.
type checker struct {
	ctx      context.Context
	conn     *conn
	options  CheckOptions
	report   *Report
	sessions map[int64]*checkedSession
	orphans  map[int64]int // records by the key of a session whose row is missing
}

type checkedSession struct {
	id     string
	family int64
	era    int64  // in which its row says that it ends
	last   uint64 // the last record seen
	seen   int64  // its era
	purged bool   // deleted; its records are on their way out
}

func check(ctx context.Context, path string, c *conn, o CheckOptions) (*Report, error) {
	k := &checker{ctx: ctx, conn: c, options: o, report: &Report{File: path, Problems: []Problem{}}, sessions: make(map[int64]*checkedSession), orphans: make(map[int64]int)}
	for _, step := range []func() error{k.file, k.heads, k.records, k.ends, k.spans, k.parts, k.snapshots, k.refs, k.blobs} {
		err := step()
		if ctx.Err() != nil {
			return k.report, ctx.Err()
		}
		if err != nil {
			// A page that cannot be read ends this step, not the check.
			k.report.add(Problem{Kind: KindFile, What: err.Error()})
		}
	}
	return k.report, nil
}

func (k *checker) progress(step string, done, total int64) {
	if k.options.Progress != nil {
		k.options.Progress(step, done, total)
	}
}

// file lets SQLite check its own structure: pages, order, indexes. Indexes can
// be built anew if nothing else is wrong.
func (k *checker) file() error {
	k.progress("file", 0, 1)
	var complaints []string
	err := k.conn.query(k.ctx, "PRAGMA integrity_check(100)", func(v []driver.Value) error {
		if what := string(bytesOf(v[0])); what != "ok" {
			complaints = append(complaints, what)
		}
		return nil
	})
	repairable := err == nil && !slices.ContainsFunc(complaints, func(what string) bool { return !indexProblem(what) })
	for _, what := range complaints {
		k.report.add(Problem{Kind: KindFile, What: what, Repairable: repairable})
	}
	return err
}

func (k *checker) heads() error {
	err := k.conn.query(k.ctx, "SELECT session FROM purges", func(v []driver.Value) error {
		key, err := integerOf(v[0])
		k.sessions[key] = &checkedSession{purged: true}
		return err
	})
	if err != nil {
		return err
	}
	return k.conn.query(k.ctx, "SELECT key, id, family, crc, era FROM sessions NOT INDEXED", func(v []driver.Value) error {
		id := string(bytesOf(v[1]))
		k.report.Sessions++
		key, family, err := identity(v[:4])
		era, err2 := integerOf(v[4])
		if err := errors.Join(err, err2); err != nil {
			k.report.add(Problem{Kind: KindSession, Session: id, What: err.Error()})
		}
		k.sessions[key] = &checkedSession{id: id, family: family, era: era}
		return nil
	})
}

// known finds the session that a row belongs to, or reports the row. What
// belongs to a session of which only the row is missing stays: with the
// records, all of it can be saved.
func (k *checker) known(kind Kind, key driver.Value) (*checkedSession, bool) {
	n, _ := key.(int64)
	s, ok := k.sessions[n]
	if !ok && k.orphans[n] > 0 {
		return nil, false
	}
	if !ok || s.purged {
		k.report.add(Problem{Kind: kind, What: fmt.Sprintf("it belongs to the session with key %v, which does not exist", key), Repairable: true})
		return nil, false
	}
	return s, true
}

func (k *checker) parts() error {
	k.progress("parts", 0, 1)
	return k.conn.query(k.ctx, "SELECT session, open, idx, crc, text, meta FROM parts", func(v []driver.Value) error {
		k.report.Parts++
		s, ok := k.known(KindPart, v[0])
		if !ok {
			return nil
		}
		if p, ok := part(v[1:]); !ok {
			k.report.add(Problem{Kind: KindPart, Session: s.id, What: fmt.Sprintf("part %d of open message %s is not what was stored", p.Index, p.Open)})
		}
		return nil
	})
}

func (k *checker) snapshots() error {
	k.progress("snapshots", 0, 1)
	return k.conn.query(k.ctx, "SELECT session, version, seq, crc, path, state FROM snapshots", func(v []driver.Value) error {
		k.report.Snapshots++
		s, ok := k.known(KindSnapshot, v[0])
		if !ok {
			return nil
		}
		version, _ := v[1].(int64)
		n, ok := snapshot(v[2:], int(version))
		switch {
		case !ok:
			k.report.add(Problem{Kind: KindSnapshot, Session: s.id, Seq: n.Seq, What: "it is not what was stored", Repairable: true})
		case n.Seq > s.last:
			k.report.add(Problem{Kind: KindSnapshot, Session: s.id, Seq: n.Seq, What: fmt.Sprintf("it covers more than the session's %d records", s.last), Repairable: true})
		}
		return nil
	})
}

func (k *checker) refs() error {
	return k.conn.query(k.ctx, "SELECT DISTINCT session FROM blob_refs", func(v []driver.Value) error {
		k.known(KindBlob, v[0])
		return nil
	})
}

func (k *checker) blobs() error {
	var hashes []string
	err := k.conn.query(k.ctx, "SELECT DISTINCT hash FROM blob_refs ORDER BY hash", func(v []driver.Value) error {
		hashes = append(hashes, string(bytesOf(v[0])))
		return nil
	})
	k.report.Blobs = int64(len(hashes))
	if k.options.Blobs == nil {
		return err
	}
	for i, hash := range hashes {
		if err := k.ctx.Err(); err != nil {
			return err
		}
		if i%1000 == 0 {
			k.progress("blobs", int64(i), int64(len(hashes)))
		}
		has, err := k.options.Blobs.Has(hash)
		if err != nil {
			k.report.add(Problem{Kind: KindBlob, What: fmt.Sprintf("blob %s: %v", hash, err)})
		} else if !has {
			k.report.add(Problem{Kind: KindBlob, What: fmt.Sprintf("blob %s is missing; %s", hash, k.referrers(hash))})
		}
	}
	return err
}

// referrers names some of the sessions that refer to a blob.
func (k *checker) referrers(hash string) string {
	var ids []string
	err := k.conn.query(k.ctx, "SELECT s.id FROM blob_refs b JOIN sessions s ON s.key = b.session WHERE b.hash = ? ORDER BY s.id LIMIT 3", func(v []driver.Value) error {
		ids = append(ids, string(bytesOf(v[0])))
		return nil
	}, hash)
	if err != nil {
		return err.Error()
	}
	return "referred to by session " + strings.Join(ids, ", ")
}
