//go:build unix

package workspace

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
)

// oddNames are names that are easily sorted or written wrongly.
var oddNames = []string{"a", "a.b", "a-b", "a0", "a b", "ab", "A", "é", "\xff\xfe", "\"q\\", "new\nline", "\x01", "b", "zz"}

func randomPath(r *rand.Rand) string {
	parts := make([]string, 1+r.IntN(4))
	for i := range parts {
		parts[i] = oddNames[r.IntN(len(oddNames))]
	}
	return strings.Join(parts, "/")
}

// Trees that are made here are those that git makes, whatever stood in the way.
func TestTreesAreThoseOfGit(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	h, err := x.w.hold(t.Context())
	x.ok(err)
	defer h.release()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	var versions []version
	contents := [][]byte{[]byte("one"), []byte("two"), {}}
	for _, c := range contents {
		o := blobOID(c)
		versions = append(versions, version{oid: o, kind: regular, perm: 0o644}, version{oid: o, kind: regular, perm: 0o755}, version{oid: o, kind: link})
	}
	tree := emptyTree
	for round := range rounds(16) {
		var edits []edit
		for range r.IntN(80) {
			e := edit{path: randomPath(r)}
			if r.IntN(5) > 0 && round%8 != 7 { // now and then only deletions
				e.to = versions[r.IntN(len(versions))]
			}
			edits = append(edits, e)
		}
		ours, theirs := x.bothTrees(h, contents, tree, edits)
		if ours != theirs {
			t.Fatalf("seed %d: %s with %d edits became %s here and %s in git: %+v", seed, tree, len(edits), ours, theirs, edits)
		}
		tree = theirs
	}
}

// bothTrees makes a tree here, and lets git make it.
func (x *world) bothTrees(h *hold, contents [][]byte, tree string, edits []edit) (ours, theirs string) {
	x.t.Helper()
	m := h.importer()
	defer m.abandon()
	for _, c := range contents {
		x.ok(m.blob(blobOID(c), c))
	}
	ours, err := m.plant(tree, edits)
	x.ok(err)
	_, err = h.git.run(h.ctx, h.lock, "ls-tree", "-r", ours) // all of it is stored
	x.ok(err)
	_, theirs, err = m.commit(commit{branch: tipRef, message: "{}", tree: tree, edits: edits})
	x.ok(err)
	return ours, theirs
}

// A checkpoint of so many edits that their trees are made here, and one upon it.
func TestSaveMany(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	want := map[string]string{}
	write := func(name, content string) {
		x.write(name, content)
		want[name] = content
	}
	for i := range manyEdits {
		write(fmt.Sprintf("wide/f%d", i), fmt.Sprint(i))
	}
	for i := range 50 {
		write(fmt.Sprintf("wide/d%d/in/f", i), fmt.Sprint(i))
	}
	write("wide/é\xff\n\"", "odd")
	first, kept := x.save(), maps.Clone(want)
	for i := range manyEdits {
		delete(want, fmt.Sprintf("wide/f%d", i))
		x.remove(fmt.Sprintf("wide/f%d", i))
		if i%10 == 0 { // a file becomes a folder
			write(fmt.Sprintf("wide/f%d/now", i), "folder")
		}
	}
	second := x.save()
	if second.FilesChanged != manyEdits+manyEdits/10 {
		t.Errorf("%d files changed", second.FilesChanged)
	}
	for hash, want := range map[string]map[string]string{first.Hash: kept, second.Hash: want} {
		if got := x.files(hash); !sameFiles(got, want) {
			t.Errorf("checkpoint %s holds %d files, not the %d that were there", hash, len(got), len(want))
		}
	}
	if again := x.save(); !again.Unchanged {
		t.Errorf("nothing changed, and the checkpoint says %+v", again)
	}
	x.open(Limits{})
	if again := x.save(); again.FilesChanged != 0 || again.Tree != second.Tree {
		t.Errorf("read again, the checkpoint says %+v", again)
	}
	x.ok(x.store.Check(t.Context()))
}

// Trees of a checkpoint that came to nothing name content that is nowhere. They are
// in nobody's way.
func TestTreesWithoutCommit(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.write("a", "1")
	c := x.save()
	func() {
		h, err := x.w.hold(t.Context())
		x.ok(err)
		defer h.release()
		m := h.importer()
		defer m.abandon()
		x.ok(m.start())
		_, err = m.plant(c.Tree, []edit{{"in/b", version{oid: blobOID([]byte("nowhere")), kind: regular}}})
		x.ok(err)
	}()
	x.ok(x.store.Check(t.Context()))
	x.write("in/b", "nowhere")
	if got := x.files(x.save().Hash); !sameFiles(got, map[string]string{"a": "1", "in/b": "nowhere"}) {
		t.Errorf("the next checkpoint holds %v", got)
	}
	func() {
		h, err := x.w.hold(t.Context())
		x.ok(err)
		defer h.release()
		x.ok(h.repack(true))
	}()
	x.ok(x.store.Check(t.Context()))
	_, err := x.store.GC(t.Context(), func(Ref) bool { return false })
	x.ok(err)
	x.ok(x.store.Check(t.Context()))
}
