package settings

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// Some tests need another process: the test binary runs itself as a child,
// which is told by childEnv what to be.
const childEnv = "PARLEY_SETTINGS_CHILD"

func TestMain(m *testing.M) {
	if what := os.Getenv(childEnv); what != "" {
		os.Exit(map[string]func([]string) int{"update": childUpdate, "rotate": childRotate}[what](os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

func child(what string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), childEnv+"="+what)
	cmd.Stderr = os.Stderr
	return cmd
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// env is an environment of its own.
func env(pairs map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := pairs[name]; return v, ok }
}

func open(t testing.TB, dir string, o Options) *Store {
	t.Helper()
	o.Dir = filepath.Join(dir, "settings")
	if o.Env == nil {
		o.Env = env(nil)
	}
	return Open(o)
}

func raw(t testing.TB, v any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(v)
	must(t, err)
	return b
}

// change is one setting to be changed.
func change(t testing.TB, name string, v any) map[string]json.RawMessage {
	return map[string]json.RawMessage{name: raw(t, v)}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return string(b)
}
