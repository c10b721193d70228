package workspace

import "testing"

// No watch tells of rules that lie in a ".git" or above the workspace.
func TestRulesThatAreNotHeard(t *testing.T) {
	x, _ := newInner(t)
	x.write("../../.git/HEAD", "")
	x.write("../../.gitignore", "*.above\n")
	x.write("sub/.git/info/exclude", "*.inside\n")
	x.write("sub/a", "1")
	x.write("sub/deep/x.inside", "1")
	x.write("sub/deep/x.above", "1")
	x.write("quiet/x", "1")
	x.watched()
	quiet := x.w.manifest.root.dirs["quiet"]
	seen := quiet.seen
	x.write("sub/.git/info/exclude", "nothing\n")
	x.finds("sub/deep/x.inside", "1", false)
	if quiet.seen != seen {
		t.Error("a folder where nothing happened was looked at")
	}
	x.finds("sub/deep/x.above", "-", false)
	x.calm()
	x.write("../../.gitignore", "nothing\n")
	x.finds("sub/deep/x.above", "1", true)
	x.calm()
	x.write("sub/.git/info/exclude", "*.new\n")
	x.write("sub/deep/x.new", "1")
	x.finds("sub/deep/x.new", "-", false)
	x.remove("sub/.git")
	x.finds("sub/deep/x.new", "1", false)
}

// Rules that are in no checkpoint as files are kept by a scan that goes by what it heard.
func TestRulesThatAreHeard(t *testing.T) {
	x := newWatched(t)
	x.write("in/.gitignore", "*\n")
	x.write("in/deep/mine", "1")
	x.finds("in/deep/mine", "-", false)
	s := x.step(func() { x.remove("in/.gitignore"); x.write("new", "agent") })
	x.keeps(x.restore(s), "in/deep/mine", KeptIgnored)
	x.reads("in/deep/mine", "1")
	x.reads("new", "-")
}
