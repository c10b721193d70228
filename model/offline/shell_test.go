package offline

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-dev/parley/model"
)

// hostile names would do something if a shell saw them as anything but names.
func hostile() []string {
	return []string{
		`'; touch hacked; '`, `$(touch hacked)`, "`touch hacked`", `a" ; touch hacked ; "`, `-exec touch hacked ;`, `--help`, `-rf`,
		`| touch hacked`, `& touch hacked`, `> hacked`, `*`, `~`, `~/hacked`, `$HOME`, `${IFS}`, `' && touch hacked && '`, `x=1`, `!`, `(`, `\`, `\'; touch hacked; \'`,
		"a\ntouch hacked", `한글 '"이름`, `%s%n`, `'`, `''`, `"`,
	}
}

func sh(t fataler, dir, command string) (string, error) {
	t.Helper()
	c := exec.Command("sh", "-c", command)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return string(out), err
}

func TestQuoteIsOneWord(t *testing.T) {
	try := func(t fataler, text string) {
		if got, err := sh(t, "/", "printf '%s|' "+quote(text)); err != nil || got != strings.ReplaceAll(text, "\x00", "")+"|" {
			t.Fatal("quoted and printed", text, "is", got, err)
		}
	}
	for _, text := range hostile() {
		try(t, text)
	}
	rapid.Check(t, func(t *rapid.T) { try(t, rapid.String().Draw(t, "text")) })
}

// Files with hostile names are read and written like any other.
func TestHostileFiles(t *testing.T) {
	for _, name := range hostile() {
		if strings.Contains(name, "/") {
			continue
		}
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("a,b\n1,2\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		for command, want := range map[string]string{
			sizes(name):              "lines: 2, words: 2, bytes: 8\n",
			totals(name):             "files: 1, lines: 2, bytes: 8\n",
			rows(name):               "rows: 1\n",
			columns(name):            "1. a\n2. b\n",
			numbers(name):            "a: 1 values, from 1 to 1, mean 1\nb: 1 values, from 2 to 2, mean 2\n",
			frequentWords(name):      "1 1,2\n1 a,b\n",
			firstLinesOf(name, "1"):  "a,b\n",
			search(name, name):       "", // grep prints the name, but the text is not in the file
			searchTotal("a,b", name): "lines: 1, files: 1\n",
		} {
			if strings.Contains(name, "\n") && strings.HasPrefix(command, "[") {
				continue // counted by line: such a name is two
			}
			if got, err := sh(t, dir, command); err != nil || got != want {
				t.Errorf("%q: %s\ngives %q (%v), want %q", name, command, got, err, want)
			}
		}
		for _, command := range []string{appendLine(name, name), replaceText("a,b", name, name)} {
			if out, err := sh(t, dir, command); err != nil || out != "" {
				t.Errorf("%s: %q %v", command, out, err)
			}
		}
		got, err := os.ReadFile(path)
		if want := name + "\n1,2\n" + name + "\n"; err != nil || string(got) != want {
			t.Errorf("the file %q holds %q (%v), want %q", name, got, err, want)
		}
		only(t, dir, name)
	}
}

// Whatever words hold, the commands made from them do nothing else.
func TestHostileWords(t *testing.T) {
	for _, name := range hostile() {
		for _, words := range []string{
			`summarise "` + name + `"`, `analyse “` + name + `”`, `find "` + name + `"`, `find ` + name + ` in "` + name + `"`, `show “` + name + `” a.txt`,
			`add "` + name + `" to notes.txt`, `replace “` + name + `” with “` + name + `” in “` + name + `”`, `list the files in “` + name + `”`,
		} {
			dir := t.TempDir()
			for _, purpose := range []string{"turn", proposePlan} {
				for _, command := range commands(t, words, purpose) {
					if strings.HasPrefix(command, "sleep") {
						continue // of the plan for words that name nothing
					}
					_, _ = sh(t, dir, command) // most names do not exist
					if _, err := os.Lstat(filepath.Join(dir, "hacked")); err == nil {
						t.Fatalf("%q became %s", words, command)
					}
				}
			}
		}
	}
}

// commands are what the model wants to run for words.
func commands(t *testing.T, words, purpose string) []string {
	t.Helper()
	req := model.Request{Purpose: purpose, Messages: []model.Message{model.Text(model.RoleUser, words)}}
	if purpose == proposePlan {
		req.ToolChoice, req.Tools = proposePlan, []model.Tool{{Name: proposePlan}}
	} else {
		req.Tools = []model.Tool{{Name: runCommand}, {Name: listFiles}}
	}
	var out []string
	for _, e := range stream(t, req) {
		if e.ToolUse == nil {
			continue
		}
		var in struct {
			Command string `json:"command"`
			Todos   []todo `json:"todos"`
		}
		if err := json.Unmarshal(e.ToolUse.Input, &in); err != nil {
			t.Fatal(err)
		}
		out = append(out, in.Command)
		for _, todo := range in.Todos {
			out = append(out, exchange{use: model.ToolUse{Input: todo.Input}}.command())
		}
	}
	return out
}

// only says that a folder holds nothing else.
func only(t *testing.T, dir, name string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != name {
			t.Errorf("working on %q left %q behind", name, e.Name())
		}
	}
}
