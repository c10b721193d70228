//go:build unix

package workspace

import (
	"os"
	"testing"
)

// rest gives every file and folder of the manifest the stamp that it would have had
// by now if it had been left alone for a while.
func (x *world) rest() {
	x.t.Helper()
	n := 0
	x.w.manifest.root.walk("", func(at string, node *node) {
		d, err := openDir(x.path(at))
		x.ok(err)
		defer d.close()
		node.stamp, err = d.stat(".")
		x.ok(err)
		for name, f := range node.files {
			f.stamp, err = d.stat(name)
			x.ok(err)
			n++
		}
	})
	if n == 0 {
		x.t.Fatal("nothing is known")
	}
}

// What a scan remembers of folders and files hides no change.
func TestScanOfRestedFolder(t *testing.T) {
	x := newWorldWith(t, Limits{File: 100})
	x.write("a", "1")
	x.write("in/b", "1")
	x.write("in/deep/c", "1")
	x.write("in/deep/ignored.log", "1")
	x.write("in/deep/local", "1")
	x.write("in/large", string(make([]byte, 101)))
	x.write("in/.gitignore", "*.log\n")
	x.write(".git/info/exclude", "local\n")
	x.save()
	for _, c := range []struct {
		name   string
		change func()
	}{
		{"nothing", func() {}},
		{"an edit", func() { x.write("in/b", "2") }},
		{"a deletion", func() { x.remove("in/deep/c") }},
		{"a new file", func() { x.write("in/deep/d", "1") }},
		{"a new folder", func() { x.write("in/new/x", "1") }},
		{"a large file that shrinks", func() { x.write("in/large", "small") }},
		{"a file that becomes a folder", func() { x.remove("a"); x.write("a/folder", "1") }},
		{"other rules", func() { x.write("in/.gitignore", "nothing\n") }},
		{"other rules of the repository", func() { x.write(".git/info/exclude", "") }},
		{"a folder that is moved", func() { x.ok(os.Rename(x.path("in/deep"), x.path("in/moved"))) }},
	} {
		name, change := c.name, c.change
		x.save()
		x.rest()
		if c := x.save(); !c.Unchanged {
			t.Errorf("before %s: %+v", name, c)
		}
		x.rest()
		change()
		x.save("in/b") // a look at one path hides nothing from the next scan
		c := x.save()
		// Another process, without anything to remember, finds nothing more.
		_, other := x.second(Limits{File: 100})
		fresh, err := other.Save(t.Context(), Save{Session: "s"})
		x.ok(err)
		if fresh.Hash != c.Hash {
			t.Errorf("after %s the scan gave %+v, and a fresh one %+v", name, c, fresh)
		}
	}
}
