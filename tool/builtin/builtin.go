// Package builtin holds the tools that every installation has. Each is one file of
// code, one of words for the model (.md, the tool's description), and one of
// tests.
//
// They keep to the contract of package tool. What is particular to one stands at
// its type.
package builtin

import (
	"encoding/json"

	"github.com/parley-dev/parley/tool"
)

// All gives the built-in tools, in the order in which a model is told of them.
func All() []tool.Tool {
	return []tool.Tool{
		ListFiles{},
		RunCommand{},
	}
}

// facts makes a summary of values that can always be written as JSON.
func facts(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("builtin: a summary that is not JSON: " + err.Error())
	}
	return raw
}
