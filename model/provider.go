package model

import (
	"context"
	"fmt"
	"strings"
)

// Provider opens models whose names begin with its prefix.
type Provider struct {
	// Prefix is a whole name ("offline"), or ends in ':' or '/' and is
	// followed by more ("script:", "anthropic/").
	Prefix string
	// Open makes the model; rest is what follows the prefix.
	Open func(ctx context.Context, rest string) (Model, error)
}

// Resolve opens the model that spec names, with the first provider that fits.
func Resolve(ctx context.Context, providers []Provider, spec string) (Model, error) {
	for _, p := range providers {
		rest, ok := p.fits(spec)
		if !ok {
			continue
		}
		m, err := p.Open(ctx, rest)
		if err != nil {
			return nil, fmt.Errorf("open model %s: %w", spec, err)
		}
		return m, nil
	}
	return nil, &Error{Kind: Invalid, Message: fmt.Sprintf(
		"no model is called %q; there are: %s", spec, strings.Join(names(providers), ", "))}
}

func (p Provider) fits(spec string) (rest string, ok bool) {
	if !p.open() {
		return "", spec == p.Prefix
	}
	rest, ok = strings.CutPrefix(spec, p.Prefix)
	return rest, ok && rest != ""
}

// open says that a name goes on after the prefix.
func (p Provider) open() bool {
	return strings.HasSuffix(p.Prefix, ":") || strings.HasSuffix(p.Prefix, "/")
}

func names(providers []Provider) []string {
	if len(providers) == 0 {
		return []string{"none"}
	}
	var out []string
	for _, p := range providers {
		if p.open() {
			out = append(out, p.Prefix+"…")
		} else {
			out = append(out, p.Prefix)
		}
	}
	return out
}
