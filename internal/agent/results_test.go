package agent

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestWalkChangesEveryText(t *testing.T) {
	var v any
	if err := json.Unmarshal([]byte(`{"a":"x","b":["x",{"c":"x","n":1}],"t":true}`), &v); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(walk(v, func(s string) string { return s + "!" }))
	if err != nil || string(got) != `{"a":"x!","b":["x!",{"c":"x!","n":1}],"t":true}` {
		t.Errorf("%s (%v)", got, err)
	}
}

// Whatever a result holds and wherever a command speaks of it, it is not run.
func TestResultsAreNotRun(t *testing.T) {
	results := map[string]string{"a": "x$(touch pwned)`touch pwned`; touch pwned '\\''; touch pwned \"\n touch pwned"}
	for _, command := range []string{
		`printf %s {{todos.a}} > out`, `printf %s "{{todos.a}}" > out`, `printf %s '{{todos.a}}' > out`,
		"cat > out <<END\n{{todos.a}}\nEND\n", `printf %s pre{{ todos.a }}post > out`, "x={{todos.a}}; printf %s $x {{todos.a}} > out",
	} {
		dir := t.TempDir()
		sh := exec.Command("sh", "-c", inShell(command, results))
		sh.Dir = dir
		if out, err := sh.CombinedOutput(); err != nil {
			t.Errorf("%s: %v %s", command, err, out)
		}
		if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
			t.Errorf("%s ran a part of the result", command)
		}
	}
	dir := t.TempDir()
	sh := exec.Command("sh", "-c", inShell(`printf %s {{todos.a}} > out`, results))
	sh.Dir = dir
	if err := sh.Run(); err != nil {
		t.Fatal(err)
	}
	if out, err := os.ReadFile(filepath.Join(dir, "out")); err != nil || string(out) != results["a"] {
		t.Errorf("the command got %q (%v)", out, err)
	}
}
