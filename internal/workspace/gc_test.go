//go:build unix

package workspace

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestGC(t *testing.T) {
	x := newWorld(t)
	big := make([]byte, 1<<20)
	var hashes []string
	for i := range 4 {
		_, _ = rand.Read(big)
		x.write("big", string(big))
		x.write("n", strconv.Itoa(i))
		hashes = append(hashes, x.save().Hash)
	}
	sizes, err := x.store.Sizes(t.Context())
	if err != nil || len(sizes) != 1 || sizes[0].Checkpoints != 4 || sizes[0].Repository < 4<<20 || sizes[0].Folder != x.folder {
		t.Fatalf("sizes are %+v, %v", sizes, err)
	}
	var asked []Ref
	removed, err := x.store.GC(t.Context(), func(r Ref) bool {
		asked = append(asked, r)
		return r.Hash == hashes[1]
	})
	if err != nil || removed.Checkpoints != 3 || removed.Bytes < 1<<20 || len(asked) != 4 || asked[0].Session != "s" {
		t.Fatalf("removed %+v, %v; asked for %+v", removed, err, asked)
	}
	if got := x.files(hashes[1])["n"]; got != "1" {
		t.Errorf("what was kept holds %q", got)
	}
	if _, _, err := x.w.Diff(t.Context(), hashes[0], hashes[1], 0); err == nil {
		t.Error("what was not kept is still there")
	}
	if c := x.save(); !c.Unchanged || c.Hash != hashes[3] {
		t.Errorf("the latest state is %+v", c)
	}
	if list, err := x.w.Checkpoints(t.Context(), "s"); err != nil || len(list) != 2 {
		t.Errorf("the list is %+v, %v", list, err)
	}
	x.ok(x.store.Check(t.Context()))
	x.ok(x.store.Close())
	x.store = nil
	x.open(Limits{})
	x.ok(os.RemoveAll(x.folder))
	if _, err := x.store.GC(t.Context(), func(Ref) bool { return false }); err != nil {
		t.Errorf("the folder is gone, and its checkpoints cannot be: %v", err)
	}
}

func TestSessionsShareCheckpoints(t *testing.T) {
	x := newWorld(t)
	x.write("a", "1")
	c := x.save()
	for range 2 {
		other, err := x.w.Save(t.Context(), Save{Session: "../odd.lock", Reason: "other"})
		if err != nil || other.Hash != c.Hash {
			t.Fatalf("another session gets %+v, %v", other, err)
		}
	}
	list, err := x.w.Checkpoints(t.Context(), "../odd.lock")
	if err != nil || len(list) != 1 || list[0].Hash != c.Hash {
		t.Fatalf("its list is %+v, %v", list, err)
	}
	_, err = x.store.GC(t.Context(), func(r Ref) bool { return r.Session != "s" })
	x.ok(err)
	if got := x.files(c.Hash)["a"]; got != "1" {
		t.Errorf("one session's end took the other's checkpoint: %q", got)
	}
}

func TestTend(t *testing.T) {
	x := newWorldWith(t, Limits{Trash: time.Hour})
	var hashes []string
	for i := range manyPacks + 2 {
		x.write("a", strconv.Itoa(i))
		hashes = append(hashes, x.save("a").Hash)
	}
	s := x.step(func() { x.write("a", "agent") })
	x.restore(s)
	x.ok(x.store.Tend(t.Context()))
	packs, err := filepath.Glob(filepath.Join(x.w.git.dir, "objects/pack/*.pack"))
	if err != nil || len(packs) > 3 {
		t.Errorf("%d packs are left, %v", len(packs), err)
	}
	for i, hash := range hashes {
		if got := x.files(hash)["a"]; got != strconv.Itoa(i) {
			t.Errorf("checkpoint %d holds %q", i, got)
		}
	}
	bins, err := os.ReadDir(x.w.trash)
	if err != nil || len(bins) != 1 {
		t.Fatalf("the trash holds %v, %v", bins, err)
	}
	then := time.Now().Add(-2 * time.Hour)
	x.ok(os.Chtimes(filepath.Join(x.w.dir, booksName, bins[0].Name(), doneName), then, then))
	x.ok(x.store.Tend(t.Context()))
	if bins, err := os.ReadDir(x.w.trash); err != nil || len(bins) != 0 {
		t.Errorf("the trash holds %v, %v", bins, err)
	}
	x.write("a", "after")
	if got := x.files(x.save().Hash)["a"]; got != "after" {
		t.Errorf("after it a checkpoint holds %q", got)
	}
}

// What is old is told by how long a session has needed it: the state before a
// change may be that of long ago.
func TestAgeIsOfUse(t *testing.T) {
	x := newWorld(t)
	x.write("a", "1")
	old := x.save()
	old.Created = time.Now().Add(-40 * 24 * time.Hour)
	for _, young := range x.refs() {
		_, err := x.w.git.run(t.Context(), nil, "update-ref", "-d", young)
		x.ok(err)
	}
	_, err := x.w.git.run(t.Context(), nil, "update-ref", refOf("s", old.Created), old.Hash)
	x.ok(err)
	x.open(Limits{})
	s := x.step(func() { x.write("a", "2") })
	if s.Before != old.Hash {
		t.Fatal("the state before is another one")
	}
	young := func(r Ref) bool { return time.Since(r.Created) < 30*24*time.Hour }
	other, _ := x.second(Limits{})
	if _, err := other.GC(t.Context(), young); err != nil {
		t.Fatal(err)
	}
	x.ok(other.Close())
	x.restore(s)
	x.reads("a", "1")
}

// A collection by another process is noticed: what a session needs next is kept.
func TestCollectedElsewhere(t *testing.T) {
	x := newWorld(t)
	x.write("a", "1")
	c := x.save()
	x.save() // it is known that the session has it
	other, _ := x.second(Limits{})
	if _, err := other.GC(t.Context(), func(Ref) bool { return false }); err != nil {
		t.Fatal(err)
	}
	x.ok(other.Close())
	if again := x.save(); again.Hash != c.Hash || len(x.refs()) != 1 {
		t.Errorf("%s is kept by %v", again.Hash, x.refs())
	}
}

func (x *world) refs() []string {
	x.t.Helper()
	out, err := x.w.git.run(x.t.Context(), nil, "for-each-ref", "--format=%(refname)", savedRef)
	x.ok(err)
	return strings.Fields(string(out))
}
