package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley"
	"github.com/parley-dev/parley/internal/gateway/mcp"
)

func newMCP(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve Parley to another agent, over MCP on standard input and output",
		Long: `Serve Parley to another agent: it can start sessions, give them work, wait for
what comes of it, answer what is asked and read. The agent starts this command
itself; give it as its MCP server: {"command": "parley", "args": ["mcp"]}.

It goes through the server that uses the data folder, or the one that --server
names; if none runs, it opens the data itself until the agent leaves. An agent
that can use HTTP needs no command: the server has the same at /mcp.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, done, err := p.connect(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			return p.bridge(cmd.Context())
		},
	}
}

// bridge serves whoever started the program, until they leave.
func (p *program) bridge(ctx context.Context) error {
	b := mcp.Bridge{URL: p.config.server, Token: p.config.token, Version: parley.Version}
	if b.URL == "" {
		r, _ := parley.Find(p.config.data) // connect has found it, or made it
		b.URL, b.Token = r.URL, p.savedToken()
	}
	b.URL, _, _ = strings.Cut(b.URL, "?")
	b.URL = strings.TrimSuffix(b.URL, "/") + "/mcp"
	return b.Run(ctx, io.NopCloser(p.in), stayOpen{p.out})
}

// stayOpen is the program's output, which is not ours to close.
type stayOpen struct{ io.Writer }

func (stayOpen) Close() error { return nil }
