package tool

import (
	"errors"
	"fmt"
	"strings"
)

// What a failed call's Error says in its Code.
const (
	CodeInputInvalid    = "TOOL_INPUT_INVALID"    // the input does not fit the schema: nothing was done
	CodePathRefused     = "TOOL_PATH_REFUSED"     // a path leaves the workspace, or is guarded: nothing was done
	CodeNotFound        = "TOOL_NOT_FOUND"        // no tool has that name
	CodeUnavailable     = "TOOL_UNAVAILABLE"      // this machine or session cannot run it
	CodeExecutionFailed = "TOOL_EXECUTION_FAILED" // it was tried and did not work
	CodeTimeout         = "TOOL_TIMEOUT"          // it took longer than allowed and was stopped
)

// Codes lists them all.
func Codes() []string {
	return []string{CodeInputInvalid, CodePathRefused, CodeNotFound, CodeUnavailable, CodeExecutionFailed, CodeTimeout}
}

// Error is how a tool fails.
type Error struct {
	Code string
	// Message is for whoever reads it, a person or a model: what happened,
	// what to do.
	Message string
	// Recoverable says that the same call may succeed later.
	Recoverable bool
	// Err is the cause, if there is one.
	Err error
}

func (e *Error) Error() string {
	switch {
	case e.Message != "":
		return e.Message
	case e.Err != nil:
		return e.Code + ": " + e.Err.Error()
	}
	return e.Code
}

func (e *Error) Unwrap() error { return e.Err }

// CodeOf gives the code of a tool's failure, or "" for any other error.
func CodeOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func invalid(format string, args ...any) error {
	return &Error{Code: CodeInputInvalid, Message: fmt.Sprintf(format, args...)}
}

// short keeps a name that came with an input from filling a message.
func short(name string) string {
	const most = 200
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}
