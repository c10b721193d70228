package offline

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/parley-dev/parley/model"
)

// What people say of a plan, and the tasks that are left or new then.
func TestChanges(t *testing.T) {
	all := []string{"List the files", "Count the lines", "Measure the sizes", "Count the kinds of files", "Put together the totals"}
	without := func(gone ...int) []string {
		var out []string
		for i, task := range all {
			if !slices.Contains(gone, i+1) {
				out = append(out, task)
			}
		}
		return out
	}
	with := func(task string) []string { return slices.Insert(slices.Clone(all), 4, task) }
	for words, want := range map[string][]string{
		"remove the sizes":                         without(3),
		"without counting lines":                   without(2),
		"Please leave out the listing.":            without(1),
		"drop the sizes and the kinds":             without(3, 4),
		"skip step 2":                              without(2),
		"don't measure the sizes":                  without(3),
		"remove todo_004":                          without(4),
		"2번은 빼줘":                                   without(2),
		"drop the sizes and also run `date; true`": slices.Insert(without(3), 3, "Run date; true"),
		"add: run date":                            with("Run date"),
		"also find TODO, please":                   with("Find the lines with “TODO”"),
		"include competitor analysis as well":      with("competitor analysis: find the lines with “competitor”"),
		"경쟁사 분석도 추가해주고 크기(sizes)는 그대로": with("경쟁사 분석: “경쟁사”이(가) 있는 줄 찾기"),
		"faster":                        all,
		"remove the whales":             all,
		"remove list count measure put": without(1), // it shares a word with many; one is enough
		"remove the files, lines, sizes and totals": {"Put together the totals"},
		"`":   all,
		"":    all,
		", ,": all,
	} {
		a := newAsk(model.Request{Messages: []model.Message{model.Text(model.RoleUser, "summarise this folder")}})
		a.purpose = proposePlan
		in := unpaced.find(&a)
		old := unpaced.propose(a, in).calls[0].json()
		p, notes := unpaced.changed(a, exchange{use: model.ToolUse{Name: proposePlan, Input: old}}, words)
		checkPlan(t, p)
		var got []string
		for _, todo := range p.Todos {
			got = append(got, todo.Task)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q gives\n%q, want\n%q\n%s", words, got, want, notes)
		}
		if !strings.Contains(p.Summary, notes) {
			t.Errorf("the summary %q does not say %q", p.Summary, notes)
		}
	}
}

// A tool is used where it is offered in the form that is known; else a command.
func TestToolsOfTheRequest(t *testing.T) {
	form := func(names ...string) json.RawMessage {
		properties := map[string]any{}
		for _, name := range names {
			properties[name] = map[string]any{"type": "string"}
		}
		raw, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": names})
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	for _, c := range []struct {
		words, tool string
		form        json.RawMessage
		want        string
	}{
		{"read notes.txt", "read_file", form("path"), "read_file"},
		{"read notes.txt", "read_file", form("path", "encoding"), runCommand},
		{"read notes.txt", "read_file", form("file"), runCommand},
		{"read notes.txt", "read_file", nil, runCommand},
		{"find TODO", "search_files", form("pattern", "path"), "search_files"},
		{"create a file a.txt with hello", "write_file", form("path", "content"), "write_file"},
		{"replace a with b in a.txt", "edit_file", form("path", "old_text", "new_text"), "edit_file"},
		{"replace a with b in a.txt", "edit_file", form("path", "diff"), runCommand},
		{"fetch https://a.example/b.", "fetch_url", form("url"), "fetch_url"},
	} {
		req := model.Request{Purpose: "turn", Messages: []model.Message{model.Text(model.RoleUser, c.words)}}
		req.Tools = []model.Tool{{Name: c.tool, Schema: c.form}, {Name: runCommand}}
		events := stream(t, req)
		if use := events[len(events)-2].ToolUse; use == nil || use.Name != c.want {
			t.Errorf("%q with %s %s calls %+v, want %s", c.words, c.tool, c.form, use, c.want)
		}
	}
}
