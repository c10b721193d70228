package model

import (
	"context"
	"errors"
)

// Actor is a model that acts by itself: an agent with tools of its own, which it
// carries out where it runs. It asks for them as any model asks for tools, with
// calls that only it can carry out, so that what it wants to do is recorded,
// approved and remembered like everything else. A call is allowed by carrying it
// out; whoever refuses one says so in its result, as always.
type Actor interface {
	Model
	// Act says what a call of the actor's own would do; ok is false if the call
	// is not one of these. It does no I/O.
	Act(call ToolUse) (act Act, ok bool)
	// Carry lets the actor do what it asked for, and gives what came of it. It
	// returns when that has ended, when the actor wants something else first,
	// or when ctx is done (ctx's error): then the actor was stopped. What is to
	// be seen meanwhile goes to show, from one goroutine, never after Carry
	// returned.
	Carry(ctx context.Context, call ToolUse, show func(text string)) (ToolResult, error)
}

// Act is what a call of an Actor amounts to, in the words of package tool.
type Act struct {
	Class  string // read, write, execute, browser, mcp
	Effect string // read, idempotent, effect
	// Preview is what would happen, for the person who is asked.
	Preview string
}

// Act finds whose call it is.
func (f fallback) Act(call ToolUse) (Act, bool) {
	_, act, ok := f.actor(call)
	return act, ok
}

// Carry hands the call to whose it is.
func (f fallback) Carry(ctx context.Context, call ToolUse, show func(string)) (ToolResult, error) {
	a, _, ok := f.actor(call)
	if !ok {
		return ToolResult{}, &Error{Kind: Invalid, Message: "none of the models asked for " + call.Name}
	}
	return a.Carry(ctx, call, show)
}

func (f fallback) actor(call ToolUse) (Actor, Act, bool) {
	for _, m := range f {
		if a, ok := m.(Actor); ok {
			if act, ok := a.Act(call); ok {
				return a, act, true
			}
		}
	}
	return nil, Act{}, false
}

// Close lets go of what the models hold. A model that holds something, such as a
// process, has a Close of its own.
func Close(m Model) error {
	if c, ok := m.(interface{ Close() error }); ok {
		return c.Close()
	}
	return nil
}

// Close closes all of them.
func (f fallback) Close() error {
	var errs []error
	for _, m := range f {
		errs = append(errs, Close(m))
	}
	return errors.Join(errs...)
}
