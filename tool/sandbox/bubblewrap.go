package sandbox

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// probeBubblewrap runs the program once, since it is often there and not allowed
// to do anything.
func probeBubblewrap(ctx context.Context) (program, why string) {
	program, err := exec.LookPath("bwrap")
	if err != nil {
		return "", "bubblewrap is not installed"
	}
	if program, err = filepath.Abs(program); err != nil {
		return "", "bubblewrap cannot be found: " + err.Error()
	}
	args := append(isolation(false), "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--", "/bin/sh", "-c", ":")
	out, err := exec.CommandContext(ctx, program, args...).CombinedOutput()
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		if first == "" {
			first = err.Error()
		}
		return "", "bubblewrap does not work here: " + first
	}
	return program, ""
}

// isolation are the options that part a command from the system.
func isolation(network bool) []string {
	args := []string{"--die-with-parent", "--cap-drop", "ALL", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"}
	if !network {
		args = append(args, "--unshare-net")
	}
	return args
}

func (s *Sandbox) bubblewrap(c Cage, argv []string) Wrapped {
	args := append([]string{"bwrap"}, isolation(c.Network)...)
	args = append(args, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
	for _, path := range s.private() {
		args = append(args, cover(path)...)
	}
	if c.Network { // where the addresses of name servers are kept
		args = append(args, "--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve", "--ro-bind-try", "/run/resolvconf", "/run/resolvconf")
	}
	at := home()
	for _, name := range toolchains {
		path := filepath.Join(at, name)
		args = append(args, "--ro-bind-try", path, path)
	}
	if s.options.Cache != "" {
		args = append(args, "--bind-try", s.options.Cache, filepath.Join(at, ".cache"))
	}
	args = append(args, "--bind", c.Workspace, c.Workspace)
	for _, path := range c.ReadOnly {
		args = append(args, "--ro-bind-try", path, path)
	}
	hidden := slices.Clone(c.Hidden)
	// The workspace may lie around what the server hides.
	for _, path := range s.options.Hide {
		if real, err := filepath.EvalSymlinks(path); err == nil && within(real, c.Workspace) && real != c.Workspace {
			hidden = append(hidden, real)
		}
	}
	for _, path := range hidden {
		args = append(args, cover(path)...)
	}
	args = append(args, "--chdir", c.Dir, "--")
	return Wrapped{Path: s.bwrap, Args: append(args, argv...), Outer: true, Close: func() {}}
}

// cover puts something empty over a path.
func cover(path string) []string {
	info, err := os.Lstat(path)
	switch {
	case err != nil || info.Mode()&os.ModeSymlink != 0:
		return nil // a link leads to what is covered elsewhere
	case info.IsDir():
		return []string{"--tmpfs", path}
	}
	return []string{"--ro-bind", "/dev/null", path}
}

// within says whether a path is the folder or lies in it.
func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}
