package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/parley-dev/parley/protocol"
)

func (d *door) registerPeople() {
	register(d, call{
		method: http.MethodGet, path: "/sessions/{id}/requests", id: "list-requests", tag: "people",
		summary: "List open requests", doc: "What a person is asked for, the oldest first.",
	}, d.listRequests)
	register(d, call{
		method: http.MethodGet, path: "/sessions/{id}/plan", id: "get-plan", tag: "people",
		summary: "Get the plan", doc: "With its todos. 404 if the session has none.",
	}, d.getPlan)
	register(d, call{
		method: http.MethodPost, path: "/sessions/{id}/control", id: "control-session", tag: "people",
		summary: "Steer the work", doc: "The command control_pause, control_resume, control_cancel, control_retry or control_skip.",
		body: reflect.TypeFor[Control](), errors: []protocol.Code{protocol.CodeSessionInvalidState},
	}, d.control)
}

type requestsOutput struct {
	Body struct {
		Items []protocol.Request `json:"items"`
	} `nameHint:"RequestList"`
}

func (d *door) listRequests(ctx context.Context, in *sessionInput) (*requestsOutput, error) {
	state, err := d.state(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	var out requestsOutput
	out.Body.Items = append([]protocol.Request{}, state.HitlRequests...)
	return &out, nil
}

// Plan is a session's plan with its todos.
type Plan struct {
	protocol.PlanState
	Todos []protocol.Todo `json:"todos"`
}

type planOutput struct{ Body Plan }

func (d *door) getPlan(ctx context.Context, in *sessionInput) (*planOutput, error) {
	state, err := d.state(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if state.Plan == nil {
		return nil, problemOf(protocol.Errorf(protocol.CodeSessionInvalidState, "this session has no plan; one is made when an agent plans its work")).
			as(http.StatusNotFound)
	}
	return &planOutput{Plan{*state.Plan, append([]protocol.Todo{}, state.Todos...)}}, nil
}

// Control is what can be asked of running work.
type Control struct {
	Action        string                `json:"action" enum:"pause,resume,cancel,retry,skip"`
	TodoID        string                `json:"todo_id,omitempty" doc:"For retry and skip."`
	Reason        string                `json:"reason,omitempty" doc:"For pause, cancel and skip."`
	Modifications []protocol.PlanChange `json:"modifications,omitempty" doc:"For resume: changes to the plan."`
}

// Done says which record a command gave.
type Done struct {
	MessageID string `json:"message_id,omitempty" doc:"The first record; none if nothing had to change."`
}

type doneOutput struct{ Body Done }

// controls never changes: the command of each action.
var controls = map[string]protocol.Type{
	"pause":  protocol.TypeControlPause,
	"resume": protocol.TypeControlResume,
	"cancel": protocol.TypeControlCancel,
	"retry":  protocol.TypeControlRetry,
	"skip":   protocol.TypeControlSkip,
}

func (d *door) control(ctx context.Context, in *writeInput) (*doneOutput, error) {
	if err := checkObject(in.RawBody); err != nil {
		return nil, err
	}
	var c struct{ Action any }
	_ = json.Unmarshal(in.RawBody, &c) // it is an object
	action, _ := c.Action.(string)
	command, ok := controls[action]
	if !ok {
		return nil, protocol.Errorf(protocol.CodeInvalidMessage, "body.action must be one of pause, resume, cancel, retry and skip").
			With("field", "body.action")
	}
	// The command passes over the field action, which it does not know.
	r, err := d.command(ctx, in.ID, command, in.IdempotencyKey, in.RawBody, maxBody)
	if err != nil {
		return nil, err
	}
	var out doneOutput
	if r.First > 0 {
		out.Body.MessageID = protocol.MessageID(r.First)
	}
	return &out, nil
}
