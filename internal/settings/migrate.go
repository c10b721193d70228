package settings

import (
	"encoding/json"
	"strings"
)

// migrations[n] makes version n+1 of version n. A document is migrated when it
// is read and is of the new version once something else is written to it.
func migrations() []func(map[string]json.RawMessage) map[string]json.RawMessage {
	return []func(map[string]json.RawMessage) map[string]json.RawMessage{fromExtension}
}

func (d *document) migrate() {
	steps := migrations()
	for ; d.version < len(steps); d.version++ {
		d.raw = steps[d.version](d.raw)
	}
	for _, name := range retired() {
		if _, ok := d.raw[name]; ok && d.version <= Version {
			delete(d.raw, name)
			d.unused = append(d.unused, name)
		}
	}
}

// fromExtension reads the names that editor extensions give to the same
// settings: customInstructions, alwaysAllowWrite, apiProvider with apiModelId.
// What it does not know it leaves as it is, to be reported.
func fromExtension(old map[string]json.RawMessage) map[string]json.RawMessage {
	renamed := map[string]string{
		"customInstructions":         "custom_instructions",
		"autoApprovalEnabled":        "auto_approval_enabled",
		"allowedCommands":            "allowed_commands",
		"deniedCommands":             "denied_commands",
		"allowedMaxRequests":         "auto_approval_max_requests",
		"terminalOutputLineLimit":    "terminal_output_lines",
		"enableCheckpoints":          "checkpoints_enabled",
		"checkpointTimeout":          "checkpoints_timeout_seconds",
		"autoCondenseContext":        "condense_auto",
		"autoCondenseContextPercent": "condense_percent",
		"consecutiveMistakeLimit":    "mistake_limit",
		"currentApiConfigName":       "active_profile",
	}
	out := map[string]json.RawMessage{}
	for name, v := range old {
		if to, ok := renamed[name]; ok {
			name = to
		}
		if _, taken := out[name]; !taken && !isNull(v) {
			out[name] = v
		}
	}
	joinModel(out, "apiProvider", "apiModelId")
	joinModel(out, "api_provider", "api_model_id")
	joinClasses(out)
	return out
}

// joinModel makes one name of a provider and a model.
func joinModel(m map[string]json.RawMessage, provider, id string) {
	var p, name string
	if json.Unmarshal(m[provider], &p) != nil || json.Unmarshal(m[id], &name) != nil || p == "" || name == "" {
		return
	}
	delete(m, provider)
	delete(m, id)
	if _, ok := m["model"]; !ok {
		m["model"], _ = json.Marshal(p + "/" + strings.TrimPrefix(name, p+"/"))
	}
}

// joinClasses makes one list of the switches alwaysAllow….
func joinClasses(m map[string]json.RawMessage) {
	classes, found := []string{}, false
	for _, c := range []struct{ name, class string }{
		{"alwaysAllowReadOnly", "read"}, {"alwaysAllowWrite", "write"}, {"alwaysAllowExecute", "execute"},
		{"alwaysAllowBrowser", "browser"}, {"alwaysAllowMcp", "mcp"},
	} {
		var on bool
		if v, ok := m[c.name]; !ok || json.Unmarshal(v, &on) != nil {
			continue
		}
		delete(m, c.name)
		if found = true; on {
			classes = append(classes, c.class)
		}
	}
	if _, ok := m["auto_approve"]; found && !ok {
		m["auto_approve"], _ = json.Marshal(classes)
	}
}
