// Package branch computes which records of a session are visible.
//
// A journal only grows, and a rewind is a record in it that moves the head: what
// is written next follows the record it names, not the one before it. So a
// journal is a tree, and what a person sees is the path from its root to the
// head. This package derives that path from the rewinds alone, without looking
// at any other record. It is pure.
package branch

import "slices"

// Move is a rewind: the record Seq set the head to the record Head (0: before
// the first). The record after Seq follows Head. From is the record that was
// last when the rewind began: undoing it leads there.
type Move struct {
	Seq  uint64 `json:"seq"`
	Head uint64 `json:"head"`
	From uint64 `json:"from,omitempty"`
}

// Span is a run of records, both ends included. An empty one (To == From-1)
// stands where a rewind moved the head and nothing has been written since.
type Span struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
}

// Empty says that no record is in the span.
func (s Span) Empty() bool { return s.To < s.From }

// Path is the visible records in order. Between two spans lies a move: there
// the fold lets the session rest.
type Path []Span

// Tree is every move of a session, in order of their sequence numbers.
type Tree []Move

// Path gives what is visible when the journal ends at last. Records of moves
// are on no path: they are not part of any conversation.
func (t Tree) Path(last uint64) Path {
	var reversed Path
	head := last
	for i := len(t) - 1; i >= 0; i-- {
		m := t[i]
		if m.Seq > head {
			continue
		}
		reversed = append(reversed, Span{From: m.Seq + 1, To: head})
		head = m.Head
	}
	reversed = append(reversed, Span{From: 1, To: head})
	path := make(Path, len(reversed))
	for i, s := range reversed {
		path[len(path)-1-i] = s
	}
	return path
}

// Contains says whether the record is visible.
func (p Path) Contains(seq uint64) bool {
	for _, s := range p {
		if seq >= s.From && seq <= s.To {
			return true
		}
	}
	return false
}

// PrefixOf says whether whoever follows q comes by all of p first.
func (p Path) PrefixOf(q Path) bool {
	if len(p) == 0 {
		return true
	}
	if len(p) > len(q) {
		return false
	}
	last := len(p) - 1
	for i := range last {
		if p[i] != q[i] {
			return false
		}
	}
	return p[last].From == q[last].From && p[last].To <= q[last].To
}

// Find gives the move that the record seq made.
func (t Tree) Find(seq uint64) (Move, bool) {
	for _, m := range t {
		if m.Seq == seq {
			return m, true
		}
	}
	return Move{}, false
}

// Leaves gives every record that something was once written after and that no
// longer path goes through: the ends of all branches, the oldest first.
func (t Tree) Leaves(last uint64) []uint64 {
	var ends []uint64
	for _, m := range t {
		ends = append(ends, t.standing(m.Seq-1))
	}
	ends = append(ends, t.standing(last))
	var leaves []uint64
	for i, end := range ends {
		if end > 0 && !t.passed(ends, i) {
			leaves = append(leaves, end)
		}
	}
	slices.Sort(leaves)
	return leaves
}

// standing is the last record that is visible when the journal ends at last.
func (t Tree) standing(last uint64) uint64 {
	path := t.Path(last)
	for i := len(path) - 1; i >= 0; i-- {
		if !path[i].Empty() {
			return path[i].To
		}
	}
	return 0
}

// passed says whether another end lies beyond this one, or is the same and
// comes later.
func (t Tree) passed(ends []uint64, i int) bool {
	for j, other := range ends {
		if j == i || other == ends[i] && j < i {
			continue
		}
		if t.Path(other).Contains(ends[i]) {
			return true
		}
	}
	return false
}

// Diff gives what is visible on the old path only, and on the new one only.
func Diff(old, new Path) (hidden, shown []Span) {
	return old.without(new), new.without(old)
}

// without gives the records of p that are not on q.
func (p Path) without(q Path) []Span {
	rest := []Span{}
	for _, s := range p {
		from := s.From
		for _, o := range q { // in rising order, like p
			if o.Empty() || o.To < from || o.From > s.To {
				continue
			}
			if o.From > from {
				rest = append(rest, Span{from, o.From - 1})
			}
			from = max(from, o.To+1)
		}
		if from <= s.To {
			rest = append(rest, Span{from, s.To})
		}
	}
	return rest
}
