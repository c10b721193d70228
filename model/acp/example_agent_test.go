package acp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/acp"
	"github.com/parley-dev/parley/model/modeltest"
)

const examplePackage = "github.com/coder/acp-go-sdk/example/agent"

// example builds the example agent of the protocol's Go library, without the
// seconds that it spends in thought.
func example(t *testing.T) (program string) {
	t.Helper()
	found, err := exec.Command("go", "list", "-f", "{{.Dir}}", examplePackage).Output()
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(found)), "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	quick := strings.NewReplacer("time.Second", "time.Millisecond", "250*time.Millisecond", "time.Millisecond").Replace(string(code))
	dir := t.TempDir()
	main, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "agent.exe")
	if err := os.WriteFile(main, []byte(quick), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", program, main).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

func host(t *testing.T, program string) *acp.Model {
	t.Helper()
	m, err := acp.New(acp.Config{Command: "'" + program + "'"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

func TestExample(t *testing.T) {
	program := example(t)
	t.Run("conformance", func(t *testing.T) { exampleConforms(t, program) })
	t.Run("works", func(t *testing.T) { exampleWorks(t, program) })
}

func exampleConforms(t *testing.T, program string) {
	modeltest.Run(t, func(t *testing.T) modeltest.Subject {
		return modeltest.Subject{Model: host(t, program), Plain: &model.Request{
			Messages: []model.Message{model.Text(model.RoleUser, "hello")}, Workspace: t.TempDir(), Purpose: "turn",
		}}
	})
}

// The example reads without asking, and asks before it writes outside of the
// workspace.
func exampleWorks(t *testing.T, program string) {
	for answer, want := range map[string]string{"allow": "successfully updated", "refuse": "skip the configuration update"} {
		s := begin(t, host(t, program))
		a := s.hear("improve my project")
		use := s.call(a)
		if use.Name != "agent_did" || !strings.Contains(text(a), "reading some files") {
			t.Fatalf("%q, %s %s", text(a), use.Name, use.Input)
		}
		if r := s.carry(use); !strings.Contains(r.Text, "# My Project") {
			t.Errorf("the result is %+v", r)
		}
		use = s.call(s.ask())
		if act, ok := s.m.Act(use); !ok || use.Name != "agent_other" || !strings.Contains(act.Preview, "/home/user/project/config.json") {
			t.Fatalf("%s %s: %+v", use.Name, use.Input, act)
		}
		if answer == "allow" {
			if r := s.carry(use); r.IsError || !strings.Contains(r.Text, "Configuration updated") {
				t.Errorf("the result is %+v", r)
			}
		} else {
			s.result(use, model.ToolResult{Text: "no", IsError: true})
		}
		if got := text(s.ask()); !strings.Contains(got, want) {
			t.Errorf("%s: the agent says %q", answer, got)
		}
	}
}
