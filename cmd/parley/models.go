package main

import (
	"fmt"
	"net/http"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley/client"
)

func newModels(p *program) *cobra.Command {
	var everything bool
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List the models that sessions can name",
		Long: `List the models that can be used now, and with --all those that miss something,
such as a key. Prices are US dollars for a million tokens of input and output.
Other names can work too; docs/models.md says how models are named.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withServer(cmd.Context(), func(c *client.Client) error {
				var list modelList
				if err := c.Call(cmd.Context(), http.MethodGet, "/api/v1/models", nil, &list); err != nil {
					return err
				}
				return p.printModels(list, everything)
			})
		},
	}
	cmd.Flags().BoolVar(&everything, "all", false, "also those that miss something")
	return cmd
}

// modelList is the answer of GET /models, as far as it is shown.
type modelList struct {
	Items []struct {
		Name        string  `json:"name"`
		Window      int64   `json:"context_window,omitempty"`
		InputPrice  float64 `json:"input_price,omitempty"`
		OutputPrice float64 `json:"output_price,omitempty"`
		Available   bool    `json:"available"`
		Reason      string  `json:"reason,omitempty"`
		StandsFor   string  `json:"stands_for,omitempty"`
	} `json:"items"`
	Unknown []string `json:"unknown"`
}

func (p *program) printModels(list modelList, everything bool) error {
	w := tabwriter.NewWriter(p.out, 2, 4, 2, ' ', 0)
	if !p.json {
		fmt.Fprintln(w, "MODEL\tWINDOW\tPRICE\t")
	}
	hidden := 0
	for _, m := range list.Items {
		if !m.Available && !everything {
			hidden++
			continue
		}
		if p.json {
			if err := p.printJSON(m); err != nil {
				return err
			}
			continue
		}
		window, price, note := "", "", m.Reason
		if m.Window > 0 {
			window = strconv.FormatInt(m.Window, 10)
		}
		if m.InputPrice > 0 || m.OutputPrice > 0 {
			price = fmt.Sprintf("%.4g / %.4g", m.InputPrice, m.OutputPrice)
		}
		if m.StandsFor != "" {
			note = "now " + m.StandsFor
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", m.Name, window, price, note)
	}
	if err := w.Flush(); err != nil || p.json {
		return err
	}
	for _, why := range list.Unknown {
		fmt.Fprintln(p.err, why)
	}
	if hidden > 0 {
		fmt.Fprintf(p.err, "%d more miss something, such as a key; `parley models --all` says what\n", hidden)
	}
	return nil
}
