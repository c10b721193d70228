package settings

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A file that is a link stays one: what it leads to is written, whole and beside
// the old.
func TestLinkedFileIsWrittenThrough(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links take a privilege here")
	}
	dir, home := t.TempDir(), t.TempDir()
	s := open(t, dir, Options{})
	path, real := s.path("ann"), filepath.Join(home, "dotfiles", "mine.json")
	write(t, real, `{"version":1,"settings":{"mode":"x"}}`)
	write(t, filepath.Join(home, "dotfiles", ".new-song"), "of somebody else")
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.Symlink(filepath.Join(home, "dotfiles"), filepath.Join(home, "linked"))) // a folder on the way may be one too
	must(t, os.Symlink("linked/mine.json", filepath.Join(home, "second")))
	must(t, os.Symlink(filepath.Join(home, "second"), path))
	isLink := func() {
		t.Helper()
		for _, name := range []string{path, filepath.Join(home, "second")} {
			if info, err := os.Lstat(name); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Errorf("%s is no link any more: %v", name, err)
			}
		}
	}
	if s.Effective("ann", nil).Values.Mode != "x" {
		t.Error("the link is not followed")
	}
	must(t, s.Update("ann", change(t, "language", "ko"), false))
	isLink()
	if text := read(t, real); !strings.Contains(text, `"mode": "x"`) || !strings.Contains(text, `"language": "ko"`) {
		t.Errorf("written %s", text)
	}
	write(t, real, `{"version":1,"settings":{"mode":"y"}}`)
	if s.Effective("ann", nil).Values.Mode != "y" {
		t.Error("a change of what the link leads to is not noticed")
	}
	// What it leads to may be missing, if its folder is there.
	must(t, os.Remove(real))
	must(t, s.Update("ann", change(t, "language", "en"), false))
	isLink()
	if !strings.Contains(read(t, real), `"language": "en"`) {
		t.Error("nothing was written where the link leads")
	}
	// A broken one is moved where it is, and the link stays.
	write(t, real, "{oops")
	done, err := s.Reset("ann")
	must(t, err)
	isLink()
	if read(t, filepath.Join(home, "dotfiles", filepath.Base(done.Moved))) != "{oops" || read(t, done.Moved) != "{oops" {
		t.Errorf("moved to %s", done.Moved)
	}
	if left := read(t, filepath.Join(home, "dotfiles", ".new-song")); left != "of somebody else" {
		t.Error("a file of somebody else was touched")
	}
	if files, _ := os.ReadDir(filepath.Join(home, "dotfiles")); len(files) != 2 {
		t.Errorf("there are %v", files)
	}
	must(t, os.RemoveAll(filepath.Join(home, "dotfiles")))
	if err := s.Update("ann", change(t, "language", "ko"), false); err == nil || !strings.Contains(err.Error(), "is a link to ") {
		t.Errorf("got %v", err)
	}
	must(t, os.Remove(path))
	must(t, os.Symlink(filepath.Base(path), path))
	if err := s.Update("ann", change(t, "language", "ko"), false); err == nil || !strings.Contains(err.Error(), "links") {
		t.Errorf("a link to itself: %v", err)
	}
}

// What a crash left beside the target of a link goes with the next write.
func TestLeftoversBesideALink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links take a privilege here")
	}
	dir, home := t.TempDir(), t.TempDir()
	s := open(t, dir, Options{})
	write(t, filepath.Join(home, ".mine.json.new-123"), "half")
	must(t, os.MkdirAll(filepath.Dir(s.path("ann")), 0o700))
	must(t, os.Symlink(filepath.Join(home, "mine.json"), s.path("ann")))
	must(t, s.Update("ann", change(t, "language", "ko"), false))
	if files, _ := os.ReadDir(home); len(files) != 1 {
		t.Errorf("there are %v", files)
	}
}

// A file that says that it is another account's is reported, with its line.
func TestOwnerOfAFile(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	write(t, s.path("ann"), "{\"version\":1,\n\"owner\":\"bob\",\"settings\":{\"mode\":\"x\"}}")
	write(t, s.path(""), `{"version":1,"owner":"bob","settings":{}}`)
	write(t, s.path("cid"), `{"version":1,"owner":"cid","settings":{}}`)
	p := s.Problems("ann", true)
	if len(p) != 2 || p[0].File != s.path("") || p[1].Line != 2 || p[1].Key != "owner" || !strings.Contains(p[1].Text, `"bob"`) || !strings.Contains(p[1].Text, `"ann"`) {
		t.Errorf("problems %v", p)
	}
	if s.Effective("ann", nil).Values.Mode != "x" {
		t.Error("it is not used")
	}
	must(t, s.Update("ann", change(t, "language", "ko"), false))
	if p := s.Problems("ann", false); len(p) != 0 || !strings.Contains(read(t, s.path("ann")), `"owner": "ann"`) {
		t.Errorf("after a write: %v", p)
	}
	if p := s.Problems("cid", false); len(p) != 0 {
		t.Errorf("problems %v", p)
	}
}
