package main

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley/client"
	"github.com/parley-dev/parley/protocol"
)

func newRewind(p *program) *cobra.Command {
	var r protocol.Rewind
	var ts int64
	var index int
	cmd := &cobra.Command{
		Use:   "rewind SESSION [MESSAGE]",
		Short: "Take a session back to an earlier moment",
		Long: `Take a session back to just before a message, or with --include-target to just
after it. MESSAGE is a message id (msg_0000000042); --index and --ts name a
visible message instead. Nothing is removed: "parley rewind undo" takes it back,
and "parley rewind branches" lists every way the session has gone.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				r.To = args[1]
			}
			if cmd.Flags().Changed("ts") {
				r.Ts = &ts
			}
			if cmd.Flags().Changed("index") {
				r.Index = &index
			}
			if r.To == "" && r.Ts == nil && r.Index == nil {
				return errors.New("say where to: a message id, --index or --ts (parley sessions show --ids lists them)")
			}
			return p.withServer(cmd.Context(), func(c *client.Client) error {
				done, err := c.Rewind(cmd.Context(), args[0], r)
				return p.printRewind(args[0], done, r.Preview, err)
			})
		},
	}
	cmd.Flags().Int64Var(&ts, "ts", 0, "the message with exactly this ts")
	cmd.Flags().IntVar(&index, "index", 0, "the message with this index, the first is 0")
	cmd.Flags().BoolVar(&r.IncludeTarget, "include-target", false, "keep the message itself")
	cmd.Flags().BoolVar(&r.Files, "files", false, "take the files of the workspace back too")
	cmd.Flags().BoolVar(&r.Preview, "preview", false, "only say what would happen")
	cmd.AddCommand(newRewindUndo(p), newRewindBranches(p))
	return cmd
}

func (p *program) printRewind(session string, r protocol.RewindResult, preview bool, err error) error {
	if err != nil {
		return err
	}
	if p.json {
		return p.printJSON(r)
	}
	what := "now at"
	if preview {
		what = "this would go to"
	}
	fmt.Fprintf(p.out, "%s %s: messages hidden: %d, shown again: %d; todos changed: %d; files changed: %d; the session is %s\n",
		what, r.Head, r.MessagesHidden, r.MessagesShown, r.TodosChanged, len(r.Files), r.Status)
	for _, f := range r.Files {
		fmt.Fprintf(p.out, "  %s %s\n", changed(f.Change), visible(f.Path))
	}
	p.printKept(r.Kept, preview)
	if r.RewindID != "" {
		fmt.Fprintf(p.out, "undo it with: parley rewind undo %s %s\n", session, r.RewindID)
	}
	return nil
}

func newRewindUndo(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "undo SESSION [REWIND]",
		Short: "Take a rewind back: the latest if none is named",
		Args:  cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			rewind := ""
			if len(args) == 2 {
				rewind = args[1]
			}
			return p.withServer(cmd.Context(), func(c *client.Client) error {
				done, err := c.UndoRewind(cmd.Context(), args[0], rewind)
				return p.printRewind(args[0], done, false, err)
			})
		},
	}
}

func newRewindBranches(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "branches SESSION",
		Short: "List every way a session has gone",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withServer(cmd.Context(), func(c *client.Client) error {
				branches, err := c.Branches(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				w := tabwriter.NewWriter(p.out, 2, 4, 2, ' ', 0)
				if !p.json {
					fmt.Fprintln(w, "HEAD\t\tUPDATED\tRECORDS\tLAST WORDS")
				}
				for _, b := range branches {
					if p.json {
						if err := p.printJSON(b); err != nil {
							return err
						}
						continue
					}
					mark := ""
					if b.Current {
						mark = "current"
					}
					fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\n", b.Head, mark, ago(b.UpdatedAt.Time), b.Records, visible(b.Words))
				}
				return w.Flush()
			})
		},
	}
}

func newFork(p *program) *cobra.Command {
	var f protocol.Fork
	cmd := &cobra.Command{
		Use:   "fork SESSION [MESSAGE]",
		Short: "Make a new session of the beginning of another",
		Args:  cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				f.At = args[1]
			}
			return p.withServer(cmd.Context(), func(c *client.Client) error {
				s, err := c.Fork(cmd.Context(), args[0], f)
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(s)
				}
				fmt.Fprintf(p.out, "forked %s to %s\n", args[0], s.SessionID)
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&f.SessionID, "as", "", "the id of the new session")
	cmd.Flags().StringVar(&f.Title, "title", "", "its title")
	return cmd
}
