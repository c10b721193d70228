//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
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
