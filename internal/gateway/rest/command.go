package rest

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/protocol"
)

// Keyed is the part of an input that makes a write act once.
type Keyed struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"128" doc:"An id of your own for this call. The same call sent again with the same key is answered and not done twice, after a restart too; another call under the same key is refused."`
}

// OfSession is the part of an input that names a session.
type OfSession struct {
	ID string `path:"id" maxLength:"64" doc:"The session's id." example:"sess_01"`
}

// command gives a call to its session as the command it stands for: the body is
// the command's data, the key its message_id. So it is checked, counted and
// remembered like one that came over a WebSocket.
func (d *door) command(ctx context.Context, id string, t protocol.Type, key string, body []byte, most int) (engine.Result, error) {
	e, payload, err := d.decode(t, key, body, most)
	if err != nil {
		return engine.Result{}, err
	}
	return d.Gateway.Command(ctx, callerOf(ctx), id, e, payload)
}

func (d *door) decode(t protocol.Type, key string, body []byte, most int) (protocol.Envelope, any, error) {
	if err := checkObject(body); err != nil {
		return protocol.Envelope{}, nil, err
	}
	id, err := json.Marshal(key)
	if err != nil {
		return protocol.Envelope{}, nil, err
	}
	frame := make([]byte, 0, len(body)+len(id)+len(t)+48)
	frame = append(frame, `{"type":"`+string(t)+`","message_id":`...)
	frame = append(append(append(frame, id...), `,"data":`...), body...)
	frame = append(frame, '}')
	limits := d.Gateway.Frames
	limits.Bytes = most + 1<<10 // the body's own limit has been kept already
	e, payload, refused := protocol.DecodeCommand(frame, limits)
	if refused != nil {
		return e, nil, inBody(refused, t)
	}
	return e, payload, nil
}

// checkObject refuses a body that is not one JSON object, before it is made
// part of anything.
func checkObject(body []byte) error {
	var object map[string]json.RawMessage
	err := json.Unmarshal(body, &object)
	switch {
	case err == nil && object != nil:
		return nil
	case json.Valid(body):
		return protocol.Errorf(protocol.CodeInvalidMessage, "the body must be a JSON object, such as {}").With("field", "body")
	}
	return protocol.Errorf(protocol.CodeInvalidMessage, "the body is not valid JSON: %v", err).With("field", "body")
}

// inBody speaks of the body: the caller of a REST call knows no command.
func inBody(e *protocol.Error, t protocol.Type) *protocol.Error {
	e.Message = strings.TrimPrefix(e.Message, string(t)+": ")
	if field, ok := e.Context["field"].(string); ok && strings.HasPrefix(field, "data") {
		e.Context["field"] = "body" + strings.TrimPrefix(field, "data")
		e.Message = "body" + strings.TrimPrefix(e.Message, "data")
	}
	e.InReplyTo = ""
	return e
}
