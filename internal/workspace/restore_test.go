//go:build unix

package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRestore(t *testing.T) {
	for name, plain := range map[string]bool{"exchange": false, "plain renames": true} {
		t.Run(name, func(t *testing.T) {
			x := newWorld(t)
			x.store.plainRenames = plain
			x.write("same", "1")
			x.write("changed", "1")
			x.write("deleted/deep/file", "1")
			x.write("file becomes folder", "1")
			x.write("folder becomes file/a", "1")
			x.write("folder becomes file/b/c", "1")
			x.ok(os.MkdirAll(x.path("empty/stays"), 0o700))
			x.ok(os.MkdirAll(x.path("empty/removed"), 0o755))
			s := x.step(func() {
				x.write("changed", "2")
				x.remove("deleted")
				x.write("new/deep/file", "2")
				x.remove("file becomes folder")
				x.write("file becomes folder/x", "2")
				x.remove("folder becomes file")
				x.write("folder becomes file", "2")
				x.remove("empty/removed")
				x.write("empty/stays/file", "2")
				x.ok(os.Mkdir(x.path("made"), 0o755))
			})
			preview, err := x.w.Preview(t.Context(), Restore{Steps: []Step{s}})
			x.ok(err)
			x.reads("changed", "2")
			r := x.restore(s)
			if !slices.Equal(r.Changed, preview.Changes) || len(r.Kept)+len(preview.Kept) > 0 {
				t.Errorf("preview says %+v, the result %+v", preview, r)
			}
			before := func() {
				t.Helper()
				x.reads("same", "1")
				x.reads("changed", "1")
				x.reads("deleted/deep/file", "1")
				x.reads("file becomes folder", "1")
				x.reads("folder becomes file/a", "1")
				x.reads("folder becomes file/b/c", "1")
				for folder, there := range map[string]bool{"new": false, "empty/stays": true, "empty/removed": true, "made": false} {
					if _, err := os.Stat(x.path(folder)); (err == nil) != there {
						t.Errorf("folder %s: %v", folder, err)
					}
				}
				if info, err := os.Stat(x.path("empty/stays")); err != nil || info.Mode().Perm() != 0o700 {
					t.Error("a folder that was empty before was made anew")
				}
			}
			before()
			undone, err := x.w.Restore(t.Context(), r.Undo())
			x.ok(err)
			x.reads("changed", "2")
			x.reads("new/deep/file", "2")
			x.reads("deleted/deep/file", "-")
			x.reads("file becomes folder/x", "2")
			x.reads("folder becomes file", "2")
			x.reads("empty/stays/file", "2")
			if _, err := os.Stat(x.path("made")); err != nil {
				t.Error(err)
			}
			_, err = x.w.Restore(t.Context(), undone.Undo())
			x.ok(err)
			before()
		})
	}
}

const poem = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"

func TestPersonsEditsAreKept(t *testing.T) {
	x := newWorld(t)
	x.write("poem", poem)
	x.write("clash", poem)
	x.write("binary", "a\x00b")
	x.write("theirs", "1")
	x.write("deleted by agent", "1")
	x.write("deleted by person", "1")
	start := x.save()
	s := x.step(func() {
		x.write("poem", strings.Replace(poem, "two", "TWO", 1))
		x.write("clash", strings.Replace(poem, "two", "TWO", 1))
		x.write("binary", "a\x00c")
		x.write("new", "agent")
		x.remove("deleted by agent")
		x.write("deleted by person", "2")
	})
	x.write("poem", strings.NewReplacer("two", "TWO", "nine", "NINE").Replace(poem))
	x.write("clash", strings.Replace(poem, "two", "2", 1))
	x.write("binary", "a\x00d")
	x.write("theirs", "person")
	x.write("their new", "person")
	x.write("new", "agent and person")
	x.write("deleted by agent", "person")
	x.remove("deleted by person")

	r, err := x.w.Restore(t.Context(), Restore{Session: "s", Steps: []Step{s}, To: start.Hash})
	x.ok(err)
	x.reads("poem", strings.Replace(poem, "nine", "NINE", 1))
	if len(r.Changed) != 1 || !r.Changed[0].Merged || r.Changed[0].Path != "poem" {
		t.Errorf("the restore changed %+v", r.Changed)
	}
	for name, want := range map[string]string{
		"clash": strings.Replace(poem, "two", "2", 1), "binary": "a\x00d", "new": "agent and person",
		"deleted by agent": "person", "deleted by person": "-",
	} {
		x.reads(name, want)
		x.keeps(r, name, KeptConflict)
	}
	for name, want := range map[string]string{"clash": poem, "binary": "a\x00b", "deleted by agent": "1", "deleted by person": "1"} {
		k := x.keeps(r, name, KeptConflict)
		if b, err := os.ReadFile(k.Copy); err != nil || string(b) != want {
			t.Errorf("of %s, %q is offered, %v", name, b, err)
		}
	}
	x.keeps(r, "theirs", KeptPerson)
	x.keeps(r, "their new", KeptPerson)
	x.reads("theirs", "person")

	x.write("poem", strings.NewReplacer("nine", "NINE", "ten", "TEN").Replace(poem))
	_, err = x.w.Restore(t.Context(), r.Undo())
	x.ok(err)
	x.reads("poem", strings.NewReplacer("two", "TWO", "nine", "NINE", "ten", "TEN").Replace(poem))
}

// An agent and a person take turns in one file; only the agent's part goes back.
func TestTurnsInOneFile(t *testing.T) {
	x := newWorld(t)
	x.write("f", poem)
	edit := func(from, to string) { x.write("f", strings.Replace(x.content("f"), from, to, 1)) }
	s1 := x.step(func() { edit("one", "ONE") })
	s2 := x.step(func() { edit("ONE", "uno") })
	edit("five", "FIVE")
	s3 := x.step(func() { edit("ten", "TEN") })
	r := x.restore(s1, s2, s3)
	x.reads("f", strings.Replace(poem, "five", "FIVE", 1))
	if len(r.Kept) != 0 {
		t.Errorf("kept: %+v", r.Kept)
	}
	// A second time there is nothing to do.
	if again := x.restore(s1, s2, s3); len(again.Changed) != 0 || again.After.Hash != again.Before.Hash {
		t.Errorf("again: %+v", again)
	}
}

// A step that names its paths says nothing about others, whatever else changed
// between its checkpoints.
func TestStepsWithPaths(t *testing.T) {
	x := newWorld(t)
	x.write("a", "1")
	x.write("b", "1")
	x.write("c/d", "1")
	before := x.save("a", "c")
	x.write("a", "2")
	x.write("b", "2")
	x.write("c/d", "2")
	after := x.save()
	r, err := x.w.Restore(t.Context(), Restore{Steps: []Step{{Before: before.Hash, After: after.Hash, Paths: []string{"a", "c"}}}})
	x.ok(err)
	x.reads("a", "1")
	x.reads("b", "2")
	x.reads("c/d", "1")
	if len(r.Changed) != 2 {
		t.Errorf("changed: %+v", r.Changed)
	}
}

// Before the folder was scanned once, a file that is in no checkpoint may have been
// there all the time.
func TestStepFromBeforeTheFirstScan(t *testing.T) {
	x := newWorld(t)
	x.write("a", "1")
	x.write("b", "mine")
	before := x.save("a")
	x.write("a", "2")
	x.open(Limits{})
	after := x.save()
	r := x.restore(Step{Before: before.Hash, After: after.Hash})
	x.reads("a", "1")
	x.reads("b", "mine")
	x.keeps(r, "b", KeptNotCaptured)
}

func TestIgnoredFilesAreNeverTouched(t *testing.T) {
	x := newWorld(t)
	x.write(".gitignore", "*.log\nbuild/\n/local\n!keep.log\n")
	x.write("sub/.gitignore", "deep\n")
	x.write("keep.log", "1")
	x.write("x.log", "mine")
	x.write("build/out", "mine")
	x.write("sub/deep", "mine")
	x.write("sub/local", "1")
	x.write("node_modules/m/index.js", "mine")
	x.write("local", "mine")
	c := x.save()
	if got := x.files(c.Hash); len(got) != 4 || got["keep.log"] != "1" || got["sub/local"] != "1" {
		t.Fatalf("the checkpoint holds %v", got)
	}
	if c := x.save("build"); missing(c, "build") != Ignored || !c.Unchanged {
		t.Errorf("an ignored folder that is named: %+v", c)
	}
	// An agent takes the rules away: that what was ignored comes up does not mean that
	// the agent made it.
	s := x.step(func() {
		x.remove(".gitignore")
		x.remove("sub/.gitignore")
		x.write("new", "agent")
	})
	r := x.restore(s)
	for _, name := range []string{"x.log", "build/out", "sub/deep", "node_modules/m/index.js", "local"} {
		x.reads(name, "mine")
	}
	x.keeps(r, "build/out", KeptIgnored)
	x.keeps(r, "sub/deep", KeptIgnored)
	x.reads("new", "-")
	x.reads("sub/.gitignore", "deep\n")
}

// A file stands in the way of one that comes back: an ignored one, or one that
// nobody had captured.
func TestInTheWay(t *testing.T) {
	x := newWorld(t)
	x.write("a/x", "1")
	x.write("b", "1")
	s := x.step(func() {
		x.remove("a")
		x.remove("b")
		x.write(".gitignore", "a\nb/\n")
	})
	x.write("a", "ignored, and in the way")
	x.write("b/c", "ignored, and in the way")
	r := x.restore(s)
	x.reads("a", "ignored, and in the way")
	x.reads("b/c", "ignored, and in the way")
	for name := range map[string]string{"a/x": "", "b": ""} {
		i := slices.IndexFunc(r.Kept, func(k Kept) bool { return k.Path == name })
		if i < 0 {
			t.Fatalf("%s is not among what was kept: %+v", name, r.Kept)
		}
		if b, err := os.ReadFile(r.Kept[i].Copy); err != nil || string(b) != "1" {
			t.Errorf("of %s, %q is offered, %v", name, b, err)
		}
	}
}

// What is tracked stays tracked when a rule leaves it out later, as with git.
func TestIgnoredLater(t *testing.T) {
	x := newWorld(t)
	x.write("dist/a", "1")
	x.write("b", "1")
	x.save()
	s := x.step(func() {
		x.write(".gitignore", "dist/\nb\n")
		x.write("dist/a", "2")
		x.write("b", "2")
		x.write("dist/new", "2")
	})
	if got := x.files(s.After); got["dist/a"] != "2" || got["b"] != "2" || got["dist/new"] != "" {
		t.Fatalf("the checkpoint holds %v", got)
	}
	x.restore(s)
	x.reads("dist/a", "1")
	x.reads("b", "1")
	x.reads("dist/new", "2")
}

func TestUnknownCheckpoint(t *testing.T) {
	x := newWorld(t)
	x.write("a", "1")
	c := x.save()
	for _, bad := range []string{"", "HEAD", "--help", tipRef, strings.Repeat("0", 40), c.Tree, c.Hash[:39], c.Hash + "\n"} {
		if _, err := x.w.Restore(t.Context(), Restore{Steps: []Step{{Before: bad, After: c.Hash}}}); !errors.Is(err, ErrUnknown) {
			t.Errorf("restore from %q gives %v", bad, err)
		}
		if _, _, err := x.w.Diff(t.Context(), bad, c.Hash, 0); !errors.Is(err, ErrUnknown) {
			t.Errorf("diff from %q gives %v", bad, err)
		}
	}
}

// What somebody does between the look and the act is not lost.
func TestMeanwhile(t *testing.T) {
	x := newWorld(t)
	for _, name := range []string{"edited", "replaced", "removed", "deleted", "fine"} {
		x.write(name, "1")
	}
	s := x.step(func() {
		for _, name := range []string{"edited", "replaced", "removed", "fine"} {
			x.write(name, "2")
		}
		x.write("made", "2")
		x.write("made too", "2")
		x.remove("deleted")
	})
	h, err := x.w.hold(t.Context())
	x.ok(err)
	p, err := h.plan(Restore{Session: "s", Steps: []Step{s}}, true)
	x.ok(err)
	x.write("edited", "person")
	x.ok(os.WriteFile(x.path("tmp"), []byte("person"), 0o644))
	x.ok(os.Rename(x.path("tmp"), x.path("replaced")))
	x.remove("removed")
	x.write("made", "person")
	x.write("deleted", "person")
	open, err := os.OpenFile(x.path("fine"), os.O_WRONLY, 0)
	x.ok(err)
	defer open.Close()
	openMade, err := os.OpenFile(x.path("made too"), os.O_WRONLY, 0)
	x.ok(err)
	defer openMade.Close()
	a, err := h.applier(p)
	x.ok(err)
	r := Result{Before: p.now}
	r.After, err = a.aim("s")
	x.ok(err)
	a.run()
	_, err = open.WriteString("person, late")
	x.ok(err)
	_, err = openMade.WriteString("person, late")
	x.ok(err)
	a.lookAgain()
	r.Kept = a.kept
	x.ok(a.land(r.After))
	a.close()
	h.release()

	x.reads("edited", "person")
	x.reads("replaced", "person")
	x.reads("removed", "-")
	x.reads("made", "person")
	x.reads("deleted", "person")
	x.reads("fine", "1")
	for _, name := range []string{"edited", "replaced", "removed", "made"} {
		x.keeps(r, name, KeptMeanwhile)
	}
	x.keeps(r, "deleted", KeptInTheWay)
	for _, name := range []string{"fine", "made too"} {
		k := x.keeps(r, name, KeptMeanwhile)
		if b, err := os.ReadFile(k.Copy); err != nil || string(b) != "person, late" {
			t.Errorf("what was written late is %q, %v", b, err)
		}
	}
	_, err = x.w.Restore(t.Context(), r.Undo())
	x.ok(err)
	x.reads("fine", "2")
	x.reads("edited", "person")
}

// What is going to happen is told before it does, and does not if that is refused.
func TestRestoreBegins(t *testing.T) {
	x := newWorld(t)
	x.store.syncsRefs = false // as with an old git
	x.write("edited", "1")
	x.write("removed", "1")
	s := x.step(func() {
		x.write("edited", "2")
		x.write("made/new", "2")
		x.remove("removed")
	})
	refused := errors.New("not now")
	_, err := x.w.Restore(t.Context(), Restore{Session: "s", Steps: []Step{s}, Begin: func(Result) error { return refused }})
	if !errors.Is(err, refused) {
		t.Fatalf("a restore that was refused came to %v", err)
	}
	x.reads("edited", "2")
	if bins, err := os.ReadDir(x.w.trash); err != nil || len(bins) != 0 {
		t.Errorf("it left %v, %v in the trash", bins, err)
	}
	if c := x.save(); !c.Unchanged && c.FilesChanged != 0 {
		t.Errorf("nothing was touched, and the next checkpoint is %+v", c)
	}

	var told Result
	r, err := x.w.Restore(t.Context(), Restore{Session: "s", Steps: []Step{s}, Begin: func(r Result) error {
		x.reads("edited", "2")
		x.reads("made/new", "2")
		told = r
		return nil
	}})
	x.ok(err)
	x.reads("edited", "1")
	x.reads("made/new", "-")
	if diff := cmp.Diff(told, r); diff != "" {
		t.Errorf("what happened is not what was told (-told +happened):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"edited": "1", "removed": "1"}, x.files(told.After.Hash)); diff != "" {
		t.Error(diff)
	}
	if c := x.save(); !c.Unchanged || c.Hash != told.After.Hash {
		t.Errorf("the state after is %s, and the next checkpoint is %+v", told.After.Hash, c)
	}
	_, err = x.w.Restore(t.Context(), told.Again()) // nothing is left to do
	x.ok(err)
	x.reads("edited", "1")
	x.write("removed", "person")
	_, err = x.w.Restore(t.Context(), told.Undo())
	x.ok(err)
	x.reads("edited", "2")
	x.reads("made/new", "2")
	x.reads("removed", "person")
}

// Whoever stops waiting when the first file is changed gets all of them changed.
func TestRestoreIsNotGivenUpHalfWay(t *testing.T) {
	x := newWorld(t)
	x.write("a", "1")
	x.write("b", "1")
	s := x.step(func() { x.write("a", "2"); x.write("b", "2") })
	ctx, cancel := contextThatEnds(t)
	r, err := x.w.Restore(ctx, Restore{Session: "s", Steps: []Step{s}, Begin: func(Result) error { cancel(); return nil }})
	if err != nil || len(r.Changed) != 2 || len(r.Kept) != 0 {
		t.Errorf("the restore gave %+v, %v", r, err)
	}
	x.reads("a", "1")
	x.reads("b", "1")
}

// A restore that died in the middle: what a person wrote and it had just taken out
// goes back.
func TestSettle(t *testing.T) {
	x := newWorld(t)
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		x.write(name, "1")
	}
	s := x.step(func() {
		for _, name := range []string{"a", "b", "c", "e", "f"} {
			x.write(name, "2")
		}
		x.write("made", "2")
		x.remove("d")
	})
	h, err := x.w.hold(t.Context())
	x.ok(err)
	p, err := h.plan(Restore{Session: "s", Steps: []Step{s}}, true)
	x.ok(err)
	a, err := h.applier(p)
	x.ok(err)
	x.ok(a.trash.writeActions(p.actions))
	slot := func(name string) string {
		for n, act := range p.actions {
			if act.Path == name {
				return filepath.Join(a.trash.path, string(rune('0'+n)))
			}
		}
		t.Fatal(name)
		return ""
	}
	// a: exchanged, and what came out is a person's. b: only prepared. c: half prepared.
	x.ok(os.WriteFile(slot("a"), []byte("person"), 0o644))
	x.write("a", "1")
	x.ok(os.WriteFile(slot("b"), []byte("1"), 0o644))
	x.ok(os.WriteFile(slot("c")+newSuffix, []byte(""), 0o600))
	x.ok(os.WriteFile(slot("made"), []byte("person made"), 0o644))
	x.remove("made")
	// e, f: where names cannot be exchanged, before and after the second rename.
	x.ok(os.WriteFile(slot("e"), []byte("1"), 0o644))
	x.ok(os.Rename(x.path("e"), slot("e")+outSuffix))
	x.ok(os.Rename(x.path("f"), slot("f")+outSuffix))
	x.write("f", "1")
	a.close()
	_ = h.lock.Close() // as a kill would
	<-x.w.turn
	x.w.manifest = nil

	x.open(Limits{})
	x.save()
	x.reads("a", "person")
	x.reads("b", "2")
	x.reads("c", "2")
	x.reads("d", "-")
	x.reads("e", "2")
	x.reads("f", "1")
	if b, err := os.ReadFile(slot("f")); err != nil || string(b) != "2" {
		t.Errorf("what was displaced is %q, %v", b, err)
	}
	x.reads("made", "person made")
	if _, err := os.Stat(slot("c") + newSuffix); err == nil {
		t.Error("the half of a file is still there")
	}
}

// The data folder is on another file system: the trash is then in the folder, where
// neither a checkpoint nor git sees it.
func TestTrashOnAnotherFileSystem(t *testing.T) {
	x := elsewhereWorld(t)
	x.write("a", "1")
	s := x.step(func() { x.write("a", "2"); x.write("b", "2") })
	if _, err := os.Stat(x.path(".parley")); err == nil {
		t.Error("a checkpoint wrote in the folder")
	}
	r := x.restore(s)
	x.reads("a", "1")
	x.reads("b", "-")
	x.git("", "init", "-q")
	if got := x.files(x.save().Hash); !sameFiles(got, map[string]string{"a": "1"}) {
		t.Errorf("the checkpoint holds %v", got)
	}
	_, err := x.w.Restore(t.Context(), r.Undo())
	x.ok(err)
	x.reads("b", "2")
}

// elsewhereWorld has its data on another file system.
func elsewhereWorld(t *testing.T) *world {
	t.Helper()
	other, err := os.MkdirTemp("/dev/shm", "parley-test-*")
	if err != nil {
		t.Skip("there is no second file system here")
	}
	t.Cleanup(func() { _ = os.RemoveAll(other) })
	x := newWorld(t)
	x.ok(x.store.Close())
	x.store, x.data = nil, other
	x.open(Limits{})
	if x.w.trash != x.path(".parley/trash") {
		t.Skip("it is the same file system")
	}
	return x
}
