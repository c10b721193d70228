//go:build unix

package workspace

import (
	"os"
	"strings"
	"testing"
	"time"
)

// A checkpoint that did not look at a folder does not say that a file in it was not
// there.
func TestNotLookedAtIsNotAbsent(t *testing.T) {
	x := newWorld(t)
	x.write("known", "1")
	x.save()
	x.write("d/person", "1") // nobody has looked yet
	before, err := x.w.Save(t.Context(), Save{Session: "s", Within: time.Nanosecond})
	x.ok(err)
	if !before.Incomplete {
		t.Fatal("there was time to look at everything")
	}
	x.write("known", "2")
	after := x.save()
	x.restore(Step{Before: before.Hash, After: after.Hash})
	x.reads("d/person", "1")
}

// A file that is larger than what is merged stays as the person has it.
func TestLargeFilesAreNotMerged(t *testing.T) {
	x := newWorldWith(t, Limits{Merge: 100})
	x.write("small", "1\n2\n3\n4\n5\n")
	x.write("large", strings.Repeat("line\n", 30))
	s := x.step(func() {
		x.write("small", "agent\n2\n3\n4\n5\n")
		x.write("large", "agent\n"+strings.Repeat("line\n", 30))
	})
	x.write("small", "agent\n2\n3\n4\nperson\n")
	x.write("large", "agent\n"+strings.Repeat("line\n", 30)+"person\n")
	r := x.restore(s)
	x.reads("small", "1\n2\n3\n4\nperson\n")
	x.reads("large", "agent\n"+strings.Repeat("line\n", 30)+"person\n")
	k := x.keeps(r, "large", KeptConflict)
	if b, err := os.ReadFile(k.Copy); err != nil || string(b) != strings.Repeat("line\n", 30) {
		t.Errorf("offered is %q, %v", b, err)
	}
}

// What is Parley's own in a workspace is in no checkpoint, whoever put it there.
func TestOwnFolderIsLeftAlone(t *testing.T) {
	x := newWorld(t)
	x.write("a", "1")
	x.write(ownFolder+"/trash/x/0", "displaced")
	if got := x.files(x.save().Hash); len(got) != 1 {
		t.Errorf("the checkpoint holds %v", got)
	}
	if c := x.save(ownFolder + "/trash/x/0"); missing(c, ownFolder+"/trash/x/0") == "" {
		t.Errorf("by its name it is in %+v", c)
	}
}
