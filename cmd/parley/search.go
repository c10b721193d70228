package main

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley/client"
)

func newSearch(p *program) *cobra.Command {
	var q client.SearchQuery
	var from, to string
	var limit int
	cmd := &cobra.Command{
		Use:   "search WORDS…",
		Short: "Find messages by their words",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := checkLimit(limit)
			if err != nil {
				return err
			}
			if q.From, err = moment("--from", from); err != nil {
				return err
			}
			if q.To, err = moment("--to", to); err != nil {
				return err
			}
			return p.withServer(cmd.Context(), func(c *client.Client) error {
				return p.search(c.Search(cmd.Context(), strings.Join(args, " "), q), limit)
			})
		},
	}
	cmd.Flags().StringVar(&q.Session, "session", "", "only in this session")
	cmd.Flags().StringVar(&q.Agent, "agent", "", "only what this agent said")
	cmd.Flags().StringVar(&q.Kind, "kind", "", "only this kind: user, assistant, system, or the word of a say or ask")
	cmd.Flags().StringVar(&from, "from", "", "not before this time: 2026-02-06T10:00:00Z, or a day")
	cmd.Flags().StringVar(&to, "to", "", "not after this time, or the end of a day")
	cmd.Flags().BoolVar(&q.Visible, "visible", false, "leave out what was rewound")
	cmd.Flags().IntVar(&limit, "limit", 20, "how many")
	return cmd
}

func (p *program) search(hits iter.Seq2[client.Hit, error], limit int) error {
	shown, err := list(p, limit, hits, func(_ int, hit client.Hit) {
		fmt.Fprintf(p.out, "%s  %s  %s  %s\n    %s\n", hit.SessionID, hit.MessageID,
			hit.Timestamp.Local().Format("2006-01-02 15:04"), hit.Title, strings.Join(strings.Fields(hit.Snippet), " "))
	})
	if err != nil || shown > 0 {
		return err
	}
	if !p.json {
		fmt.Fprintln(p.err, "nothing found")
	}
	return exitCode(1)
}

// moment reads a time of RFC 3339, or a day of this place: its beginning, or
// for --to its end.
func moment(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	day, err := time.ParseInLocation(time.DateOnly, text, time.Local)
	if err != nil {
		return day, fmt.Errorf("%s must be a time such as 2026-02-06T10:00:00Z or a day such as 2026-02-06, not %q", flag, text)
	}
	if flag == "--to" {
		return day.AddDate(0, 0, 1).Add(-time.Millisecond), nil
	}
	return day, nil
}
