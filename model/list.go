package model

import (
	"context"
	"strings"
	"sync"
)

// Choice is a model that a session could name.
type Choice struct {
	Info
	// Available says that nothing is missing to call it; Reason says what is, and
	// what to do.
	Available bool
	Reason    string
	// StandsFor is the model that is meant now, where the name is another word
	// for it.
	StandsFor string
}

// Provider is the word before the rest of the name.
func (c Choice) Provider() string {
	if i := strings.IndexAny(c.Name, "/:"); i >= 0 {
		return c.Name[:i]
	}
	return c.Name
}

// List gives what providers have to choose from, in their order, and why some
// could not tell. Of a provider without a list it knows only one whose prefix is
// a whole name.
func List(ctx context.Context, providers []Provider) (choices []Choice, silent []error) {
	found := make([][]Choice, len(providers))
	errs := make([]error, len(providers))
	var wg sync.WaitGroup
	for i, p := range providers {
		switch {
		case p.List != nil:
			wg.Go(func() { found[i], errs[i] = p.List(ctx) })
		case !p.open():
			found[i] = []Choice{{Info: Info{Name: p.Prefix}, Available: true}}
		}
	}
	wg.Wait()
	for i := range providers {
		choices = append(choices, found[i]...)
		if errs[i] != nil {
			silent = append(silent, errs[i])
		}
	}
	return choices, silent
}
