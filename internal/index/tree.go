package index

import (
	"context"
	"fmt"

	"github.com/parley-dev/parley/protocol"
)

const (
	// maxTree is how many sessions of a tree are shown, maxDepth how far down.
	maxTree  = 500
	maxDepth = 20
)

// Total is what sessions have cost together.
type Total struct {
	Sessions int            `json:"sessions"`
	Usage    protocol.Usage `json:"usage"`
	Size     int64          `json:"size"`
}

// Node is a session in a tree.
type Node struct {
	Item
	Depth int   `json:"depth"` // 0 for the root
	Tree  Total `json:"tree"`  // of itself and all below it that are shown
}

// Tree is a session with all that it has handed work to, and they in turn.
type Tree struct {
	RootID string `json:"root_id"`
	// Items are the sessions: each before its children, in the order in which
	// those were made.
	Items []Node `json:"items"`
	Tree  Total  `json:"tree"`
	// Truncated says that the tree goes on.
	Truncated  bool `json:"truncated,omitempty"`
	Incomplete bool `json:"incomplete,omitempty"`
}

// Tree gives the whole tree that a session belongs to, as far as may allows:
// from the highest session above it that may be seen. A session that the index
// does not know has an empty tree.
func (ix *Index) Tree(ctx context.Context, session string, may func(Item) bool) (Tree, error) {
	var t Tree
	incomplete, err := ix.ask(ctx, func(st *store) error {
		t = Tree{Items: []Node{}}
		root, err := st.rootOf(ctx, session, may)
		if err != nil || root == nil {
			return err
		}
		t.RootID = root.SessionID
		t.Tree, err = st.grow(ctx, &t, *root, 0, may)
		return err
	})
	if err != nil {
		return Tree{}, fmt.Errorf("read the tree of session %s: %w", session, err)
	}
	t.Incomplete = incomplete
	return t, nil
}

// rootOf climbs from a session to the highest one above it.
func (st *store) rootOf(ctx context.Context, id string, may func(Item) bool) (root *Item, err error) {
	for range maxDepth {
		items, err := st.items(ctx, "s.session_id = ?", id, 1)
		if err != nil || len(items) == 0 || !may(items[0]) {
			return root, err
		}
		root = &items[0]
		if id = root.ParentID; id == "" {
			break
		}
	}
	return root, nil
}

// grow adds a session and those below it, and sums them up.
func (st *store) grow(ctx context.Context, t *Tree, item Item, depth int, may func(Item) bool) (Total, error) {
	at := len(t.Items)
	t.Items = append(t.Items, Node{Item: item, Depth: depth})
	sum := Total{Sessions: 1, Usage: item.Usage, Size: item.Size}
	children, err := st.items(ctx, "s.parent_id = ?", item.SessionID, maxTree)
	if err != nil {
		return sum, err
	}
	for _, child := range children {
		if !may(child) {
			continue
		}
		if len(t.Items) == maxTree || depth == maxDepth {
			t.Truncated = true
			break
		}
		below, err := st.grow(ctx, t, child, depth+1, may)
		if err != nil {
			return sum, err
		}
		sum.Sessions += below.Sessions
		sum.Usage = sum.Usage.Add(below.Usage)
		sum.Size += below.Size
	}
	t.Items[at].Tree = sum
	return sum, nil
}

func (st *store) items(ctx context.Context, which string, value any, limit int) ([]Item, error) {
	return collect(ctx, st.readers, scanItem, "SELECT "+itemColumns+", s.key AS sorted FROM sessions s WHERE "+which+" ORDER BY s.key LIMIT ?", value, limit)
}
