package main

import (
	"fmt"
	"net/url"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley/client"
	"github.com/parley-dev/parley/protocol"
)

func newCheckpoints(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "checkpoints",
		Short: "The files of a session's workspace as they were: list, compare, take back",
	}
	cmd.AddCommand(newCheckpointsList(p), newCheckpointsDiff(p), newCheckpointsRestore(p), newCheckpointsGC(p))
	return cmd
}

// checkpoint is one in a list.
type checkpoint struct {
	ID           string        `json:"id"`
	Hash         string        `json:"hash"`
	CreatedAt    protocol.Time `json:"created_at"`
	Reason       string        `json:"reason"`
	FilesChanged int           `json:"files_changed"`
	Incomplete   bool          `json:"incomplete,omitempty"`
	Hidden       bool          `json:"hidden,omitempty"`
}

func ofSession(id, below string) string { return "/api/v1/sessions/" + url.PathEscape(id) + below }

func newCheckpointsList(p *program) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "list SESSION",
		Short: "List checkpoints, the newest first",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withServer(cmd.Context(), func(c *client.Client) error {
				var page struct {
					Items []checkpoint `json:"items"`
				}
				if err := c.Call(cmd.Context(), "GET", ofSession(args[0], fmt.Sprintf("/checkpoints?limit=%d", limit)), nil, &page); err != nil {
					return err
				}
				w := tabwriter.NewWriter(p.out, 2, 4, 2, ' ', 0)
				for i, k := range page.Items {
					if p.json {
						if err := p.printJSON(k); err != nil {
							return err
						}
						continue
					}
					if i == 0 {
						fmt.Fprintln(w, "CHECKPOINT\tWHEN\tFILES\tAFTER\t")
					}
					note := ""
					if k.Hidden {
						note = "rewound"
					}
					if k.Incomplete {
						note += " incomplete"
					}
					fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\n", k.ID, ago(k.CreatedAt.Time), k.FilesChanged, k.Reason, note)
				}
				if len(page.Items) == 0 && !p.json {
					fmt.Fprintln(p.err, "no tool of this session has changed a file")
				}
				return w.Flush()
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 50, "how many, at most 200")
	return cmd
}

func newCheckpointsDiff(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "diff SESSION CHECKPOINT [CHECKPOINT]",
		Short: "Show what changed from one checkpoint to another, or to now",
		Args:  cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			q := url.Values{"from": {args[1]}}
			if len(args) == 3 {
				q.Set("to", args[2])
			}
			return p.withServer(cmd.Context(), func(c *client.Client) error {
				var page struct {
					Items []struct {
						Path   string `json:"path"`
						Change string `json:"change"`
						Patch  string `json:"patch"`
						Binary bool   `json:"binary,omitempty"`
					} `json:"items"`
					More bool `json:"more"`
				}
				if err := c.Call(cmd.Context(), "GET", ofSession(args[0], "/checkpoints/diff?"+q.Encode()), nil, &page); err != nil {
					return err
				}
				if p.json {
					return p.printJSON(page)
				}
				for _, f := range page.Items {
					fmt.Fprintf(p.out, "%s %s\n%s", f.Change, f.Path, f.Patch)
				}
				if page.More {
					fmt.Fprintln(p.err, "there are more files than these")
				}
				return nil
			})
		},
	}
}

func newCheckpointsRestore(p *program) *cobra.Command {
	var body struct {
		Conversation bool `json:"conversation,omitempty"`
		Preview      bool `json:"preview,omitempty"`
	}
	cmd := &cobra.Command{
		Use:   "restore SESSION CHECKPOINT",
		Short: "Take the files back to a checkpoint; what you changed yourself stays",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withServer(cmd.Context(), func(c *client.Client) error {
				var done protocol.RewindResult
				err := c.Call(cmd.Context(), "POST", ofSession(args[0], "/checkpoints/"+url.PathEscape(args[1])+"/restore"), body, &done)
				return p.printRewind(args[0], done, body.Preview, err)
			})
		},
	}
	cmd.Flags().BoolVar(&body.Conversation, "conversation", false, "take the conversation back too")
	cmd.Flags().BoolVar(&body.Preview, "preview", false, "only say what would happen")
	return cmd
}
