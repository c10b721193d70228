package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley/client"
)

// fileDiff is one file of a comparison, as far as it is shown.
type fileDiff struct {
	Path       string `json:"path"`
	OldPath    string `json:"old_path"`
	Change     string `json:"change"`
	Patch      string `json:"patch"`
	Binary     bool   `json:"binary"`
	TooLarge   bool   `json:"too_large"`
	ModeBefore string `json:"mode_before"`
	ModeAfter  string `json:"mode_after"`
}

func newCheckpointsDiff(p *program) *cobra.Command {
	var patch bool
	cmd := &cobra.Command{
		Use:   "diff SESSION CHECKPOINT [CHECKPOINT]",
		Short: "Show what changed from one checkpoint to another, or to now",
		Long: `Show what changed from one checkpoint to another, or to the files as they are now:
each file with what happened to it, and the lines. With --patch it is a patch, for
git apply; of files that are no text, and very large ones, that holds the names only.`,
		Args: cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			q := url.Values{"from": {args[1]}, "format": {"jsonl"}}
			if len(args) == 3 {
				q.Set("to", args[2])
			}
			if patch {
				q.Set("format", "patch")
			}
			path := ofSession(args[0], "/checkpoints/diff?"+q.Encode())
			return p.withServer(cmd.Context(), func(c *client.Client) error {
				if patch || p.json {
					return c.Call(cmd.Context(), http.MethodGet, path, nil, p.out)
				}
				n := 0
				err := eachFile(cmd.Context(), c, path, func(f fileDiff) error {
					n++
					_, err := fmt.Fprint(p.out, f.String())
					return err
				})
				if n == 0 && err == nil {
					fmt.Fprintln(p.err, "no file differs")
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&patch, "patch", false, "print a patch for git apply")
	return cmd
}

// eachFile gives the files of a comparison as they come: there may be more than
// fit into memory.
func eachFile(ctx context.Context, c *client.Client, path string, do func(fileDiff) error) error {
	r, w := io.Pipe()
	defer r.Close() // ends the call
	go func() { w.CloseWithError(c.Call(ctx, http.MethodGet, path, nil, w)) }()
	for lines := json.NewDecoder(r); ; {
		var f fileDiff
		err := lines.Decode(&f)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = do(f)
		}
		if err != nil {
			return err
		}
	}
}

// String is what a person is shown of a file.
func (f fileDiff) String() string {
	name := visible(f.Path)
	if f.OldPath != "" {
		name = visible(f.OldPath) + " → " + name
	}
	var marks []string
	if f.Binary {
		marks = append(marks, "binary")
	}
	if f.TooLarge {
		marks = append(marks, "too large to show")
	}
	if mode := f.mode(); mode != "" {
		marks = append(marks, "mode "+visible(mode))
	}
	text := changed(f.Change) + " " + name
	if len(marks) > 0 {
		text += " (" + strings.Join(marks, ", ") + ")"
	}
	text += "\n"
	if _, lines, ok := strings.Cut(f.Patch, "\n@@ "); ok { // before it are the names
		text += visibleLines("@@ " + lines)
	}
	return text
}

// changed words what happened to a file.
func changed(change string) string {
	if change == "type" { // a file became a link, or a link a file
		return "retyped"
	}
	return visible(change)
}

// mode says what kind of file it became, where that is worth a word.
func (f fileDiff) mode() string {
	switch {
	case f.ModeBefore != "" && f.ModeAfter != "" && f.ModeBefore != f.ModeAfter:
		return f.ModeBefore + " → " + f.ModeAfter
	case f.ModeBefore == "" && f.ModeAfter != "100644":
		return f.ModeAfter
	}
	return ""
}
