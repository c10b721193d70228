package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/protocol"
)

// mention is how a todo's input asks for what a todo before it gave.
var mention = regexp.MustCompile(`\{\{\s*todos\.([A-Za-z0-9_.-]+)\s*\}\}`)

// resultMost is how much of a result goes into an input.
const resultMost = 8 << 10

// weave puts the results of the todos that this one depends on into its input,
// wherever a text of it says {{todos.ID}}. In a shell command a result is a
// variable, never a part of the program: whatever it holds, it is not run.
func (a *Agent) weave(ctx context.Context, w *engine.Work) (json.RawMessage, error) {
	if !mention.Match(w.Step.Input) {
		return w.Step.Input, nil
	}
	var input map[string]any
	if err := json.Unmarshal(w.Step.Input, &input); err != nil {
		return nil, err
	}
	results := map[string]string{}
	for todo, id := range w.Step.Results {
		text, err := a.result(ctx, w, id)
		if err != nil {
			return nil, err
		}
		results[todo] = text
	}
	for _, m := range mention.FindAllSubmatch(w.Step.Input, -1) {
		if _, ok := results[string(m[1])]; !ok {
			return nil, fmt.Errorf("the input speaks of the result of todo %q, on which this todo does not depend", m[1])
		}
	}
	if command, ok := input["command"].(string); ok && w.Step.Tool.Class == protocol.ClassExecute {
		input["command"] = inShell(command, results)
	}
	return json.Marshal(walk(input, func(text string) string {
		return mention.ReplaceAllStringFunc(text, func(m string) string { return results[mention.FindStringSubmatch(m)[1]] })
	}))
}

// inShell gives a command the results it speaks of as variables.
func inShell(command string, results map[string]string) string {
	var set strings.Builder
	names := map[string]string{}
	command = mention.ReplaceAllStringFunc(command, func(m string) string {
		id := mention.FindStringSubmatch(m)[1]
		if names[id] == "" {
			names[id] = fmt.Sprintf("todo_result_%d", len(names)+1)
			fmt.Fprintf(&set, "%s='%s'\n", names[id], strings.ReplaceAll(results[id], "'", `'\''`))
		}
		return `"$` + names[id] + `"`
	})
	return set.String() + command
}

// result reads what a tool gave from the record that holds it.
func (a *Agent) result(ctx context.Context, w *engine.Work, id string) (string, error) {
	seq, err := protocol.ParseMessageID(id)
	if err != nil {
		return "", nil // a todo that was left out has no result
	}
	records, err := w.Read(ctx, seq-1, 1)
	if err != nil {
		return "", err
	}
	if err := a.fill(records); err != nil {
		return "", err
	}
	for _, r := range records {
		if d, ok := r.Data.(*protocol.ToolCompleted); ok {
			return strings.ToValidUTF8(d.Output[:min(len(d.Output), resultMost)], ""), nil
		}
	}
	return "", nil
}

// walk changes every text of a JSON value.
func walk(v any, change func(string) string) any {
	switch v := v.(type) {
	case string:
		return change(v)
	case []any:
		for i := range v {
			v[i] = walk(v[i], change)
		}
	case map[string]any:
		for k := range v {
			v[k] = walk(v[k], change)
		}
	}
	return v
}
