package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/exchange"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/protocol"
)

const (
	// maxImport is how long an imported file may be.
	maxImport = 1 << 30
	// importTime is how long a client may take to send it.
	importTime = 30 * time.Minute
	// importsMost is how many are read at a time: each holds a session in memory.
	importsMost = 2
)

func (d *door) registerExchange() {
	binary := &huma.Schema{Type: huma.TypeString, Format: "binary"}
	answer := map[string]*huma.MediaType{}
	for _, f := range exchange.Formats() {
		answer[f.MediaType] = &huma.MediaType{Schema: binary}
	}
	register(d, call{
		method: http.MethodGet, path: "/sessions/{id}/export", id: "export-session", tag: "journal",
		summary: "Write a session to a file",
		doc: "archive is one file with everything, for import elsewhere. jsonl holds the records, markdown is for people. " +
			"roo, yaar and store are the formats of other systems; the first two are folders and come as a zip.",
		answer: answer,
	}, d.exportSession)
	imports := make(chan struct{}, importsMost)
	c := call{
		method: http.MethodPost, path: "/import", id: "import-session", tag: "journal",
		summary: "Take in a session from a file", status: http.StatusCreated,
		doc: "The body is the file; a folder is sent as a tar or a zip. What cannot be read is left out and reported, except of an " +
			"archive, which is taken whole or not at all. The session belongs to the caller and rests. It keeps its id if that is free.",
		errors: []protocol.Code{protocol.CodeSessionInvalidState, protocol.CodeSessionExpired, protocol.CodeMessageTooLarge},
	}
	op := c.operation(d.schemas())
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/octet-stream": {Schema: binary}}}
	huma.Register(d.api, op, func(ctx context.Context, in *importInput) (*importOutput, error) {
		out, err := d.importSession(ctx, in, imports)
		if err != nil {
			d.logInner(ctx, c.id, err)
			return nil, problemOf(err)
		}
		return out, nil
	})
}

type exportInput struct {
	OfSession
	Format string `query:"format" default:"archive" maxLength:"40" doc:"archive, roo, yaar, store, markdown or jsonl."`
}

type exportOutput struct{ Body func(huma.Context) }

func (d *door) exportSession(ctx context.Context, in *exportInput) (*exportOutput, error) {
	spec, err := exchange.Lookup(in.Format)
	if err != nil {
		return nil, refusedFormat(err)
	}
	if err := d.Gateway.Authorize(ctx, callerOf(ctx), auth.Read, in.ID); err != nil {
		return nil, err
	}
	e := d.Gateway.Engine
	last, err := e.Last(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	s := exchange.Session{
		ID: in.ID, Last: last, Blob: d.Blobs.Get,
		Read: func(ctx context.Context, after uint64, limit int) ([]journal.Record, error) {
			return e.Frames(ctx, in.ID, after, limit)
		},
	}
	return &exportOutput{func(hc huma.Context) {
		r, w := humago.Unwrap(hc)
		w.Header().Set("Content-Type", spec.MediaType)
		w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s%s"`, in.ID, spec.Extension))
		control := http.NewResponseController(w)
		err := exchange.Export(r.Context(), paced{w, control}, spec.Format, s)
		_ = control.SetWriteDeadline(time.Time{}) // the connection may be used again
		if err != nil {
			d.brokenOff(r, w, "export-session", err)
		}
	}}, nil
}

// brokenOff ends an answer that failed: as a problem if nothing was sent yet,
// else so that it cannot be taken for a whole one.
func (d *door) brokenOff(r *http.Request, w http.ResponseWriter, call string, err error) {
	d.logInner(r.Context(), call, err)
	if sent, ok := w.(*response); ok && sent.status == 0 {
		w.Header().Del("Content-Disposition")
		writeProblem(w, err)
		return
	}
	panic(http.ErrAbortHandler)
}

// paced gives up on a client that does not read.
type paced struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (p paced) Write(b []byte) (int, error) {
	if err := p.control.SetWriteDeadline(time.Now().Add(writeTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	return p.ResponseWriter.Write(b)
}

type importInput struct {
	Format string `query:"format" required:"true" maxLength:"40" doc:"archive, roo, yaar, store or jsonl."`
	As     string `query:"as" maxLength:"64" doc:"The id that the session is to have; refused if it is taken. Without it the session keeps its own, or gets a new one."`
	body   io.Reader
}

// Resolve keeps the body as a stream: it is too long for memory.
func (i *importInput) Resolve(hc huma.Context) []error {
	r, w := humago.Unwrap(hc)
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(importTime)) // without one the client may take its time
	i.body = http.MaxBytesReader(w, r.Body, maxImport)
	return nil
}

// Imported says what came of an import.
type Imported struct {
	SessionID string           `json:"session_id"`
	Records   int              `json:"records" doc:"How many were stored."`
	Report    *exchange.Report `json:"report" doc:"What could not be taken as it was."`
}

type importOutput struct {
	Location string `header:"Location"`
	Body     Imported
}

func (d *door) importSession(ctx context.Context, in *importInput, slots chan struct{}) (*importOutput, error) {
	c := callerOf(ctx)
	spec, err := exchange.Lookup(in.Format)
	if err != nil {
		return nil, refusedFormat(err)
	}
	if err := d.Gateway.MayAdopt(c, in.As); err != nil {
		return nil, err
	}
	file, size, err := spool(in.body)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close(); _ = os.Remove(file.Name()) }()
	select { // once it is here: a slow sender keeps nobody waiting
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	read, err := exchange.Read(ctx, spec.Format, exchange.Source{ReaderAt: file, Size: size, Name: "file"}, exchange.Options{Now: d.Now()})
	if err != nil {
		return nil, refusedFormat(err)
	}
	id, err := d.Gateway.Adopt(ctx, c, in.As, read)
	if err != nil {
		return nil, err
	}
	last, err := d.Gateway.Engine.Last(ctx, id)
	if err != nil {
		return nil, err
	}
	return &importOutput{"/api/v1/sessions/" + id, Imported{id, int(last), read.Report}}, nil
}

// spool keeps a body on disk while it is read from several places.
func spool(body io.Reader) (file *os.File, size int64, err error) {
	file, err = os.CreateTemp("", "parley-import-*")
	if err != nil {
		return nil, 0, err
	}
	size, err = io.Copy(file, body)
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		err = protocol.Errorf(protocol.CodeMessageTooLarge, "the file has more than %d MiB", maxImport>>20).With("limit_bytes", int64(maxImport))
	case err != nil:
		err = protocol.Errorf(protocol.CodeConnectionFailed, "the file did not come to its end: %s", err)
	case size == 0:
		err = protocol.Errorf(protocol.CodeInvalidMessage, "the body is empty; send the file as the body").With("field", "body")
	}
	if err != nil {
		_ = file.Close()
		_ = os.Remove(file.Name())
		return nil, 0, err
	}
	return file, size, nil
}

// refusedFormat gives what is wrong with a file, or with the name of its
// format, as an error of the protocol.
func refusedFormat(err error) error {
	var r *exchange.Refusal
	if !errors.As(err, &r) {
		return err
	}
	e := protocol.Errorf(protocol.CodeInvalidMessage, "%s", r.Reason)
	if r.Report != nil && len(r.Report.Problems) > 0 {
		var lines []string
		for _, p := range r.Report.Problems[:min(len(r.Report.Problems), 20)] {
			lines = append(lines, p.String())
		}
		return e.With("problems", strings.Join(lines, "\n"))
	}
	return e
}
