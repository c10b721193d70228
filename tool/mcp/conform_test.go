package mcp_test

import (
	"testing"

	"github.com/parley-dev/parley/tool/mcp"
	"github.com/parley-dev/parley/tool/tooltest"
)

// A server's tool is a tool like any other, whatever carries the calls.
func TestToolsConform(t *testing.T) {
	for carrier, reach := range map[string]func(*testing.T) mcp.Server{
		"program":   func(t *testing.T) mcp.Server { return program(t, "house", "honest", "") },
		"sessions":  func(t *testing.T) mcp.Server { return service(t, "house", false, nil) },
		"stateless": func(t *testing.T) mcp.Server { return service(t, "house", true, nil) },
	} {
		t.Run(carrier, func(t *testing.T) {
			tooltest.Run(t, func(t *testing.T) tooltest.Subject {
				return tooltest.Subject{
					Tool:     open(t, mcp.Options{}, reach(t)).ready().tool("mcp__house__echo"),
					Good:     `{"text":"hello"}`,
					Stall:    `{"text":"hello","hold":true}`,
					Anywhere: true,
				}
			})
		})
	}
}

func TestResourceToolsConform(t *testing.T) {
	for name, good := range map[string]string{
		"mcp_list_resources": `{"server":"house"}`,
		"mcp_read_resource":  `{"server":"house","uri":"doc://one"}`,
	} {
		t.Run(name, func(t *testing.T) {
			tooltest.Run(t, func(t *testing.T) tooltest.Subject {
				return tooltest.Subject{
					Tool: open(t, mcp.Options{}, service(t, "house", true, nil)).ready().tool(name), Good: good, Anywhere: true,
				}
			})
		})
	}
}
