//go:build unix

package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestProtect(t *testing.T) {
	home := "/home/ann"
	for folder, refused := range map[string]bool{
		"/": true, "/home": true, home: true, home + "/Desktop": true, home + "/Documents": true, home + "/Downloads": true,
		"/etc": true, "/etc/nginx": true, "/usr": true, "/usr/lib/x": true, "/var": true, "/tmp": true, "/proc/self": true,
		"/data/parley": true, "/data/parley/checkpoints": true,
		home + "/project": false, home + "/Documents/project": false, "/home/annabel": false, "/srv/site": false, "/tmp/x": false,
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
