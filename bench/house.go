package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// house is what all benchmarks share: a folder, programs, and the large journal.
type house struct {
	quick bool
	tmp   string // removed at the end
	root  string // of the module
	begun time.Time
	// profile, if set, is where processes write what they spent their time on.
	profile string
	servers int // started with a profile

	built map[string]string // program → path
	large *fixture
}

func newHouse(quick bool, dir, profile string) (*house, error) {
	root, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return nil, fmt.Errorf("ask go for the module: %w", err)
	}
	tmp, err := os.MkdirTemp(dir, "parley-bench-*")
	if err != nil {
		return nil, err
	}
	return &house{
		quick: quick, profile: profile, tmp: tmp, begun: time.Now(), built: map[string]string{},
		root: filepath.Dir(strings.TrimSpace(string(root))),
	}, nil
}

func (h *house) close() { _ = os.RemoveAll(h.tmp) }

func (h *house) logf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%5.1fs %s\n", time.Since(h.begun).Seconds(), fmt.Sprintf(format, args...))
}

// pick gives the number for a full run, or for a quick one.
func (h *house) pick(full, quick int) int {
	if h.quick {
		return quick
	}
	return full
}

// dir makes a new folder on the disk that is measured.
func (h *house) dir(name string) (string, error) {
	return os.MkdirTemp(h.tmp, name+"-*")
}

// build gives the path of a program, which is built in its own folder once.
func (h *house) build(ctx context.Context, folder, pkg string) (string, error) {
	key := folder + " " + pkg
	if path, ok := h.built[key]; ok {
		return path, nil
	}
	path := filepath.Join(h.tmp, fmt.Sprintf("program-%d", len(h.built)))
	h.logf("  building %s", filepath.Join(folder, pkg))
	cmd := exec.CommandContext(ctx, "go", "build", "-o", path, pkg)
	cmd.Dir = filepath.Join(h.root, folder)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s in %s: %w: %s", pkg, folder, err, clip(string(out), 300))
	}
	h.built[key] = path
	return path, nil
}

func clip(s string, most int) string {
	s = strings.TrimSpace(s)
	if len(s) > most {
		s = s[:most] + "…"
	}
	return s
}
