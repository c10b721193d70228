package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Tool is something an agent can do in a workspace.
type Tool interface {
	// Info says what the tool is. It does no I/O and always gives the same.
	Info() Info

	// Run does it and gives what came of it. It returns when it is done (nil),
	// when it failed (*Error), or when ctx is done (ctx's error). Before it
	// returns it stops everything that it started.
	//
	// Run does not change call, and whoever calls does not change it meanwhile.
	Run(ctx context.Context, call Call) (Result, error)
}

// Previewer is a tool that can say what a call would do, for the person who is
// asked to approve it. Preview changes nothing, and fails as Run would on an
// input that does not fit.
type Previewer interface {
	Preview(ctx context.Context, call Call) (string, error)
}

// Class groups tools by what a person would want to be asked about.
type Class string

const (
	ClassRead    Class = "read"    // looks at the workspace
	ClassWrite   Class = "write"   // changes files of the workspace
	ClassExecute Class = "execute" // runs programs
	ClassBrowser Class = "browser" // reaches the network
	ClassMCP     Class = "mcp"     // is served by somebody else
)

// Classes lists them all.
func Classes() []Class {
	return []Class{ClassRead, ClassWrite, ClassExecute, ClassBrowser, ClassMCP}
}

// Effect says what running a call twice would mean. It decides what happens to a
// call that a crash cut off: reads and idempotent calls run again, the outcome of
// any other is asked of a person.
type Effect string

const (
	EffectRead       Effect = "read"       // changes nothing
	EffectIdempotent Effect = "idempotent" // twice is the same as once
	EffectEffect     Effect = "effect"     // twice is twice
)

// Effects lists them all.
func Effects() []Effect {
	return []Effect{EffectRead, EffectIdempotent, EffectEffect}
}

// Info says what a tool is.
type Info struct {
	// Name is what a model calls it by: letters, digits, "_" and "-", at most 64.
	Name string
	// Description tells a model what the tool does and when to use it.
	Description string
	// Schema is the JSON Schema of the input, an object. See Check for what of
	// JSON Schema is enforced.
	Schema json.RawMessage
	Class  Class
	Effect Effect
	// Timeout is the longest that a call may take; whoever calls ends the
	// context then. Zero leaves it to the caller.
	Timeout time.Duration
}

// What a tool may take and give, in bytes.
const (
	MaxInput   = 1 << 20
	MaxText    = 128 << 10
	MaxSummary = 4 << 10
)

// Call is one use of a tool.
type Call struct {
	// ID names the call within its session.
	ID string
	// Input is a JSON object that fits the tool's schema.
	Input json.RawMessage
	// Workspace is the folder that the call works in, an absolute path.
	Workspace string
	// Emit takes what is to be seen while the tool runs; nil if nobody
	// watches. A tool calls it from one goroutine at a time, never after Run
	// returned, and may wait for it: it must not block for long.
	Emit func(Event)
}

// Result is what came of a call.
type Result struct {
	// Text is what the model is told: valid UTF-8.
	Text string
	// Summary holds small facts for people and plans, a JSON object; nil if
	// there are none.
	Summary json.RawMessage
	// IsError says that the tool did its work, and what it did failed: a
	// command that exits with 1.
	IsError bool
}

// Find gives the tool of that name.
func Find(tools []Tool, name string) (Tool, error) {
	names := make([]string, 0, len(tools))
	for _, t := range tools {
		n := t.Info().Name
		if n == name {
			return t, nil
		}
		names = append(names, n)
	}
	if len(names) == 0 {
		names = append(names, "none")
	}
	return nil, &Error{Code: CodeNotFound, Message: fmt.Sprintf("no tool is called %q; there are: %s", name, strings.Join(names, ", "))}
}
