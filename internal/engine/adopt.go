package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/parley-dev/parley/internal/branch"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// Adoption is a whole session that was made elsewhere. Either Records or Frames
// are set: both are numbered from 1 and begin with session_created.
type Adoption struct {
	// Records are stored like those of a decision: what is too long goes to
	// the blobs.
	Records []protocol.Record
	// Frames are stored as they are. Whoever gives them has checked them.
	Frames [][]byte
	// Blobs are the hashes that frames refer to and that are stored already.
	Blobs []string
	By    session.Actor
}

// Adopt takes in a session under an id that is free. It is one append, so the
// session is there whole or not at all, also after a crash.
//
// The session rests from then on: work that was under way where it was made is
// cancelled, questions are withdrawn, messages that waited are taken out of the
// queue. It has the settings of a new session: what was allowed there, or which
// program was its model, is not taken over.
func (e *Engine) Adopt(ctx context.Context, id string, a Adoption) error {
	records, blobs, err := e.frames(ctx, a)
	if err != nil {
		return err
	}
	state, rest, err := settle(records, a.By)
	if err != nil {
		return err
	}
	for _, r := range rest {
		frame, err := r.Encode()
		if err != nil {
			return err
		}
		frame, _ = e.redact(frame)
		records = append(records, journal.Record{Seq: r.Seq, Frame: frame})
	}
	return e.on(ctx, id, func(l *live) error { return l.adopt(records, blobs, state) })
}

// frames gives what is to be stored.
func (e *Engine) frames(ctx context.Context, a Adoption) (stored []journal.Record, blobs []string, err error) {
	if len(a.Records) > 0 {
		e.hideLong(a.Records)
		if _, err := e.spill(ctx, a.Records); err != nil {
			return nil, nil, err
		}
	}
	for _, r := range a.Records {
		frame, err := r.Encode()
		if err != nil {
			return nil, nil, protocol.Errorf(protocol.CodeInvalidMessage, "%s", err)
		}
		frame, _ = e.redact(frame)
		stored = append(stored, journal.Record{Seq: r.Seq, Frame: frame})
		blobs = append(blobs, r.Blobs()...)
	}
	for i, frame := range a.Frames {
		frame, _ = e.redact(frame)
		stored = append(stored, journal.Record{Seq: uint64(i) + 1, Frame: frame})
	}
	return stored, append(blobs, a.Blobs...), nil
}

// settle folds a session and gives the records that bring it to rest. Records
// that were made elsewhere may contradict each other in ways that ours never
// do; what the fold cannot bear is refused here, before it is stored.
func settle(stored []journal.Record, by session.Actor) (state *session.State, rest []protocol.Record, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = protocol.Errorf(protocol.CodeInvalidMessage, "the records contradict each other (%v); the session was not taken in", p)
		}
	}()
	if state, err = foldStored(stored); err != nil {
		return nil, nil, err
	}
	for _, c := range toRest(state) {
		c.By = by
		records, err := state.Decide(c, time.Now())
		if err != nil {
			return nil, nil, fmt.Errorf("bring the session to rest: %w", err)
		}
		for _, r := range records {
			state.Ledger.Apply(r)
			state.Apply(r)
		}
		rest = append(rest, records...)
	}
	if state.Turns.Current != nil || len(state.Requests.Open) > 0 || !state.Wake().IsZero() {
		return nil, nil, protocol.Errorf(protocol.CodeInvalidMessage, "the session would start to work by itself; it was not taken in")
	}
	return state, rest, nil
}

func foldStored(stored []journal.Record) (*session.State, error) {
	var moves branch.Tree
	var err error
	for _, r := range stored {
		if moves, err = addMove(moves, r); err != nil {
			return nil, err
		}
	}
	folder := session.NewFolder(moves.Path(uint64(len(stored))))
	for _, r := range stored {
		record, err := protocol.DecodeRecord(r.Frame)
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", r.Seq, err)
		}
		folder.Add(record)
	}
	return &folder.State, nil
}

// toRest lists what has to be done before a session from elsewhere rests.
func toRest(s *session.State) (todo []session.Command) {
	if items := s.Queue.Items; len(items) > 0 {
		edit := &protocol.QueueEdit{}
		for _, item := range items {
			edit.Remove = append(edit.Remove, item.MessageID)
		}
		todo = append(todo, session.Command{Type: protocol.TypeQueueEdit, Data: edit})
	}
	if s.Turns.Current != nil {
		todo = append(todo, session.Command{
			Type: protocol.TypeControlCancel, Data: &protocol.ControlCancel{Reason: "the session was imported while this was under way"},
		})
	}
	if s.Ledger.Restoring != nil {
		todo = append(todo, session.Command{Type: session.Restored, Data: &session.FilesRestored{Failed: &protocol.TurnError{
			Code: "RESTORE_FAILED", Message: "the session was imported while its files were going back, which are elsewhere",
		}}})
	}
	none := map[string]json.RawMessage{}
	for key := range s.Ledger.Own() {
		if key != "mode" { // how it worked is part of what it is
			none[key] = json.RawMessage("null")
		}
	}
	review := "always"
	if l := &s.Ledger; len(none) > 0 || l.PlanReview != "" && l.PlanReview != review {
		todo = append(todo, session.Command{
			Type: protocol.TypeUpdateSession, Data: &protocol.UpdateSession{PlanReview: &review, Settings: none},
		})
	}
	return todo
}

// adopt is Adopt on the session's goroutine.
func (l *live) adopt(records []journal.Record, blobs []string, state *session.State) error {
	if l.state.Exists() {
		e := protocol.Errorf(protocol.CodeSessionInvalidState, "a session with this id exists already")
		e.Recoverable, e.SuggestedAction = false, "choose_another_id"
		return e
	}
	ctx := context.WithoutCancel(l.e.ctx)
	if err := l.e.Store.Append(ctx, journal.Append{Session: l.id, Records: records, Blobs: blobs}); err != nil {
		l.e.Stats.AppendFails.Add(1)
		l.appendFailed(err)
		return storeError(err)
	}
	l.e.Stats.Appends.Add(1)
	l.e.Stats.Records.Add(int64(len(records)))
	l.state = state
	l.absent.Store(false)
	l.e.Appended()
	l.keep(l.e.ctx)
	return nil
}

// Frames gives up to limit of a session's stored records after a sequence
// number, in the bytes in which they are stored.
func (e *Engine) Frames(ctx context.Context, id string, after uint64, limit int) ([]journal.Record, error) {
	page, err := e.Store.Read(ctx, id, after, limit)
	return page, storeError(err)
}

// Last is the sequence number of a session's last record.
func (e *Engine) Last(ctx context.Context, id string) (uint64, error) {
	head, err := e.Store.Head(ctx, id)
	return head.Last, storeError(err)
}
