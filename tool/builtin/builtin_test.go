package builtin_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/builtin"
	"github.com/parley-dev/parley/tool/sandbox"
)

// The tests are their own helper for Landlock, as parley is.
func TestMain(m *testing.M) {
	sandbox.Main()
	serveOneCommand()
	goleak.VerifyTestMain(m)
}

// Every tool has its words beside its code, and a name of its own.
func TestAll(t *testing.T) {
	snake := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	seen := map[string]bool{}
	for _, each := range builtin.All() {
		info := each.Info()
		if !snake.MatchString(info.Name) || seen[info.Name] {
			t.Errorf("the name %q is not in snake case, or comes twice", info.Name)
		}
		seen[info.Name] = true
		words, err := os.ReadFile(info.Name + ".md")
		if err != nil || string(words) != info.Description {
			t.Errorf("%s.md is not the description: %v", info.Name, err)
		}
		if info.Timeout == 0 {
			t.Errorf("%s has no time limit", info.Name)
		}
	}
}

// tree makes a workspace; names that end in a slash are folders.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// input writes pairs of a name and a value as a JSON object.
func input(t *testing.T, pairs ...any) json.RawMessage {
	t.Helper()
	object := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		object[pairs[i].(string)] = pairs[i+1]
	}
	raw, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// run calls a tool that must not fail.
func run(ctx context.Context, t *testing.T, one tool.Tool, call tool.Call) tool.Result {
	t.Helper()
	result, err := one.Run(ctx, call)
	if err != nil {
		t.Fatalf("%s: %v\n%s", call.Input, err, result.Text)
	}
	return result
}

// fact reads a number of a summary.
func fact(t *testing.T, r tool.Result, name string) float64 {
	t.Helper()
	var facts map[string]any
	if err := json.Unmarshal(r.Summary, &facts); err != nil {
		t.Fatal(err)
	}
	n, ok := facts[name].(float64)
	if !ok {
		t.Fatalf("the summary %s has no number %s", r.Summary, name)
	}
	return n
}
