package index

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-dev/parley/protocol"
)

// family is a root with two children, one of which has a child; each has used
// as many tokens as its name has letters.
func family() *memory {
	m := newMemory()
	for _, s := range []struct{ id, parent, owner string }{
		{"root", "", "ann"}, {"one", "root", "ann"}, {"two", "root", "ann"}, {"three", "one", "ann"}, {"alien", "root", "bob"},
	} {
		root := "root"
		if s.parent == "" {
			root = ""
		}
		m.put(s.id, protocol.TypeSessionCreated, &protocol.SessionCreated{Owner: s.owner, Title: s.id, ParentID: s.parent, RootID: root, Version: "1"})
		m.put(s.id, protocol.TypeModelCompleted, &protocol.ModelCompleted{Usage: protocol.Usage{InputTokens: int64(len(s.id)), CostUSD: 0.5}})
	}
	return m
}

func outline(t Tree) string {
	var lines []string
	for _, n := range t.Items {
		lines = append(lines, fmt.Sprintf("%s%s %d/%d", strings.Repeat("-", n.Depth), n.SessionID, n.Tree.Sessions, n.Tree.Usage.InputTokens))
	}
	return strings.Join(lines, " ")
}

func TestTree(t *testing.T) {
	m := family()
	ix := open(t, path(t), m)
	anns := func(i Item) bool { return i.Owner == "ann" }
	for _, c := range []struct {
		id   string
		may  func(Item) bool
		want string
	}{
		{"three", anns, "root 4/15 -one 2/8 --three 1/5 -two 1/3"},
		{"root", anns, "root 4/15 -one 2/8 --three 1/5 -two 1/3"},
		{"root", func(Item) bool { return true }, "root 5/20 -one 2/8 --three 1/5 -two 1/3 -alien 1/5"},
		{"three", func(i Item) bool { return i.SessionID != "root" }, "one 2/8 -three 1/5"},
		{"alien", func(i Item) bool { return i.Owner == "bob" }, "alien 1/5"},
		{"nobody", anns, ""},
	} {
		tree, err := ix.Tree(t.Context(), c.id, c.may)
		if err != nil {
			t.Fatal(err)
		}
		check(t, c.id, outline(tree), c.want)
		if len(tree.Items) > 0 && (tree.RootID != tree.Items[0].SessionID || tree.Tree != tree.Items[0].Tree || tree.Truncated) {
			t.Errorf("%s: %+v", c.id, tree)
		}
	}
	tree, err := ix.Tree(t.Context(), "root", anns)
	if err != nil {
		t.Fatal(err)
	}
	if want := m.size("root") + m.size("one") + m.size("two") + m.size("three"); tree.Tree.Size != want {
		t.Errorf("the tree has %d bytes, not %d", tree.Tree.Size, want)
	}
}

// A tree without end is cut, in depth and in number.
func TestTreeIsBounded(t *testing.T) {
	m := newMemory()
	m.create("s0", "ann", "")
	for i := range maxDepth + 3 {
		m.put(fmt.Sprint("s", i+1), protocol.TypeSessionCreated, &protocol.SessionCreated{Owner: "ann", ParentID: fmt.Sprint("s", i), RootID: "s0"})
	}
	m.create("wide", "ann", "")
	for i := range maxTree + 5 {
		m.put(fmt.Sprint("w", i), protocol.TypeSessionCreated, &protocol.SessionCreated{Owner: "ann", ParentID: "wide", RootID: "wide"})
	}
	ix := open(t, path(t), m)
	for id, want := range map[string]int{"s0": maxDepth + 1, "wide": maxTree} {
		tree, err := ix.Tree(t.Context(), id, func(Item) bool { return true })
		if err != nil || len(tree.Items) != want || !tree.Truncated || tree.Tree.Sessions != want {
			t.Errorf("%s: %d sessions, truncated %v, %v", id, len(tree.Items), tree.Truncated, err)
		}
	}
	if n := len(list(t, ix, Query{Q: "wide"})[0].ChildIDs); n != maxChildren {
		t.Errorf("%d children are named", n)
	}
}

// What a session waits for and what came of it follows its visible records.
func TestKinFollowTheHead(t *testing.T) {
	m := newMemory()
	m.create("a", "ann", "")
	ix := open(t, path(t), m)
	start := func(child string) {
		m.put("a", protocol.TypeToolStarted, &protocol.ToolStarted{CallID: "call_" + child, Tool: "delegate", ChildID: child})
	}
	done := func(child string) {
		m.put("a", protocol.TypeToolCompleted, &protocol.ToolCompleted{CallID: "call_" + child, OK: true})
	}
	head := func(seq uint64) {
		m.put("a", protocol.TypeRewound, &protocol.Rewound{RewindID: "r", Head: protocol.MessageID(seq)})
	}
	complete := func(text string) {
		m.put("a", protocol.TypeComplete, &protocol.Complete{Response: protocol.Response{Text: text}})
	}
	for i, step := range []struct {
		do   func()
		want string
	}{
		{func() { start("c1") }, "c1||"},  // record 2
		{func() { start("c2") }, "c2||"},  // 3
		{func() { done("c2") }, "c1|c2|"}, // 4
		{func() { complete("it is " + strings.Repeat("가", 600)) }, "c1|c2|it is " + strings.Repeat("가", 494)}, // 5
		{func() { done("c1") }, "|c1|it is " + strings.Repeat("가", 494)},                                      // 6
		{func() { head(4) }, "c1|c2|"},
		{func() { head(3) }, "c2||"},
		{func() { head(1) }, "||"},
		{func() { head(6) }, "|c1|it is " + strings.Repeat("가", 494)},
	} {
		step.do()
		if i%2 == 1 { // and also when it was forgotten
			if err := ix.CatchUp(t.Context()); err != nil {
				t.Fatal(err)
			}
			ix.mu.RLock()
			clear(ix.cache)
			ix.mu.RUnlock()
		}
		item := list(t, ix, Query{})[0]
		check(t, fmt.Sprint("step ", i), item.AwaitingChildID+"|"+item.CompletedByChildID+"|"+item.Summary, step.want)
	}
}
