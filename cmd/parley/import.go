package main

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley/internal/exchange"
	"github.com/parley-dev/parley/protocol"
)

func newImport(p *program) *cobra.Command {
	var format, as string
	cmd := &cobra.Command{
		Use:   "import PATH",
		Short: "Take in a session from a file or folder",
		Long: `Take in a session that was exported, here or by another system. PATH is a file, a
folder (roo, yaar), or - for standard input. What cannot be read is left out and
reported; an archive is taken whole or not at all. The session keeps its id if
that is free.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format == "" {
				format = string(guess(args[0]))
			}
			if format == "" {
				return errors.New("say with --format what it is: archive, roo, yaar, store or jsonl")
			}
			spec, err := exchange.Lookup(format)
			if err != nil {
				return err
			}
			return p.importFrom(cmd.Context(), args[0], spec, as)
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "archive, roo, yaar, store or jsonl (default: what it looks like)")
	cmd.Flags().StringVar(&as, "as", "", "the id that the session is to have; refused if it is taken")
	return cmd
}

// imported is what the server answers, and what --json prints.
type imported struct {
	SessionID string          `json:"session_id"`
	Records   int             `json:"records"`
	Report    exchange.Report `json:"report"`
}

func (p *program) importFrom(ctx context.Context, from string, spec exchange.Spec, as string) error {
	body, err := p.openImport(from, spec)
	if err != nil {
		return err
	}
	defer body.Close()
	c, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	query := url.Values{"format": {string(spec.Format)}}
	if as != "" {
		query.Set("as", as)
	}
	var r imported
	if err := c.Call(ctx, http.MethodPost, "/api/v1/import?"+query.Encode(), body, &r); err != nil {
		return whyRefused(err)
	}
	if p.json {
		return p.printJSON(r)
	}
	for _, problem := range r.Report.Problems {
		fmt.Fprintln(p.err, problem)
	}
	if r.Report.More > 0 {
		fmt.Fprintf(p.err, "and %d more\n", r.Report.More)
	}
	fmt.Fprintf(p.out, "imported %s: %d records\n", r.SessionID, r.Records)
	return nil
}

// whyRefused adds to a refusal what the server found place by place.
func whyRefused(err error) error {
	var e *protocol.Error
	if !errors.As(err, &e) {
		return err
	}
	if problems, ok := e.Context["problems"].(string); ok && !strings.Contains(e.Message, problems) {
		return fmt.Errorf("%w\n%s", err, problems)
	}
	return err
}

// openImport gives what is sent to the server: a file as it is, a folder packed.
func (p *program) openImport(from string, spec exchange.Spec) (io.ReadCloser, error) {
	if from == "-" {
		return io.NopCloser(p.in), nil
	}
	info, err := os.Stat(from)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return os.Open(from)
	}
	if !spec.Folder {
		return nil, fmt.Errorf("%s is a folder, and a session in the format %s is one file", from, spec.Format)
	}
	return packFolder(from, spec)
}

// packFolder sends the files of a folder that the format knows, and no others.
// A link that leads out of the folder is not followed.
func packFolder(dir string, spec exchange.Spec) (io.ReadCloser, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	name := filepath.Base(absolute)
	if protocol.CheckSessionID(name) != nil {
		name = "folder"
	}
	r, w := io.Pipe()
	go func() {
		err := packInto(w, root, name, exchange.FolderFiles(spec.Format))
		w.CloseWithError(errors.Join(err, root.Close()))
	}()
	return r, nil
}

func packInto(w io.Writer, root *os.Root, name string, files []string) error {
	out := tar.NewWriter(w)
	for _, file := range files {
		if err := packFile(out, root, path.Join(name, file), file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return out.Close()
}

func packFile(out *tar.Writer, root *os.Root, as, file string) error {
	f, err := root.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a plain file", file)
	}
	if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: as, Size: info.Size(), Mode: 0o600}); err != nil {
		return err
	}
	_, err = io.CopyN(out, f, info.Size())
	return err
}

// guess tells a format by how things are called; empty if that says nothing.
func guess(path string) exchange.Format {
	for file, format := range map[string]exchange.Format{
		"ui_messages.json": exchange.Roo, "api_conversation_history.json": exchange.Roo, "messages.jsonl": exchange.Yaar,
	} {
		if _, err := os.Stat(filepath.Join(path, file)); err == nil {
			return format
		}
	}
	return map[string]exchange.Format{
		".parley": exchange.Archive, ".tar": exchange.Archive, ".jsonl": exchange.JSONL, ".json": exchange.Store,
	}[filepath.Ext(path)]
}
