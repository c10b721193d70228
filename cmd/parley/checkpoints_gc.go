package main

import (
	"fmt"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley/internal/workspace"
)

func newCheckpointsGC(p *program) *cobra.Command {
	var older int
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Show how much room checkpoints take, and make it smaller",
		Long: `Joins what is stored and removes old trash. With --older-than DAYS, checkpoints
older than that go too: undoing what agents did before is not possible then. It
may run while a server does.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			data := p.config.data
			s, err := workspace.Open(workspace.Options{Dir: filepath.Join(data, "checkpoints"), Avoid: []string{data}})
			if err != nil {
				return err
			}
			defer s.Close()
			if err := s.Tend(cmd.Context()); err != nil {
				return err
			}
			if older > 0 {
				removed, err := s.GC(cmd.Context(), func(r workspace.Ref) bool { return time.Since(r.Created) < time.Duration(older)*24*time.Hour })
				if err != nil {
					return err
				}
				if !p.json {
					fmt.Fprintf(p.err, "removed %d checkpoints\n", removed.Checkpoints)
				}
			}
			sizes, err := s.Sizes(cmd.Context())
			if err != nil {
				return err
			}
			if p.json {
				return p.printJSON(sizes)
			}
			w := tabwriter.NewWriter(p.out, 2, 4, 2, ' ', 0)
			fmt.Fprintln(w, "FOLDER\tCHECKPOINTS\tBYTES\tTRASH")
			for _, z := range sizes {
				fmt.Fprintf(w, "%s\t%d\t%d\t%d\n", z.Folder, z.Checkpoints, z.Repository, z.Trash)
			}
			return w.Flush()
		},
	}
	cmd.Flags().IntVar(&older, "older-than", 0, "remove checkpoints older than so many days")
	return cmd
}
