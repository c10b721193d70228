package index

import "github.com/parley-dev/parley/internal/branch"

// move shows what a rewind brings back and hides what it takes away. Its cost
// is that of the records that moved.
func (b *batch) move(r *row, from, to branch.Path) error {
	shared := fork(from, to)
	for _, v := range views() {
		for _, s := range after(from, shared) {
			if err := b.hide(v, r.key, s, shared); err != nil {
				return err
			}
		}
		for _, s := range after(to, shared) {
			if err := b.show(v, r.key, s); err != nil {
				return err
			}
		}
	}
	if err := b.count(r); err != nil {
		return err
	}
	return b.relate(r)
}

// hide takes a span away. Lines that were begun before it get the version back
// that they had.
func (b *batch) hide(v View, session int64, s branch.Span, shared uint64) error {
	err := b.exec(v.sql("UPDATE facts INDEXED BY facts_seq SET $_shown = 0 WHERE session = ? AND seq BETWEEN ? AND ? AND $_shown"),
		session, int64(s.From), int64(s.To))
	if err != nil {
		return err
	}
	return b.exec(v.sql("UPDATE facts SET $_shown = 1 WHERE seq <= ?4 AND id IN ("+replaced+")"),
		session, int64(s.From), int64(s.To), int64(shared))
}

// show brings a span back, of each line the newest version.
func (b *batch) show(v View, session int64, s branch.Span) error {
	err := b.exec(v.sql("UPDATE facts INDEXED BY facts_seq SET $_shown = 1 WHERE session = ? AND seq BETWEEN ? AND ? AND $ IS NOT NULL"),
		session, int64(s.From), int64(s.To))
	if err != nil {
		return err
	}
	return b.exec(v.sql("UPDATE facts SET $_shown = 0 WHERE id IN ("+replaced+")"), session, int64(s.From), int64(s.To))
}

// replaced are the versions whose place was taken in a span.
const replaced = "SELECT $_over FROM facts INDEXED BY facts_seq WHERE session = ?1 AND seq BETWEEN ?2 AND ?3 AND $_over IS NOT NULL"

// count reads how many lines are visible, and the ts of the newest message.
func (b *store) count(r *row) error {
	r.total, r.top = make(map[View]int, 2), 0
	for _, v := range views() {
		var n int
		_, err := found(b.queryRow(v.sql(countLines), r.key).Scan(&n))
		if err != nil {
			return err
		}
		r.total[v] = n
	}
	_, err := found(b.queryRow("SELECT top FROM facts WHERE session = ? AND ui_shown ORDER BY ui_n DESC LIMIT 1", r.key).Scan(&r.top))
	return err
}

// fork gives the last record that two paths have in common: beyond it they
// share nothing.
func fork(a, b branch.Path) (last uint64) {
	for i := range min(len(a), len(b)) {
		if a[i].From != b[i].From {
			break
		}
		last = min(a[i].To, b[i].To)
		if a[i].To != b[i].To {
			break
		}
	}
	return last
}

// after gives the part of a path beyond a record.
func after(p branch.Path, seq uint64) branch.Path {
	var rest branch.Path
	for _, s := range p {
		if s.From = max(s.From, seq+1); !s.Empty() {
			rest = append(rest, s)
		}
	}
	return rest
}
