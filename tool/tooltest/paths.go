package tooltest

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/parley-dev/parley/tool"
)

func checkPathEscapes(t *testing.T, tr *trial) {
	tr.link(t, "link", "..")
	tr.link(t, "absolute", tr.base)
	tr.link(t, "chain", "link")
	tr.link(t, "in/up", "../..")
	before := snapshot(t, tr.base)
	for _, folder := range []string{
		"..", "../other", "./../other", "in/..", "in/../..", "in/../../other", "in/./../..//other",
		"/", tr.base, tr.base + "/other", tr.work + "/../other",
		"link", "link/other", "absolute", "absolute/other", "chain", "chain/other", "in/up", "in/up/other",
	} {
		result, err := tr.run(t.Context(), t, tr.call(tr.Path(folder)))
		if tool.CodeOf(err) != tool.CodePathRefused {
			t.Errorf("%s: Run returned %v, want %s", folder, err, tool.CodePathRefused)
		}
		tr.keepsSecret(t, folder, result, err)
	}
	sameTree(t, before, snapshot(t, tr.base))

	// Otherwise a tool that refuses every path would pass.
	if result, err := tr.run(t.Context(), t, tr.call(tr.Path("in"))); err != nil || result.IsError {
		t.Errorf("a folder of the workspace: %v\n%s", err, result.Text)
	}
}

// A link that changes between looking and doing leads nobody out.
func checkPathRace(t *testing.T, tr *trial) {
	tr.link(t, "flip", "in")
	before := snapshot(t, filepath.Join(tr.base, "other"))
	stop := make(chan struct{})
	var flips atomic.Int64
	var wg sync.WaitGroup
	wg.Go(func() {
		targets := []string{"../other", "in"}
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			next := filepath.Join(tr.base, "next")
			if err := errors.Join(os.Symlink(targets[i%2], next), os.Rename(next, filepath.Join(tr.work, "flip"))); err != nil {
				t.Error(err)
				return
			}
			flips.Add(1)
		}
	})
	// On a busy machine the link may stand still for many rounds.
	for round := 0; round < 100 || flips.Load() < 500 && !t.Failed(); round++ {
		result, err := tr.run(t.Context(), t, tr.call(tr.Path("flip")))
		tr.keepsSecret(t, "flip", result, err)
	}
	close(stop)
	wg.Wait()
	sameTree(t, before, snapshot(t, filepath.Join(tr.base, "other")))
}

func (tr *trial) link(t *testing.T, name, target string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(tr.work, name)); err != nil {
		t.Skipf("this machine gives no symbolic links: %v", err)
	}
}

// keepsSecret looks for what lies outside in all that came of a call.
func (tr *trial) keepsSecret(t *testing.T, folder string, result tool.Result, err error) {
	t.Helper()
	all := result.Text + string(result.Summary) + tr.watch.text()
	if err != nil {
		all += err.Error()
	}
	if strings.Contains(all, tr.secret) {
		t.Errorf("%s: the tool shows what lies outside of the workspace", folder)
	}
}

// snapshot holds all that is in a folder: kind and content by path.
func snapshot(t *testing.T, folder string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		content := ""
		switch {
		case d.Type().IsRegular():
			var raw []byte
			raw, err = os.ReadFile(path)
			content = string(raw)
		case d.Type()&fs.ModeSymlink != 0:
			content, err = os.Readlink(path)
		}
		out[path] = d.Type().String() + " " + content
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sameTree(t *testing.T, before, after map[string]string) {
	t.Helper()
	if !maps.Equal(before, after) {
		t.Errorf("files were changed\nbefore: %q\nafter: %q", before, after)
	}
}
