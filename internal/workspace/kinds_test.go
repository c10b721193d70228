//go:build unix

package workspace

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func contextThatEnds(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}

func TestOddNames(t *testing.T) {
	x := newWorld(t)
	names := []string{
		"with space", "-dash", "--help", "new\nline", "tab\there", "quote\"s", "back\\slash", "bell\a", "not\xffutf8", "é", "한글", ":colon", "*", "?", "[a]",
		"!bang", "#hash", "in -x/\n/deep", "HEAD", "a.lock", "con", "trailing ", "%00", "~", "refs/heads/main", "git~1", "sub/.gitmodules",
	}
	want := map[string]string{}
	for i, name := range names {
		x.write(name, name)
		want[name] = name
		if i%2 == 0 {
			x.save(name)
		}
	}
	c := x.save()
	if got := x.files(c.Hash); !sameFiles(got, want) {
		t.Fatalf("the checkpoint holds %q", got)
	}
	s := x.step(func() {
		for _, name := range names {
			x.write(name, "changed")
		}
	})
	if list, _, err := x.w.Diff(t.Context(), s.Before, s.After, 0); err != nil || len(list) != len(names) {
		t.Errorf("%d files differ, %v", len(list), err)
	}
	gone := x.step(func() {
		for _, name := range names {
			x.ok(os.Remove(x.path(name)))
		}
	})
	x.restore(s, gone)
	for _, name := range names {
		x.reads(name, name)
	}
}

func TestLinksAreKeptAndNotFollowed(t *testing.T) {
	x := newWorld(t)
	secret := filepath.Join(filepath.Dir(x.folder), "secret")
	x.ok(os.Mkdir(secret, 0o755))
	x.ok(os.WriteFile(filepath.Join(secret, "key"), []byte("secret"), 0o600))
	x.ok(os.Symlink(secret, x.path("out")))
	x.ok(os.Symlink("nowhere", x.path("dangling")))
	x.write("in/file", "1")
	x.ok(os.Symlink("in", x.path("inside")))
	c := x.save()
	want := map[string]string{"out": secret, "dangling": "nowhere", "in/file": "1", "inside": "in"}
	if got := x.files(c.Hash); !sameFiles(got, want) {
		t.Fatalf("the checkpoint holds %v", got)
	}
	if got := x.files(x.save("out/key", "inside/file").Hash); !sameFiles(got, want) {
		t.Fatalf("paths through links were followed: %v", got)
	}
	s := x.step(func() {
		x.remove("out")
		x.write("out/key", "agent")
		x.remove("dangling")
		x.ok(os.Symlink("elsewhere", x.path("dangling")))
		x.remove("inside")
	})
	x.restore(s)
	for name, to := range map[string]string{"out": secret, "dangling": "nowhere", "inside": "in"} {
		if got, err := os.Readlink(x.path(name)); err != nil || got != to {
			t.Errorf("%s points to %q, %v", name, got, err)
		}
	}
	if b, err := os.ReadFile(filepath.Join(secret, "key")); err != nil || string(b) != "secret" {
		t.Errorf("outside there is %q, %v", b, err)
	}
}

// A folder that an agent wrote in is a link to somewhere else by the time of the
// restore.
func TestRestoreDoesNotWriteThroughLinks(t *testing.T) {
	x := newWorld(t)
	outside := filepath.Join(filepath.Dir(x.folder), "outside")
	x.write("d/a", "1")
	x.write("d/b", "1")
	s := x.step(func() {
		x.write("d/a", "2")
		x.remove("d/b")
		x.write("d/c", "2")
	})
	x.ok(os.Rename(x.path("d"), outside))
	x.ok(os.Symlink(outside, x.path("d")))
	r := x.restore(s)
	for name, want := range map[string]string{"a": "2", "c": "2"} {
		if b, err := os.ReadFile(filepath.Join(outside, name)); err != nil || string(b) != want {
			t.Errorf("outside, %s holds %q, %v", name, b, err)
		}
	}
	if _, err := os.Stat(filepath.Join(outside, "b")); err == nil {
		t.Error("a file was written outside")
	}
	if len(r.Changed) != 0 {
		t.Errorf("the restore says it changed %+v", r.Changed)
	}
}

func TestNestedRepositories(t *testing.T) {
	x := newWorld(t)
	x.git("", "init", "-q")
	x.write("top", "1")
	x.write("empty/file", "1")
	x.git("empty", "init", "-q") // without a commit
	x.write("full/file", "1")
	x.git("full", "init", "-q")
	x.git("full", "add", ".")
	x.git("full", "commit", "-qm", "x")
	x.git("", "submodule", "-q", "add", "./full", "sub")
	head := x.content("full/.git/HEAD")
	want := map[string]string{"top": "1", "empty/file": "1", "full/file": "1", "sub/file": "1", ".gitmodules": x.content(".gitmodules")}
	if got := x.files(x.save().Hash); !sameFiles(got, want) {
		t.Fatalf("the checkpoint holds %v", got)
	}
	s := x.step(func() {
		for name := range want {
			x.write(name, "agent")
		}
		x.write("empty/new", "agent")
		x.write("another/file", "agent")
		x.git("another", "init", "-q")
	})
	x.restore(s)
	for name, content := range want {
		x.reads(name, content)
	}
	x.reads("empty/new", "-")
	x.reads("another/file", "-")
	x.reads("full/.git/HEAD", head)
	if _, err := os.Stat(x.path("empty/.git/HEAD")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(x.path("another/.git/HEAD")); err != nil {
		t.Errorf("a repository that is in no checkpoint: %v", err)
	}
	x.git("full", "fsck")
	x.git("", "status")
}

func TestNotCaptured(t *testing.T) {
	x := newWorldWith(t, Limits{File: 1000})
	x.write("small", "1")
	x.write("d/large", string(make([]byte, 1001)))
	x.write(".Git/config", "1")
	x.ok(syscall.Mkfifo(x.path("fifo"), 0o644))
	l, err := net.Listen("unix", x.path("socket"))
	x.ok(err)
	defer l.Close()
	c := x.save()
	for name, why := range map[string]Reason{"d/large": TooLarge, "fifo": Special, "socket": Special, ".Git": GitName} {
		if got := missing(c, name); got != why {
			t.Errorf("%s is not captured for %q, not %q", name, got, why)
		}
	}
	if got := x.files(c.Hash); !sameFiles(got, map[string]string{"small": "1"}) {
		t.Errorf("the checkpoint holds %v", got)
	}
	if again := x.save(); !again.Unchanged || len(again.NotCaptured) != len(c.NotCaptured) {
		t.Errorf("the next one says %+v", again)
	}
	// What was there before is in no checkpoint: it cannot come back, and what is
	// there instead must not go.
	s := x.step(func() {
		x.write("d/large", "small now")
		x.write("small", string(make([]byte, 1001)))
		x.remove("fifo")
		x.write("fifo", "a file now")
	})
	r := x.restore(s)
	x.keeps(r, "d/large", KeptNotCaptured)
	x.keeps(r, "fifo", KeptNotCaptured)
	x.reads("d/large", "small now")
	x.reads("fifo", "a file now")
	// A file that grew too large is not captured either: its old version is beside.
	k := x.keeps(r, "small", KeptInTheWay)
	if b, err := os.ReadFile(k.Copy); err != nil || string(b) != "1" {
		t.Errorf("the old version is offered as %q, %v", b, err)
	}
	if len(x.content("small")) != 1001 {
		t.Error("what was in no checkpoint is gone")
	}
}

func TestUnreadableFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser reads everything")
	}
	x := newWorld(t)
	x.write("shut/file", "1")
	x.write("shut2", "1")
	first := x.save()
	x.ok(os.Chmod(x.path("shut"), 0))
	x.ok(os.Chmod(x.path("shut2"), 0))
	t.Cleanup(func() { _ = os.Chmod(x.path("shut"), 0o755) })
	c := x.save()
	if missing(c, "shut/") != Unreadable || missing(c, "shut2") != Unreadable {
		t.Errorf("the checkpoint says %+v", c.NotCaptured)
	}
	if got := x.files(c.Hash)["shut/file"]; got != "1" {
		t.Errorf("what was known in the folder became %q", got)
	}
	x.ok(os.Chmod(x.path("shut"), 0o755))
	x.restore(Step{Before: first.Hash, After: c.Hash})
	x.reads("shut/file", "1")
}

func TestPermissions(t *testing.T) {
	x := newWorld(t)
	for name, perm := range map[string]os.FileMode{"plain": 0o644, "secret": 0o600, "program": 0o755, "private": 0o700, "read": 0o444} {
		x.write(name, name)
		x.ok(os.Chmod(x.path(name), perm))
	}
	s := x.step(func() {
		for _, name := range []string{"secret", "private", "read"} {
			x.remove(name)
		}
		x.ok(os.Chmod(x.path("plain"), 0o640)) // nothing else
		x.ok(os.Chmod(x.path("program"), 0o644))
	})
	person := x.step(func() { x.ok(os.Chmod(x.path("program"), 0o711)) })
	_ = person
	x.restore(s)
	for name, perm := range map[string]os.FileMode{"plain": 0o644, "secret": 0o600, "program": 0o711, "private": 0o700, "read": 0o444} {
		info, err := os.Stat(x.path(name))
		x.ok(err)
		if info.Mode().Perm() != perm {
			t.Errorf("%s has %o, not %o", name, info.Mode().Perm(), perm)
		}
	}
}

// A folder in which most files are private does not write down each of them.
func TestOrdinaryPermissions(t *testing.T) {
	x := newWorld(t)
	for _, name := range []string{"a", "b", "c", "d"} {
		x.write(name, name)
		x.ok(os.Chmod(x.path(name), 0o600))
	}
	x.ok(os.Chmod(x.path("d"), 0o644))
	c := x.save()
	b, err := x.w.batch(t.Context(), nil)
	x.ok(err)
	defer b.close()
	s, err := b.state(c.Hash)
	if err != nil || s.Plain != 0o600 || len(s.modes) != 1 || s.modes["d"] != 0o644 {
		t.Errorf("the checkpoint says %+v, %v", s, err)
	}
}

func TestOwnDataIsLeftAlone(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	x := &world{t: t, folder: dir, data: filepath.Join(dir, "data"), home: "/nowhere"}
	x.write("data/journal.db", "journal")
	x.write("a", "1")
	x.open(Limits{})
	if got := x.files(x.save().Hash); !sameFiles(got, map[string]string{"a": "1"}) {
		t.Errorf("the checkpoint holds %v", got)
	}
	if c := x.save("data/journal.db"); missing(c, "data/journal.db") != Ignored {
		t.Errorf("named, it is %+v", c)
	}
}
