package tool

import (
	"context"
	"encoding/json"
	"errors"
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

// Weigher is a tool whose calls are not all alike: looking at what a command has
// written weighs less than starting one, and writing to a protected file more
// than writing to another. Weigh changes nothing, and fails as Run would on an
// input that does not fit.
type Weigher interface {
	Weigh(ctx context.Context, call Call) (Weight, error)
}

// Weight is what a single call amounts to.
type Weight struct {
	Class  Class
	Effect Effect
	// Guard says why a person has to approve this very call, whatever they
	// approved before; "" if nothing is special about it. A guarded call runs
	// only with Call.Approved.
	Guard string
}

// Weigh gives the weight of a call; that of its tool, if the tool does not
// weigh.
func Weigh(ctx context.Context, t Tool, call Call) (Weight, error) {
	if w, ok := t.(Weigher); ok {
		return w.Weigh(ctx, call)
	}
	info := t.Info()
	return Weight{Class: info.Class, Effect: info.Effect}, nil
}

// Keeper is a tool that was asked to let something run on after its call, such as
// a server in the background. Nothing of it outlives Close.
type Keeper interface {
	// Release ends what runs for a session. Other sessions notice nothing.
	Release(session string)
	// Close ends all of it, and waits for that.
	Close() error
}

// Close closes those of the tools that keep something running.
func Close(tools []Tool) error {
	var errs []error
	for _, t := range tools {
		if k, ok := t.(Keeper); ok {
			errs = append(errs, k.Close())
		}
	}
	return errors.Join(errs...)
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
	MaxImage   = 5 << 20
	MaxImages  = 8
)

// Call is one use of a tool.
type Call struct {
	// ID names the call within its session.
	ID string
	// Session names the session. A Keeper shows what it keeps to the session
	// that it belongs to, and to no other.
	Session string
	// Approved says that a person has seen this very call and wants it. What was
	// approved by a rule or by an earlier answer does not count.
	Approved bool
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
	// Images are shown to the model beside the text, at most MaxImages.
	Images []Image
}

// Image is a picture that a model can look at.
type Image struct {
	MediaType string // image/png, image/jpeg, image/gif or image/webp
	Data      []byte // at most MaxImage
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
