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
		method: http.MethodPatch, path: "/sessions/{id}/plan", id: "edit-plan", tag: "people",
		summary: "Change the plan", doc: "The command plan_edit: add, remove or update todos that have not begun.",
		body: reflect.TypeFor[protocol.PlanEdit](), errors: []protocol.Code{protocol.CodeSessionInvalidState},
	}, d.editPlan)
	register(d, call{
		method: http.MethodPost, path: "/sessions/{id}/requests/{rid}", id: "answer-request", tag: "people",
		summary: "Answer a request",
		doc:     "The body is the data of the answer that the request's type takes, without request_id: action for a plan review or an approval, value for an input or a clarification.",
		body:    reflect.TypeFor[Answer](), errors: []protocol.Code{protocol.CodeInvalidResponse, protocol.CodeRequestExpired},
	}, d.answer)
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

func (d *door) editPlan(ctx context.Context, in *writeInput) (*doneOutput, error) {
	return d.done(ctx, in.ID, protocol.TypePlanEdit, in.IdempotencyKey, in.RawBody)
}

// Answer is what a person says to a request.
type Answer struct {
	Action      string            `json:"action,omitempty" doc:"For a plan review: approve, modify, reject. For an approval: approve, skip, reject."`
	Instruction string            `json:"instruction,omitempty" doc:"What to change, with action modify."`
	Value       any               `json:"value,omitempty" doc:"For an input or a clarification."`
	Comment     string            `json:"comment,omitempty"`
	Reason      string            `json:"reason,omitempty"`
	Remember    protocol.Remember `json:"remember,omitempty" doc:"How long an approval holds: once, session, always, never."`
}

type answerInput struct {
	OfSession
	Keyed
	Request string `path:"rid" maxLength:"64" doc:"The request's id." example:"hitl_0000000042"`
	RawBody []byte `contentType:"application/json"`
}

// answers never changes: the command that answers each kind of request.
var answers = map[protocol.Type]protocol.Type{
	protocol.TypeHitlPlanReview:      protocol.TypeHitlPlanResponse,
	protocol.TypeHitlApprovalRequest: protocol.TypeHitlApprovalResponse,
	protocol.TypeHitlInputRequest:    protocol.TypeHitlInputResponse,
	protocol.TypeHitlClarification:   protocol.TypeHitlClarificationResponse,
}

func (d *door) answer(ctx context.Context, in *answerInput) (*doneOutput, error) {
	if err := checkObject(in.RawBody); err != nil {
		return nil, err
	}
	state, err := d.state(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	command := protocol.TypeHitlInputResponse // of a request that is closed: the session says so
	for _, r := range state.HitlRequests {
		if r.RequestID == in.Request {
			command = answers[r.Type]
		}
	}
	var body map[string]json.RawMessage
	_ = json.Unmarshal(in.RawBody, &body) // it is an object
	if body["request_id"], err = json.Marshal(in.Request); err != nil {
		return nil, err
	}
	if command == protocol.TypeHitlInputResponse && body["value"] == nil {
		body["value"] = json.RawMessage(`null`)
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return d.done(ctx, in.ID, command, in.IdempotencyKey, raw)
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
	return d.done(ctx, in.ID, command, in.IdempotencyKey, in.RawBody)
}

// done gives a call to its session, and says which record came of it.
func (d *door) done(ctx context.Context, id string, t protocol.Type, key string, body []byte) (*doneOutput, error) {
	r, err := d.command(ctx, id, t, key, body, maxBody)
	if err != nil {
		return nil, err
	}
	var out doneOutput
	if r.First > 0 {
		out.Body.MessageID = protocol.MessageID(r.First)
	}
	return &out, nil
}
