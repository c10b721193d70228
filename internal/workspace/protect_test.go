//go:build unix

package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestProtect(t *testing.T) {
	home := "/home/ann"
	for folder, refused := range map[string]bool{
		"/": true, "/home": true, home: true, home + "/Desktop": true, home + "/Documents": true, home + "/Downloads": true,
		"/etc": true, "/etc/nginx": true, "/usr": true, "/usr/lib/x": true, "/var": true, "/tmp": true, "/proc/self": true,
		"/data/parley": true, "/data/parley/checkpoints": true,
		home + "/project": false, home + "/Documents/project": false, "/home/annabel": false, "/srv/site": false, "/tmp/x": false,
		"/run/user/1000": true, "/run/media": true, "/run/media/ann": true, "/run/media/ann/drive/project": false,
		"/opt/app": false, "/usr/local/src/x": false, "/data/parley2": false, "/data": false, "/etcetera": false,
	} {
		err := protect(folder, home, []string{"/data/parley"})
		var protected *ProtectedError
		if errors.As(err, &protected) != refused {
			t.Errorf("%s: %v", folder, err)
		}
	}
}

func TestOf(t *testing.T) {
	x := newWorld(t)
	x.ok(os.Mkdir(filepath.Join(x.home, "Desktop"), 0o755))
	alias := filepath.Join(filepath.Dir(x.home), "alias")
	x.ok(os.Symlink(x.home, alias))
	for _, folder := range []string{x.home, alias, filepath.Join(alias, "Desktop"), x.data, filepath.Dir(x.home)} {
		var protected *ProtectedError
		if _, err := x.store.Of(t.Context(), folder); !errors.As(err, &protected) {
			t.Errorf("%s: %v", folder, err)
		}
	}
	x.ok(os.Mkdir(filepath.Join(filepath.Dir(x.home), "papers"), 0o755))
	x.ok(os.Symlink("../papers", filepath.Join(x.home, "Documents")))
	var protected *ProtectedError
	if _, err := x.store.Of(t.Context(), filepath.Join(filepath.Dir(x.home), "papers")); !errors.As(err, &protected) {
		t.Errorf("the folder that Documents links to: %v", err)
	}
	x.write("file", "")
	for _, folder := range []string{"", "relative", x.path("nothing"), x.path("file")} {
		if _, err := x.store.Of(t.Context(), folder); err == nil {
			t.Errorf("%q was accepted", folder)
		}
	}
	link := filepath.Join(filepath.Dir(x.home), "link")
	x.ok(os.Symlink(x.folder, link))
	if w, err := x.store.Of(t.Context(), link); err != nil || w != x.w {
		t.Errorf("a link to the folder gives other checkpoints: %v", err)
	}
}

// Without a git that can be used there are no checkpoints, and the reason is said.
func TestUnavailable(t *testing.T) {
	for name, script := range map[string]string{
		"is not on the PATH": "", "is git version 1.7.1": "#!/bin/sh\necho git version 1.7.1\n", "does not work": "#!/bin/sh\nexit 3\n",
	} {
		dir := t.TempDir()
		if script != "" {
			if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", dir)
		s, err := Open(Options{Dir: t.TempDir(), Home: "/nowhere"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Of(t.Context(), dir); !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
