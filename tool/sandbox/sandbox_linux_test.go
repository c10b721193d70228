package sandbox_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-dev/parley/tool/sandbox"
)

// The test is its own helper, as parley is.
func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

// each tries every kind of sandbox that works here, and says which do not.
func each(t *testing.T, try func(t *testing.T, box *sandbox.Sandbox)) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	worked := 0
	for _, kind := range []string{sandbox.Bubblewrap, sandbox.Landlock} {
		box := sandbox.New(sandbox.Options{Use: kind, Helper: self, Hide: []string{hidden(t)}})
		t.Run(kind, func(t *testing.T) {
			if info := box.Info(); info.Name != kind {
				t.Skipf("not on this machine: %s", info.Why)
			}
			worked++
			try(t, box)
		})
	}
	if worked == 0 {
		t.Log("this machine has no sandbox at all")
	}
}

// hidden is a folder of the server's, outside of all that is private anyway.
func hidden(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/lib", "parley-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("s3cret\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func workspace(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// sh runs a command in the sandbox and gives all that it printed.
func sh(t *testing.T, box *sandbox.Sandbox, cage sandbox.Cage, command string) (string, error) {
	t.Helper()
	if cage.Dir == "" {
		cage.Dir = cage.Workspace
	}
	w, err := box.Wrap(cage, "/bin/sh", "-c", command)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	cmd := exec.Command(w.Path)
	cmd.Args, cmd.Env = w.Args, append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, w.Env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestSandboxWritesTheWorkspace(t *testing.T) {
	each(t, func(t *testing.T, box *sandbox.Sandbox) {
		dir := workspace(t)
		if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		out, err := sh(t, box, sandbox.Cage{Workspace: dir, Dir: dir + "/sub"}, `pwd; echo new >file; mkdir d; mv file d/; ln -s d l; echo x >"${TMPDIR:-/tmp}/t" && cat "${TMPDIR:-/tmp}/t"; echo y >~/h && cat ~/h; : >/dev/null`)
		if err != nil || out != dir+"/sub\nx\ny\n" {
			t.Errorf("%v\n%s", err, out)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "sub/d/file")); err != nil || string(got) != "new\n" {
			t.Errorf("the file holds %q, %v", got, err)
		}
	})
}

func TestSandboxWritesNothingElse(t *testing.T) {
	each(t, func(t *testing.T, box *sandbox.Sandbox) {
		dir, other := workspace(t), workspace(t)
		inHome := filepath.Join(os.Getenv("HOME"), ".parley-sandbox-test")
		for _, path := range []string{other + "/x", "/etc/parley-test", "/usr/parley-test", "/var/lib/parley-test", inHome} {
			_, _ = sh(t, box, sandbox.Cage{Workspace: dir}, "echo broken >"+path)
			if _, err := os.Lstat(path); err == nil {
				t.Errorf("%s was written", path)
				os.Remove(path)
			}
		}
	})
}

func TestSandboxHides(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{sandbox.Bubblewrap, sandbox.Landlock} {
		t.Run(kind, func(t *testing.T) {
			dir, other, data := workspace(t), workspace(t), hidden(t)
			t.Setenv("HOME", hidden(t))
			box := sandbox.New(sandbox.Options{Use: kind, Helper: self, Hide: []string{data}})
			if info := box.Info(); info.Name != kind {
				t.Skipf("not on this machine: %s", info.Why)
			}
			secret := filepath.Join(other, "secret")
			if err := os.WriteFile(secret, []byte("s3cret\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, command := range []string{
				"cat " + secret, "cat " + data + "/secret", "cat /etc/shadow", "cat ~/secret", "ls -A ~", "ls " + data,
				fmt.Sprintf("cat /proc/%d/environ", os.Getpid()), fmt.Sprintf("kill -0 %d && echo reached", os.Getpid()),
				fmt.Sprintf("cat /proc/%d/root/%s/secret", os.Getpid(), data),
				"umount " + data + "; umount -l " + data + "; cat " + data + "/secret",
			} {
				out, _ := sh(t, box, sandbox.Cage{Workspace: dir}, "{ "+command+"; } 2>/dev/null")
				if out != "" {
					t.Errorf("%s shows %q", command, out)
				}
			}
			// But programs and what they need are there.
			if out, err := sh(t, box, sandbox.Cage{Workspace: dir}, "ls /usr/bin/env && cat /etc/passwd | head -n 1 && env >/dev/null"); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// What the workspace itself keeps from commands, where the sandbox can.
func TestBubblewrapCoversPartsOfTheWorkspace(t *testing.T) {
	box := sandbox.New(sandbox.Options{Use: sandbox.Bubblewrap})
	if info := box.Info(); info.Name != sandbox.Bubblewrap {
		t.Skipf("not on this machine: %s", info.Why)
	}
	dir := workspace(t)
	for name, content := range map[string]string{"private/x": "s3cret", "key": "s3cret", ".git/hooks/a": "old", "open": "fine"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cage := sandbox.Cage{Workspace: dir, Hidden: []string{dir + "/private", dir + "/key"}, ReadOnly: []string{dir + "/.git/hooks", dir + "/missing"}}
	out, _ := sh(t, box, cage, "cat open key private/x; echo new >.git/hooks/a; echo new >key; umount key; cat key")
	if strings.Contains(out, "s3cret") || !strings.HasPrefix(out, "fine") {
		t.Errorf("the command sees:\n%s", out)
	}
	for name, want := range map[string]string{"private/x": "s3cret", "key": "s3cret", ".git/hooks/a": "old"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
}

func TestSandboxNetwork(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no shell here that opens connections")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	dial := fmt.Sprintf("bash -c 'exec 3<>/dev/tcp/127.0.0.1/%d && echo reached' 2>/dev/null", listener.Addr().(*net.TCPAddr).Port)
	each(t, func(t *testing.T, box *sandbox.Sandbox) {
		cage := sandbox.Cage{Workspace: workspace(t)}
		if box.Info().Network == sandbox.NetworkOn {
			t.Skip("this kernel cannot cut it off")
		}
		if out, _ := sh(t, box, cage, dial); out != "" {
			t.Errorf("without network: %q", out)
		}
		cage.Network = true
		if out, err := sh(t, box, cage, dial); out != "reached\n" {
			t.Errorf("with network: %q, %v", out, err)
		}
	})
}

func TestSandboxExitCode(t *testing.T) {
	each(t, func(t *testing.T, box *sandbox.Sandbox) {
		out, err := sh(t, box, sandbox.Cage{Workspace: workspace(t)}, "exit 7")
		if cmd, ok := err.(*exec.ExitError); !ok || cmd.ExitCode() != 7 {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// A program that is not parley is not started over again as a helper.
func TestLandlockNeedsAHelper(t *testing.T) {
	if sandbox.Helper() != "" {
		t.Error("a test is taken for parley")
	}
	if info := sandbox.New(sandbox.Options{Use: sandbox.Landlock}).Info(); info.Name != sandbox.None || info.Why == "" || info.Network != sandbox.NetworkOn {
		t.Errorf("%+v", info)
	}
}

func TestNoSandbox(t *testing.T) {
	box := sandbox.New(sandbox.Options{Use: sandbox.None})
	if out, err := sh(t, box, sandbox.Cage{Workspace: workspace(t)}, "echo plain"); err != nil || out != "plain\n" {
		t.Errorf("%q, %v", out, err)
	}
	if info := box.Info(); info.Name != sandbox.None || !strings.HasPrefix(info.String(), "none: commands have all the rights") {
		t.Errorf("%+v", info)
	}
}
