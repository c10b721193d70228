//go:build unix

package workspace

import (
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSave(t *testing.T) {
	x := newWorld(t)
	empty := x.save()
	if empty.Tree != emptyTree || empty.Unchanged {
		t.Fatalf("the first checkpoint of an empty folder is %+v", empty)
	}
	x.write("a.txt", "one")
	x.write("in/deep/b.txt", "two")
	first := x.save()
	if first.FilesChanged != 2 || first.Unchanged || first.From != empty.Hash {
		t.Errorf("the first checkpoint says %+v", first)
	}
	again := x.save()
	if again.Hash != first.Hash || !again.Unchanged || again.FilesChanged != 0 {
		t.Errorf("nothing changed, and the checkpoint says %+v", again)
	}
	x.write("a.txt", "ONE")
	x.remove("in")
	second := x.save()
	if second.FilesChanged != 2 || second.Hash == first.Hash {
		t.Errorf("the second checkpoint says %+v", second)
	}
	for hash, want := range map[string]map[string]string{
		empty.Hash: {}, first.Hash: {"a.txt": "one", "in/deep/b.txt": "two"}, second.Hash: {"a.txt": "ONE"},
	} {
		if got := x.files(hash); !sameFiles(got, want) {
			t.Errorf("checkpoint %s holds %v, not %v", hash, got, want)
		}
	}
	list, err := x.w.Checkpoints(t.Context(), "s")
	if err != nil || len(list) != 3 || list[2].Hash != second.Hash || list[2].Reason != "test" || list[2].FilesChanged != 2 {
		t.Errorf("the list is %+v, %v", list, err)
	}
	x.write("a.txt", "one")
	x.write("in/deep/b.txt", "two")
	if back := x.save(); back.Tree != first.Tree {
		t.Errorf("the same files have the trees %s and %s", back.Tree, first.Tree)
	}
}

func sameFiles(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			return false
		}
	}
	return true
}

func TestSavePathsLooksAtTheseOnly(t *testing.T) {
	x := newWorld(t)
	x.write("a", "1")
	x.write("b", "1")
	x.write("d/e/f", "1")
	x.save()
	x.write("a", "2")
	x.write("b", "2")
	x.write("d/e/g", "2")
	x.remove("d/e/f")
	if got := x.files(x.save("a").Hash); !sameFiles(got, map[string]string{"a": "2", "b": "1", "d/e/f": "1"}) {
		t.Errorf("a checkpoint of a holds %v", got)
	}
	if got := x.files(x.save("d", "nothing/here").Hash); !sameFiles(got, map[string]string{"a": "2", "b": "1", "d/e/g": "2"}) {
		t.Errorf("a checkpoint of d holds %v", got)
	}
	x.remove("d")
	x.write("d", "a file")
	if got := x.files(x.save("d").Hash); !sameFiles(got, map[string]string{"a": "2", "b": "1", "d": "a file"}) {
		t.Errorf("a folder that became a file gives %v", got)
	}
	x.remove("d")
	x.write("d/x", "a folder")
	if got := x.files(x.save("d/x").Hash); !sameFiles(got, map[string]string{"a": "2", "b": "1", "d/x": "a folder"}) {
		t.Errorf("a file that became a folder gives %v", got)
	}
	if c, err := x.w.Save(t.Context(), Save{Session: "s", Paths: []string{"d/x"}}); err != nil || !c.Unchanged {
		t.Errorf("nothing to keep gives %+v, %v", c, err)
	}
	for _, bad := range []string{"", "/etc/passwd", "../x", "a/../../x", "a\x00b"} {
		if _, err := x.w.Save(t.Context(), Save{Session: "s", Paths: []string{bad}}); !errors.Is(err, ErrPath) {
			t.Errorf("the path %q gives %v", bad, err)
		}
	}
}

func TestSameSizeAndTimeIsSeen(t *testing.T) {
	x := newWorld(t)
	x.write("a", "one")
	then := time.Now().Add(-time.Hour)
	x.ok(os.Chtimes(x.path("a"), then, then))
	for _, word := range strings.Fields("two six ten one two") {
		x.save()
		x.write("a", word)
		x.ok(os.Chtimes(x.path("a"), then, then))
		if got := x.files(x.save().Hash)["a"]; got != word {
			t.Fatalf("an edit of the same size with the old time put back: %q was kept, not %q", got, word)
		}
	}
}

func TestTwoProcessesOnOneFolder(t *testing.T) {
	x := newWorld(t)
	_, other := x.second(Limits{})
	want := map[string]string{}
	x.save()
	for i := range 4 {
		for j, w := range []*Workspace{x.w, other} {
			name := strings.Repeat("x", i*2+j+1)
			x.write(name, name)
			want[name] = name
			c, err := w.Save(t.Context(), Save{Session: "s", Paths: []string{name}})
			if err != nil {
				t.Fatal(err)
			}
			if got := x.files(c.Hash); !sameFiles(got, want) {
				t.Fatalf("after %q the checkpoint holds %v", name, got)
			}
		}
	}
	if c, err := x.w.Save(t.Context(), Save{Session: "s"}); err != nil || !c.Unchanged {
		t.Errorf("a scan afterwards says %+v, %v", c, err)
	}
}

func TestStartAgain(t *testing.T) {
	x := newWorld(t)
	x.write("a", "1")
	x.write("in/b", "2")
	x.ok(os.Chmod(x.path("a"), 0o600))
	x.ok(os.Mkdir(x.path("empty"), 0o755))
	first := x.save()
	x.open(Limits{})
	if c := x.save(); c.Hash != first.Hash || !c.Unchanged {
		t.Errorf("after a start the same folder gives %+v", c)
	}
	x.ok(x.store.Close())
	if _, err := x.w.Save(t.Context(), Save{}); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed store says %v", err)
	}
	x.ok(os.WriteFile(x.w.dir+"/"+stampsFile, []byte("damaged by somebody"), 0o600))
	x.store = nil
	x.open(Limits{})
	x.write("a", "3")
	c := x.save()
	if got := x.files(c.Hash); !sameFiles(got, map[string]string{"a": "3", "in/b": "2"}) || c.FilesChanged != 1 {
		t.Errorf("with a damaged cache the checkpoint holds %v", got)
	}
}

func TestStampsAreKept(t *testing.T) {
	x := newWorld(t)
	x.write("in/a", "one")
	x.save()
	d, err := openDir(x.path("in"))
	x.ok(err)
	rested, err := d.stat("a")
	d.close()
	x.ok(err)
	x.w.manifest.root.dirs["in"].files["a"].stamp = rested // it was written too recently to have one
	x.open(Limits{})
	h, err := x.w.hold(t.Context())
	x.ok(err)
	defer h.release()
	m, err := h.load()
	x.ok(err)
	if got := m.root.dirs["in"].files["a"].stamp; got != rested {
		t.Errorf("the stamp came back as %+v, not %+v", got, rested)
	}
}

func TestIncomplete(t *testing.T) {
	x := newWorld(t)
	x.write("a", "1")
	c, err := x.w.Save(t.Context(), Save{Session: "s", Within: 1})
	if err != nil || !c.Incomplete {
		t.Fatalf("a scan without time gives %+v, %v", c, err)
	}
	full := x.save()
	if full.Incomplete || full.Unchanged {
		t.Fatalf("the next one says %+v", full)
	}
	// The file was there all the time: that the first checkpoint does not have it
	// does not mean that an agent made it.
	r := x.restore(Step{Before: c.Hash, After: full.Hash})
	x.reads("a", "1")
	if len(r.Changed) != 0 {
		t.Errorf("the restore changed %+v", r.Changed)
	}
	few := Limits{Files: 2}
	x.open(few)
	for _, name := range []string{"b", "c", "d", "e"} {
		x.write(name, "1")
	}
	if c := x.save(); !c.Incomplete {
		t.Errorf("five files with a limit of two give %+v", c)
	}
}

func TestProgress(t *testing.T) {
	x := newWorld(t)
	for i := range 1500 {
		x.write("f"+strings.Repeat("x", i%100)+string(rune('a'+i/100)), "")
	}
	var told atomic.Int64
	if _, err := x.w.Save(t.Context(), Save{Session: "s", Progress: func(n int) { told.Store(int64(n)) }}); err != nil {
		t.Fatal(err)
	}
	if told.Load() < 1000 {
		t.Errorf("progress ended at %d", told.Load())
	}
}

func TestStaleLocks(t *testing.T) {
	x := newWorld(t)
	x.write("a", "1")
	x.save()
	for _, name := range []string{"index.lock", "refs/parley/tip.lock", "packed-refs.lock", "config.lock", "HEAD.lock"} {
		x.ok(os.WriteFile(x.w.git.dir+"/"+name, nil, 0o600))
	}
	x.open(Limits{})
	x.write("a", "2")
	if got := x.files(x.save().Hash)["a"]; got != "2" {
		t.Errorf("the checkpoint holds %q", got)
	}
}

func TestCancelledSaveLeavesEverything(t *testing.T) {
	x := newWorld(t)
	x.write("a", "1")
	first := x.save()
	x.write("a", "2")
	ctx, cancel := contextThatEnds(t)
	cancel()
	if _, err := x.w.Save(ctx, Save{Session: "s"}); err == nil {
		t.Fatal("a cancelled save succeeded")
	}
	if c := x.save(); c.From != first.Hash || x.files(c.Hash)["a"] != "2" {
		t.Errorf("after it a save gives %+v", c)
	}
}

// A mark tells another process where a call began.
func TestMark(t *testing.T) {
	x := newWorld(t)
	odd := "caf\xe9"
	for _, began := range []Step{{Before: "a"}, {Before: "b", Paths: []string{odd, "x/y"}}} {
		x.ok(x.w.mark("s/1", "call", began))
		_, other := x.second(Limits{})
		if got, ok := other.marked("s/1", "call"); !ok || !cmp.Equal(got, began) {
			t.Errorf("marked %+v, found %+v, %v", began, got, ok)
		}
		if _, ok := other.marked("s/1", "cal"); ok {
			t.Error("another call is marked")
		}
	}
	long := time.Now().Add(-markLasts - time.Hour)
	x.ok(x.w.mark("s", "old", Step{Before: "a"}))
	x.ok(os.Chtimes(x.w.markPath("s", "old"), long, long))
	x.save()
	x.ok(x.store.Tend(t.Context()))
	_, old := x.w.marked("s", "old")
	if _, young := x.w.marked("s/1", "call"); old || !young {
		t.Errorf("after a long time: the old one is there %v, the young one %v", old, young)
	}
	x.w.Recorded("s/1", "call")
	if got, ok := x.w.marked("s/1", "call"); ok {
		t.Errorf("after its end %+v is marked", got)
	}
}
