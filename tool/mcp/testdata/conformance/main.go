// Command conformance is the client that the MCP conformance suite tries: it
// uses a server through package mcp and calls each of its tools once.
//
//	conformance client --command "go run ./tool/mcp/testdata/conformance" --scenario tools_call
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/mcp"
)

func main() {
	if err := run(os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 25*time.Second)
	defer cancel()
	host := mcp.Open(ctx, []mcp.Server{{Name: "suite", URL: url}}, mcp.Options{Version: "1"})
	defer host.Close()
	if err := host.Ready(ctx); err != nil {
		return err
	}
	status := host.Status()[0]
	fmt.Printf("%+v\n", status)
	if status.State != mcp.Connected {
		return fmt.Errorf("not connected: %s", status.Error)
	}
	tools := host.Tools()
	for _, t := range tools {
		// One scenario wants to see the schema that arrived, by a second tool.
		result, err := t.Run(ctx, tool.Call{ID: "call", Input: sample(t.Info(), tools[0].Info().Schema)})
		fmt.Printf("%s: %+v, %v\n", t.Info().Name, result, err)
	}
	return nil
}

// sample makes an input that fits a simple schema; an object in it is the one
// that is given.
func sample(info tool.Info, object json.RawMessage) json.RawMessage {
	var s struct {
		Properties map[string]struct{ Type string }
		Required   []string
	}
	_ = json.Unmarshal(info.Schema, &s) // what does not fit is refused by the call
	in := map[string]any{}
	for field, p := range s.Properties {
		if strings.HasSuffix(info.Name, "_null") && !slices.Contains(s.Required, field) {
			continue // what may be left out is left out once
		}
		switch p.Type {
		case "number", "integer":
			in[field] = 7
		case "boolean":
			in[field] = true
		case "object":
			in[field] = object
		default:
			in[field] = "Grüße"
		}
	}
	raw, _ := json.Marshal(in)
	return raw
}
