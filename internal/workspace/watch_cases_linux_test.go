package workspace

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestSavePathsTakesNothingFromTheNextScan(t *testing.T) {
	x := newWatched(t)
	x.write("a", "2")
	x.write("in/b", "2")
	x.write("in/deep/c", "2")
	x.write("in/new/x", "2")
	x.save("in/deep", "in/new/x")
	x.write("in/new/y", "2")
	c, whole := x.looks()
	want := map[string]string{"a": "2", "in/b": "2", "in/deep/c": "2", "in/new/x": "2", "in/new/y": "2", "quiet/d": "1"}
	if got := x.files(c.Hash); whole || !maps.Equal(got, want) {
		t.Errorf("a scan of everything (%v) gives %v", whole, got)
	}
}

func TestOtherNamesOfAFile(t *testing.T) {
	x := newWorld(t)
	outside := x.folder + "-outside"
	x.write("in/a", "1")
	x.write("in/large", "1")
	x.ok(os.Link(x.path("in/a"), outside))
	x.ok(os.Link(x.path("in/large"), outside+"-large"))
	x.watched()
	x.ok(os.WriteFile(outside, []byte("through the other name"), 0o644))
	x.finds("in/a", "through the other name", false)
	x.calm()
	x.write("elsewhere", "1")
	x.finds("elsewhere", "1", false)
	x.ok(os.WriteFile(outside, []byte("once more"), 0o644))
	x.finds("in/a", "once more", false)
}

func TestMappedWrites(t *testing.T) {
	x := newWatched(t)
	mapped := func() ([]byte, *os.File) {
		f, err := os.OpenFile(x.path("in/b"), os.O_RDWR, 0)
		x.ok(err)
		b, err := unix.Mmap(int(f.Fd()), 0, 1, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		x.ok(err)
		return b, f
	}
	b, f := mapped()
	x.ok(f.Close()) // the mapping keeps the file open
	b[0] = '2'
	x.ok(unix.Munmap(b))
	x.finds("in/b", "2", false)
	b, f = mapped()
	defer f.Close()
	defer func() { x.ok(unix.Munmap(b)) }()
	// Not told as long as it is mapped; but a file whose times are new is looked at
	// once more, and these are so new that they never rest.
	later := time.Now().Add(time.Hour)
	x.ok(os.Chtimes(x.path("in/b"), later, later))
	x.save()
	for _, c := range "345" {
		b[0] = byte(c)
		x.finds("in/b", string(c), false)
	}
}

// What happens between the look at a folder's stamp and its watch is not heard.
func TestStampIsTakenUnderWatch(t *testing.T) {
	x := newWatched(t)
	x.w.stopWatch()
	x.rest()
	h, err := x.w.hold(t.Context())
	x.ok(err)
	defer h.release()
	root, err := openDir(x.path("quiet"))
	x.ok(err)
	s, err := h.scan(h.manifest, root, h.importer(), Save{})
	x.ok(err)
	defer s.store.abandon()
	s.watch = h.listen()
	n := s.m.root.dirs["quiet"]
	n.stamp.ctime-- // as it was just before
	x.write("quiet/new", "1")
	s.folder(root, n, place{at: "quiet", stamp: n.stamp, rules: s.first})
	if n.files["new"] == nil {
		t.Error("a file was not seen and will not be heard of")
	}
}

// A folder that is ignored is looked at for what is known in it, and a restore can make
// something known there.
func TestIgnoredFoldersAreWatchedForWhatIsKnown(t *testing.T) {
	x := newWorld(t)
	x.write("build/kept", "1")
	x.write("build/deep/kept", "1")
	x.write("node_modules/x/y", "1")
	x.save()
	x.write(".gitignore", "build/\n!other\n") // no way into what is ignored as a whole
	x.save()
	x.open(Limits{})
	x.watched()
	x.write("build/deep/kept", "2")
	x.write("build/deep/other", "2")
	x.write("node_modules/x/y", "2")
	c, whole := x.looks()
	if got := slices.Sorted(maps.Keys(x.files(c.Hash))); whole || !slices.Equal(got, []string{".gitignore", "build/deep/kept", "build/kept"}) {
		t.Errorf("a scan of everything (%v) keeps %v", whole, got)
	}
	x.finds("build/deep/kept", "2", false)
	s := x.step(func() { x.remove("build/kept"); x.remove("build/deep/kept") })
	x.open(Limits{})
	x.watched()
	if n := x.w.watch.size(); n != 1 {
		t.Fatalf("%d folders are watched", n)
	}
	x.restore(s)
	x.reads("build/kept", "1")
	x.save()
	x.calm()
	x.write("build/kept", "edited")
	x.finds("build/kept", "edited", false)
}

func TestMountedInside(t *testing.T) {
	x := newWatched(t)
	x.ok(os.Mkdir(x.path("mounted"), 0o755))
	beside := t.TempDir()
	x.save()
	x.calm()
	if err := unix.Mount("none", beside, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("only who may mount can try this: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(beside, unix.MNT_DETACH) })
	x.write("mounted/w", "1")
	x.finds("mounted/w", "1", false) // what is mounted elsewhere does not matter
	x.calm()
	x.ok(unix.Mount("none", x.path("mounted"), "tmpfs", 0, "size=64k"))
	unmount := func() { _ = unix.Unmount(x.path("mounted"), unix.MNT_DETACH) }
	t.Cleanup(unmount)
	x.write("mounted/x", "1")
	x.finds("mounted/x", "1", true)
	x.calm()
	x.write("mounted/x", "two")
	x.finds("mounted/x", "two", false)
	x.calm()
	unmount()
	x.finds("mounted/x", "-", true)
	x.calm()
	if err := unix.Mount(x.path("in"), x.path("mounted"), "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a folder with two paths tells of one of them only
		x.finds("mounted/b", "1", true)
		x.calm()
	}
	x.write("mounted/b", "two")
	x.finds("in/b", "two", true)
	x.finds("mounted/b", "two", true)
}

// A folder can get another content without anything happening in it.
func TestReplacedFolders(t *testing.T) {
	x := newWorld(t)
	outside := x.folder + "-outside"
	x.write("p/s/f", "p")
	x.write("q/s/f", "q")
	x.write("r/s/f", "r")
	x.watched()
	x.ok(unix.Renameat2(unix.AT_FDCWD, x.path("p"), unix.AT_FDCWD, x.path("q"), unix.RENAME_EXCHANGE))
	x.finds("p/s/f", "q", false)
	x.calm()
	x.write("p/s/f", "edited") // its watch has had another path
	x.finds("p/s/f", "edited", false)
	x.ok(os.Rename(x.path("r"), outside))
	x.finds("r/s/f", "-", false)
	x.ok(os.WriteFile(outside+"/s/f", []byte("edited outside"), 0o644))
	x.ok(os.Rename(outside, x.path("r")))
	x.finds("r/s/f", "edited outside", false)
	x.ok(os.Rename(x.path("r"), outside))
	x.ok(os.WriteFile(outside+"/s/f", []byte("edited while it was away"), 0o644))
	x.ok(os.Rename(outside, x.path("r")))
	x.finds("r/s/f", "edited while it was away", false)
}

// A folder that cannot be read is named by every checkpoint, and costs no more than that.
func TestUnreadableFolderWatched(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("nothing is unreadable for root")
	}
	x := newWatched(t)
	x.ok(os.Chmod(x.path("in/deep"), 0))
	t.Cleanup(func() { _ = os.Chmod(x.path("in/deep"), 0o755) })
	for n := range 3 {
		x.write("in/b", strconv.Itoa(n))
		x.write("a", strconv.Itoa(n))
		c, whole := x.looks()
		if missing(c, "in/deep/") != Unreadable || whole || x.files(c.Hash)["in/deep/c"] != "1" {
			t.Errorf("a save of everything (%v) gives %+v", whole, c)
		}
	}
	x.ok(os.Chmod(x.path("in/deep"), 0o755))
	x.write("in/deep/c", "2")
	x.finds("in/deep/c", "2", false)
	if c := x.save(); len(c.NotCaptured) != 0 {
		t.Errorf("it can be read, and %+v", c)
	}
}
