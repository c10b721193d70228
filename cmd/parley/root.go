package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley"
	"github.com/parley-dev/parley/cmd/parley/console"
)

// program is what every command uses.
type program struct {
	in       io.Reader
	out, err io.Writer
	json     bool
	session  string // whose settings are meant; everybody's if empty
	config   config

	console *console.Console   // what both are, while a person types at it; else nil
	leave   context.CancelFunc // of a console
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

	root.SetHelpFunc(showHelp(root.HelpFunc()))

	serve := newServe(p)
	root.RunE = serve.RunE
	root.Flags().AddFlagSet(serve.Flags())
	root.AddCommand(serve, newSessions(p), newChat(p), newSearch(p), newRewind(p), newFork(p), newCheckpoints(p), newExport(p), newImport(p), newSettings(p), newSecrets(p), newModels(p), newFsck(p), newMCP(p), newDoctor(p), newVersion(p))
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; `%s --help` lists what there is", err, cmd.CommandPath())
	})
	sayUse(root)
	return root
}

// printJSON prints one value on one line.
func (p *program) printJSON(v any) error { return writeJSON(p.out, v) }

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
