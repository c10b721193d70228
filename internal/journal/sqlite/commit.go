package sqlite

import "log/slog"

// cachedHeads is how many sessions the committer remembers, at about 150 bytes
// each, in each of two generations.
const cachedHeads = 8192

// committer is the one goroutine that writes.
type committer struct {
	path  string
	conn  *conn
	queue *queue
	heads *heads
	// position is the feed position of the last record, key the last key that
	// a session was given. Neither is ever given twice.
	position int64
	key      int64
	era      era
	purges   []int64 // deleted sessions whose records are still to be removed
	log      *slog.Logger
	tending  *checkpoints
	group    group // reused
}

func newCommitter(path string, c *conn, h *heads, k *checkpoints, log *slog.Logger) (*committer, error) {
	m := &committer{path: path, conn: c, queue: newQueue(), heads: h, tending: k, log: log}
	var err error
	if m.position, err = highest(c, "position", "SELECT max(id) FROM records"); err != nil {
		return nil, err
	}
	if m.key, err = highest(c, "key", "SELECT max(key) FROM sessions"); err != nil {
		return nil, err
	}
	last, _, err := c.integer("SELECT max(era) FROM records")
	if err != nil {
		return nil, err
	}
	m.era = era{number: last + 1}
	m.purges, err = loadPurges(c)
	return m, err
}

// highest is the larger of a number in use and the mark that deleting left.
func highest(c *conn, mark, inUse string) (int64, error) {
	used, _, err := c.integer(inUse)
	if err != nil {
		return 0, err
	}
	marked, _, err := c.integer("SELECT value FROM marks WHERE name = ?", mark)
	return max(used, marked), err
}

// run commits groups until the queue is closed and empty.
func (m *committer) run() {
	var tasks []*task
	for {
		if len(m.purges) == 0 {
			<-m.queue.ready
		}
		m.queue.gather(len(tasks))
		var over bool
		tasks, over = m.queue.take(tasks[:0])
		if over {
			return
		}
		if len(tasks) > 0 {
			m.commit(tasks)
		}
		if len(m.purges) > 0 {
			m.purge()
		}
		m.tending.tend(m)
	}
}

// commit writes a group and answers its tasks.
func (m *committer) commit(tasks []*task) {
	err := m.try(tasks)
	if err != nil && len(tasks) > 1 && !sharedFate(err) {
		// One of them is at fault. Each on its own, the others are not harmed.
		for i := range tasks {
			m.commit(tasks[i : i+1])
		}
		return
	}
	for i, t := range tasks {
		if err != nil {
			t.done(explain(m.path, err))
		} else {
			t.done(m.group.refused[i])
		}
	}
}

// try writes a group in one transaction. On an error nothing has changed, in
// the file or in memory.
func (m *committer) try(tasks []*task) error {
	g := &m.group
	g.reset(m)
	err := m.conn.atomically(func() error {
		for _, t := range tasks {
			refusal := t.work.apply(g)
			if g.failed != nil {
				return g.failed
			}
			g.refused = append(g.refused, refusal)
		}
		return g.flush()
	})
	if err != nil {
		return err
	}
	m.position, m.key, m.era = g.position, g.key, g.era
	m.purges = append(m.purges, g.purges...)
	for id, h := range g.heads {
		m.heads.put(id, h.head)
	}
	return nil
}
