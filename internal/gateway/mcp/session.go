package mcp

import (
	"context"
	"encoding/json"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/index"
	"github.com/parley-dev/parley/protocol"
)

type startInput struct {
	Title     string            `json:"title,omitempty" jsonschema:"What the session is about; made from the first message if it is left out."`
	Workspace string            `json:"workspace,omitempty" jsonschema:"The folder on the server's machine that the agent works in, an absolute path; the server's own if it is left out."`
	Model     string            `json:"model,omitempty" jsonschema:"The model; the server's default if it is left out."`
	Pipeline  protocol.Pipeline `json:"pipeline,omitempty" jsonschema:"How the agent works: auto (the default), direct (no plan) or planned."`
	Mode      string            `json:"mode,omitempty" jsonschema:"A mode that the server's settings define."`
}

func (d *door) start(ctx context.Context, _ *sdk.CallToolRequest, in startInput) (any, error) {
	if _, _, err := d.decode(protocol.TypeUpdateSession, in); err != nil {
		return nil, err
	}
	id, err := d.Gateway.Create(ctx, visitorOf(ctx).Caller, "", protocol.SessionCreated{
		Title: in.Title, Workspace: in.Workspace, Model: in.Model, Pipeline: in.Pipeline, Mode: in.Mode,
	}, nil)
	if err != nil {
		return nil, err
	}
	state, err := d.Gateway.Engine.State(ctx, id)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"session_id": id, "status": state.Status, "title": state.Title, "model": state.Model,
		"pipeline": state.Pipeline, "mode": state.Mode, "workspace": state.Workspace,
	}, nil
}

type ofSession struct {
	SessionID string `json:"session_id" jsonschema:"The session's id."`
}

type answerInput struct {
	ofSession
	RequestID   string            `json:"request_id" jsonschema:"The request's id."`
	Action      string            `json:"action,omitempty" jsonschema:"For a plan review or an approval."`
	Value       any               `json:"value,omitempty" jsonschema:"For an input or a clarification."`
	Instruction string            `json:"instruction,omitempty" jsonschema:"What to change in a plan, with action modify."`
	Comment     string            `json:"comment,omitempty" jsonschema:"A remark for the record."`
	Reason      string            `json:"reason,omitempty" jsonschema:"Why something is refused."`
	Remember    protocol.Remember `json:"remember,omitempty" jsonschema:"How long an approval holds: once, session, always or never."`
}

// answers never changes: the command that answers each kind of request.
var answers = map[protocol.Type]protocol.Type{
	protocol.TypeHitlPlanReview:      protocol.TypeHitlPlanResponse,
	protocol.TypeHitlApprovalRequest: protocol.TypeHitlApprovalResponse,
	protocol.TypeHitlInputRequest:    protocol.TypeHitlInputResponse,
	protocol.TypeHitlClarification:   protocol.TypeHitlClarificationResponse,
}

func (d *door) answer(ctx context.Context, _ *sdk.CallToolRequest, in answerInput) (any, error) {
	state, err := d.state(ctx, in.SessionID)
	if err != nil {
		return nil, err
	}
	command := protocol.TypeHitlInputResponse // of a request that is closed: the session says so
	for _, r := range state.HitlRequests {
		if r.RequestID == in.RequestID {
			command = answers[r.Type]
		}
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	var body map[string]any
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil, err
	}
	delete(body, "session_id")
	if body["value"] == nil && (command == protocol.TypeHitlInputResponse || command == protocol.TypeHitlClarificationResponse) {
		body["value"] = nil // the field must be there
	}
	if _, err := d.command(ctx, in.SessionID, command, body); err != nil {
		return nil, err
	}
	return map[string]any{"session_id": in.SessionID, "request_id": in.RequestID, "answered": true}, nil
}

type cancelInput struct {
	ofSession
	Reason string `json:"reason,omitempty" jsonschema:"Why, for the record."`
}

func (d *door) cancel(ctx context.Context, _ *sdk.CallToolRequest, in cancelInput) (any, error) {
	if _, err := d.command(ctx, in.SessionID, protocol.TypeControlCancel, protocol.ControlCancel{Reason: in.Reason}); err != nil {
		return nil, err
	}
	state, err := d.state(ctx, in.SessionID)
	if err != nil {
		return nil, err
	}
	return map[string]any{"session_id": in.SessionID, "status": state.Status}, nil
}

type listInput struct {
	Q      string          `json:"q,omitempty" jsonschema:"A part of the title or of the id."`
	Status protocol.Status `json:"status,omitempty" jsonschema:"idle, executing, waiting, paused, completed, failed or cancelled."`
	Limit  int             `json:"limit,omitempty" jsonschema:"How many, at most 200; 50 if it is left out."`
	Cursor string          `json:"cursor,omitempty" jsonschema:"next_cursor of the page before."`
}

func (d *door) list(ctx context.Context, _ *sdk.CallToolRequest, in listInput) (any, error) {
	c := visitorOf(ctx).Caller
	if err := auth.Allow(c.Identity, auth.List, "", ""); err != nil {
		return nil, err
	}
	if in.Status != "" && !slices.Contains(protocol.Statuses(), in.Status) {
		return nil, protocol.Errorf(protocol.CodeInvalidMessage, "there is no status %q; there are: %v", in.Status, protocol.Statuses())
	}
	if in.Limit < 0 || in.Limit > 200 {
		return nil, protocol.Errorf(protocol.CodeInvalidMessage, "limit must be from 1 to 200, not %d", in.Limit)
	}
	q := index.Query{Q: in.Q, Status: in.Status, Limit: in.Limit, Cursor: in.Cursor}
	may := c.Scope()
	if !may.All {
		if len(may.Owners) == 0 {
			return map[string]any{"items": []index.Item{}}, nil
		}
		q.Owners, q.OrSessions = may.Owners, may.Sessions
	}
	page, err := d.Index.List(ctx, q)
	if err != nil {
		return nil, err
	}
	return map[string]any{"items": page.Items, "next_cursor": page.NextCursor, "incomplete": page.Incomplete}, nil
}

// state gives a session that the caller may see.
func (d *door) state(ctx context.Context, id string) (protocol.SessionState, error) {
	if err := d.Gateway.Authorize(ctx, visitorOf(ctx).Caller, auth.Read, id); err != nil {
		return protocol.SessionState{}, err
	}
	return d.Gateway.Engine.State(ctx, id)
}
