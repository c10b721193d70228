package mcp

import (
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/parley-dev/parley/tool"
)

// maxReason bounds what a server may add to an error.
const maxReason = 1 << 10

func failure(code string, recoverable bool, cause error, format string, args ...any) error {
	return &tool.Error{Code: code, Recoverable: recoverable, Err: cause, Message: clip(fmt.Sprintf(format, args...), tool.MaxSummary)}
}

// refused is the failure of a call that the server answered with an error.
// Again says that the same call may succeed later.
func (c *conn) refused(err error, what string, again bool) error {
	var answer *jsonrpc.Error
	switch {
	case errors.As(err, &answer) && answer.Code == jsonrpc.CodeInvalidParams:
		return failure(tool.CodeInputInvalid, false, nil, "the MCP server %s refused %s: %s", c.server, what, c.reason(answer.Message))
	case errors.As(err, &answer):
		return failure(tool.CodeExecutionFailed, again, nil, "the MCP server %s failed at %s: %s", c.server, what, c.reason(answer.Message))
	case again:
		return failure(tool.CodeExecutionFailed, true, nil, "the connection to the MCP server %s was lost during %s: %s", c.server, what, c.reason(err.Error()))
	}
	return failure(tool.CodeExecutionFailed, false, nil,
		"the connection to the MCP server %s was lost during %s; whether it was done is not known, so look before you try again: %s", c.server, what, c.reason(err.Error()))
}

// reason is why something failed, in the server's words.
func (c *conn) reason(text string) string { return clip(c.plain(text), maxReason) }

// plain is what a server said, without its secrets and valid.
func (c *conn) plain(text string) string { return strings.ToValidUTF8(c.hide(text), "\uFFFD") }

// clip cuts a text to so many bytes, by whole characters.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len("…")], "") + "…"
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
