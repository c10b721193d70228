package rest

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/gateway"
	"github.com/parley-dev/parley/protocol"
)

func (d *door) registerSessions() {
	register(d, call{
		method: http.MethodPost, path: "/sessions", id: "create-session", tag: "sessions",
		summary: "Make a session", status: http.StatusCreated,
		body: reflect.TypeFor[NewSession](), bodyOptional: true,
		doc: "Without session_id the server makes one up; with an Idempotency-Key it is the same one each time, " +
			"so that a call sent again finds the session that the first one made.",
		errors: []protocol.Code{protocol.CodeSessionInvalidState, protocol.CodeSessionExpired},
	}, d.createSession)
	register(d, call{
		method: http.MethodGet, path: "/sessions/{id}", id: "get-session", tag: "sessions",
		summary: "Get a session", doc: "The same as session_state.data on a WebSocket.",
	}, d.getSession)
	register(d, call{
		method: http.MethodPatch, path: "/sessions/{id}", id: "update-session", tag: "sessions",
		summary: "Change a session", doc: "The command update_session: what is not named stays as it was.",
		body: reflect.TypeFor[protocol.UpdateSession](),
	}, d.updateSession)
	register(d, call{
		method: http.MethodDelete, path: "/sessions/{id}", id: "delete-session", tag: "sessions",
		summary: "Delete a session", doc: "For good, with its history. Its id is not used again.", status: http.StatusNoContent,
	}, d.deleteSession)
}

// NewSession is what can be said about a session that is made.
type NewSession struct {
	SessionID   string               `json:"session_id,omitempty" maxLength:"64" pattern:"^[A-Za-z0-9._-]+$" doc:"An id of your own; the server makes one if there is none."`
	Title       string               `json:"title,omitempty" doc:"Made from the first message if there is none."`
	Workspace   string               `json:"workspace,omitempty" doc:"The folder that agents work in."`
	Model       string               `json:"model,omitempty" doc:"The server's default if there is none."`
	Pipeline    protocol.Pipeline    `json:"pipeline,omitempty" enum:"auto,direct,planned"`
	Mode        string               `json:"mode,omitempty"`
	AutoApprove []protocol.ToolClass `json:"auto_approve,omitempty" enum:"read,write,execute,browser,mcp" doc:"Kinds of tools that run without asking."`
	PlanReview  string               `json:"plan_review,omitempty" doc:"When a person has to look at a plan before it runs: always, never, or over:USD." example:"over:0.50"`
	// Settings are given on as they came: their own rules check them.
	Settings map[string]json.RawMessage `json:"settings,omitempty" doc:"Settings that hold for this session alone, by key: those of the scope session."`
}

type stateOutput struct{ Body State }

type createInput struct {
	Keyed
	RawBody []byte `contentType:"application/json"`
}

type createOutput struct {
	Location string `header:"Location"`
	Body     State
}

func (d *door) createSession(ctx context.Context, in *createInput) (*createOutput, error) {
	c := callerOf(ctx)
	body := in.RawBody
	if len(body) == 0 {
		body = []byte("{}")
	}
	s, err := d.newSession(in.IdempotencyKey, body)
	if err != nil {
		return nil, err
	}
	e := protocol.Envelope{Type: protocol.TypeSessionCreated, MessageID: in.IdempotencyKey, Data: body}
	if s.SessionID == "" && in.IdempotencyKey != "" {
		s.SessionID = derivedID(c, in.IdempotencyKey)
	}
	id, err := d.Gateway.Create(ctx, c, s.SessionID, s.record(), d.Gateway.Cause(c, e))
	if err != nil {
		return nil, err
	}
	state, err := d.Gateway.Engine.State(ctx, id)
	if err != nil {
		return nil, err
	}
	return &createOutput{Location: "/api/v1/sessions/" + id, Body: State(state)}, nil
}

// newSession reads what the session should be. What it has in common with
// update_session is checked by that command's rules.
func (d *door) newSession(key string, body []byte) (s NewSession, err error) {
	if _, _, err := d.decode(protocol.TypeUpdateSession, key, body, maxBody); err != nil {
		return s, err
	}
	err = json.Unmarshal(body, &s)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		field := "body." + kind.Field
		return s, protocol.Errorf(protocol.CodeInvalidMessage, "%s must be a string", field).With("field", field)
	}
	return s, err
}

func (s NewSession) record() protocol.SessionCreated {
	r := protocol.SessionCreated{
		Title: s.Title, Workspace: s.Workspace, Model: s.Model, Pipeline: s.Pipeline, Mode: s.Mode,
	}
	r.PlanReview, r.Settings = s.PlanReview, s.Settings
	for _, class := range s.AutoApprove {
		r.AutoApprove = append(r.AutoApprove, string(class))
	}
	return r
}

// derivedID is the id of the session that a caller's key stands for: the same
// one each time, and nobody else's.
func derivedID(c gateway.Caller, key string) string {
	sum := sha256.Sum256([]byte(c.User + "\x00" + c.ClientID + "\x00" + key))
	return protocol.SessionPrefix + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:26]
}

type sessionInput struct{ OfSession }

func (d *door) getSession(ctx context.Context, in *sessionInput) (*stateOutput, error) {
	state, err := d.state(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &stateOutput{Body: State(state)}, nil
}

// state gives a session that the caller may see.
func (d *door) state(ctx context.Context, id string) (protocol.SessionState, error) {
	if err := d.Gateway.Authorize(ctx, callerOf(ctx), auth.Read, id); err != nil {
		return protocol.SessionState{}, err
	}
	return d.Gateway.Engine.State(ctx, id)
}

type writeInput struct {
	OfSession
	Keyed
	RawBody []byte `contentType:"application/json"`
}

func (d *door) updateSession(ctx context.Context, in *writeInput) (*stateOutput, error) {
	if _, err := d.command(ctx, in.ID, protocol.TypeUpdateSession, in.IdempotencyKey, in.RawBody, maxBody); err != nil {
		return nil, err
	}
	return d.getSession(ctx, &sessionInput{in.OfSession})
}

func (d *door) deleteSession(ctx context.Context, in *sessionInput) (*struct{}, error) {
	return nil, d.Gateway.Delete(ctx, callerOf(ctx), in.ID)
}
