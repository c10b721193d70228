//go:build unix

package workspace

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestFileThatBecomesAnIgnoredFolder(t *testing.T) {
	x := newWorld(t)
	x.write("out", "1")
	x.save()
	x.remove("out")
	x.write(".gitignore", "out/\n")
	x.write("out/x", "1")
	if got := x.files(x.save().Hash); !sameFiles(got, map[string]string{".gitignore": "out/\n"}) {
		t.Errorf("the checkpoint holds %v", got)
	}
}

// A process that has no more descriptors knows nothing about a file.
func TestOutOfDescriptors(t *testing.T) {
	for name, do := range map[string]func(s *scan, d *dir, n *node){
		"the rules of a folder": func(s *scan, d *dir, n *node) { _, s.err = s.rulesOf(d, n, "") },
		"a folder":              func(s *scan, d *dir, n *node) { s.below(d, n, "in", place{at: "in", rules: s.first, fresh: true}) },
		"a file":                func(s *scan, d *dir, n *node) { s.file(d, n, "a", "a") },
		"a path":                func(s *scan, _ *dir, _ *node) { _, _ = s.paths([]string{"in/b"}) },
		"a folder's path":       func(s *scan, _ *dir, _ *node) { _, _ = s.paths([]string{"in"}) },
		"everything":            func(s *scan, _ *dir, _ *node) { _ = s.everything() },
		"outer rules":           func(s *scan, d *dir, _ *node) { _, _, s.err = readOuter(d, s.Workspace.folder, outer{}) },
		"a nested .git":         func(s *scan, d *dir, _ *node) { _, _, s.err = readExclude(d, s.Workspace.folder) },
	} {
		t.Run(name, func(t *testing.T) {
			x := newWorld(t)
			x.store.watching = false
			x.write("a", "1")
			x.write("in/b", "1")
			x.write(".gitignore", "*.log\n")
			x.write(".git/info/exclude", "*.csv\n")
			x.write("x.log", "1")
			x.save()
			x.write("a", "2")
			x.write("in/b", "2")
			h, err := x.w.hold(t.Context())
			x.ok(err)
			defer h.release()
			root, err := openDir(x.folder)
			x.ok(err)
			defer root.close()
			s, err := h.scan(h.manifest, root, h.importer(), Save{})
			x.ok(err)
			defer s.store.abandon()
			n := s.m.root
			shortOfDescriptors(t, func() { do(s, root, n); s.wg.Wait() })
			if !errors.Is(s.err, syscall.EMFILE) || len(s.edits)+len(n.missing) != 0 || !s.m.at("a").there() || !s.m.at("in/b").there() {
				t.Errorf("a scan gives %v, %+v and not %+v", s.err, s.edits, n.missing)
			}
		})
	}
}

// shortOfDescriptors runs something that can open nothing.
func shortOfDescriptors(t *testing.T, do func()) {
	t.Helper()
	next, err := unix.Dup(0)
	if err != nil {
		t.Fatal(err)
	}
	_ = unix.Close(next)
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			t.Error(err)
		}
	}()
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(next), Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	do()
}

// A file that is too large is changed: nothing can be taken back, but it is said.
func TestLargeFileOverwritten(t *testing.T) {
	for name, do := range map[string]func(*world){
		"written": func(x *world) { x.write("large", strings.Repeat("2", 2000)) },
		"removed": func(x *world) { x.remove("large") },
	} {
		t.Run(name, func(t *testing.T) {
			x := newWorldWith(t, Limits{File: 1000})
			x.write("large", strings.Repeat("1", 2000))
			x.write("other", strings.Repeat("1", 2000))
			past := time.Now().Add(-time.Hour)
			x.ok(os.Chtimes(x.path("large"), past, past))
			end := x.begin("s")
			if s, _ := end(); s.Before != "" {
				t.Fatalf("a call that did nothing gives %+v", s)
			}
			end = x.begin("s")
			do(x)
			s, c := end()
			if s.Before == "" || name == "written" && missing(c, "large") != TooLarge {
				t.Fatalf("the call gives %+v, %+v", s, c)
			}
			r := x.restore(s)
			x.keeps(r, "large", KeptNotCaptured)
			if len(r.Kept) != 1 || len(r.Changed) != 0 {
				t.Errorf("the restore gives %+v", r)
			}
		})
	}
}
