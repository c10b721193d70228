package sqlite

import (
	"context"
	"database/sql/driver"

	"github.com/parley-dev/parley/internal/journal"
)

// purgedAtOnce is how many records one transaction removes: a large session is
// removed between other people's appends, not in front of them.
const purgedAtOnce = 1000

// Delete removes a session with all that belongs to it and remembers the id.
// When it returns, the session is gone for good; the records of a long one are
// taken out of the file behind it, also after a restart.
func (j *Journal) Delete(ctx context.Context, session string) error {
	return j.do(ctx, deleteSession(session), 0)
}

type deleteSession string

func (w deleteSession) apply(g *group) error {
	h, err := g.head(string(w))
	if err != nil {
		return err
	}
	if h.state != alive {
		return journal.ErrNotFound
	}
	if g.flush() != nil {
		return nil
	}
	g.exec("INSERT INTO tombstones (id) VALUES (?)", string(w))
	g.exec("DELETE FROM sessions WHERE key = ?", h.key)
	g.exec("DELETE FROM parts WHERE session = ?", h.key)
	g.exec("DELETE FROM snapshots WHERE session = ?", h.key)
	g.exec("DELETE FROM blob_refs WHERE session = ?", h.key)
	// The highest numbers may be about to go; they are not given again.
	g.exec("INSERT OR REPLACE INTO marks (name, value) VALUES ('position', ?), ('key', ?)", g.position, g.key)
	if !g.purge(h.key) {
		g.exec("INSERT INTO purges (session) VALUES (?)", h.key)
		g.purges = append(g.purges, h.key)
	}
	h.head = head{wake: never, state: deleted}
	return nil
}

// purge removes some records of a deleted session and says whether none is
// left.
func (g *group) purge(key int64) (done bool) {
	n := g.exec(`
		DELETE FROM records WHERE id IN (
			SELECT r.id FROM spans p CROSS JOIN records r ON r.era = p.era AND r.session = p.session
			WHERE p.session = ? LIMIT ?)`, key, purgedAtOnce)
	if n == purgedAtOnce {
		return false
	}
	g.exec("DELETE FROM spans WHERE session = ?", key)
	return true
}

// purgeRecords continues with a deleted session.
type purgeRecords struct {
	key  int64
	done bool
}

func (w *purgeRecords) apply(g *group) error {
	if w.done = g.purge(w.key); w.done {
		g.exec("DELETE FROM purges WHERE session = ?", w.key)
	}
	return nil
}

// purge removes a piece of the first deleted session. What fails is tried
// again when the journal is opened next.
func (m *committer) purge() {
	w := &purgeRecords{key: m.purges[0]}
	err := m.try([]*task{{work: w}})
	if err != nil {
		m.log.Warn("records of a deleted session could not be removed yet", "error", explain(m.path, err))
	}
	if w.done || err != nil {
		m.purges = m.purges[1:]
	}
}

func loadPurges(c *conn) (keys []int64, err error) {
	err = c.query(context.Background(), "SELECT session FROM purges", func(v []driver.Value) error {
		key, err := integerOf(v[0])
		keys = append(keys, key)
		return err
	})
	return keys, err
}
