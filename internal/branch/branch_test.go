package branch_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-dev/parley/internal/branch"
)

func TestPath(t *testing.T) {
	tests := []struct {
		name string
		tree branch.Tree
		last uint64
		want branch.Path
	}{
		{"empty", nil, 0, branch.Path{{1, 0}}},
		{"straight", nil, 7, branch.Path{{1, 7}}},
		{"just rewound", branch.Tree{{Seq: 8, Head: 5}}, 8, branch.Path{{1, 5}, {9, 8}}},
		{"went on", branch.Tree{{Seq: 8, Head: 5}}, 12, branch.Path{{1, 5}, {9, 12}}},
		{"undone", branch.Tree{{Seq: 8, Head: 5}, {Seq: 9, Head: 7}}, 9, branch.Path{{1, 7}, {10, 9}}},
		{"undo undone", branch.Tree{{Seq: 8, Head: 5}, {Seq: 9, Head: 7}, {Seq: 10, Head: 8}}, 11, branch.Path{{1, 5}, {9, 8}, {11, 11}}},
		{"to the start", branch.Tree{{Seq: 4, Head: 0}}, 6, branch.Path{{1, 0}, {5, 6}}},
		{"back to a hidden branch", branch.Tree{{Seq: 8, Head: 5}, {Seq: 12, Head: 7}}, 13, branch.Path{{1, 7}, {13, 13}}},
		{"as it was before", branch.Tree{{Seq: 8, Head: 5}, {Seq: 12, Head: 7}}, 10, branch.Path{{1, 5}, {9, 10}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.tree.Path(tt.last)); diff != "" {
				t.Errorf("path (-want +got):\n%s", diff)
			}
		})
	}
}

// follow walks a journal the slow way: each record knows the one it follows.
func follow(parents map[uint64]uint64, moves map[uint64]bool, last uint64) map[uint64]bool {
	seen := map[uint64]bool{}
	for at := last; at > 0; at = parents[at] {
		if !moves[at] {
			seen[at] = true
		}
	}
	return seen
}

func TestPathFollowsParents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(1, 60).Draw(t, "records")
		parents, moves := map[uint64]uint64{}, map[uint64]bool{}
		var tree branch.Tree
		for seq := uint64(1); seq <= n; seq++ {
			parents[seq] = seq - 1
			if seq > 1 && rapid.IntRange(0, 4).Draw(t, "move") == 0 {
				head := rapid.Uint64Range(0, seq-1).Draw(t, "head")
				parents[seq], moves[seq] = head, true
				tree = append(tree, branch.Move{Seq: seq, Head: head})
			}
		}
		path := tree.Path(n)
		want := follow(parents, moves, n)
		for seq := uint64(1); seq <= n; seq++ {
			if path.Contains(seq) != want[seq] {
				t.Fatalf("record %d visible: %v, want %v; tree %v path %v", seq, path.Contains(seq), want[seq], tree, path)
			}
		}
		checkDiff(t, tree.Path(rapid.Uint64Range(0, n).Draw(t, "other")), path, n)
		checkLeaves(t, tree, n)
		// Whatever was a path and is still wholly at the beginning of a later
		// one must be recognised, and only that.
		m := rapid.Uint64Range(1, n).Draw(t, "earlier")
		earlier := tree.Path(m)
		if earlier.PrefixOf(path) {
			for seq := uint64(1); seq <= m; seq++ {
				if earlier.Contains(seq) && !path.Contains(seq) {
					t.Fatalf("%v is no prefix of %v", earlier, path)
				}
				if path.Contains(seq) && !earlier.Contains(seq) && seq <= earlier[len(earlier)-1].To {
					t.Fatalf("%v leaves out record %d of %v", earlier, seq, path)
				}
			}
		}
	})
}

func checkDiff(t *rapid.T, old, new branch.Path, n uint64) {
	hidden, shown := branch.Diff(old, new)
	for seq := uint64(1); seq <= n; seq++ {
		if got := branch.Path(hidden).Contains(seq); got != (old.Contains(seq) && !new.Contains(seq)) {
			t.Fatalf("record %d hidden: %v; old %v new %v", seq, got, old, new)
		}
		if got := branch.Path(shown).Contains(seq); got != (new.Contains(seq) && !old.Contains(seq)) {
			t.Fatalf("record %d shown: %v; old %v new %v", seq, got, old, new)
		}
	}
}

// Every record but those of moves is on the way to some leaf, and no leaf is on
// the way to another.
func checkLeaves(t *rapid.T, tree branch.Tree, n uint64) {
	leaves := tree.Leaves(n)
	for seq := uint64(1); seq <= n; seq++ {
		_, move := tree.Find(seq)
		reached := false
		for _, leaf := range leaves {
			reached = reached || tree.Path(leaf).Contains(seq)
			if leaf != seq && tree.Path(seq).Contains(leaf) && !move {
				for _, other := range leaves {
					if other == seq {
						t.Fatalf("leaf %d lies on the way to leaf %d; tree %v", leaf, seq, tree)
					}
				}
			}
		}
		if reached == move {
			t.Fatalf("record %d (move: %v) is on the way to a leaf: %v; tree %v leaves %v", seq, move, reached, tree, leaves)
		}
	}
}
