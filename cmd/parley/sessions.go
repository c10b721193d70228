package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley/client"
	"github.com/parley-dev/parley/protocol"
)

func newSessions(p *program) *cobra.Command {
	var q client.SessionQuery
	var limit int
	var status string
	var pinned bool
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List sessions, newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			q.Status = protocol.Status(status)
			if pinned {
				q.Pinned = &pinned
			}
			if err := checkLimit(limit); err != nil {
				return err
			}
			return p.withServer(cmd.Context(), func(c *client.Client) error { return p.listSessions(cmd.Context(), c, q, limit) })
		},
	}
	cmd.Flags().StringVar(&q.Text, "find", "", "only those with this in their title")
	cmd.Flags().StringVar(&status, "status", "", "only those in this state: idle, executing, waiting, …")
	cmd.Flags().IntVar(&limit, "limit", 50, "how many")
	cmd.Flags().StringVar(&q.Sort, "sort", "", "by updated, created, title, cost, tokens, size or messages")
	cmd.Flags().StringVar(&q.Order, "order", "", "asc or desc")
	cmd.Flags().BoolVar(&pinned, "pinned", false, "only those that are pinned")
	cmd.AddCommand(newSessionsShow(p), newSessionsDelete(p), newSessionsPin(p, "pin", true), newSessionsPin(p, "unpin", false), newSessionsPrune(p), newSessionsKeep(p))
	return cmd
}

func (p *program) listSessions(ctx context.Context, c *client.Client, q client.SessionQuery, limit int) error {
	w := tabwriter.NewWriter(p.out, 2, 4, 2, ' ', 0)
	shown, err := list(p, limit, c.ListSessions(ctx, q), func(n int, s client.SessionSummary) {
		if n == 1 {
			fmt.Fprintln(w, "SESSION\tSTATUS\tUPDATED\tMESSAGES\tTITLE")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\n", s.SessionID, s.Status, ago(s.UpdatedAt.Time), s.MessageCount, s.Title)
	})
	if err != nil {
		return err
	}
	if shown == 0 && !p.json {
		fmt.Fprintln(p.err, "no sessions yet; `parley chat` starts one")
	}
	return w.Flush()
}

func ago(t time.Time) string {
	switch d := time.Since(t); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	default:
		return t.Local().Format("2006-01-02")
	}
}

func newSessionsDelete(p *program) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete SESSION",
		Short: "Delete a session for good",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withServer(cmd.Context(), func(c *client.Client) error {
				if !yes && p.person() {
					fmt.Fprintf(p.err, "Delete %s for good? This cannot be undone. y, n: ", args[0])
					if answer := <-p.lines(); !saysYes(strings.TrimSpace(answer.text)) {
						return errors.New("nothing was deleted")
					}
				}
				if err := c.DeleteSession(cmd.Context(), args[0]); err != nil {
					return err
				}
				if p.json {
					return p.printJSON(map[string]any{"session_id": args[0], "deleted": true})
				}
				fmt.Fprintf(p.out, "deleted %s\n", args[0])
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}
