package model

import (
	"context"
	"errors"
	"strings"
)

// patience is how often a model that wants fewer calls is asked before the next
// one is: whoever calls waits in between, as long as the vendor wished.
const patience = 3

// Fallback is a model that asks the first of several, and the next if that one
// fails before it has said anything, for a reason that is its own: no key, too
// busy, out of reach. A request that is at fault or too long is not passed on, and
// neither is one that was answered in part.
//
// Its window is the smallest among them, so that a history fits whichever answers.
func Fallback(models ...Model) Model {
	if len(models) == 1 {
		return models[0]
	}
	return fallback(models)
}

type fallback []Model

func (f fallback) Info() Info {
	if len(f) == 0 {
		return Info{Name: "none"}
	}
	all := f[0].Info()
	names := []string{all.Name}
	for _, m := range f[1:] {
		one := m.Info()
		names = append(names, one.Name)
		all.ContextWindow = least(all.ContextWindow, one.ContextWindow)
		all.MaxOutput = least(all.MaxOutput, one.MaxOutput)
		all.Tools = all.Tools && one.Tools
		all.Images = all.Images && one.Images
		all.Reasoning = all.Reasoning || one.Reasoning
	}
	all.Name = strings.Join(names, "|")
	return all
}

// least of two numbers, of which zero is unknown.
func least(a, b int64) int64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

func (f fallback) Stream(ctx context.Context, req Request, yield func(Event) error) error {
	var failed []*Error
	for _, m := range f {
		said := false
		err := m.Stream(ctx, req, func(e Event) error {
			said = true
			return yield(e)
		})
		var e *Error
		if err == nil || said || !errors.As(err, &e) || !e.another(req.Attempt) {
			return err
		}
		failed = append(failed, e)
	}
	return together(failed)
}

// another says whether another model could do better.
func (e *Error) another(attempt int) bool {
	switch e.Kind {
	case Auth, Overloaded, Unavailable, Interrupted:
		return true
	case RateLimited:
		return attempt >= patience
	}
	return false
}

// together is the failure of all. It is worth a retry if one of them is.
func together(failed []*Error) error {
	if len(failed) == 0 {
		return &Error{Kind: Invalid, Message: "there is no model to ask"}
	}
	all := *failed[0]
	var said []string
	for _, e := range failed {
		said = append(said, e.Error())
		if e.Retryable() && !all.Retryable() {
			all = *e
		}
	}
	all.Message = strings.Join(said, " ")
	return &all
}
