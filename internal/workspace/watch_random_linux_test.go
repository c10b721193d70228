package workspace

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// vandal changes a folder in every way it knows. Whatever fails because of what lies
// there is left at that.
type vandal struct {
	*rand.Rand
	folder, outside string
	n               int
}

// any is a path of the folder, near the top or deep, that may exist.
func (v *vandal) any() string {
	names := []string{"a", "b", "c", "d.log", "e.txt"}
	parts := []string{v.folder}
	for range 1 + v.IntN(4) {
		parts = append(parts, names[v.IntN(len(names))])
	}
	return filepath.Join(parts...)
}

// text is never of the same size twice: that an edit within one tick of the clock can be
// told by its time is not what is tried here.
func (v *vandal) text() []byte {
	v.n++
	return []byte(strings.Repeat("x", v.n))
}

// write does not wait for a reader, should the name belong to a FIFO.
func (v *vandal) write(p string) { v.put(p, os.O_CREATE|os.O_TRUNC) }

func (v *vandal) put(p string, how int) {
	if f, err := os.OpenFile(p, os.O_WRONLY|unix.O_NONBLOCK|how, 0o644); err == nil {
		_, _ = f.Write(v.text())
		_ = f.Close()
	}
}

func (v *vandal) act() string {
	acts := []struct {
		name string
		do   func()
	}{
		{"write", func() { v.write(v.any()) }},
		{"write a new place", func() { p := v.any(); _ = os.MkdirAll(filepath.Dir(p), 0o755); v.write(p) }},
		{"append", func() { v.put(v.any(), os.O_APPEND) }},
		{"rename", func() { _ = os.Rename(v.any(), v.any()) }},
		{"exchange", func() {
			_ = unix.Renameat2(unix.AT_FDCWD, v.any(), unix.AT_FDCWD, v.any(), unix.RENAME_EXCHANGE)
		}},
		{"move out", func() { v.n++; _ = os.Rename(v.any(), fmt.Sprintf("%s/%d", v.outside, v.n)) }},
		{"move in", func() {
			if list, _ := os.ReadDir(v.outside); len(list) > 0 {
				_ = os.Rename(filepath.Join(v.outside, list[v.IntN(len(list))].Name()), v.any())
			}
		}},
		{"remove", func() { _ = os.RemoveAll(v.any()) }},
		{"remove and write again", func() { p := v.any(); _ = os.RemoveAll(p); v.write(p) }},
		{"remove and make again", func() { p := v.any(); _ = os.RemoveAll(p); _ = os.Mkdir(p, 0o755); v.write(p + "/a") }},
		{"folders at once", func() {
			p := filepath.Join(v.any(), "a/b/c/a/b")
			_ = os.MkdirAll(p, 0o755)
			v.write(p + "/a")
			v.write(filepath.Dir(p) + "/c")
		}},
		{"an empty folder", func() { _ = os.MkdirAll(v.any(), 0o755) }},
		{"permissions", func() {
			p, mode := v.any(), []os.FileMode{0o644, 0o600, 0o755, 0o700}[v.IntN(4)]
			if info, err := os.Stat(p); err == nil && info.IsDir() {
				mode |= 0o700 // who is not root could not go on with it
			}
			_ = os.Chmod(p, mode)
		}},
		{"a link", func() { _ = os.Symlink(v.any(), v.any()) }},
		{"another name", func() { _ = os.Link(v.any(), v.any()) }},
		{"a name outside", func() { v.n++; _ = os.Link(v.any(), fmt.Sprintf("%s/%d", v.outside, v.n)) }},
		{"a FIFO", func() { _ = unix.Mkfifo(filepath.Join(filepath.Dir(v.any()), "pipe"), 0o644) }},
		{"rules", func() {
			lines := []string{"*.log", "b/", "!b/", "/a", "c/*", "!*.log", "e.txt", "**/d.log", ".gitignore", "*"}
			v.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			p := filepath.Join(filepath.Dir(v.any()), ignoreName)
			_ = os.WriteFile(p, []byte(strings.Join(lines[:v.IntN(4)], "\n")), 0o644)
		}},
		{"rules of a repository", func() {
			p := filepath.Join(filepath.Dir(v.any()), ".git/info/exclude")
			_ = os.MkdirAll(filepath.Dir(p), 0o755)
			_ = os.WriteFile(p, []byte([]string{"", "/a", "*.txt", "c/"}[v.IntN(4)]), 0o644)
		}},
		{"no repository", func() { _ = os.RemoveAll(filepath.Join(filepath.Dir(v.any()), ".git")) }},
		{"no rules", func() { _ = os.Remove(filepath.Join(filepath.Dir(v.any()), ignoreName)) }},
	}
	a := acts[v.IntN(len(acts))]
	a.do()
	return a.name
}

// TestWatchedScanMissesNothing compares a store that watches with one that looks at every
// file, after whatever may happen to a folder.
func TestWatchedScanMissesNothing(t *testing.T) {
	for seed := range uint64(3) {
		if os.Getenv("PARLEY_SOAK") != "" {
			seed = rand.Uint64()
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			x := newWorldWith(t, Limits{File: 2000})
			x.write("a/b/c/a", "")
			x.write("b/a/e.txt", "")
			v := &vandal{Rand: rand.New(rand.NewPCG(seed, seed)), folder: x.folder, outside: x.folder + "-outside"}
			x.ok(os.Mkdir(v.outside, 0o755))
			blind := x.blind(Limits{File: 2000})
			x.watched()
			x.matches(blind, nil)
			wholes := 0
			for range rounds(40) {
				wholes += x.vandalised(v, blind)
			}
			if n := rounds(40); wholes > n/3 {
				t.Errorf("%d of %d scans looked at everything", wholes, n)
			}
		})
	}
}

// blind is a store of its own that does not watch.
func (x *world) blind(l Limits) *Workspace {
	x.t.Helper()
	s, err := Open(Options{
		Dir: filepath.Join(x.data, "blind"), Avoid: []string{x.data}, Home: x.home, Limits: l, Logger: slog.New(slog.DiscardHandler), NoWatch: true,
	})
	x.ok(err)
	x.t.Cleanup(func() { _ = s.Close() })
	w, err := s.Of(x.t.Context(), x.folder)
	x.ok(err)
	return w
}

// vandalised is one round; it gives 1 if the scan was one of everything.
func (x *world) vandalised(v *vandal, blind *Workspace) (wholes int) {
	x.t.Helper()
	var done []string
	for range 1 + v.IntN(6) {
		done = append(done, v.act())
	}
	switch v.IntN(12) {
	case 0: // what a save that fails has heard is not lost
		done = append(done, "a save that is cancelled")
		ctx, cancel := context.WithCancel(x.t.Context())
		cancel()
		_, _ = x.w.Save(ctx, Save{Session: "s"})
	case 1:
		done = append(done, "a save that is cut off")
		_, err := x.w.Save(x.t.Context(), Save{Session: "s", Within: 1})
		x.ok(err)
	case 2, 3, 4:
		p, err := filepath.Rel(x.folder, v.any())
		x.ok(err)
		done = append(done, "a save of "+p)
		x.save(p)
		_, err = blind.Save(x.t.Context(), Save{Session: "s", Paths: []string{p}}) // what is named is known
		x.ok(err)
	}
	_, whole := x.looks()
	x.matches(blind, done)
	if whole {
		wholes++
	}
	x.calm()
	if c, _ := x.looks(); !c.Unchanged {
		x.t.Fatalf("after %q and a save there was more to save: %+v", done, c)
	}
	x.calm()
	return wholes
}

// matches checks that a look at every file finds nothing else.
func (x *world) matches(blind *Workspace, done []string) {
	x.t.Helper()
	c, err := blind.Save(x.t.Context(), Save{Session: "s"})
	x.ok(err)
	a, b := x.w.manifest, blind.manifest
	if a.tree != b.tree || a.side != b.side || !slices.Equal(a.missing(), c.NotCaptured) {
		x.t.Fatalf("after %q the watched folder and what is in it differ:\n%s", done, x.differences(a, b))
	}
}

func (x *world) differences(a, b *manifest) string {
	var out strings.Builder
	list := func(m *manifest) map[string]string {
		all := map[string]string{}
		m.root.walk("", func(at string, n *node) {
			all[at+"/"] = fmt.Sprintf("empty %v missing %v", n.empty, n.missing)
			for name, f := range n.files {
				all[join(at, name)] = fmt.Sprint(f.version)
			}
		})
		return all
	}
	watched, all := list(a), list(b)
	for name, have := range watched {
		if all[name] != have {
			fmt.Fprintf(&out, "%s: watched %s, blind %s\n", name, have, all[name])
		}
		delete(all, name)
	}
	for name, have := range all {
		fmt.Fprintf(&out, "%s: only blind %s\n", name, have)
	}
	return out.String()
}
