package history

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// How much of a tool's input and output the message store shows, in characters.
const (
	MaxOutputLength = 500
	MaxInputLength  = 300
)

// rule says what of a tool's input is shown.
type rule struct {
	keep []string
	line string // of this value the first line only
}

// rules never changes: the tools whose input has a short form, by the names of
// the message store's own document and by ours. Other inputs are shown whole,
// each value cut.
var rules = func() map[string]rule {
	file := rule{keep: []string{"file_path", "notebook_path", "path"}}
	shell := rule{keep: []string{"description", "command"}, line: "command"}
	find := rule{keep: []string{"pattern", "path"}}
	return map[string]rule{
		"Read": file, "Edit": file, "Write": file, "NotebookEdit": file,
		"read_file": file, "edit_file": file, "write_file": file,
		"Bash": shell, "run_command": shell,
		"Glob": find, "Grep": find, "search_files": find, "list_files": find,
	}
}()

func summary(tool string, input json.RawMessage) map[string]any {
	out := map[string]any{}
	if len(input) == 0 {
		return out
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(input, &values); err != nil {
		out["input"] = cut(string(input), MaxInputLength)
		return out
	}
	r, short := rules[tool]
	if !short {
		for key, value := range values {
			out[key] = shown(value, false)
		}
		return out
	}
	for _, key := range r.keep {
		if value, ok := values[key]; ok {
			out[key] = shown(value, key == r.line)
		}
	}
	return out
}

// shown gives a value as it is, or its beginning.
func shown(value json.RawMessage, firstLine bool) any {
	var text string
	if err := json.Unmarshal(value, &text); err != nil || string(value) == "null" {
		if utf8.RuneCount(value) <= MaxInputLength {
			return value
		}
		return cut(string(value), MaxInputLength)
	}
	if firstLine {
		text, _, _ = strings.Cut(text, "\n")
	}
	return cut(text, MaxInputLength)
}

// cut gives a text of at most n characters, or its beginning and how long it is.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	total := utf8.RuneCountInString(text)
	if total <= n {
		return text
	}
	return first(text, n) + fmt.Sprintf("... (%d chars total)", total)
}

// first gives the first n characters.
func first(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
