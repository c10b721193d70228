package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/internal/settings"
	"github.com/parley-dev/parley/protocol"
	"github.com/parley-dev/parley/tool"
)

// policy is what the settings of the owner and the session say of a step.
type policy struct {
	settings.Values
	mode settings.Mode
	// profile is the model settings in use.
	profile settings.Profile
	// tools is everything that could be called, were it not for the mode.
	tools []tool.Tool
}

// policy looks up what holds for a step. It is asked anew for each: settings
// change while sessions live.
func (a *Agent) policy(step session.Step) policy {
	e := a.Settings.Effective(step.Owner, step.Own)
	p := policy{Values: e.Values, profile: e.Profile()}
	if item, ok := e.Item("model"); ok && item.Layer == settings.Default && p.profile.Model == p.Model {
		p.profile.Model = "" // then the server's own
	}
	if speak, ok := tongues[p.Language]; ok {
		p.CustomInstructions = strings.TrimSpace(speak + "\n\n" + p.CustomInstructions)
	}
	p.mode = findMode(p.Mode, p.CustomModes)
	p.tools = a.Tools
	if a.More != nil {
		p.tools = slices.Concat(a.Tools, a.More(step.Owner))
	}
	return p
}

// tongues is what an agent is told of the language that it is to speak; of auto
// nothing: it answers in the person's own.
var tongues = map[string]string{
	"en": "Speak English to people, whatever language they write in.",
	"ko": "Speak Korean to people, whatever language they write in.",
}

// modelName is the model of a step: the session's own, else the profile's with
// its fallbacks, else the one of the settings.
func (p policy) modelName(step session.Step) string {
	if step.Model != "" {
		return step.Model
	}
	if p.profile.Model == "" {
		return ""
	}
	return strings.Join(append([]string{p.profile.Model}, p.profile.Fallback...), "|")
}

// limits is what the core has to know of it.
func (p policy) limits() session.Limits {
	return session.Limits{
		AutoApprove: p.AutoApprove, AskAll: !p.AutoApprovalEnabled,
		AutoMost: orNone(p.AutoApprovalMaxRequests), MistakesMost: orNone(p.MistakeLimit),
	}
}

// orNone makes a bound of which zero is none one that is never reached.
func orNone(n int) int {
	if n == 0 {
		return math.MaxInt
	}
	return n
}

// verdict says what the lists of commands say of a shell command: allowed, or
// why not. A list holds beginnings of commands. What joins several commands is
// never allowed by a list: only its first word would have been looked at.
func (p policy) verdict(command string) (allowed bool, denied string) {
	command = strings.TrimSpace(command)
	for _, d := range p.DeniedCommands {
		if begins(command, d) || strings.Contains(command, d) && len(d) > 3 {
			return false, "the settings forbid commands with " + strings.TrimSpace(d)
		}
	}
	if !p.AutoApprovalEnabled || strings.ContainsAny(command, ";&|<>`$(){}\n\\") {
		return false, ""
	}
	for _, a := range p.AllowedCommands {
		if begins(command, a) {
			return true, ""
		}
	}
	return false, ""
}

// begins says whether a command begins with these words.
func begins(command, words string) bool {
	words = strings.TrimSpace(words)
	if words == "" || !strings.HasPrefix(command, words) {
		return false
	}
	return len(command) == len(words) || command[len(words)] == ' '
}

// judge looks a call up in the lists of commands. The error is for the model.
func (p policy) judge(input json.RawMessage) (allowed bool, err error) {
	var in struct {
		Command string `json:"command"`
	}
	if json.Unmarshal(input, &in) != nil || in.Command == "" {
		return false, nil
	}
	allowed, denied := p.verdict(in.Command)
	if denied != "" {
		return false, errors.New(denied)
	}
	return allowed, nil
}

// forbids says why a call that is about to run may not. A model's own call was
// looked at when it was asked for; a todo was not, and settings change.
func (p policy) forbids(step session.Step, input json.RawMessage) error {
	if step.Tool.Class != protocol.ClassExecute {
		return nil
	}
	if step.Tool.TodoID != "" {
		input = step.Input // without the results of others that are woven into it
	}
	if _, err := p.judge(input); err != nil {
		return &tool.Error{Code: "TOOL_NOT_ALLOWED", Message: err.Error()}
	}
	return nil
}

// bounded gives a command the time limit of the settings, if it names none.
func (p policy) bounded(call session.ToolCall, input json.RawMessage) json.RawMessage {
	var in map[string]json.RawMessage
	if call.Tool != "run_command" || json.Unmarshal(input, &in) != nil || in["command"] == nil || in["timeout_sec"] != nil {
		return input
	}
	in["timeout_sec"] = json.RawMessage(strconv.Itoa(p.TerminalTimeoutSeconds))
	out, err := json.Marshal(in)
	if err != nil {
		return input
	}
	return out
}

// shorten leaves out the middle of a command's output that is longer than the
// settings want the model to read.
func (p policy) shorten(call session.ToolCall, text string) string {
	if call.Class != protocol.ClassExecute {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	if most := p.TerminalOutputLines; most > 0 && len(lines) > most+1 {
		head, tail := lines[:most/2], lines[len(lines)-(most-most/2):]
		text = strings.Join(head, "") + fmt.Sprintf("(… %d lines left out …)\n", len(lines)-most) + strings.Join(tail, "")
	}
	if most := p.TerminalOutputBytes; most > 0 && len(text) > most {
		head, tail := text[:most/2], text[len(text)-most/2:]
		text = strings.ToValidUTF8(head, "") + fmt.Sprintf("\n(… %d bytes left out …)\n", len(text)-most) + strings.ToValidUTF8(tail, "")
	}
	return text
}
