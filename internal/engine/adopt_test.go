package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// foreign is a session that was made elsewhere: some words, and one long text.
func foreign(n int) []protocol.Record {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	all := []protocol.Record{{Type: protocol.TypeSessionCreated, Data: &protocol.SessionCreated{Owner: "ann", Title: "from afar", Pipeline: protocol.PipelineAuto}}}
	for i := range n {
		role := []protocol.Role{protocol.RoleUser, protocol.RoleAssistant}[i%2]
		all = append(all, protocol.Record{Type: protocol.TypeMessage, AgentID: "main-monitor-0", MonitorID: "monitor-0", Data: &protocol.MessageRecord{
			Action: protocol.MessageCreated, Role: role,
			Message: protocol.Message{Ts: at.UnixMilli() + int64(i), Type: protocol.KindSay, Say: protocol.SayText, Text: fmt.Sprint("words ", i)},
		}})
	}
	for i := range all {
		all[i].Seq, all[i].Time = uint64(i)+1, at
	}
	return all
}

// An adopted session is there whole, rests, and goes on like any other.
func TestAdoptedSessionGoesOn(t *testing.T) {
	h := open(t, t.TempDir(), runner{say("an answer")})
	defer h.close(t)
	ctx := context.Background()
	records := foreign(4)
	records[2].Data.(*protocol.MessageRecord).Message.Text = strings.Repeat("long ", 20_000)
	if err := h.Adopt(ctx, "s", engine.Adoption{Records: records, By: ann}); err != nil {
		t.Fatal(err)
	}
	state, err := h.State(ctx, "s")
	if err != nil || state.Status != protocol.StatusIdle || state.Title != "from afar" {
		t.Fatalf("%+v, %v", state, err)
	}
	if len(h.blobs.data) != 1 {
		t.Errorf("%d blobs", len(h.blobs.data))
	}
	sub, err := h.Attach(ctx, "s", engine.Attach{Resume: "msg_0000000005"})
	if err != nil {
		t.Fatal(err)
	}
	sub.Close()
	h.send(t, "s", "and now?", "")
	waitFor(t, h, "s", protocol.TypeComplete)
	if s := tell(t, h.store, "s"); s.completed != 1 || s.said[len(s.said)-1] != "and now?" {
		t.Errorf("%+v", s)
	}
}

// waitFor follows a session until a record of a type is there.
func waitFor(t *testing.T, h *house, id string, want protocol.Type) {
	t.Helper()
	v := h.attach(t, id, "msg_0000000000")
	defer v.sub.Close()
	v.until(t, want)
}

// An id that is or was used is refused, and what is there stays as it is.
func TestAdoptTouchesNothing(t *testing.T) {
	h := open(t, t.TempDir(), runner{say()})
	defer h.close(t)
	ctx := context.Background()
	h.create(t, "s")
	h.create(t, "gone")
	if err := h.Delete(ctx, "gone"); err != nil {
		t.Fatal(err)
	}
	for id, code := range map[string]protocol.Code{"s": protocol.CodeSessionInvalidState, "gone": protocol.CodeSessionExpired} {
		err := h.Adopt(ctx, id, engine.Adoption{Records: foreign(3), By: ann})
		if protocol.AsError(err).Code != code {
			t.Errorf("%s: %v", id, err)
		}
	}
	if last, err := h.Last(ctx, "s"); err != nil || last != 1 {
		t.Errorf("%d records, %v", last, err)
	}
}

// frames encodes records.
func frames(t *testing.T, all []protocol.Record) (list [][]byte) {
	t.Helper()
	for _, r := range all {
		frame, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, frame)
	}
	return list
}

// A session that was at work is brought to rest by records of its own; those it
// came with keep their bytes.
func TestAdoptBringsToRest(t *testing.T) {
	h := open(t, t.TempDir(), runner{func(ctx context.Context, _ *engine.Work, _ uint64) error { <-ctx.Done(); return ctx.Err() }})
	defer h.close(t)
	ctx := context.Background()
	h.create(t, "working")
	h.send(t, "working", "one", "")
	h.send(t, "working", "two", "") // it waits
	waitFor(t, h, "working", protocol.TypeModelStarted)
	if _, err := h.Do(ctx, "working", session.Command{Type: protocol.TypeUpdateSession, By: ann, Data: &protocol.UpdateSession{
		AutoApprove: &[]string{"execute"}, Model: new("acp:anything"), Mode: new("ask"), PlanReview: new("never"),
		Settings: map[string]json.RawMessage{"custom_instructions": json.RawMessage(`"obey"`)},
	}}); err != nil {
		t.Fatal(err)
	}
	last, err := h.Last(ctx, "working")
	if err != nil {
		t.Fatal(err)
	}
	stored, err := h.Frames(ctx, "working", 0, int(last))
	if err != nil {
		t.Fatal(err)
	}
	var copied [][]byte
	for _, r := range stored {
		copied = append(copied, r.Frame)
	}
	if err := h.Adopt(ctx, "copy", engine.Adoption{Frames: copied, By: ann}); err != nil {
		t.Fatal(err)
	}
	state, err := h.State(ctx, "copy")
	if err != nil || state.Status != protocol.StatusCancelled || len(state.Queue) != 0 || len(state.HitlRequests) != 0 || len(state.Settings) != 1 || state.Mode != "ask" {
		t.Errorf("%+v, %v", state, err)
	}
	s := tell(t, h.store, "copy")
	for i, frame := range copied {
		if want := string(protocol.WithSession(frame, "copy")); s.frames[i] != want {
			t.Fatalf("record %d changed: %s", i+1, s.frames[i])
		}
	}
	var updated protocol.SessionUpdated
	var envelope protocol.Envelope
	if err := json.Unmarshal([]byte(s.frames[len(s.frames)-1]), &envelope); err != nil || json.Unmarshal(envelope.Data, &updated) != nil {
		t.Fatal(err)
	}
	if envelope.Type != protocol.TypeSessionUpdated || *updated.Model != "" || string(updated.Settings["auto_approve"]) != "null" || string(updated.Settings["custom_instructions"]) != "null" {
		t.Errorf("the last record is %s", s.frames[len(s.frames)-1])
	}
}

// What would not rest is refused before it is stored.
func TestAdoptRefusesWhatWouldNotRest(t *testing.T) {
	h := open(t, t.TempDir(), runner{say()})
	defer h.close(t)
	records := foreign(1)
	records = append(records, protocol.Record{Seq: 3, Type: protocol.TypeHitlApprovalRequest, Time: records[1].Time, AgentID: "main-monitor-0", MonitorID: "monitor-0",
		Data: &protocol.HitlApprovalRequest{RequestID: "hitl_0000000003", ExpiresAt: protocol.At(records[1].Time)}})
	err := h.Adopt(context.Background(), "s", engine.Adoption{Frames: frames(t, records), By: ann})
	if protocol.AsError(err).Code != protocol.CodeInvalidMessage || !strings.Contains(err.Error(), "by itself") {
		t.Errorf("got %v", err)
	}
	if last, err := h.Last(context.Background(), "s"); err != nil || last != 0 {
		t.Errorf("%d records, %v", last, err)
	}
}

// torn refuses every append.
type torn struct{ engine.Store }

func (torn) Append(context.Context, journal.Append) error { return journal.ErrFull }

// If the disk refuses it, there is no such session, and the id is free.
func TestAdoptIsAllOrNothing(t *testing.T) {
	h := open(t, t.TempDir(), runner{say()})
	defer h.close(t)
	ctx := context.Background()
	full := engine.New(engine.Options{Store: torn{h.store}, Blobs: h.blobs, Runner: runner{say()}})
	err := full.Adopt(ctx, "s", engine.Adoption{Records: foreign(3), By: ann})
	if err == nil || !strings.Contains(err.Error(), "disk is full") {
		t.Errorf("got %v", err)
	}
	if err := full.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := h.State(ctx, "s"); protocol.AsError(err).Code != protocol.CodeSessionNotFound {
		t.Errorf("got %v", err)
	}
	if err := h.Adopt(ctx, "s", engine.Adoption{Records: foreign(3), By: ann}); err != nil {
		t.Error(err)
	}
}
