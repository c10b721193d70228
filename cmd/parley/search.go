package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func newSearch(p *program) *cobra.Command {
	var session string
	var limit int
	cmd := &cobra.Command{
		Use:   "search WORDS…",
		Short: "Find messages by their words",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 {
				return fmt.Errorf("--limit must be at least 1, not %d", limit)
			}
			c, done, err := p.connect(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			shown := 0
			for hit, err := range c.Search(cmd.Context(), strings.Join(args, " "), session) {
				if err != nil {
					return err
				}
				if shown == limit {
					fmt.Fprintf(p.err, "there are more; --limit shows them\n")
					break
				}
				if shown++; p.json {
					if err := p.printJSON(hit); err != nil {
						return err
					}
					continue
				}
				fmt.Fprintf(p.out, "%s  %s  %s\n    %s\n", hit.SessionID, hit.MessageID,
					hit.Timestamp.Local().Format("2006-01-02 15:04"), strings.Join(strings.Fields(hit.Snippet), " "))
			}
			if shown == 0 {
				if !p.json {
					fmt.Fprintln(p.err, "nothing found")
				}
				return exitCode(1)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "only in this session")
	cmd.Flags().IntVar(&limit, "limit", 20, "how many")
	return cmd
}
