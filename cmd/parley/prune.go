package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley/client"
	"github.com/parley-dev/parley/internal/index"
	"github.com/parley-dev/parley/protocol"
)

func newSessionsPin(p *program, name string, pinned bool) *cobra.Command {
	short := "Keep a session whatever the limits are"
	if !pinned {
		short = "Let the limits remove a session again"
	}
	return &cobra.Command{
		Use:   name + " SESSION",
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withServer(cmd.Context(), func(c *client.Client) error {
				if _, err := c.UpdateSession(cmd.Context(), args[0], protocol.UpdateSession{Pinned: &pinned}); err != nil {
					return err
				}
				if p.json {
					return p.printJSON(map[string]any{"session_id": args[0], "pinned": pinned})
				}
				fmt.Fprintf(p.out, "%sned %s\n", name, args[0])
				return nil
			})
		},
	}
}

func newSessionsKeep(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "keep SESSION DAYS",
		Short: "Keep a session for so many days without a change; 0 is what holds for all",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			days, err := strconv.Atoi(args[1])
			if err != nil {
				return fmt.Errorf("DAYS must be a number, not %q", args[1])
			}
			return p.withServer(cmd.Context(), func(c *client.Client) error {
				if _, err := c.UpdateSession(cmd.Context(), args[0], protocol.UpdateSession{KeepDays: &days}); err != nil {
					return err
				}
				if p.json {
					return p.printJSON(map[string]any{"session_id": args[0], "keep_days": days})
				}
				fmt.Fprintf(p.out, "%s is kept for %d days without a change\n", args[0], days)
				return nil
			})
		},
	}
}

func newSessionsPrune(p *program) *cobra.Command {
	var keep index.Retention
	var most size
	var dry bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete old sessions for good",
		Long: `Delete sessions beyond the limits for good, those that changed last are kept first.
One that is pinned, works, waits for a person or is paused is never deleted.`,
		Example: "  parley sessions prune --older-than 720h --max-size 10GB --max-count 1000 --dry-run",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			keep.Size = int64(most)
			if keep.None() || keep.Age < 0 || keep.Count < 0 {
				return errors.New("say what to keep: --older-than, --max-size or --max-count")
			}
			return p.withServer(cmd.Context(), func(c *client.Client) error { return p.prune(cmd.Context(), c, keep, dry) })
		},
	}
	cmd.Flags().DurationVar(&keep.Age, "older-than", 0, "those that have not changed for so long, such as 720h")
	cmd.Flags().Var(&most, "max-size", "the oldest beyond so many bytes together, such as 10GB")
	cmd.Flags().Lookup("max-size").DefValue = ""
	cmd.Flags().IntVar(&keep.Count, "max-count", 0, "the oldest beyond so many")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would go, and why")
	return cmd
}

func (p *program) prune(ctx context.Context, c *client.Client, keep index.Retention, dry bool) error {
	var items []index.Item
	for s, err := range c.ListSessions(ctx, client.SessionQuery{PageSize: 200}) {
		if err != nil {
			return err
		}
		items = append(items, index.Item{
			SessionID: s.SessionID, Title: s.Title, Status: s.Status, UpdatedAt: s.UpdatedAt, Size: s.Size,
			Pinned: s.Pinned, KeepDays: s.KeepDays, AwaitingChildID: s.AwaitingChildID,
		})
	}
	gone, bytes := 0, int64(0)
	for _, r := range keep.Choose(time.Now(), items) {
		if !dry {
			if went, err := remove(ctx, c, r); err != nil {
				return err
			} else if !went {
				continue
			}
		}
		gone++
		bytes += r.Size
		if p.json {
			if err := p.printJSON(removal{r, !dry}); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(p.out, "%s  %s  %q: %s\n", r.SessionID, size(r.Size), r.Title, r.Reason)
	}
	if p.json {
		return nil
	}
	what := "deleted"
	if dry {
		what = "would delete"
	}
	fmt.Fprintf(p.out, "%s %d of %d sessions, %s\n", what, gone, len(items), size(bytes))
	return nil
}

// removal is a line of JSON.
type removal struct {
	index.Removal
	Deleted bool `json:"deleted"`
}

// remove deletes a session, unless something has begun in it since it was
// listed, or somebody pinned it.
func remove(ctx context.Context, c *client.Client, r index.Removal) (bool, error) {
	now, err := c.GetSession(ctx, r.SessionID)
	if err == nil && (index.Item{Status: now.Status, Pinned: now.Pinned}).Kept() {
		return false, nil
	}
	if err == nil {
		err = c.DeleteSession(ctx, r.SessionID)
	}
	var e *protocol.Error
	if errors.As(err, &e) && (e.Code == protocol.CodeSessionNotFound || e.Code == protocol.CodeSessionExpired || e.Code == protocol.CodeForbidden) {
		return false, nil // somebody else was faster, or it is not ours to delete
	}
	return err == nil, err
}
