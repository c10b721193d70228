package rest

import (
	"context"
	"net/http"
	"reflect"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/model"
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
		method: http.MethodPost, path: "/sessions/{id}/condense", id: "condense-session", tag: "history",
		summary: "Have the model sum up the past",
		doc:     "The command condense. The answer comes when the summary is written; what it covers stays in the journal, and going back to before it brings that back to the model. A failure leaves everything as it was.",
		body:    reflect.TypeFor[protocol.Condense](), bodyOptional: true, errors: moved,
	}, d.condense)
	register(d, call{
		method: http.MethodGet, path: "/sessions/{id}/history/model", id: "get-model-history", tag: "history",
		summary: "Read what the model is told", doc: "The newest messages of an agent's model history, oldest first, with what it is told no more: hidden_by names the summary or the truncation that took its place.",
	}, d.modelHistory)
	register(d, call{
		method: http.MethodPost, path: "/sessions/{id}/fork", id: "fork-session", tag: "history",
		summary: "Make a session of the beginning of this one",
		doc:     "The command fork: up to and with the record that at names, or up to where the session is. The new session is the caller's; deleting either harms neither.",
		body:    reflect.TypeFor[protocol.Fork](), bodyOptional: true, status: http.StatusCreated, errors: moved,
	}, d.forkSession)
}

type rewoundOutput struct{ Body protocol.RewindResult }

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
	told, _ := r.Answer.(protocol.RewindResult)
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
		Items []protocol.Branch `json:"items"`
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

type condensedOutput struct{ Body protocol.Condensation }

func (d *door) condense(ctx context.Context, in *writeInput) (*condensedOutput, error) {
	r, err := d.command(ctx, in.ID, protocol.TypeCondense, in.IdempotencyKey, orEmpty(in.RawBody), maxBody)
	if err != nil {
		return nil, err
	}
	begun, err := d.Gateway.Engine.Said(ctx, in.ID, r.First)
	if err != nil {
		return nil, err
	}
	var last protocol.Message
	err = d.Gateway.Engine.Await(ctx, in.ID, r.First, func(r protocol.Record) bool {
		m, ok := r.Data.(*protocol.MessageRecord)
		if ok && m.Message.Ts == begun.Message.Ts {
			last = m.Message
		}
		return last.Ts != 0
	})
	if err != nil {
		return nil, err
	}
	c := last.ContextCondense
	if c == nil {
		return nil, protocol.Errorf(protocol.CodeSessionInvalidState, "the history was not condensed and is as it was: %s", last.Text)
	}
	return &condensedOutput{protocol.Condensation{
		CondenseID: c.CondenseID, PrevContextTokens: c.PrevContextTokens, NewContextTokens: c.NewContextTokens, Summary: c.Summary,
	}}, nil
}

// ModelMessage is a message of a model's history.
type ModelMessage struct {
	model.Message
	MessageID string `json:"message_id" doc:"The record that brought it."`
	HiddenBy  string `json:"hidden_by,omitempty" doc:"The summary or the truncation that took its place."`

	CondenseID         string `json:"condense_id,omitempty" doc:"It is this summary."`
	IsSummary          bool   `json:"is_summary,omitempty"`
	TruncationID       string `json:"truncation_id,omitempty" doc:"It marks this truncation."`
	IsTruncationMarker bool   `json:"is_truncation_marker,omitempty"`
	Tokens             int64  `json:"tokens" doc:"How long it is, estimated."`
}

type modelHistoryInput struct {
	OfSession
	Agent string `query:"agent" maxLength:"200" doc:"Whose; the main agent's if left out."`
	Limit int    `query:"limit" minimum:"1" maximum:"1000" default:"500"`
}

type modelHistoryOutput struct {
	Body struct {
		Items []ModelMessage `json:"items"`
	} `nameHint:"ModelHistory"`
}

// modelRecords is how far back the model history is read.
const modelRecords = 50_000

func (d *door) modelHistory(ctx context.Context, in *modelHistoryInput) (*modelHistoryOutput, error) {
	if err := d.Gateway.Authorize(ctx, callerOf(ctx), auth.Read, in.ID); err != nil {
		return nil, err
	}
	records, err := d.Gateway.Engine.Visible(ctx, in.ID, modelRecords)
	if err != nil {
		return nil, err
	}
	agent := in.Agent
	if agent == "" {
		agent = protocol.MainAgent(protocol.DefaultMonitor)
	}
	told := history.Tell(records, agent)
	var out modelHistoryOutput
	out.Body.Items = []ModelMessage{}
	for _, m := range told[max(0, len(told)-in.Limit):] {
		out.Body.Items = append(out.Body.Items, ModelMessage{
			Message: m.Message, MessageID: protocol.MessageID(m.Seq), HiddenBy: m.HiddenBy,
			CondenseID: m.CondenseID, IsSummary: m.CondenseID != "", TruncationID: m.TruncationID, IsTruncationMarker: m.TruncationID != "",
			Tokens: model.EstimateMessage(m.Message),
		})
	}
	return &out, nil
}
