package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/parley-dev/parley/internal/workspace"
)

const checkpointsHow = "A folder of 20,000 (100,000) small files, and a copy of it. In the one, checkpoints through internal/workspace; in the copy, in turns with it, " +
	"what is done elsewhere: `git add . && git commit` for a checkpoint, `git clean -fd && git reset --hard` for a restore, with git's own settings, except that " +
	"it is not allowed to collect garbage in between. Each time 10 files change, 5 of them new or gone. Known paths is a tool that says which files it " +
	"writes. A scan is what follows a shell command: nobody says which files it wrote. Ours asks the watcher of the folder, as the server does, and once more, in a " +
	"repository of its own, without a watcher, so that it looks at every file; git looks at every file. Ours are synced to disk and git's are not."

// checkpointSize is a budget for a size of folder: so many times faster.
type checkpointSize struct {
	files  int
	save   float64
	budget string
}

func runCheckpoints(ctx context.Context, h *house) ([]row, error) {
	sizes := []checkpointSize{{20_000, 3, "≥ 3x"}, {100_000, 5, "≥ 5x"}}
	if h.quick {
		sizes = sizes[:1]
	}
	var rows []row
	for _, size := range sizes {
		more, err := measureCheckpoints(ctx, h, size)
		if err != nil {
			return rows, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func measureCheckpoints(ctx context.Context, h *house, size checkpointSize) ([]row, error) {
	dir, err := h.dir("checkpoints")
	if err != nil {
		return nil, err
	}
	ours, theirs := filepath.Join(dir, "ours"), filepath.Join(dir, "theirs")
	for _, folder := range []string{ours, theirs} {
		if err := fillFolder(folder, size.files); err != nil {
			return nil, err
		}
	}
	store, w, err := openCheckpoints(ctx, ours, workspace.Options{Dir: filepath.Join(dir, "data")})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	blind, every, err := openCheckpoints(ctx, ours, workspace.Options{Dir: filepath.Join(dir, "every"), NoWatch: true})
	if err != nil {
		return nil, err
	}
	defer blind.Close()
	m := &checkpointRun{ctx: ctx, ours: ours, w: w, every: every, theirs: plainGit{theirs}}
	if err := m.first(); err != nil {
		return nil, err
	}
	for round := range h.pick(9, 3) {
		if err := m.round(round); err != nil {
			return nil, err
		}
	}
	return m.rows(size), nil
}

func openCheckpoints(ctx context.Context, folder string, o workspace.Options) (*workspace.Store, *workspace.Workspace, error) {
	o.Home = "/nowhere"
	store, err := workspace.Open(o)
	if err != nil {
		return nil, nil, err
	}
	w, err := store.Of(ctx, folder)
	return store, w, err
}

// fillFolder writes files of about 700 bytes, twenty to a folder.
func fillFolder(folder string, files int) error {
	for i := range files {
		name := checkpointFile(i)
		if i%20 == 0 {
			if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o755); err != nil {
				return err
			}
		}
		text := fmt.Sprintf("package mod\n\n// %d\n%s", i, strings.Repeat(fmt.Sprintf("line of text %d\n", i), 40))
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func checkpointFile(i int) string { return fmt.Sprintf("pkg%d/mod%d/file%d.go", i/2000, i/20%100, i) }

// checkpointRun is one folder and its copy, and what was measured.
type checkpointRun struct {
	ctx    context.Context
	ours   string
	w      *workspace.Workspace
	every  *workspace.Workspace // the same folder without a watcher
	theirs plainGit
	last   string // our latest checkpoint

	firstOurs, firstTheirs       sample
	known, knownTheirs           sample
	scan, scanEvery, scanTheirs  sample
	diffOurs, diffTheirs         sample
	restoreOurs, restoreTheirs   sample
	unchangedOurs, unchangedGits sample
}

// took appends the seconds of something to a sample.
func took(s *sample, do func() error) error {
	begun := time.Now()
	err := do()
	*s = append(*s, time.Since(begun).Seconds())
	return err
}

func (m *checkpointRun) save(paths ...string) error {
	if len(paths) == 0 {
		paths = nil
	}
	c, err := m.w.Save(m.ctx, workspace.Save{Session: "bench", Reason: "bench", Paths: paths})
	m.last = c.Hash
	return err
}

func (m *checkpointRun) first() error {
	if err := took(&m.firstOurs, func() error { return m.save() }); err != nil {
		return err
	}
	if err := m.theirs.run("init", "-q"); err != nil {
		return err
	}
	if err := took(&m.firstTheirs, m.theirs.commit); err != nil {
		return err
	}
	for range 2 { // files that were new a moment ago are read once more
		if err := m.save(); err != nil {
			return err
		}
		if err := m.saveEvery(); err != nil {
			return err
		}
	}
	return nil
}

func (m *checkpointRun) saveEvery() error {
	_, err := m.every.Save(m.ctx, workspace.Save{Session: "bench", Reason: "bench"})
	return err
}

func (m *checkpointRun) round(n int) error {
	before := m.last
	paths, err := changeFiles(n, m.ours, m.theirs.folder)
	if err != nil {
		return err
	}
	if err := took(&m.known, func() error { return m.save(paths...) }); err != nil {
		return err
	}
	if err := took(&m.knownTheirs, m.theirs.commit); err != nil {
		return err
	}
	step := workspace.Step{Before: before, After: m.last}
	if err := took(&m.diffOurs, func() error {
		list, _, err := m.w.Diff(m.ctx, step.Before, step.After, 0)
		if err == nil && len(list) != len(paths) {
			return fmt.Errorf("%d files differ, not %d", len(list), len(paths))
		}
		return err
	}); err != nil {
		return err
	}
	if err := took(&m.diffTheirs, func() error { return m.theirs.run("diff", "HEAD~1", "HEAD") }); err != nil {
		return err
	}
	if err := m.restore(step); err != nil {
		return err
	}
	if err := took(&m.unchangedOurs, func() error { return m.save() }); err != nil {
		return err
	}
	if err := took(&m.unchangedGits, func() error { return m.theirs.run("add", ".") }); err != nil {
		return err
	}
	return m.scanRound(n)
}

// restore takes a step back; the other git goes back by one commit.
func (m *checkpointRun) restore(step workspace.Step) error {
	if err := took(&m.restoreOurs, func() error {
		r, err := m.w.Restore(m.ctx, workspace.Restore{Session: "bench", Steps: []workspace.Step{step}})
		if err == nil && (len(r.Changed) != 10 || len(r.Kept) != 0) {
			return fmt.Errorf("a restore of 10 files changed %d and kept %d", len(r.Changed), len(r.Kept))
		}
		m.last = r.After.Hash
		return err
	}); err != nil {
		return err
	}
	return took(&m.restoreTheirs, func() error {
		if err := m.theirs.run("clean", "-fdq"); err != nil {
			return err
		}
		return m.theirs.run("reset", "-q", "--hard", "HEAD~1")
	})
}

// scanRound changes files and saves without a word about which files changed.
func (m *checkpointRun) scanRound(n int) error {
	if _, err := changeFiles(n+1000, m.ours, m.theirs.folder); err != nil {
		return err
	}
	if err := took(&m.scan, func() error { return m.save() }); err != nil {
		return err
	}
	if err := took(&m.scanEvery, m.saveEvery); err != nil {
		return err
	}
	return took(&m.scanTheirs, m.theirs.commit)
}

// changeFiles changes 10 files of each folder: 5 are written, 3 are new, 2 go.
func changeFiles(n int, folders ...string) (paths []string, err error) {
	for i := range 10 {
		name := checkpointFile(((n%1000)*10+i)*97%10_000 + i)
		if i >= 5 && i < 8 {
			name = fmt.Sprintf("pkg%d/new-%d-%d.go", i, n, i)
		}
		paths = append(paths, name)
		for _, folder := range folders {
			p := filepath.Join(folder, name)
			if i >= 8 {
				err = os.Remove(p)
			} else {
				err = os.WriteFile(p, fmt.Appendf(nil, "package mod\n\n// round %d, file %d\n", n, i), 0o644)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return paths, nil
}

func (m *checkpointRun) rows(size checkpointSize) []row {
	in := fmt.Sprintf(" in %d,000 files", size.files/1000)
	compare := func(what string, ours, theirs sample, least float64, budget, beside string) row {
		ratio := theirs.over(ours)
		r := row{What: what + in, Measured: ours.times(), Baseline: theirs.times() + " " + beside, Ratio: ratio.spread("%.1fx"), Verdict: info}
		if least > 0 {
			r.Budget, r.Verdict = budget+" faster", within(ratio.median() >= least)
		}
		return r
	}
	return []row{
		compare("first checkpoint", m.firstOurs, m.firstTheirs, 0, "", "git add, commit"),
		compare("checkpoint of 10 changed files, known paths,", m.known, m.knownTheirs, size.save, size.budget, "git add, commit"),
		compare("checkpoint of 10 changed files, by a scan,", m.scan, m.scanTheirs, size.save, size.budget, "git add, commit"),
		compare("checkpoint of 10 changed files, by a scan that looks at every file,", m.scanEvery, m.scanTheirs, 0, "", "git add, commit"),
		compare("checkpoint when nothing changed", m.unchangedOurs, m.unchangedGits, 0, "", "git add"),
		compare("diff of 10 files", m.diffOurs, m.diffTheirs, 0, "", "git diff"),
		compare("restore of 10 files", m.restoreOurs, m.restoreTheirs, 3, "≥ 3x", "git clean, reset"),
	}
}

// plainGit is git as people use it, in a folder.
type plainGit struct{ folder string }

func (g plainGit) run(args ...string) error {
	cmd := exec.Command("git", append([]string{"-c", "gc.auto=0", "-c", "user.name=bench", "-c", "user.email=bench@localhost"}, args...)...)
	cmd.Dir = g.folder
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "LC_ALL=C"}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, clip(string(out), 300))
	}
	return nil
}

func (g plainGit) commit() error {
	if err := g.run("add", "."); err != nil {
		return err
	}
	return g.run("commit", "-q", "-m", "checkpoint")
}
