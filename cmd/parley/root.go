package main

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley"
)

// program is what every command uses.
type program struct {
	in       io.Reader
	out, err io.Writer
	json     bool
	config   config
}

func newRoot(p *program) *cobra.Command {
	root := &cobra.Command{
		Use:   "parley",
		Short: "A durable session server for AI agents",
		Long: `Parley keeps sessions of AI agents: they work, people watch, steer and approve,
and nothing that happened is lost. Without a command it serves.`,
		Version:       parley.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return p.config.resolve(cmd.Flags())
		},
	}
	root.PersistentFlags().BoolVar(&p.json, "json", false, "print JSON")
	p.config.register(root.PersistentFlags())

	serve := newServe(p)
	root.RunE = serve.RunE
	root.Flags().AddFlagSet(serve.Flags())
	root.AddCommand(serve, newSessions(p), newChat(p), newSearch(p), newRewind(p), newFork(p), newCheckpoints(p), newExport(p), newImport(p), newSettings(p), newSecrets(p), newFsck(p), newMCP(p), newDoctor(p), newVersion(p))
	return root
}

// printJSON writes one value on one line.
func (p *program) printJSON(v any) error {
	e := json.NewEncoder(p.out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
