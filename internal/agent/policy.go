package agent

import (
	"encoding/json"
	"errors"
	"math"
	"strings"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/internal/settings"
)

// policy is what the owner's settings say of a step.
type policy struct {
	settings.Values
	mode settings.Mode
	// profile is the model settings in use.
	profile settings.Profile
}

// policy looks up what holds for a step. It is asked anew for each: settings
// change while sessions live.
func (a *Agent) policy(step session.Step) policy {
	own := map[string]json.RawMessage{}
	if step.Mode != "" {
		own["mode"], _ = json.Marshal(step.Mode)
	}
	if step.Model != "" {
		own["model"], _ = json.Marshal(step.Model)
	}
	e := a.Settings.Effective(step.Owner, own)
	p := policy{Values: e.Values, profile: e.Profile()}
	if item, ok := e.Item("model"); ok && item.Layer == settings.Default && p.profile.Model == p.Model {
		p.profile.Model = "" // then the server's own
	}
	p.mode = findMode(p.Mode, p.CustomModes)
	return p
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
	l := session.Limits{AutoMost: orNone(p.AutoApprovalMaxRequests), MistakesMost: orNone(p.MistakeLimit)}
	if p.AutoApprovalEnabled {
		l.AutoApprove = p.AutoApprove
	}
	return l
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
	if strings.ContainsAny(command, ";&|<>`$(){}\n\\") {
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
