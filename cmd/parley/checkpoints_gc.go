package main

import (
	"fmt"
	"net/http"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley/client"
)

// room is what the checkpoints of a folder take, and what went.
type room struct {
	Folder        string `json:"folder"`
	Checkpoints   int    `json:"checkpoints"`
	Bytes         int64  `json:"bytes"`
	BytesBefore   int64  `json:"bytes_before"`
	TrashBytes    int64  `json:"trash_bytes"`
	Removed       int    `json:"removed"`
	Sessions      int    `json:"sessions"`
	KeptForOthers int    `json:"kept_for_others"`
	Waiting       int    `json:"waiting"`
}

func newCheckpointsGC(p *program) *cobra.Command {
	var how struct {
		OlderThanDays int  `json:"older_than_days,omitempty"`
		Now           bool `json:"now,omitempty"`
		DryRun        bool `json:"dry_run,omitempty"`
	}
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Show how much room checkpoints take, and make it smaller",
		Long: `Joins what is stored, removes old trash, and lets the checkpoints of deleted
sessions go a day after that was first seen, unless a fork or another session needs
them. A server does the same by itself, every hour. With --older-than DAYS,
checkpoints of living sessions that are older go too: undoing what agents did
before is not possible then.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withServer(cmd.Context(), func(c *client.Client) error {
				var list struct {
					Items []room `json:"items"`
				}
				if err := c.Call(cmd.Context(), http.MethodPost, "/api/v1/checkpoints/gc", how, &list); err != nil {
					return err
				}
				if p.json {
					return p.printJSON(list.Items)
				}
				return p.printRoom(list.Items, how.DryRun)
			})
		},
	}
	cmd.Flags().IntVar(&how.OlderThanDays, "older-than", 0, "remove checkpoints older than so many days")
	cmd.Flags().BoolVar(&how.Now, "now", false, "do not wait for a day after a session was deleted")
	cmd.Flags().BoolVar(&how.DryRun, "dry-run", false, "only say what would go")
	return cmd
}

func (p *program) printRoom(items []room, dry bool) error {
	if len(items) == 0 {
		fmt.Fprintln(p.err, "there are no checkpoints")
		return nil
	}
	w := tabwriter.NewWriter(p.out, 2, 4, 2, ' ', 0)
	fmt.Fprintln(w, "FOLDER\tCHECKPOINTS\tBEFORE\tNOW\tTRASH")
	var sum room
	for _, r := range items {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", visible(r.Folder), r.Checkpoints, size(r.BytesBefore), size(r.Bytes), size(r.TrashBytes))
		sum.Removed += r.Removed
		sum.Sessions += r.Sessions
		sum.KeptForOthers += r.KeptForOthers
		sum.Waiting += r.Waiting
	}
	if err := w.Flush(); err != nil {
		return err
	}
	what := "removed"
	if dry {
		what = "would remove"
	}
	fmt.Fprintf(p.err, "%s %s, those of %s among them\n", what, counted(sum.Removed, "checkpoint"), counted(sum.Sessions, "deleted session"))
	if sum.KeptForOthers > 0 {
		fmt.Fprintf(p.err, "%s of deleted sessions stay for others that need them\n", counted(sum.KeptForOthers, "checkpoint"))
	}
	if sum.Waiting > 0 {
		fmt.Fprintf(p.err, "%s of deleted sessions go when a day is over, or with --now\n", counted(sum.Waiting, "checkpoint"))
	}
	return nil
}
