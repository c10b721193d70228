package rest

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/protocol"
)

func (d *door) registerEvents() {
	schemas := d.schemas()
	envelope := schemas.Schema(reflect.TypeFor[envelopeSchema](), false, "Envelope")
	schemas.Map()["Envelope"] = envelope
	ref := &huma.Schema{Ref: "#/components/schemas/Envelope"}
	register(d, call{
		method: http.MethodGet, path: "/sessions/{id}/events", id: "list-events", tag: "journal",
		summary: "Read the journal", doc: "Every record after a cursor as it was stored, hidden ones too. Give next_cursor as after to read on.",
		answer: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{
			Type: huma.TypeObject, Required: []string{"items"},
			Properties: map[string]*huma.Schema{
				"items":       {Type: huma.TypeArray, Items: ref},
				"next_cursor": {Type: huma.TypeString, Description: "There is more after this record."},
			},
		}}},
	}, d.listEvents)
	register(d, call{
		method: http.MethodGet, path: "/sessions/{id}/stream", id: "stream-events", tag: "journal",
		summary: "Follow a session (server-sent events)",
		doc: "First session_state; with a cursor every later record; then whatever comes. A record's id is its message_id, " +
			"so EventSource resumes by itself. Signals have no id. A comment comes when nothing else does. " +
			"With view=task the data is {eventName, payload}, and the last event of a record has its id.",
		answer: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{
			Type: huma.TypeString, Description: "Events whose name is the type and whose data is the envelope.",
		}}},
		errors: []protocol.Code{protocol.CodeRateLimited},
	}, d.stream)
	register(d, call{
		method: http.MethodGet, path: "/sessions/{id}/blobs/{hash}", id: "get-blob", tag: "journal",
		summary: "Get what was too long for a record", doc: "Texts and pictures are shown, anything else is a download. A picture that came as a data URL is given as the picture.",
		answer: map[string]*huma.MediaType{"*/*": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}},
	}, d.getBlob)
}

const (
	// eventsBytes is about how long one page of the journal may be.
	eventsBytes = 4 << 20
	eventsChunk = 100
)

type eventsInput struct {
	OfSession
	After string `query:"after" maxLength:"40" doc:"The message_id after which to read; all if there is none." example:"msg_0000000042"`
	Limit int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

type bytesOutput struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

func (d *door) listEvents(ctx context.Context, in *eventsInput) (*bytesOutput, error) {
	after, err := cursor("query.after", in.After)
	if err != nil {
		return nil, err
	}
	if err := d.Gateway.Authorize(ctx, callerOf(ctx), auth.Read, in.ID); err != nil {
		return nil, err
	}
	body, err := eventPage(ctx, d.Gateway.Engine, in.ID, after, in.Limit)
	if err != nil {
		return nil, err
	}
	return &bytesOutput{"application/json", body}, nil
}

// eventPage joins stored frames into a list without looking into them.
func eventPage(ctx context.Context, e *engine.Engine, id string, after uint64, limit int) ([]byte, error) {
	body := []byte(`{"items":[`)
	n := 0
	for {
		want := min(eventsChunk, limit-n+1) // one more tells whether there is more
		frames, err := e.Records(ctx, id, after, want)
		if err != nil {
			return nil, err
		}
		for _, f := range frames {
			if n == limit || n > 0 && len(body)+len(f.JSON) > eventsBytes {
				return append(body, `],"next_cursor":"`+protocol.MessageID(after)+"\"}\n"...), nil
			}
			if n > 0 {
				body = append(body, ',')
			}
			body = append(body, f.JSON...)
			after = f.Seq
			n++
		}
		if len(frames) < want {
			return append(body, "]}\n"...), nil
		}
	}
}

// cursor reads the id of a record; none means before the first.
func cursor(field, id string) (uint64, error) {
	if id == "" {
		return 0, nil
	}
	seq, err := protocol.ParseMessageID(id)
	if err != nil {
		return 0, protocol.Errorf(protocol.CodeInvalidMessage, "%s: %s", field, err).With("field", field)
	}
	return seq, nil
}
