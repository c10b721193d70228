package mcp

import (
	"fmt"
	"strings"
)

// shortest is how long a secret must be to be taken out of texts: shorter ones
// would tear holes into words.
const shortest = 6

// carry makes what the connection runs over, with the secrets in their places.
// hide takes them out of texts again.
func (l *link) carry() (k carrier, hide func(string) string, err error) {
	var pairs []string
	resolve := func(values map[string]string) (map[string]string, error) {
		out := map[string]string{}
		for key, text := range values {
			value, err := l.options.Lookup(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			if value != text && len(value) >= shortest {
				pairs = append(pairs, value, "[secret]")
				if _, bare, ok := strings.Cut(value, " "); ok && len(bare) >= shortest {
					pairs = append(pairs, bare, "[secret]") // without the word Bearer
				}
			}
			out[key] = value
		}
		return out, nil
	}
	hide = func(s string) string { return s }
	env, err := resolve(l.server.Env)
	if err != nil {
		return nil, hide, err
	}
	headers, err := resolve(l.server.Headers)
	if err != nil {
		return nil, hide, err
	}
	if len(pairs) > 0 {
		hide = strings.NewReplacer(pairs...).Replace
	}
	if l.server.URL != "" {
		k, err = newRemote(l.server.URL, headers)
	} else {
		k, err = newLocal(l.server.Command, l.server.Args, env)
	}
	return k, hide, err
}
