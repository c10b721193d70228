package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/internal/index"
	"github.com/parley-dev/parley/protocol"
)

func (d *door) registerMessages() {
	register(d, call{
		method: http.MethodPost, path: "/sessions/{id}/messages", id: "send-message", tag: "messages",
		summary: "Say something to the agent", status: http.StatusAccepted,
		doc:  "The command user_message. It is accepted if a turn starts with it, queued if it waits for the running one.",
		body: reflect.TypeFor[protocol.UserMessage](), maxBody: maxMessageBody,
		errors: []protocol.Code{protocol.CodeSessionInvalidState},
	}, d.sendMessage)
	register(d, call{
		method: http.MethodGet, path: "/sessions/{id}/messages", id: "list-messages", tag: "messages",
		summary: "Read the conversation",
		doc: "With view=store (the default) in short: texts, tool calls with inputs and outputs cut, errors, results. " +
			"With view=ui the ask and say messages as they are shown while they happen. " +
			"The oldest first; with tail=true the page is taken from the end.",
		answer: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{OneOf: []*huma.Schema{
			d.schemas().Schema(reflect.TypeFor[StoreList](), true, "StoreList"),
			d.schemas().Schema(reflect.TypeFor[UIList](), true, "UIList"),
		}}}},
	}, d.listMessages)
}

// Sent says what became of a message.
type Sent struct {
	MessageID string `json:"message_id" doc:"The record that took it in."`
	Status    string `json:"status" enum:"accepted,queued"`
}

type sentOutput struct{ Body Sent }

func (d *door) sendMessage(ctx context.Context, in *writeInput) (*sentOutput, error) {
	r, err := d.command(ctx, in.ID, protocol.TypeUserMessage, in.IdempotencyKey, in.RawBody, maxMessageBody)
	if err != nil {
		return nil, err
	}
	sent, err := d.taken(ctx, in.ID, r)
	if err != nil {
		return nil, err
	}
	return &sentOutput{Body: sent}, nil
}

// taken finds the record that took a message in. It need not be the first: a
// message that interrupts ends the running turn before. A repeated call has no
// records of its own and reads those of the first.
func (d *door) taken(ctx context.Context, id string, r engine.Result) (Sent, error) {
	records := r.Records
	if r.Repeated {
		const most = 64 // records of one decision
		var err error
		if records, err = d.Gateway.Engine.Read(ctx, id, r.First-1, most); err != nil {
			return Sent{}, err
		}
	}
	for _, record := range records {
		switch record.Type {
		case protocol.TypeMessageAccepted:
			return Sent{record.ID(), "accepted"}, nil
		case protocol.TypeMessageQueued:
			return Sent{record.ID(), "queued"}, nil
		}
	}
	return Sent{}, fmt.Errorf("session %s: the message at record %d was taken in by no record", id, r.First)
}

// StoreList is a page of the message store.
type StoreList struct {
	Items []history.Entry `json:"items"`
	Total int             `json:"total" doc:"How many there are on all pages."`
}

// UIList is a page of the ask and say messages.
type UIList struct {
	Items []history.Message `json:"items"`
	Total int               `json:"total" doc:"How many there are on all pages."`
}

type messagesInput struct {
	OfSession
	Limit  int        `query:"limit" minimum:"1" maximum:"1000" default:"50"`
	Offset int        `query:"offset" minimum:"0" default:"0" doc:"How many to leave out, counted from the oldest; with tail from the newest."`
	Tail   bool       `query:"tail" default:"false" doc:"The newest ones instead of the oldest; they come in the same order."`
	View   index.View `query:"view" enum:"store,ui" default:"store"`
}

// listMessages asks the index, which knows whose the session is and where each
// message is, so that the session need not be opened. While it does not know,
// the journal itself is folded: slower, and as right.
func (d *door) listMessages(ctx context.Context, in *messagesInput) (*bytesOutput, error) {
	c := callerOf(ctx)
	if err := c.Check(d.Now()); err != nil {
		return nil, err
	}
	may := func(owner string) error { return auth.Allow(c.Identity, auth.Read, owner, in.ID) }
	page, err := d.Index.Lines(ctx, in.ID, in.View, index.Range{Offset: in.Offset, Limit: in.Limit, Tail: in.Tail}, may)
	if errors.Is(err, index.ErrUnsure) {
		if err := d.Gateway.Authorize(ctx, c, auth.Read, in.ID); err != nil {
			return nil, err
		}
		page, err = d.foldLines(ctx, in)
	}
	if err != nil {
		return nil, err
	}
	body := append(make([]byte, 0, len(page.Items)+64), `{"items":`...)
	body = fmt.Appendf(append(body, page.Items...), ",\"total\":%d}\n", page.Total)
	return &bytesOutput{"application/json", body}, nil
}

// foldLines gives a page of the view from the journal.
func (d *door) foldLines(ctx context.Context, in *messagesInput) (page index.Lines, err error) {
	part := history.Page{Offset: in.Offset, Limit: in.Limit}
	if in.Tail { // where the page begins is known when all were counted
		_, total, err := d.foldView(ctx, in, history.Page{Offset: math.MaxInt})
		if err != nil {
			return page, err
		}
		end := max(0, total-in.Offset)
		part.Offset = max(0, end-in.Limit)
		if part.Limit = end - part.Offset; part.Limit == 0 {
			part.Offset = math.MaxInt
		}
	}
	items, total, err := d.foldView(ctx, in, part)
	if err != nil {
		return page, err
	}
	lines, err := json.Marshal(items)
	return index.Lines{Items: string(lines), Total: total}, err
}

func (d *door) foldView(ctx context.Context, in *messagesInput, p history.Page) (items any, total int, err error) {
	if in.View == index.UI {
		ui, err := fold(ctx, d.Gateway.Engine, in.ID, func() *history.UI { return history.NewUI(p) })
		return ui.Items(), ui.Total(), err
	}
	store, err := fold(ctx, d.Gateway.Engine, in.ID, func() *history.Store { return history.NewStore(p) })
	return store.Items(), store.Total(), err
}
