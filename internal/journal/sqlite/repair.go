package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ownerless are the tables whose rows go if neither their session nor a record
// of it exists.
var ownerless = []string{"parts", "snapshots", "blob_refs"}

// Repair checks a journal and, if there is something that can be mended
// without touching a record, mends it and checks again: indexes are built
// anew, where records are is found out anew, snapshots of a session with a bad
// one are dropped, what belongs to no session is removed. Records are never
// changed or removed. A session whose last records are lost ends, afterwards,
// with the last one that is there.
func Repair(ctx context.Context, dir string, o CheckOptions) (*Report, error) {
	var r *Report
	err := withFolder(dir, "a repair", func(path string, c *conn) (err error) {
		r, err = check(ctx, path, c, o)
		if err != nil || !r.repairable() {
			return err
		}
		done, err := mend(c, r)
		if err != nil {
			return explain(path, err)
		}
		r, err = check(ctx, path, c, o)
		r.Repaired = done
		return err
	})
	return r, err
}

func mend(c *conn, r *Report) (done []string, err error) {
	err = c.atomically(func() error {
		indexes := false
		for _, p := range r.Problems {
			indexes = indexes || p.Kind == KindFile && p.Repairable
		}
		if indexes {
			if _, err := c.exec("REINDEX"); err != nil {
				return fmt.Errorf("build the indexes anew: %w", err)
			}
			done = append(done, "built the indexes anew")
		}
		for _, p := range r.Problems {
			if p.Repairable && (p.Kind == KindSession || p.Kind == KindRecord) {
				done = append(done, "found out anew where each session's records are")
				if err := rebuildSpans(c); err != nil {
					return err
				}
				break
			}
		}
		for _, table := range ownerless {
			n, err := c.exec("DELETE FROM " + table + " WHERE session NOT IN (SELECT key FROM sessions UNION SELECT session FROM records)")
			if err != nil {
				return fmt.Errorf("remove what belongs to no session from %s: %w", table, err)
			}
			if n > 0 {
				done = append(done, fmt.Sprintf("removed %d rows of %s that belong to no session", n, table))
			}
		}
		dropped, err := dropSnapshots(c, r)
		done = append(done, dropped...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// rebuildSpans makes the spans, and where sessions end, from the records.
func rebuildSpans(c *conn) error {
	for _, sql := range []string{
		"DELETE FROM spans WHERE session NOT IN (SELECT session FROM purges)",
		"INSERT OR IGNORE INTO spans (session, first, era) " + spansOfRecords,
		"UPDATE sessions SET era = coalesce((SELECT era FROM spans p WHERE p.session = key ORDER BY first DESC LIMIT 1), era)",
	} {
		if _, err := c.exec(sql); err != nil {
			return fmt.Errorf("find out anew where records are: %w", err)
		}
	}
	return nil
}

// dropSnapshots drops the snapshots of sessions that have a bad one.
func dropSnapshots(c *conn, r *Report) (done []string, err error) {
	var errs []error
	seen := make(map[string]bool)
	for _, p := range r.Problems {
		if p.Kind != KindSnapshot || !p.Repairable || p.Session == "" || seen[p.Session] {
			continue
		}
		seen[p.Session] = true
		n, err := c.exec("DELETE FROM snapshots WHERE session = (SELECT key FROM sessions WHERE id = ?)", p.Session)
		errs = append(errs, err)
		done = append(done, fmt.Sprintf("dropped %d snapshots of session %s", n, p.Session))
	}
	return done, errors.Join(errs...)
}

// indexProblem says whether SQLite's complaint is about an index, which the
// table can make again.
func indexProblem(what string) bool {
	return strings.Contains(what, "from index") || strings.Contains(what, "entries in index") || strings.Contains(what, "index entry")
}
