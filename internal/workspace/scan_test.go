//go:build unix

package workspace

import "testing"

func TestFileThatBecomesAnIgnoredFolder(t *testing.T) {
	x := newWorld(t)
	x.write("out", "1")
	x.save()
	x.remove("out")
	x.write(".gitignore", "out/\n")
	x.write("out/x", "1")
	if got := x.files(x.save().Hash); !sameFiles(got, map[string]string{".gitignore": "out/\n"}) {
		t.Errorf("the checkpoint holds %v", got)
	}
}
