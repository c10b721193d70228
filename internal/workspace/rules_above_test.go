//go:build unix

package workspace

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// newInner is a world whose folder lies deep in another.
func newInner(t *testing.T) (x *world, repository string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repository = filepath.Join(dir, "repo")
	x = &world{t: t, folder: filepath.Join(repository, "pkg", "app"), data: filepath.Join(dir, "data"), home: filepath.Join(dir, "home")}
	x.ok(os.MkdirAll(x.folder, 0o755))
	x.open(Limits{})
	return x, repository
}

func TestRulesAboveTheWorkspace(t *testing.T) {
	const git, ignore, exclude = "../../.git/HEAD", "../../.gitignore", "../../.git/info/exclude"
	const head = "ref: refs/heads/main\n"
	every := []string{".env", "dist/x", "in/.env", "in/local", "in/a.go"}
	for name, c := range map[string]struct {
		above map[string]string
		kept  string
	}{
		"a repository":   {map[string]string{git: head, ignore: ".env\ndist/\n"}, "in/a.go in/local"},
		"by its path":    {map[string]string{git: head, ignore: "/pkg/app/dist\n/in/\n/pkg/*/.env\n"}, "in/.env in/a.go in/local"},
		"nearer ones":    {map[string]string{git: head, ignore: ".env\nlocal\n", "../.gitignore": "!.env\n/app/dist\n"}, ".env in/.env in/a.go"},
		"nearest ones":   {map[string]string{git: head, ignore: ".env\nlocal\n", ".gitignore": "!.env\n"}, ".env .gitignore dist/x in/.env in/a.go"},
		"its own":        {map[string]string{exclude: ".env\n", ignore: "local\n"}, "dist/x in/a.go"},
		"weaker":         {map[string]string{exclude: ".env\n", ignore: "!/pkg/app/.env\n"}, ".env dist/x in/a.go in/local"},
		"no repository":  {map[string]string{ignore: ".env\ndist/\n"}, ".env dist/x in/.env in/a.go in/local"},
		"of another":     {map[string]string{git: head, ignore: ".env\n", ".git/info/exclude": "dist\n"}, ".env in/.env in/a.go in/local"},
		"left out":       {map[string]string{git: head, ignore: "app/\n.env\n"}, ".env dist/x in/.env in/a.go in/local"},
		"one above it":   {map[string]string{git: head, ignore: "*\n"}, ".env dist/x in/.env in/a.go in/local"},
		"only some kept": {map[string]string{git: head, ignore: "*\n!*/\n!*.go\n"}, "in/a.go"},
		"a worktree": {map[string]string{
			"../../.git": "gitdir: ../main/.git/worktrees/w\n", "../../../main/.git/worktrees/w/commondir": "../..\n",
			"../../../main/.git/info/exclude": ".env\n", "../../../main/.git/worktrees/w/info/exclude": "dist\n",
		}, "dist/x in/a.go in/local"},
		"a submodule": {map[string]string{"../../.git": "gitdir: ../git/modules/m\r\n", "../../../git/modules/m/info/exclude": ".env\n"}, "dist/x in/a.go in/local"},
		"nonsense":    {map[string]string{"../../.git": "gitdir\n", ignore: ".env\n"}, "dist/x in/a.go in/local"},
	} {
		t.Run(name, func(t *testing.T) {
			x, _ := newInner(t)
			for file, text := range c.above {
				x.write(file, text)
			}
			want := map[string]string{}
			for _, file := range every {
				x.write(file, file)
			}
			for file := range strings.FieldsSeq(c.kept) {
				want[file] = x.content(file)
			}
			if got := x.files(x.save().Hash); !sameFiles(got, want) {
				t.Errorf("the checkpoint holds %v, not %v", got, want)
			}
			if c.above[git]+c.above[exclude] == "" || name == "left out" || name == "one above it" || name == "of another" {
				return // git says something else, or is no real one
			}
			x.git("../..", "init", "-q")
			cmd := exec.Command("git", "ls-files", "-o", "--exclude-standard")
			cmd.Dir, cmd.Env = x.folder, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "HOME="+x.home)
			out, err := cmd.Output()
			if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != c.kept {
				t.Errorf("git finds %q, not %q: %v", got, c.kept, err)
			}
		})
	}
}

// Rules above the workspace change: what comes up by that was there.
func TestRulesAboveChange(t *testing.T) {
	x, repository := newInner(t)
	x.write("../../.git/HEAD", "")
	x.write("../../.gitignore", ".env\n")
	x.write(".env", "mine")
	x.write("a", "1")
	x.save()
	x.rest()
	s := x.step(func() { x.write("../../.gitignore", "nothing\n") })
	if got := x.files(s.After)[".env"]; got != "mine" {
		t.Errorf("it is in no checkpoint: %q", got)
	}
	r := x.restore(s)
	x.keeps(r, ".env", KeptIgnored)
	x.reads(".env", "mine")

	x.write("../../.gitignore", long("b\n"))
	x.write("b", "mine")
	c := x.save()
	if got := x.files(c.Hash)["b"]; got != "" || missing(c, "../../.gitignore") != "rules_cut" {
		t.Errorf("%q was captured, and %+v was not", got, c.NotCaptured)
	}
	x.remove("../../.gitignore")
	l, err := net.Listen("unix", x.path("../../.gitignore")) // nobody can open a socket
	x.ok(err)
	defer l.Close()
	x.write("../.gitignore", "c\n")
	x.write("c", "mine")
	if got := x.files(x.save().Hash); got["b"]+got["c"] != "" {
		t.Errorf("with rules that cannot be read, the checkpoint has %v", got)
	}
	x.ok(os.RemoveAll(filepath.Join(repository, ".git")))
	if c := x.save(); x.files(c.Hash)["b"] != "mine" || len(c.NotCaptured) != 0 {
		t.Errorf("in no repository %+v", c)
	}
}

func TestRulesOfRepositoriesInside(t *testing.T) {
	x := newWorld(t)
	x.write(".git/info/exclude", "outer\n")
	x.write("sub/.git/info/exclude", "/a\nshared\n")
	x.write("sub/deep/.gitignore", "!shared\n")
	x.write("linked/.git", "gitdir: "+x.path("linked.git")+"\n")
	x.write("linked.git/info/exclude", "a\n")
	for _, name := range []string{"a", "outer", "shared", "sub/a", "sub/deep/a", "sub/outer", "sub/shared", "sub/deep/shared", "linked/a", "linked/b"} {
		x.write(name, "1")
	}
	want := map[string]string{"sub/deep/.gitignore": "!shared\n", "linked.git/info/exclude": "a\n"}
	for _, name := range []string{"a", "shared", "sub/deep/a", "sub/deep/shared", "linked/b"} {
		want[name] = "1"
	}
	if got := x.files(x.save().Hash); !sameFiles(got, want) {
		t.Errorf("the checkpoint holds %v, not %v", got, want)
	}
	x.rest()
	x.write("sub/.git/info/exclude", "shared\n")
	want["sub/a"] = "1"
	if got := x.files(x.save().Hash); !sameFiles(got, want) {
		t.Errorf("with other rules the checkpoint holds %v, not %v", got, want)
	}
}
