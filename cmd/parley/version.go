package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley"
	"github.com/parley-dev/parley/protocol"
)

func newVersion(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if p.json {
				return p.printJSON(map[string]string{"version": parley.Version, "protocol": protocol.Version, "go": runtime.Version()})
			}
			fmt.Fprintf(p.out, "parley %s (protocol %s, %s)\n", parley.Version, protocol.Version, runtime.Version())
			return nil
		},
	}
}
