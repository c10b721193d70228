package rest

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// tasks tells a stream in the events of an editor's task. What a record means
// depends on all before it, so the session is read once from its beginning when
// the first record comes, and again where the head was moved.
type tasks struct {
	*stream
	fold  *history.Tasks // nil before the first record
	state session.Summary
}

// write tells what a frame means. Of the signals only session_state passes. The
// events of a record come together, and the last one has its cursor: whoever is
// cut off between them gets them all again.
func (t *tasks) write(ctx context.Context, f *engine.Frame) error {
	if f.Seq == 0 {
		if name := string(typeOf(f.JSON)); name == string(protocol.TypeSessionState) {
			t.event(0, name, f.JSON)
		}
		return nil
	}
	r, err := protocol.DecodeRecord(f.JSON)
	if err != nil {
		return err
	}
	events, err := t.add(ctx, r)
	if err != nil {
		return err
	}
	for i, e := range events {
		data, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("encode %s: %w", e.EventName, err)
		}
		seq := uint64(0)
		if i == len(events)-1 {
			seq = f.Seq
		}
		t.event(seq, e.EventName, data)
	}
	return nil
}

func (t *tasks) add(ctx context.Context, r protocol.Record) ([]history.TaskEvent, error) {
	if t.fold == nil {
		if err := t.begin(ctx, r.Seq-1); err != nil {
			return nil, err
		}
	}
	if r.Type != protocol.TypeRewound {
		t.state.Apply(r)
	} else if err := t.refold(ctx, r.Seq); err != nil {
		return nil, err
	}
	return t.fold.Add(r, t.state.Status()), nil
}

// begin folds what happened up to a record, and tells nothing of it.
func (t *tasks) begin(ctx context.Context, last uint64) error {
	fold := history.NewTasks(t.session)
	var moved bool
	err := upTo(ctx, t.Gateway.Engine, t.session, last, func(r protocol.Record) {
		t.state.Apply(r)
		moved = moved || r.Type == protocol.TypeRewound
		fold.Add(r, t.state.Status())
	})
	if err == nil && moved {
		if err = t.refold(ctx, last); err == nil {
			fold.Rejoin(t.state.Status())
		}
	}
	t.fold = fold
	return err
}

// refold finds out what the session is at a record, along the path that leads
// there.
func (t *tasks) refold(ctx context.Context, last uint64) error {
	var ledger session.Ledger
	if err := upTo(ctx, t.Gateway.Engine, t.session, last, ledger.Apply); err != nil {
		return err
	}
	folder := session.NewFolder(ledger.Moves.Path(last))
	err := upTo(ctx, t.Gateway.Engine, t.session, last, folder.Add)
	t.state.State = folder.State
	return err
}

// upTo visits the records of a session up to and with one.
func upTo(ctx context.Context, e *engine.Engine, id string, last uint64, visit func(protocol.Record)) error {
	for after := uint64(0); after < last; {
		page, err := e.Read(ctx, id, after, int(min(foldPage, last-after)))
		if err != nil {
			return err
		}
		if len(page) == 0 {
			return protocol.Errorf(protocol.CodeSessionExpired, "the session was deleted")
		}
		for _, r := range page {
			visit(r)
		}
		after = page[len(page)-1].Seq
	}
	return nil
}
