// Package builtin holds the tools that every installation has. Each is one file of
// code, one of words for the model (.md, the tool's description), and one of
// tests.
//
// They keep to the contract of package tool. What is particular to one stands at
// its type.
package builtin

import (
	"encoding/json"
	"net/netip"
	"os/exec"
	"sync"

	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/sandbox"
)

// Options say how far the tools may reach. The zero value is safe.
type Options struct {
	// Sandbox holds commands; nil lets them have all the rights of the server.
	Sandbox *sandbox.Sandbox
	// Network gives commands the network without asking.
	Network bool
	// Limits are those of each command.
	Limits Limits
	// Domains and Private are those of FetchURL.
	Domains []string
	Private []netip.Prefix
}

// New gives the built-in tools, in the order in which a model is told of them.
// Whoever calls closes them with tool.Close.
func New(o Options) []tool.Tool {
	turn := new(sync.Mutex)
	return []tool.Tool{
		ListFiles{},
		ReadFile{},
		WriteFile{Turn: turn},
		EditFile{Turn: turn},
		SearchFiles{Ripgrep: ripgrep()},
		RunCommand{Sandbox: o.Sandbox, Network: o.Network, Limits: o.Limits, Jobs: NewJobs()},
		FetchURL{Domains: o.Domains, Private: o.Private},
	}
}

// All gives the built-in tools with the best sandbox that the machine offers.
func All() []tool.Tool {
	return New(Options{Sandbox: sandbox.New(sandbox.Options{Helper: sandbox.Helper()})})
}

// ripgrep finds the program, if there is one.
func ripgrep() string {
	path, err := exec.LookPath("rg")
	if err != nil {
		return ""
	}
	return path
}

// facts makes a summary of values that can always be written as JSON.
func facts(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("builtin: a summary that is not JSON: " + err.Error())
	}
	return raw
}
