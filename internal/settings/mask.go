package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// acceptServers refuses what is not to be stored anew: secrets in plain words,
// references where nothing is put in their place, and what only shows that
// something was taken out.
func acceptServers(v any) error {
	servers := v.(map[string]MCPServer)
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		if place := servers[name].maskedBefore(); place != "" {
			wrong = append(wrong, fmt.Sprintf("%s: %s: %s stands for a value that is not shown; write secret:NAME in its place after `parley secrets set NAME`, or the value itself if it is none", name, place, hidden))
		}
	}
	if wrong == nil {
		for _, s := range plainSecrets(servers) {
			wrong = append(wrong, s.String())
		}
	}
	if wrong == nil {
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			if place := servers[name].misplaced(); place != "" {
				wrong = append(wrong, fmt.Sprintf("%s: %s: a secret cannot be named here, only in env and headers; `parley secrets set NAME` stores it, and secret:NAME there is replaced by it", name, place))
			}
		}
	}
	if wrong == nil {
		return nil
	}
	return fmt.Errorf("%s", strings.Join(wrong, "; "))
}

// texts are all values of an entry, with where they are.
func (m MCPServer) texts(visit func(place, text string)) {
	visit("command", m.Command)
	visit("url", m.URL)
	for _, arg := range m.Args {
		visit("args", arg)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		visit("headers: "+name, m.Headers[name])
	}
}

// maskedBefore finds a text in which a secret was hidden; empty if there is none.
func (m MCPServer) maskedBefore() (found string) {
	m.texts(func(place, text string) {
		if found == "" && hides(text) {
			found = place
		}
	})
	return found
}

// misplaced finds a reference that would be taken for the value itself.
func (m MCPServer) misplaced() (found string) {
	m.texts(func(place, text string) {
		if found == "" && !strings.HasPrefix(place, "headers") && len(references(text)) > 0 {
			found = place
		}
	})
	return found
}

// hides says whether a text is one in which a secret was hidden, by its name or
// by its value.
func hides(text string) bool {
	return strings.Contains(text, hidden) || strings.Contains(text, "[secret:")
}

// maskServers is how the entries are shown, if that differs from what they are.
func maskServers(v any) (json.RawMessage, []spot) {
	servers := v.(map[string]MCPServer)
	spots := plainSecrets(servers)
	if spots == nil {
		return nil, nil
	}
	shown := map[string]MCPServer{}
	for name, m := range servers {
		shown[name], _ = m.masked()
	}
	return compact(shown), spots
}

// compact writes plain data in one line, without regard to HTML.
func compact(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("settings: what was read cannot be written: %v", err))
	}
	return bytes.TrimSpace(b.Bytes())
}

// Redact gives the item without the secrets that a redactor knows, wherever
// somebody pasted them.
func (i Item) Redact(redact func(string) string) Item {
	d := json.NewDecoder(bytes.NewReader(i.Value))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return i
	}
	if clean, changed := redactAll(v, redact); changed {
		i.Value, i.Masked = compact(clean), true
	}
	return i
}

func redactAll(v any, redact func(string) string) (clean any, changed bool) {
	switch v := v.(type) {
	case string:
		text := redact(v)
		return text, text != v
	case []any:
		for i := range v {
			var c bool
			v[i], c = redactAll(v[i], redact)
			changed = changed || c
		}
	case map[string]any:
		out := map[string]any{}
		for name, inner := range v {
			shown := redact(name)
			value, c := redactAll(inner, redact)
			out[shown] = value
			changed = changed || c || shown != name
		}
		return out, changed
	}
	return v, changed
}
