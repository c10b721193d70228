package settings

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	nameOf = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._ -]{0,63}$`)
	hostOf = regexp.MustCompile(`^(\*|(\*\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?)(:[0-9]{1,5})?$`)
	varOf  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	headOf = regexp.MustCompile(`^[A-Za-z0-9-]{1,128}$`)
)

func efforts() []string { return []string{"", "none", "minimal", "low", "medium", "high"} }

func plainName(v any) error {
	if s := v.(string); !nameOf.MatchString(s) {
		return errors.New("must be a name of 1 to 64 letters, digits, spaces and . _ -")
	}
	return nil
}

func modelName(v any) error {
	if s := v.(string); s == "" || strings.ContainsFunc(s, unicode.IsControl) {
		return errors.New("must name a model, such as auto, offline or anthropic/NAME")
	}
	return nil
}

// entries checks a map in the order of its names, so that the same mistake gives
// the same error.
func entries[T any](m map[string]T, check func(T) error) error {
	if len(m) > maxItems {
		return fmt.Errorf("holds %d entries; at most %d are kept", len(m), maxItems)
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if !nameOf.MatchString(name) {
			return fmt.Errorf("%q is no name: it must have 1 to 64 letters, digits, spaces and . _ -", clip(name))
		}
		if err := check(m[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func profiles(v any) error {
	return entries(v.(map[string]Profile), func(p Profile) error {
		switch {
		case p.MaxTokens < 0 || p.MaxTokens > 10_000_000:
			return errors.New("max_tokens must be from 0 (the model's own) to 10000000")
		case p.Temperature != nil && !(*p.Temperature >= 0 && *p.Temperature <= 2):
			return errors.New("temperature must be from 0 to 2")
		case !slices.Contains(efforts(), p.ReasoningEffort):
			return fmt.Errorf("reasoning_effort must be one of %s", strings.Join(efforts()[1:], ", "))
		}
		if p.Model != "" {
			if err := modelName(p.Model); err != nil {
				return fmt.Errorf("model %w", err)
			}
		}
		if err := checkList(p.Fallback, nil); err != nil {
			return fmt.Errorf("fallback: %w", err)
		}
		return checkText(p.Model, maxText)
	})
}

func modes(v any) error {
	return entries(v.(map[string]Mode), func(m Mode) error {
		if m.Prompt == "" {
			return errors.New("prompt is missing: what the agent is told in this mode")
		}
		if err := checkText(m.Prompt, maxWords); err != nil {
			return fmt.Errorf("prompt %w", err)
		}
		if err := checkList(m.ToolGroups, toolClasses()); err != nil {
			return fmt.Errorf("tool_groups: %w", err)
		}
		return nil
	})
}

func budgets(v any) error {
	b := v.(Budgets)
	for _, part := range []struct {
		name string
		b    Budget
	}{{"turn", b.Turn}, {"session", b.Session}, {"owner", b.Owner}} {
		if err := part.b.check(); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

func (b Budget) check() error {
	switch {
	case b.SoftUSD < 0 || b.HardUSD < 0 || b.SoftTokens < 0 || b.HardTokens < 0:
		return errors.New("a bound cannot be below 0")
	case b.HardUSD > 0 && b.SoftUSD > b.HardUSD:
		return errors.New("soft_usd must not be above hard_usd")
	case b.HardTokens > 0 && b.SoftTokens > b.HardTokens:
		return errors.New("soft_tokens must not be above hard_tokens")
	}
	return nil
}

func hosts(v any) error {
	for i, h := range v.([]string) {
		if !hostOf.MatchString(h) {
			return fmt.Errorf("item %d must be a host in lower case such as example.com or *.example.com, or *", i+1)
		}
	}
	return nil
}

func mcpServers(v any) error { return entries(v.(map[string]MCPServer), MCPServer.check) }

func (m MCPServer) check() error {
	if (m.Command == "") == (m.URL == "") {
		return errors.New("needs either command (a program to run) or url")
	}
	if m.URL != "" {
		u, err := url.Parse(m.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
			return errors.New("url must be http:// or https:// with a host, and without a password")
		}
		if len(m.Args) > 0 || len(m.Env) > 0 {
			return errors.New("args and env belong to a command, not to a url")
		}
	} else if len(m.Headers) > 0 {
		return errors.New("headers belong to a url, not to a command")
	}
	for _, arg := range append([]string{m.Command, m.URL}, m.Args...) {
		if err := checkText(arg, maxWords); err != nil {
			return fmt.Errorf("a part of the command or url %w", err)
		}
	}
	return errors.Join(m.checkEnv(), m.checkHeaders(), checkList(m.AlwaysAllow, nil))
}

func (m MCPServer) checkEnv() error {
	for _, name := range slices.Sorted(maps.Keys(m.Env)) {
		if !varOf.MatchString(name) {
			return fmt.Errorf("env: %q is no name of a variable", clip(name))
		}
		if ref := references(m.Env[name]); len(ref) != 1 || referTo(ref[0]) != m.Env[name] {
			return fmt.Errorf("env: %s must be a reference such as secret:%s; store the value with `parley secrets set %s`", name, example(name), example(name))
		}
	}
	return nil
}

// bearing are headers that prove who calls: their place is among the secrets.
func bearing(header string) bool {
	switch strings.ToLower(header) {
	case "authorization", "proxy-authorization", "cookie", "x-api-key":
		return true
	}
	return false
}

func (m MCPServer) checkHeaders() error {
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		value := m.Headers[name]
		switch {
		case !headOf.MatchString(name):
			return fmt.Errorf("headers: %q is no name of a header", clip(name))
		case strings.ContainsFunc(value, unicode.IsControl) || len(value) > maxText:
			return fmt.Errorf("headers: the value of %s must be one short line", name)
		case bearing(name) && len(references(value)) == 0:
			return fmt.Errorf("headers: %s must refer to a secret, such as Bearer secret:MCP_TOKEN; store it with `parley secrets set MCP_TOKEN`", name)
		}
	}
	return nil
}
