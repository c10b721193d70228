// Package branch computes which records of a session are visible.
//
// A journal only grows, and a rewind is a record in it that moves the head: what
// is written next follows the record it names, not the one before it. So a
// journal is a tree, and what a person sees is the path from its root to the
// head. This package derives that path from the rewinds alone, without looking
// at any other record. It is pure.
package branch

// Move is a rewind: the record Seq set the head to the record Head (0: before
// the first). The record after Seq follows Head.
type Move struct {
	Seq  uint64 `json:"seq"`
	Head uint64 `json:"head"`
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
