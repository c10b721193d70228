package acp

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/parley-dev/parley/model"
)

// act is something that the agent does with a tool of its own.
type act struct {
	title  string
	kind   sdk.ToolKind
	status sdk.ToolCallStatus
	paths  []string
	input  any
	output any
	shown  []sdk.ToolCallContent

	allowed bool // by a person or a rule
	refused bool
	carried bool // somebody waits for the outcome
}

func (a *act) ended() bool {
	return a.status == sdk.ToolCallStatusCompleted || a.status == sdk.ToolCallStatusFailed
}

// take notes what the agent says of it.
func (a *act) take(u sdk.ToolCallUpdate) {
	if u.Title != nil && *u.Title != "" {
		a.title = *u.Title
	}
	if u.Kind != nil && *u.Kind != "" {
		a.kind = *u.Kind
	}
	if u.Status != nil && *u.Status != "" {
		a.status = *u.Status
	}
	if len(u.Locations) > 0 {
		a.paths = nil
		for _, l := range u.Locations {
			a.paths = append(a.paths, l.Path)
		}
	}
	if u.RawInput != nil {
		a.input = u.RawInput
	}
	if u.RawOutput != nil {
		a.output = u.RawOutput
	}
	if len(u.Content) > 0 {
		a.shown = u.Content
	}
}

// progress notes how a call goes on; t.mu is held. What ended without anybody
// having been asked, or after whoever was asked left, is told.
func (t *talk) progress(u sdk.ToolCallUpdate) {
	a := t.act(u.ToolCallId)
	before := a.ended()
	a.take(u)
	if a.ended() && !before && !a.carried && !a.refused {
		t.number++
		t.did[t.number] = a
		t.push(item{did: t.number})
	}
	t.changed()
}

// act is the call of that name; t.mu is held.
func (t *talk) act(id sdk.ToolCallId) *act {
	a := t.calls[id]
	if a == nil {
		a = &act{kind: sdk.ToolKindOther, status: sdk.ToolCallStatusPending}
		t.calls[id] = a
	}
	return a
}

// The names of what an agent does, and what they amount to.
const toolDid = "agent_did"

var acts = map[string]model.Act{
	toolDid:         {Class: "read", Effect: "read"}, // to look at what was done
	"agent_read":    {Class: "read", Effect: "read"},
	"agent_write":   {Class: "write", Effect: "effect"},
	"agent_execute": {Class: "execute", Effect: "effect"},
	"agent_fetch":   {Class: "browser", Effect: "effect"},
	"agent_other":   {Class: "mcp", Effect: "effect"},
}

var toolOf = map[sdk.ToolKind]string{
	sdk.ToolKindRead: "agent_read", sdk.ToolKindSearch: "agent_read", sdk.ToolKindThink: "agent_read",
	sdk.ToolKindEdit: "agent_write", sdk.ToolKindDelete: "agent_write", sdk.ToolKindMove: "agent_write",
	sdk.ToolKindExecute: "agent_execute", sdk.ToolKindFetch: "agent_fetch",
}

// tool is the name under which permission is asked. What lies outside of the
// workspace is nothing that is read or written as usual.
func (a *act) tool(folder string) string {
	name, ok := toolOf[a.kind]
	if !ok {
		return "agent_other"
	}
	for _, path := range a.paths {
		if _, err := inside(folder, path); err != nil {
			return "agent_other"
		}
	}
	return name
}

// deed is the input of a call: what a person sees, and whose it is.
type deed struct {
	Agent   string   `json:"agent"` // the talk and the number in it
	Title   string   `json:"title"`
	Kind    string   `json:"kind"`
	Command string   `json:"command,omitempty"`
	Paths   []string `json:"paths,omitempty"`
	Input   any      `json:"input,omitempty"`
	Change  string   `json:"change,omitempty"`
}

// inputMost is how much of an agent's own input is shown.
const inputMost = 64 << 10

// use is the call that an answer ends in.
func (t *talk) use(a *act, tool string, number int) *model.ToolUse {
	d := deed{Agent: fmt.Sprintf("%s/%d", t.key, number), Title: first(t.short(a.title), callMost), Kind: string(a.kind), Change: first(t.short(a.changes()), inputMost)}
	for _, path := range a.paths {
		if path = t.short(path); path != t.folder {
			d.Paths = append(d.Paths, path)
		}
	}
	if in, ok := a.input.(map[string]any); ok && a.kind == sdk.ToolKindExecute {
		d.Command = commandOf(in["command"])
	}
	if raw, err := json.Marshal(a.input); err == nil && len(raw) <= inputMost {
		d.Input = a.input
	}
	raw, err := json.Marshal(d)
	if err != nil { // it was JSON a moment ago
		panic(err)
	}
	return &model.ToolUse{ID: fmt.Sprintf("%s_%d", t.key, number), Name: tool, Input: raw}
}

// short writes paths of the workspace as a person there would.
func (t *talk) short(text string) string {
	return strings.ReplaceAll(text, t.folder+string(filepath.Separator), "")
}

// commandOf is a command as one line: agents give it as a text or as words.
func commandOf(v any) string {
	words, ok := v.([]any)
	if !ok {
		text, _ := v.(string)
		return text
	}
	var line []string
	for _, w := range words {
		line = append(line, fmt.Sprint(w))
	}
	return strings.Join(line, " ")
}

// Act says what a call of the agent's own would do.
func (m *Model) Act(call model.ToolUse) (model.Act, bool) {
	a, ok := acts[call.Name]
	var d deed
	if !ok || json.Unmarshal(call.Input, &d) != nil || d.Agent == "" {
		return model.Act{}, false
	}
	a.Preview = d.Change
	if about := d.about(); !strings.HasPrefix(d.Change, about+"\n") {
		a.Preview = strings.TrimSpace(about + "\n" + d.Change)
	}
	return a, true
}

// about says in few lines what it is.
func (d deed) about() string {
	lines := []string{d.Title}
	if d.Command != "" && d.Command != d.Title {
		lines = append(lines, d.Command)
	}
	for _, path := range d.Paths {
		if !strings.Contains(d.Title+d.Change, path) {
			lines = append(lines, path)
		}
	}
	return strings.Join(lines, "\n")
}

// changes shows what of files would be, or was, replaced by what.
func (a *act) changes() string {
	var out strings.Builder
	for _, c := range a.shown {
		if c.Diff == nil {
			continue
		}
		fmt.Fprintf(&out, "%s\n", c.Diff.Path)
		if c.Diff.OldText != nil && *c.Diff.OldText != "" {
			out.WriteString(prefixed("-", *c.Diff.OldText))
		}
		out.WriteString(prefixed("+", c.Diff.NewText))
	}
	return out.String()
}

func prefixed(sign, text string) string {
	text = strings.TrimSuffix(text, "\n")
	return sign + strings.ReplaceAll(text, "\n", "\n"+sign) + "\n"
}

// outcomeMost is how much of an outcome is kept.
const outcomeMost = 100 << 10

// outcome is what came of it, as text.
func (a *act) outcome() string {
	var out strings.Builder
	for _, c := range a.shown {
		if c.Content != nil {
			fmt.Fprintln(&out, textOf(c.Content.Content))
		}
	}
	out.WriteString(a.changes())
	if out.Len() == 0 && a.output != nil {
		if text, ok := a.output.(string); ok {
			out.WriteString(text)
		} else if raw, err := json.Marshal(a.output); err == nil {
			out.Write(raw)
		}
	}
	return first(strings.TrimSpace(out.String()), outcomeMost)
}

// result is what the session is told of it.
func (a *act) result(call model.ToolUse) model.ToolResult {
	r := model.ToolResult{ToolUseID: call.ID, Text: a.outcome(), IsError: a.status == sdk.ToolCallStatusFailed}
	if r.Text == "" && r.IsError {
		r.Text = "The agent says that it failed."
	} else if r.Text == "" {
		r.Text = "The agent says that it is done."
	}
	return r
}
