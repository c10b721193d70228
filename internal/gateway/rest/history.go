package rest

import (
	"context"
	"net/http"
	"reflect"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/protocol"
)

func (d *door) registerHistory() {
	moved := []protocol.Code{protocol.CodeSessionInvalidState}
	register(d, call{
		method: http.MethodPost, path: "/sessions/{id}/rewind", id: "rewind-session", tag: "history",
		summary: "Go back to an earlier moment",
		doc: "The command rewind. Name a record by its id (to), or a visible message by its ts or its index. The target goes too, unless include_target. " +
			"What runs is cancelled; then the session rests. Nothing is removed: see undo and branches. With preview nothing happens.",
		body: reflect.TypeFor[protocol.Rewind](), errors: moved,
	}, d.rewind)
	register(d, call{
		method: http.MethodPost, path: "/sessions/{id}/rewind/undo", id: "undo-rewind", tag: "history",
		summary: "Take a rewind back", doc: "The command rewind_undo: of the rewind that is named, or of the latest. It can be taken back in turn.",
		body: reflect.TypeFor[protocol.RewindUndo](), bodyOptional: true, errors: moved,
	}, d.undoRewind)
	register(d, call{
		method: http.MethodGet, path: "/sessions/{id}/branches", id: "list-branches", tag: "history",
		summary: "List all ways the session has gone", doc: "Rewind to a branch's head, with include_target, to go on there.",
	}, d.listBranches)
	register(d, call{
		method: http.MethodPost, path: "/sessions/{id}/fork", id: "fork-session", tag: "history",
		summary: "Make a session of the beginning of this one",
		doc:     "The command fork: up to and with the record that at names, or up to where the session is. The new session is the caller's; deleting either harms neither.",
		body:    reflect.TypeFor[protocol.Fork](), bodyOptional: true, status: http.StatusCreated, errors: moved,
	}, d.forkSession)
}

type rewoundOutput struct{ Body engine.Rewinding }

func (d *door) rewind(ctx context.Context, in *writeInput) (*rewoundOutput, error) {
	return d.rewound(ctx, in, protocol.TypeRewind)
}

func (d *door) undoRewind(ctx context.Context, in *writeInput) (*rewoundOutput, error) {
	return d.rewound(ctx, in, protocol.TypeRewindUndo)
}

func (d *door) rewound(ctx context.Context, in *writeInput, t protocol.Type) (*rewoundOutput, error) {
	r, err := d.command(ctx, in.ID, t, in.IdempotencyKey, orEmpty(in.RawBody), maxBody)
	if err != nil {
		return nil, err
	}
	told, _ := r.Answer.(engine.Rewinding)
	return &rewoundOutput{told}, nil
}

// orEmpty lets a body that may be left out be left out.
func orEmpty(body []byte) []byte {
	if len(body) == 0 {
		return []byte("{}")
	}
	return body
}

type branchesOutput struct {
	Body struct {
		Items []engine.Branch `json:"items"`
	} `nameHint:"BranchList"`
}

func (d *door) listBranches(ctx context.Context, in *sessionInput) (*branchesOutput, error) {
	if err := d.Gateway.Authorize(ctx, callerOf(ctx), auth.Read, in.ID); err != nil {
		return nil, err
	}
	var out branchesOutput
	var err error
	out.Body.Items, err = d.Gateway.Engine.Branches(ctx, in.ID)
	return &out, err
}

type forkOutput struct{ Body protocol.SessionState }

func (d *door) forkSession(ctx context.Context, in *writeInput) (*forkOutput, error) {
	r, err := d.command(ctx, in.ID, protocol.TypeFork, in.IdempotencyKey, orEmpty(in.RawBody), maxBody)
	if err != nil {
		return nil, err
	}
	state, _ := r.Answer.(protocol.SessionState)
	return &forkOutput{state}, nil
}
