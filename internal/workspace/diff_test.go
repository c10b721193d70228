//go:build unix

package workspace

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	x := newWorldWith(t, Limits{Text: 1000})
	x.write("modified", "a\nb\n")
	x.write("deleted", "gone\n")
	x.write("moved/from", poem)
	x.write("binary", "a\x00b")
	x.write("large", strings.Repeat("x", 500))
	x.write("becomes link", "target")
	x.write("private", "p")
	if list, err := x.w.Checkpoints(t.Context(), "s"); err != nil || len(list) != 0 {
		t.Errorf("before the first checkpoint there are %v, %v", list, err)
	}
	if _, _, err := x.w.Diff(t.Context(), strings.Repeat("0", 40), strings.Repeat("1", 40), 0); !errors.Is(err, ErrUnknown) {
		t.Errorf("before the first checkpoint a diff says %v", err)
	}
	from := x.save()
	x.write("modified", "a\nc\n")
	x.remove("deleted")
	x.ok(os.Rename(x.path("moved/from"), x.path("moved/to")))
	x.write("added", "new\n")
	x.write("binary", "a\x00c")
	x.write("large", strings.Repeat("x", 1001))
	x.remove("becomes link")
	x.ok(os.Symlink("elsewhere", x.path("becomes link")))
	x.ok(os.Chmod(x.path("private"), 0o600))
	list, more, err := x.w.Diff(t.Context(), from.Hash, "", 0)
	if err != nil || more {
		t.Fatal(more, err)
	}
	got := map[string]FileDiff{}
	for _, d := range list {
		got[d.Path] = d
	}
	for name, change := range map[string]Change{
		"modified": Modified, "deleted": Deleted, "moved/to": Renamed, "added": Added, "binary": Modified, "large": Modified,
		"becomes link": Retyped, "private": Modified,
	} {
		if got[name].Change != change {
			t.Errorf("%s: %q, not %q", name, got[name].Change, change)
		}
	}
	if len(list) != 8 {
		t.Errorf("%d files differ: %+v", len(list), list)
	}
	m := got["modified"]
	if want := "--- a/modified\n+++ b/modified\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"; m.Patch != want || *m.Before != "a\nb\n" || *m.After != "a\nc\n" {
		t.Errorf("modified: %+v", m)
	}
	if d := got["deleted"]; d.After != nil || *d.Before != "gone\n" || !strings.Contains(d.Patch, "+++ /dev/null") || d.AfterMode != "" {
		t.Errorf("deleted: %+v", d)
	}
	if d := got["moved/to"]; d.OldPath != "moved/from" || d.Patch != "" {
		t.Errorf("moved: %+v", d)
	}
	if d := got["binary"]; !d.Binary || d.Before != nil || d.Patch != "" || d.BeforeSize != 3 {
		t.Errorf("binary: %+v", d)
	}
	if d := got["large"]; !d.TooLarge || d.After != nil || d.AfterSize != 1001 {
		t.Errorf("large: %+v", d)
	}
	if list, _ := x.w.Checkpoints(t.Context(), "s"); len(list) != 1 {
		t.Errorf("a diff with now left %d checkpoints in the list", len(list))
	}
	if list, more, err := x.w.Diff(t.Context(), from.Hash, "", 3); len(list) != 3 || !more || err != nil {
		t.Errorf("the first three are %d, %v, %v", len(list), more, err)
	}
	stop := errors.New("stop")
	var seen []string
	err = x.w.EachDiff(t.Context(), from.Hash, "", func(d FileDiff) error { seen = append(seen, d.Path); return stop })
	if !errors.Is(err, stop) || len(seen) != 1 || slices.Contains(seen, "") {
		t.Errorf("streamed %v, %v", seen, err)
	}
}

// What a diff says is enough for git to do the same elsewhere.
func TestUnified(t *testing.T) {
	x := newWorld(t)
	x.write("modified", "a\nb\nc")
	x.write("deleted", "gone\n")
	x.write("moved/from", poem)
	x.write("empty", "")
	x.write("run", "#!/bin/sh\n")
	x.write("becomes link", "target\n")
	x.write("caf\xe9 \"x\"\t", "1\n")
	from := x.save()
	other := newWorld(t)
	for name, content := range x.files(from.Hash) {
		other.write(name, content)
	}
	x.write("modified", "a\nc\nc\n")
	x.remove("deleted")
	x.ok(os.Rename(x.path("moved/from"), x.path("moved/to")))
	x.write("added/new", "no end of line")
	x.write("nothing in it", "")
	x.remove("empty")
	x.ok(os.Chmod(x.path("run"), 0o755))
	x.remove("becomes link")
	x.ok(os.Symlink("elsewhere", x.path("becomes link")))
	x.write("caf\xe9 \"x\"\t", "2\n")
	var patch strings.Builder
	x.ok(x.w.EachDiff(t.Context(), from.Hash, "", func(d FileDiff) error {
		patch.WriteString(d.Unified())
		return nil
	}))
	apply := exec.Command("git", "apply", "--unsafe-paths")
	apply.Dir, apply.Stdin = other.folder, strings.NewReader(patch.String())
	if out, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("git says %s of\n%s", out, patch.String())
	}
	if want, got := x.save().Tree, other.save().Tree; want != got {
		t.Errorf("git made something else of\n%s\n%v", patch.String(), other.files(other.save().Hash))
	}
}
