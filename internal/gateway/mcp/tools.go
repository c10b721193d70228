package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/protocol"
)

// addTools is the table of what an agent can do.
func (d *door) addTools(s *sdk.Server) {
	read := &sdk.ToolAnnotations{ReadOnlyHint: true}
	add(d, s, true, &sdk.Tool{
		Name: "parley_start_session", Title: "Start a session",
		Description: "Makes a session and gives its session_id. The agent in it does nothing until parley_send.",
	}, d.start)
	add(d, s, true, &sdk.Tool{
		Name: "parley_send", Title: "Say something in a session",
		Description: "Gives the session's agent a message. While it works, the message is heard at its next step. With wait, the answer is what parley_wait gives.",
	}, d.send)
	add(d, s, false, &sdk.Tool{
		Name: "parley_wait", Title: "Wait for a session", Annotations: read,
		Description: "Waits until the session's agent has ended its turn or asks for something, and gives its status, what the agent said (text), " +
			"and the open requests. With timed_out true the agent still works: wait again.",
	}, d.waitFor)
	add(d, s, true, &sdk.Tool{
		Name: "parley_answer", Title: "Answer a request",
		Description: "Answers an open request. hitl_plan_review: action approve, reject, or modify with instruction. " +
			"hitl_approval_request: action approve, skip or reject; remember once, session, always or never. " +
			"hitl_input_request and hitl_clarification: value, of the request's input_type.",
	}, d.answer)
	add(d, s, false, &sdk.Tool{
		Name: "parley_read", Title: "Read a session", Annotations: read,
		Description: "Gives what was said and done in a session in short, the oldest first: texts, tool calls with inputs and outputs cut, errors, results. Without offset the newest.",
	}, d.read)
	add(d, s, false, &sdk.Tool{
		Name: "parley_list", Title: "List sessions", Annotations: read,
		Description: "Lists the sessions that you may see, the last changed first.",
	}, d.list)
	add(d, s, true, &sdk.Tool{
		Name: "parley_cancel", Title: "Stop a session's work",
		Annotations: &sdk.ToolAnnotations{IdempotentHint: true},
		Description: "Cancels what the session's agent is doing. The session stays and takes new messages.",
	}, d.cancel)
}

// add registers a tool: its input is checked against its type, its writes are
// counted, its errors are told in the protocol's words, and it ends with the
// request that called it.
func add[In any](d *door, s *sdk.Server, writes bool, t *sdk.Tool, do func(context.Context, *sdk.CallToolRequest, In) (any, error)) {
	sdk.AddTool(s, t, func(ctx context.Context, r *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
		v := visitorOf(ctx)
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(v.request, cancel)()
		if writes {
			if err := d.writes.Answer(v.User); err != nil {
				return nil, nil, protocol.Errorf(protocol.CodeRateLimited, "too many calls that change something: %d a minute are allowed; try again in %v ms",
					d.WritesPerMinute, protocol.AsError(err).Context["retry_after_ms"])
			}
		}
		out, err := do(ctx, r, in)
		if err != nil {
			return nil, nil, d.told(ctx, t.Name, err)
		}
		return nil, out, nil
	})
}

// told is an error as the agent reads it. What is no error of the protocol is
// logged and not shown.
func (d *door) told(ctx context.Context, tool string, err error) error {
	var e *protocol.Error
	if !errors.As(err, &e) {
		if ctx.Err() == nil {
			d.Logger.Error("a call failed", "tool", tool, "err", err)
		}
		e = protocol.AsError(err)
	}
	text := e.Name + ": " + e.Message
	if e.SuggestedAction != "" {
		text += " (" + e.SuggestedAction + ")"
	}
	return errors.New(text)
}

// decode checks data by the rules of a command.
func (d *door) decode(t protocol.Type, data any) (protocol.Envelope, any, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return protocol.Envelope{}, nil, err
	}
	frame, err := json.Marshal(protocol.Envelope{Type: t, Data: raw})
	if err != nil {
		return protocol.Envelope{}, nil, err
	}
	limits := d.Gateway.Frames
	limits.Bytes = 2 * maxBody // the body's own limit has been kept already; escapes make it longer
	e, payload, refused := protocol.DecodeCommand(frame, limits)
	if refused != nil {
		refused.Message = strings.TrimPrefix(strings.TrimPrefix(refused.Message, string(t)+": "), "data.")
		return e, nil, refused
	}
	return e, payload, nil
}

// command gives a command to a session.
func (d *door) command(ctx context.Context, id string, t protocol.Type, data any) (engine.Result, error) {
	e, payload, err := d.decode(t, data)
	if err != nil {
		return engine.Result{}, err
	}
	return d.Gateway.Command(ctx, visitorOf(ctx).Caller, id, e, payload)
}
