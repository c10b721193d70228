package model

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Provider opens models whose names begin with its prefix.
type Provider struct {
	// Prefix is a whole name ("offline"), or ends in ':' or '/' and is
	// followed by more ("script:", "anthropic/").
	Prefix string
	// Open makes the model; rest is what follows the prefix.
	Open func(ctx context.Context, rest string) (Model, error)
	// List gives the models to choose from, with their whole names; nil where
	// nobody can say which there are. It must not wait for long.
	List func(ctx context.Context) ([]Choice, error)
}

// Resolve opens the model that spec names, with the first provider that fits.
// Several names with | between them are a Fallback: the first is asked, and the
// next if it cannot answer.
func Resolve(ctx context.Context, providers []Provider, spec string) (Model, error) {
	parts := strings.Split(spec, "|")
	if len(parts) == 1 || !allFit(providers, parts) { // a file or a command may have a | in its name
		return resolve(ctx, providers, spec)
	}
	models := make([]Model, len(parts))
	for i, part := range parts {
		m, err := resolve(ctx, providers, strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		models[i] = m
	}
	return Fallback(models...), nil
}

func allFit(providers []Provider, specs []string) bool {
	for _, spec := range specs {
		fits := func(p Provider) bool { _, ok := p.fits(strings.TrimSpace(spec)); return ok }
		if !slices.ContainsFunc(providers, fits) {
			return false
		}
	}
	return true
}

func resolve(ctx context.Context, providers []Provider, spec string) (Model, error) {
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
