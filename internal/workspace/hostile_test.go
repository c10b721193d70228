//go:build unix

package workspace

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Nothing that a repository, a configuration or the environment says is run, and no
// byte changes on its account.
func TestHostileRepository(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	trap := filepath.Join(dir, "sprung")
	evil := filepath.Join(dir, "evil.sh")
	if err := os.WriteFile(evil, []byte("#!/bin/sh\necho \"$0 $*\" >> "+trap+"\ncat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	config := `[core]
	hooksPath = ` + dir + `/hooks
	fsmonitor = ` + evil + `
	pager = ` + evil + `
	editor = ` + evil + `
	sshCommand = ` + evil + `
	autocrlf = true
	attributesFile = ` + dir + `/attributes
	excludesFile = ` + dir + `/excludes
	worktree = /
[commit]
	gpgSign = true
[gpg]
	program = ` + evil + `
[filter "evil"]
	clean = ` + evil + `
	smudge = ` + evil + `
	process = ` + evil + `
	required = true
[diff "evil"]
	textconv = ` + evil + `
	command = ` + evil + `
[merge "evil"]
	driver = ` + evil + ` %A
[diff]
	external = ` + evil + `
[include]
	path = ` + dir + `/included
[alias]
	fast-import = !` + evil + `
[credential]
	helper = !` + evil + `
`
	attributes := "* text=auto eol=crlf ident filter=evil diff=evil merge=evil working-tree-encoding=UTF-16\n"
	home := filepath.Join(dir, "home-of-person")
	for name, content := range map[string]string{
		"home-of-person/.gitconfig": config, "attributes": attributes, "included": config, "excludes": "*\n",
		"hooks/reference-transaction": "#!/bin/sh\n" + evil + "\n", "hooks/post-index-change": "#!/bin/sh\n" + evil + "\n",
	} {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{
		"HOME": home, "GIT_DIR": filepath.Join(dir, "other.git"), "GIT_WORK_TREE": dir, "GIT_INDEX_FILE": filepath.Join(dir, "other-index"),
		"GIT_OBJECT_DIRECTORY": filepath.Join(dir, "other-objects"), "GIT_EXTERNAL_DIFF": evil, "GIT_CONFIG_COUNT": "1",
		"GIT_CONFIG_KEY_0": "core.hooksPath", "GIT_CONFIG_VALUE_0": dir + "/hooks", "GIT_SSH": evil, "GIT_TRACE": filepath.Join(dir, "trace"),
		"GIT_EDITOR": evil, "GIT_EXEC_PATH": dir, "GIT_TEMPLATE_DIR": dir, "GIT_NAMESPACE": "x", "GIT_CONFIG_GLOBAL": filepath.Join(home, ".gitconfig"),
	} {
		t.Setenv(name, value)
	}
	x := newWorld(t)
	want := map[string]string{
		".gitattributes": attributes, "crlf": "a\r\nb\r\n", "lf": "a\nb\n", "ident": "$Id$\n", "utf16": "\xff\xfea\x00", ".gitconfig": config,
		"poem": poem,
	}
	for name, content := range want {
		x.write(name, content)
	}
	x.write(".git/config", config)
	x.write(".git/HEAD", "ref: refs/heads/main\n")
	x.write(".git/info/attributes", attributes)
	x.write(".git/hooks/post-checkout", "#!/bin/sh\n"+evil+"\n")
	x.ok(os.MkdirAll(x.path(".git/objects"), 0o755))
	x.ok(os.MkdirAll(x.path(".git/refs"), 0o755))
	x.ok(syscall.Mkfifo(x.path(".git/info/exclude"), 0o644)) // whoever opens it waits for ever
	s := x.step(func() {
		for name := range want {
			x.write(name, "agent\n"+want[name])
		}
	})
	if got := x.files(s.Before); !sameFiles(got, want) {
		t.Errorf("the checkpoint holds %q", got)
	}
	x.write("poem", "agent\n"+poem+"person\n")
	if _, _, err := x.w.Diff(t.Context(), s.Before, "", 0); err != nil {
		t.Error(err)
	}
	x.restore(s)
	for name, content := range want {
		if name == "poem" {
			content += "person\n"
		}
		x.reads(name, content)
	}
	x.ok(x.store.Tend(t.Context()))
	_, err = x.store.GC(t.Context(), func(Ref) bool { return false })
	x.ok(err)
	x.ok(x.store.Check(t.Context()))
	if b, err := os.ReadFile(trap); err == nil {
		t.Errorf("something was run: %s", b)
	}
	for _, name := range []string{"other.git", "other-index", "other-objects", "trace"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

// Whatever a repository puts in the place of the trash, nothing of it is followed,
// obeyed or removed.
func TestHostileTrash(t *testing.T) {
	for name, lay := range map[string]func(x *world, outside string){
		"the folder is a link": func(x *world, outside string) { x.ok(os.Symlink(outside, x.path(".parley"))) },
		"the trash is a link": func(x *world, outside string) {
			x.ok(os.Mkdir(x.path(".parley"), 0o755))
			x.ok(os.Symlink(outside, x.path(".parley/trash")))
		},
		"the folder is a file": func(x *world, _ string) { x.write(".parley", "mine") },
		"the ignore file is a link": func(x *world, outside string) {
			x.ok(os.Mkdir(x.path(".parley"), 0o755))
			x.ok(os.Symlink(filepath.Join(outside, "profile"), x.path(".parley/.gitignore")))
		},
		"a restore is under way": func(x *world, outside string) {
			old := storedOf(version{oid: blobOID([]byte("x")), kind: regular, perm: 0o644})
			bin := bin{book: x.path(".parley/trash/20200101-000000-x")}
			x.ok(os.MkdirAll(bin.book, 0o755))
			x.ok(bin.writeActions([]action{{Path: "a", Old: old, New: old}}))
			x.write(".parley/trash/20200101-000000-x/0", "planted")
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := elsewhereWorld(t)
			outside := filepath.Join(x.home, "outside")
			x.ok(os.MkdirAll(filepath.Join(outside, "my-project"), 0o755))
			x.ok(os.WriteFile(filepath.Join(outside, "profile"), []byte("mine"), 0o644))
			x.ok(os.WriteFile(filepath.Join(outside, "my-project", "done"), []byte("mine"), 0o644))
			long := time.Now().Add(-1000 * time.Hour)
			x.ok(os.Chtimes(filepath.Join(outside, "my-project", "done"), long, long))
			lay(x, outside)
			x.write("a", "1")
			s := x.step(func() { x.write("a", "2") })
			_, err := x.w.Restore(t.Context(), Restore{Session: "s", Steps: []Step{s}})
			if err != nil {
				x.reads("a", "2")
			} else {
				x.reads("a", "1")
			}
			if err != nil && !strings.Contains(err.Error(), "move that away") {
				t.Errorf("it is refused with %q", err)
			}
			x.open(Limits{Trash: time.Nanosecond})
			x.save()
			x.ok(x.store.Tend(t.Context()))
			got := map[string]string{}
			x.ok(filepath.WalkDir(outside, func(p string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					b, _ := os.ReadFile(p)
					got[strings.TrimPrefix(p, outside+"/")] = string(b)
				} else if err == nil && p != outside {
					got[strings.TrimPrefix(p, outside+"/")] = "/"
				}
				return err
			}))
			if want := map[string]string{"profile": "mine", "my-project": "/", "my-project/done": "mine"}; !maps.Equal(got, want) {
				t.Errorf("outside there is %v", got)
			}
		})
	}
}
