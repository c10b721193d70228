package main

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley/internal/exchange"
)

func newExport(p *program) *cobra.Command {
	var format, out string
	cmd := &cobra.Command{
		Use:   "export SESSION",
		Short: "Write a session to a file or folder",
		Long: `Write a session to a file: as an archive with everything, as its records (jsonl),
as a transcript (markdown), or in the format of another system (roo, yaar, store).
roo and yaar are folders. Nothing that exists is overwritten. --out - writes a
file to standard output.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			spec, err := exchange.Lookup(format)
			if err != nil {
				return err
			}
			return p.export(cmd.Context(), args[0], spec, out)
		},
	}
	cmd.Flags().StringVar(&format, "format", string(exchange.Archive), "archive, roo, yaar, store, markdown or jsonl")
	cmd.Flags().StringVar(&out, "out", "", "file or folder to write (default: named after the session, here)")
	return cmd
}

// exported is what --json prints.
type exported struct {
	SessionID string `json:"session_id"`
	Format    string `json:"format"`
	Out       string `json:"out"`
	Bytes     int64  `json:"bytes"`
}

func (p *program) export(ctx context.Context, session string, spec exchange.Spec, out string) error {
	c, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	path := "/api/v1/sessions/" + url.PathEscape(session) + "/export?format=" + string(spec.Format)
	fetch := func(w io.Writer) error { return c.Call(ctx, http.MethodGet, path, nil, w) }
	if out == "" {
		if out = session; !spec.Folder {
			out += spec.Extension
		}
	}
	if out == "-" {
		if spec.Folder {
			return fmt.Errorf("%s is a folder and cannot be written to standard output; name one with --out", spec.Format)
		}
		return fetch(p.out)
	}
	r := exported{SessionID: session, Format: string(spec.Format), Out: out}
	if spec.Folder {
		r.Bytes, err = exportFolder(out, fetch)
	} else {
		r.Bytes, err = writeNew(out, fetch)
	}
	if err != nil {
		return err
	}
	if p.json {
		return p.printJSON(r)
	}
	fmt.Fprintf(p.out, "wrote %s to %s\n", session, out)
	return nil
}

// writeNew writes a file that does not exist yet: whole, or not at all.
func writeNew(path string, write func(io.Writer) error) (size int64, err error) {
	if _, err := os.Lstat(path); err == nil {
		return 0, fmt.Errorf("%s exists already; name another with --out", path)
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".parley-*")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.Remove(temp.Name()) }() // it has its final name by then, if all went well
	err = write(temp)
	if err == nil {
		size, err = temp.Seek(0, io.SeekCurrent)
	}
	if err := errors.Join(err, temp.Close()); err != nil {
		return 0, err
	}
	// A link does not replace what somebody else has put there meanwhile.
	if err := os.Link(temp.Name(), path); err != nil {
		return size, os.Rename(temp.Name(), path)
	}
	return size, nil
}

// exportFolder unpacks the files that the server sends.
func exportFolder(dir string, fetch func(io.Writer) error) (size int64, err error) {
	temp, err := os.CreateTemp("", "parley-export-*")
	if err != nil {
		return 0, err
	}
	defer func() { _ = temp.Close(); _ = os.Remove(temp.Name()) }()
	if err := fetch(temp); err != nil {
		return 0, err
	}
	length, err := temp.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	z, err := zip.NewReader(temp, length)
	if err != nil {
		return 0, fmt.Errorf("the server sent no folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	known := slices.Concat(exchange.FolderFiles(exchange.Roo), exchange.FolderFiles(exchange.Yaar))
	for _, f := range z.File {
		if !slices.Contains(known, f.Name) {
			return size, fmt.Errorf("the server sent a file %q, which has no place in such a folder", f.Name)
		}
		n, err := writeNew(filepath.Join(dir, f.Name), func(w io.Writer) error {
			r, err := f.Open()
			if err != nil {
				return err
			}
			_, err = io.Copy(w, r)
			return errors.Join(err, r.Close())
		})
		if err != nil {
			return size, err
		}
		size += n
	}
	return size, nil
}
