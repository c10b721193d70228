//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestGitVersion(t *testing.T) {
	x := newWorld(t)
	if printed, err := x.store.git.version(versionWithin); err != nil || !strings.HasPrefix(printed, "git version ") {
		t.Errorf("the git of this machine says %q, %v", printed, err)
	}
	for script, want := range map[string]string{
		"echo git version 2.10.0":                   "",
		"echo 'git version 2.39.5 (Apple Git-154)'": "",
		"echo git version 3.0.rc1":                  "",
		"echo git version 2.9.5":                    "and 2.10 is needed",
		"echo git version 1.99.1":                   "and 2.10 is needed",
		"echo hub":                                  "is hub, and",
		"echo broken >&2; exit 1":                   "does not work: git version: broken",
	} {
		g := git{program: filepath.Join(t.TempDir(), "git"), home: x.home, dir: x.home}
		x.ok(os.WriteFile(g.program, []byte("#!/bin/sh\n"+script+"\n"), 0o700))
		if _, err := g.version(versionWithin); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: the error is %v", script, err)
		}
	}
}

// A git that hangs is ended, with what it started.
func TestGitHangs(t *testing.T) {
	x := newWorld(t)
	g := git{program: filepath.Join(t.TempDir(), "git"), home: x.home, dir: x.home}
	x.ok(os.WriteFile(g.program, []byte("#!/bin/sh\nsleep 1000\n"), 0o700))
	_, err := g.version(50 * time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "did not say its version within 50ms") {
		t.Errorf("the error is %v", err)
	}
}
