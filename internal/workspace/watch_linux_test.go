package workspace

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// newWatched is a world whose folder is watched, with a few files that rest.
func newWatched(t *testing.T) *world {
	t.Helper()
	x := newWorld(t)
	x.write("a", "1")
	x.write("in/b", "1")
	x.write("in/deep/c", "1")
	x.write("quiet/d", "1")
	x.watched()
	return x
}

// watched saves until there is a watch and nothing is restless any more.
func (x *world) watched() {
	x.t.Helper()
	x.save()
	if x.w.watch == nil {
		x.t.Skip("the file system of the temporary folder cannot be watched")
	}
	x.calm()
}

// calm gives every file the stamp that it would have had by now if it had been left
// alone for a while, so that only the watch tells what to look at.
func (x *world) calm() {
	x.t.Helper()
	m := x.w.manifest
	m.restless = unrest{}
	m.root.walk("", func(at string, n *node) {
		if len(n.files) == 0 {
			return
		}
		d, err := openDir(x.path(at))
		x.ok(err)
		defer d.close()
		for name, f := range n.files {
			f.stamp, err = d.stat(name)
			x.ok(err)
			if f.stamp.restless() {
				m.restless.add(at, false)
			}
		}
	})
}

// looks says whether a save looked at everything.
func (x *world) looks(paths ...string) (c Checkpoint, whole bool) {
	x.t.Helper()
	var then time.Time
	if x.w.watch != nil {
		then = x.w.watch.whole
	}
	c = x.save(paths...)
	return c, x.w.watch == nil || x.w.watch.whole != then
}

// finds checks that the next scan keeps what a file holds now, and how it looked.
func (x *world) finds(name, want string, wholly bool) {
	x.t.Helper()
	c, whole := x.looks()
	if got, ok := x.files(c.Hash)[name]; got != want && (ok || want != "-") {
		x.t.Errorf("%s was kept as %q, not %q", name, got, want)
	}
	if whole != wholly {
		x.t.Errorf("the scan looked at everything: %v", whole)
	}
}

func TestWatchedScanLooksAtWhatHappened(t *testing.T) {
	x := newWatched(t)
	quiet := x.w.manifest.root.dirs["quiet"]
	seen := quiet.seen
	// A program that has ended a moment ago.
	for n := range 5 {
		text := strconv.Itoa(n)
		cmd := exec.Command("sh", "-c", "printf "+text+" >in/deep/c")
		cmd.Dir = x.folder
		x.ok(cmd.Run())
		x.finds("in/deep/c", text, false)
	}
	x.write("new/deep/er/x", "1")
	x.finds("new/deep/er/x", "1", false)
	x.write("new/deep/er/x", "two")
	x.finds("new/deep/er/x", "two", false)
	x.remove("in")
	x.finds("in/b", "-", false)
	x.write("in/b", "again")
	x.finds("in/b", "again", false)
	x.calm()
	if c, whole := x.looks(); !c.Unchanged || whole {
		t.Errorf("nothing happened, and a save gives %+v, of everything: %v", c, whole)
	}
	if quiet.seen != seen || x.w.manifest.root.dirs["quiet"] != quiet {
		t.Error("a folder where nothing happened was looked at")
	}
}

// Everything that makes what a watch knows doubtful has the next scan look at
// everything, which then finds a change that nobody heard of.
func TestDoubtfulWatch(t *testing.T) {
	for name, doubt := range map[string]func(*world){
		"overflow": func(x *world) {
			text, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
			x.ok(err)
			most, err := strconv.Atoi(strings.TrimSpace(string(text)))
			x.ok(err)
			for range most/2 + 1 {
				x.ok(os.Chmod(x.path("a"), 0o644))
				x.ok(os.Chmod(x.path("in/b"), 0o644))
			}
		},
		"more folders than are worth it": func(x *world) {
			for i := range mostUnrest + 2 { // as if folders came and went, by ever new names
				x.w.watch.unrest.add(strconv.Itoa(i), true)
			}
			x.ok(os.Chmod(x.path("a"), 0o644))
		},
		"other rules of the repository": func(x *world) { x.write(".git/info/exclude", "nothing\n") },
		"a scan that was cut off": func(x *world) {
			x.write("in/b", "2")
			_, err := x.w.Save(x.t.Context(), Save{Within: 1})
			x.ok(err)
		},
		"a save that failed": func(x *world) {
			ctx, cancel := context.WithCancel(x.t.Context())
			x.write("in/b", "2")
			cancel()
			h, err := x.w.hold(x.t.Context())
			x.ok(err)
			h.ctx = ctx
			if _, err := h.save(Save{Session: "s"}, true); err == nil {
				x.t.Error("a cancelled save succeeded")
			}
			h.release()
		},
		"another process saved": func(x *world) {
			_, other := x.second(Limits{})
			x.write("in/b", "2")
			_, err := other.Save(x.t.Context(), Save{Session: "s"})
			x.ok(err)
		},
		"the folder was moved and put back": func(x *world) {
			x.ok(os.Rename(x.folder, x.folder+"2"))
			x.ok(os.Rename(x.folder+"2", x.folder))
		},
		"another folder has its name": func(x *world) {
			x.ok(os.Rename(x.folder, x.folder+"2"))
			x.ok(os.CopyFS(x.folder, os.DirFS(x.folder+"2")))
		},
		"a long time":          func(x *world) { x.w.watch.whole = x.w.watch.whole.Add(-wholeAfter - time.Second) },
		"many scans":           func(x *world) { x.w.manifest.scan = freshEvery - 1 },
		"nobody came for long": func(x *world) { x.w.used = x.w.used.Add(-watchIdle); x.w.doze() },
		"the watch broke":      func(x *world) { x.ok(unix.Dup3(x.w.watch.mounts.file, x.w.watch.queue, unix.O_CLOEXEC)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newWatched(t)
			doubt(x)
			x.unheard("quiet/d", "unheard")
			x.finds("quiet/d", "unheard", true)
			if name == "the watch broke" {
				return // and it is given up
			}
			x.calm()
			x.write("in/b", "heard")
			x.finds("in/b", "heard", false)
		})
	}
}

// unheard writes to a file such that no event tells of it, as if the watch had missed
// it: the folder is another one for a moment.
func (x *world) unheard(name, content string) {
	x.t.Helper()
	w := x.w.watch
	if w == nil {
		x.write(name, content)
		return
	}
	w.read()
	x.write(name, content)
	lost, kept := w.lost, maps.Clone(w.unrest)
	w.read()
	w.lost, w.unrest = lost, kept
}

func TestFolderAboveMoved(t *testing.T) {
	x := newWatched(t)
	top := filepath.Dir(x.folder)
	away := top + "-away"
	x.ok(os.Rename(top, away))
	t.Cleanup(func() { _ = os.RemoveAll(away) })
	x.ok(os.CopyFS(top, os.DirFS(away)))
	x.write("quiet/d", "in the other one")
	x.finds("quiet/d", "in the other one", true)
}

func TestWatchEndsWithItsStore(t *testing.T) {
	before := inotifies(t)
	x := newWatched(t)
	if inotifies(t) != before+1 || x.store.watches.Load() != 4 {
		t.Errorf("%d watchers and %d folders", inotifies(t)-before, x.store.watches.Load())
	}
	x.ok(os.Rename(x.path("in"), x.folder+"-in"))
	x.w.manifest.scan = freshEvery - 1
	x.finds("in/b", "-", true)
	if n := x.store.watches.Load(); n != 2 {
		t.Errorf("a folder with one in it was moved away, and %d are watched", n)
	}
	x.w.used = x.w.used.Add(-watchIdle + time.Minute)
	x.w.doze()
	if x.w.watch == nil {
		t.Error("a watch that is in use was ended")
	}
	x.ok(x.store.Close())
	if inotifies(t) != before || x.store.watches.Load() != 0 {
		t.Errorf("after the end %d watchers and %d folders", inotifies(t)-before, x.store.watches.Load())
	}
}

func inotifies(t *testing.T) (n int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if to, _ := os.Readlink("/proc/self/fd/" + entry.Name()); to == "anon_inode:inotify" {
			n++
		}
	}
	return n
}

func TestTooFewWatches(t *testing.T) {
	x := newWorld(t)
	var log bytes.Buffer
	x.store.log = slog.New(slog.NewTextHandler(&log, nil))
	x.store.watches.Store(1 << 40)
	x.write("a/b", "1")
	x.save()
	for n := range 3 {
		x.write("a/b", strconv.Itoa(n))
		x.finds("a/b", strconv.Itoa(n), true)
	}
	if x.w.watch != nil || strings.Count(log.String(), "level=INFO") != 1 || !strings.Contains(log.String(), "max_user_watches") {
		t.Errorf("the log says %s", log.String())
	}
	if n := x.store.watches.Load(); n != 1<<40 {
		t.Errorf("%d watches stay behind", n-1<<40)
	}
}

func TestFileSystemsThatTellAll(t *testing.T) {
	d, err := openDir("/proc")
	if err != nil {
		t.Skip(err)
	}
	defer d.close()
	w, err := newWatch("/", new(atomic.Int64))
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	if w.add(d, "proc"); w.failed() == nil || w.size() != 0 {
		t.Error("a file system that nobody knows is watched")
	}
}

func TestNoWatch(t *testing.T) {
	x := newWorld(t)
	x.store.watching = false
	x.write("a", "1")
	x.save()
	if x.w.watch != nil || x.w.unheard {
		t.Error("a folder is watched that should not be")
	}
}
