package main

import (
	"fmt"
	"net/url"
	"strings"
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
	ID              string        `json:"id"`
	Hash            string        `json:"hash"`
	CreatedAt       protocol.Time `json:"created_at"`
	Reason          string        `json:"reason"`
	FilesChanged    int           `json:"files_changed"`
	Incomplete      bool          `json:"incomplete,omitempty"`
	NotCaptured     []string      `json:"not_captured,omitempty"`
	NotCapturedMore int           `json:"not_captured_more,omitempty"`
	Hidden          bool          `json:"hidden,omitempty"`
}

// note is what is to be known of it beside what it holds.
func (k checkpoint) note() string {
	var notes []string
	if k.Hidden {
		notes = append(notes, "rewound")
	}
	if k.Incomplete {
		notes = append(notes, "incomplete")
	}
	if n := len(k.NotCaptured) + k.NotCapturedMore; n > 0 {
		notes = append(notes, fmt.Sprintf("%d not captured", n))
	}
	return strings.Join(notes, ", ")
}

// missing names the files that are not in it.
func (k checkpoint) missing() string {
	names := visible(strings.Join(k.NotCaptured, ", "))
	if k.NotCapturedMore > 0 {
		names += fmt.Sprintf(" and %d more", k.NotCapturedMore)
	}
	return names
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
				if p.json {
					return p.printEach(page.Items)
				}
				return p.printCheckpoints(page.Items)
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 50, "how many, at most 200")
	return cmd
}

func (p *program) printEach(list []checkpoint) error {
	for _, k := range list {
		if err := p.printJSON(k); err != nil {
			return err
		}
	}
	return nil
}

// printCheckpoints prints a table, and under it which files are not in them: once
// for all that lack the same.
func (p *program) printCheckpoints(list []checkpoint) error {
	if len(list) == 0 {
		fmt.Fprintln(p.err, "no tool of this session has changed a file")
		return nil
	}
	w := tabwriter.NewWriter(p.out, 2, 4, 2, ' ', 0)
	fmt.Fprintln(w, "CHECKPOINT\tWHEN\tFILES\tAFTER\t")
	lacking, order := map[string][]string{}, []string{}
	for _, k := range list {
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\n", k.ID, ago(k.CreatedAt.Time), k.FilesChanged, visible(k.Reason), k.note())
		names := k.missing()
		if names == "" {
			continue
		}
		if lacking[names] == nil {
			order = append(order, names)
		}
		lacking[names] = append(lacking[names], k.ID)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, names := range order {
		fmt.Fprintf(p.out, "not captured by %s: %s\n", strings.Join(lacking[names], ", "), names)
	}
	return nil
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
