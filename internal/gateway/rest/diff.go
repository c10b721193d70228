package rest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/workspace"
	"github.com/parley-dev/parley/protocol"
)

// What one diff holds that is not a stream.
const (
	diffFiles = 500
	diffBytes = 8 << 20
)

func (d *door) registerDiff() {
	text := &huma.Schema{Type: huma.TypeString}
	register(d, call{
		method: http.MethodGet, path: "/sessions/{id}/checkpoints/diff", id: "diff-checkpoints", tag: "files",
		summary: "Compare two checkpoints",
		doc: "From one checkpoint to another, or to the files as they are now if to is left out. With of, what the tool of that checkpoint changed. " +
			"json has at most 500 files or 8 MiB, and more if there is more; jsonl has one file in each line and patch is a unified diff, both " +
			"of any length.",
		answer: map[string]*huma.MediaType{
			"application/json":     {Schema: d.schemas().Schema(reflect.TypeFor[FileDiffList](), true, "FileDiffList")},
			"application/x-ndjson": {Schema: text}, "text/x-diff": {Schema: text},
		},
	}, d.diffCheckpoints)
}

// FileDiff is how a file differs between two moments.
type FileDiff struct {
	Path       string  `json:"path"`
	OldPath    string  `json:"old_path,omitempty" doc:"Of a file that was renamed."`
	Change     string  `json:"change" enum:"added,modified,deleted,renamed,type"`
	Before     *string `json:"before,omitempty"`
	After      *string `json:"after,omitempty"`
	Patch      string  `json:"patch"`
	Binary     bool    `json:"binary,omitempty"`
	TooLarge   bool    `json:"too_large,omitempty"`
	ModeBefore string  `json:"mode_before,omitempty" doc:"What kind of file it was, as git has it: 100644, 100755 if it can be run, 120000 for a symbolic link."`
	ModeAfter  string  `json:"mode_after,omitempty" doc:"What kind of file it is."`
}

func fileDiff(f workspace.FileDiff) FileDiff {
	return FileDiff{
		Path: valid(f.Path), OldPath: valid(f.OldPath), Change: string(f.Change), Before: f.Before, After: f.After,
		Patch: f.Patch, Binary: f.Binary, TooLarge: f.TooLarge, ModeBefore: f.BeforeMode, ModeAfter: f.AfterMode,
	}
}

// valid is a file's name as JSON can hold it.
func valid(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }

// FileDiffList is as much of a diff as one answer holds.
type FileDiffList struct {
	Items []FileDiff `json:"items"`
	More  bool       `json:"more,omitempty" doc:"There are more files than are listed."`
}

type diffInput struct {
	OfSession
	From   string `query:"from" maxLength:"40" doc:"A checkpoint's id."`
	To     string `query:"to" maxLength:"40" doc:"A checkpoint's id; the files as they are now if left out."`
	Of     string `query:"of" maxLength:"40" doc:"A checkpoint's id: what the tool before it changed."`
	Format string `query:"format" enum:"json,jsonl,patch" default:"json"`
}

type diffOutput struct{ Body func(huma.Context) }

// eachDiff gives the files of a diff one after the other.
type eachDiff func(ctx context.Context, yield func(workspace.FileDiff) error) error

func (d *door) diffCheckpoints(ctx context.Context, in *diffInput) (*diffOutput, error) {
	each, err := d.compare(ctx, in)
	if err != nil {
		return nil, err
	}
	return &diffOutput{func(hc huma.Context) {
		r, w := humago.Unwrap(hc)
		control := http.NewResponseController(w)
		out := paced{w, control}
		var err error
		switch in.Format {
		case "jsonl":
			w.Header().Set("Content-Type", "application/x-ndjson")
			lines := json.NewEncoder(out)
			err = each(r.Context(), func(f workspace.FileDiff) error { return lines.Encode(fileDiff(f)) })
		case "patch":
			w.Header().Set("Content-Type", "text/x-diff; charset=utf-8")
			err = each(r.Context(), func(f workspace.FileDiff) error {
				_, err := io.WriteString(out, f.Unified())
				return err
			})
		default:
			w.Header().Set("Content-Type", "application/json")
			var list FileDiffList
			if list, err = bounded(r.Context(), each); err == nil {
				err = json.NewEncoder(out).Encode(list)
			}
		}
		_ = control.SetWriteDeadline(time.Time{}) // the connection may be used again
		if errors.Is(err, workspace.ErrUnknown) {
			err = protocol.Errorf(protocol.CodeInvalidMessage, "a checkpoint is not kept any more: %s", err)
		}
		if err != nil {
			d.brokenOff(r, w, "diff-checkpoints", err)
		}
	}}, nil
}

var errEnough = errors.New("enough")

// bounded gives as much of a diff as one answer holds.
func bounded(ctx context.Context, each eachDiff) (FileDiffList, error) {
	list, size := FileDiffList{Items: []FileDiff{}}, 0
	err := each(ctx, func(f workspace.FileDiff) error {
		size += len(f.Patch)
		for _, text := range []*string{f.Before, f.After} {
			if text != nil {
				size += len(*text)
			}
		}
		if list.More = len(list.Items) == diffFiles || size > diffBytes && len(list.Items) > 0; list.More {
			return errEnough
		}
		list.Items = append(list.Items, fileDiff(f))
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return list, err
}

// compare finds what is to be compared.
func (d *door) compare(ctx context.Context, in *diffInput) (eachDiff, error) {
	if err := d.Gateway.Authorize(ctx, callerOf(ctx), auth.Read, in.ID); err != nil {
		return nil, err
	}
	state, err := d.Gateway.Engine.State(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if d.Files == nil || state.Workspace == "" {
		return nil, protocol.Errorf(protocol.CodeSessionInvalidState, "this session has no workspace with checkpoints")
	}
	step, err := d.ends(ctx, in)
	if err != nil {
		return nil, err
	}
	w, err := d.Files.Of(ctx, state.Workspace)
	if err != nil {
		return nil, protocol.Errorf(protocol.CodeSessionInvalidState, "%s", err)
	}
	return func(ctx context.Context, yield func(workspace.FileDiff) error) error {
		if step.Before == step.After { // before the first there is nothing
			return nil
		}
		return w.EachDiff(ctx, step.Before, step.After, func(f workspace.FileDiff) error {
			if !step.Covers(f.Path) {
				return nil
			}
			return yield(f)
		})
	}, nil
}

// ends gives what a diff compares.
func (d *door) ends(ctx context.Context, in *diffInput) (workspace.Step, error) {
	if in.Of != "" {
		c, err := d.checkpoint(ctx, in.ID, in.Of)
		if c.FromHash == "" { // the first
			c.FromHash = c.Hash
		}
		return workspace.Step{Before: c.FromHash, After: c.Hash, Paths: c.Paths}, err
	}
	a, err := d.checkpoint(ctx, in.ID, in.From)
	if err != nil || in.To == "" {
		return workspace.Step{Before: a.Hash}, err
	}
	b, err := d.checkpoint(ctx, in.ID, in.To)
	return workspace.Step{Before: a.Hash, After: b.Hash}, err
}
