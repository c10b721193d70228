//go:build unix

package workspace

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if job := os.Getenv(victimVariable); job != "" {
		os.Exit(victim(job))
	}
	goleak.VerifyTestMain(m)
}

// world is a folder with checkpoints.
type world struct {
	t      *testing.T
	folder string
	data   string
	home   string
	store  *Store
	w      *Workspace
}

func newWorld(t *testing.T) *world { return newWorldWith(t, Limits{}) }

func newWorldWith(t *testing.T, l Limits) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	x := &world{t: t, folder: filepath.Join(dir, "project"), data: filepath.Join(dir, "data"), home: filepath.Join(dir, "home")}
	for _, d := range []string{x.folder, x.home} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	x.open(l)
	return x
}

// open opens the store, once more if it was.
func (x *world) open(l Limits) {
	x.t.Helper()
	if x.store != nil {
		x.ok(x.store.Close())
	}
	x.store, x.w = x.second(l)
}

// second is another store on the same data, as another process would have.
func (x *world) second(l Limits) (*Store, *Workspace) {
	x.t.Helper()
	s, err := Open(Options{Dir: filepath.Join(x.data, "checkpoints"), Avoid: []string{x.data}, Home: x.home, Limits: l, Logger: slog.New(slog.DiscardHandler)})
	x.ok(err)
	x.t.Cleanup(func() { _ = s.Close() })
	w, err := s.Of(x.t.Context(), x.folder)
	x.ok(err)
	return s, w
}

func (x *world) ok(err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
}

func (x *world) path(name string) string { return filepath.Join(x.folder, name) }

func (x *world) write(name, content string) {
	x.t.Helper()
	x.ok(os.MkdirAll(filepath.Dir(x.path(name)), 0o755))
	x.ok(os.WriteFile(x.path(name), []byte(content), 0o644))
}

func (x *world) remove(name string) {
	x.t.Helper()
	x.ok(os.RemoveAll(x.path(name)))
}

// reads checks what a file holds; "-" means that there is none.
func (x *world) reads(name, want string) {
	x.t.Helper()
	if got := x.content(name); got != want {
		x.t.Errorf("%q holds %q, not %q", name, got, want)
	}
}

func (x *world) content(name string) string {
	x.t.Helper()
	b, err := os.ReadFile(x.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "-"
	}
	x.ok(err)
	return string(b)
}

func (x *world) save(paths ...string) Checkpoint {
	x.t.Helper()
	if len(paths) == 0 {
		paths = nil
	}
	c, err := x.w.Save(x.t.Context(), Save{Session: "s", Reason: "test", Paths: paths})
	x.ok(err)
	return c
}

// step saves, lets something happen, and saves again.
func (x *world) step(do func()) Step {
	x.t.Helper()
	before := x.save()
	do()
	return Step{Before: before.Hash, After: x.save().Hash}
}

func (x *world) restore(steps ...Step) Result {
	x.t.Helper()
	r, err := x.w.Restore(x.t.Context(), Restore{Session: "s", Steps: steps})
	x.ok(err)
	return r
}

// keeps checks what a result says about a path.
func (x *world) keeps(r Result, name string, why KeptReason) Kept {
	x.t.Helper()
	i := slices.IndexFunc(r.Kept, func(k Kept) bool { return k.Path == name })
	if i < 0 {
		x.t.Fatalf("%q is not among what was kept: %+v", name, r.Kept)
	}
	if r.Kept[i].Reason != why {
		x.t.Errorf("%q was kept for %q (%s), not %q", name, r.Kept[i].Reason, r.Kept[i].Detail, why)
	}
	return r.Kept[i]
}

// files lists what a checkpoint holds.
func (x *world) files(hash string) map[string]string {
	x.t.Helper()
	h, err := x.w.hold(x.t.Context())
	x.ok(err)
	defer h.release()
	b, err := x.w.batch(x.t.Context(), nil)
	x.ok(err)
	defer b.close()
	s, err := b.state(hash)
	x.ok(err)
	all := map[string]version{}
	x.ok(h.eachFile(s, func(name string, v version) { all[name] = v }))
	out := map[string]string{}
	for name, v := range all {
		content, err := b.blob(v.oid)
		x.ok(err)
		out[name] = string(content)
	}
	return out
}

// git runs git as a person would.
func (x *world) git(folder string, args ...string) {
	x.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=p", "-c", "user.email=p@p", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = x.path(folder)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "HOME="+x.home)
	if out, err := cmd.CombinedOutput(); err != nil {
		x.t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

func missing(c Checkpoint, name string) Reason {
	for _, m := range c.NotCaptured {
		if m.Path == name {
			return m.Reason
		}
	}
	return ""
}
