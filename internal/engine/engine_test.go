package engine_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/journal/sqlite"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// blobs keeps long texts in memory.
type blobs struct {
	mu   sync.Mutex
	data map[string][]byte
}

func (b *blobs) Put(ctx context.Context, data []byte) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:])
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.data == nil {
		b.data = map[string][]byte{}
	}
	b.data[hash] = append([]byte(nil), data...)
	return hash, nil
}

// runner answers each model step with what talk does.
type runner struct {
	talk func(ctx context.Context, w *engine.Work, call uint64) error
}

func (r runner) Run(ctx context.Context, w *engine.Work) {
	begun, err := w.Do(ctx, session.Command{Type: session.ModelBegin, Data: &session.ModelBegun{TurnID: w.Step.TurnID, Model: "test"}})
	if err != nil {
		return
	}
	call := begun[0].Seq
	if err := r.talk(ctx, w, call); err != nil || ctx.Err() != nil {
		return
	}
	_, _ = w.Do(ctx, session.Command{Type: session.ModelEnd, Data: &session.ModelEnded{TurnID: w.Step.TurnID, Call: call, StopReason: "end_turn"}})
}

// say writes pieces as one open message.
func say(pieces ...string) func(context.Context, *engine.Work, uint64) error {
	return func(ctx context.Context, w *engine.Work, call uint64) error {
		s, err := w.Write(ctx, protocol.ID(protocol.OpenPrefix, call), protocol.SayText)
		if err != nil {
			return err
		}
		for _, p := range pieces {
			if err := s.Write(ctx, p); err != nil {
				return err
			}
		}
		s.End()
		return nil
	}
}

type house struct {
	*engine.Engine
	store engine.Store
	blobs *blobs
}

func open(t testing.TB, dir string, r engine.Runner, change ...func(*engine.Options)) *house {
	t.Helper()
	store, err := sqlite.Open(sqlite.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return openOn(t, store, r, change...)
}

func openOn(t testing.TB, store engine.Store, r engine.Runner, change ...func(*engine.Options)) *house {
	t.Helper()
	h := &house{store: store, blobs: &blobs{}}
	o := engine.Options{Store: store, Blobs: h.blobs, Runner: r}
	for _, c := range change {
		c(&o)
	}
	h.Engine = engine.New(o)
	h.Start()
	return h
}

func (h *house) close(t testing.TB) {
	t.Helper()
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if err := h.store.Close(); err != nil {
		t.Fatal(err)
	}
}

func (h *house) create(t testing.TB, id string) {
	t.Helper()
	if _, err := h.Create(context.Background(), id, protocol.SessionCreated{Owner: "ann"}, session.Actor{User: "ann"}, nil); err != nil {
		t.Fatal(err)
	}
}

func (h *house) send(t testing.TB, id, words, key string) engine.Result {
	t.Helper()
	c := session.Command{Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: words, When: protocol.WhenQueue}, By: session.Actor{User: "ann"}}
	if key != "" {
		c.Cause = &protocol.Cause{Scope: "ann", MessageID: key, Digest: words}
	}
	r, err := h.Do(context.Background(), id, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// viewer reads a subscription as a client would.
type viewer struct {
	sub    *engine.Subscription
	wake   chan struct{}
	frames []protocol.Envelope
	data   []any
	seen   uint64
	resume bool              // it came with a cursor
	text   map[string]string // open messages as deltas gave them
	whole  map[string]bool   // those whose last delta came
	next   map[string]int
}

func (h *house) attach(t testing.TB, id, resume string) *viewer {
	t.Helper()
	v := &viewer{wake: make(chan struct{}, 1), text: map[string]string{}, whole: map[string]bool{}, next: map[string]int{}}
	sub, err := h.Attach(context.Background(), id, engine.Attach{Resume: resume, Notify: func() {
		select {
		case v.wake <- struct{}{}:
		default:
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	v.sub = sub
	if seq, err := protocol.ParseMessageID(resume); err == nil {
		v.seen, v.resume = seq, true
	}
	return v
}

// until reads until a record or signal of this type came.
func (v *viewer) until(t testing.TB, want protocol.Type) any {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		frames, err := v.sub.Next(context.Background())
		if err != nil {
			t.Fatalf("waiting for %s: %v", want, err)
		}
		var found any
		for _, f := range frames {
			e, data, err := protocol.DecodeFrame(f.JSON)
			if err != nil {
				t.Fatal(err)
			}
			v.note(t, e, data)
			if e.Type == want {
				found = data
			}
		}
		if found != nil {
			return found
		}
		if len(frames) > 0 {
			continue
		}
		select {
		case <-v.wake:
		case <-deadline:
			t.Fatalf("no %s came", want)
		}
	}
}

// note checks what a client may rely on: no gap, no double, no overtaking.
func (v *viewer) note(t testing.TB, e protocol.Envelope, data any) {
	t.Helper()
	v.frames, v.data = append(v.frames, e), append(v.data, data)
	if len(v.frames) == 1 && e.Type != protocol.TypeSessionState {
		t.Errorf("the first frame is %s", e.Type)
	}
	switch d := data.(type) {
	case *protocol.SessionState:
		for _, o := range d.OpenMessages {
			v.text[o.OpenID], v.next[o.OpenID] = o.Text, o.NextIndex
		}
		if !v.resume && len(v.frames) == 1 {
			v.seen, _ = protocol.ParseMessageID(d.LastMessageID)
		}
	case *protocol.Delta:
		switch {
		case d.FromIndex != nil:
			v.text[d.OpenID], v.next[d.OpenID] = d.Delta, d.Index+1
		case d.Index == v.next[d.OpenID]:
			v.text[d.OpenID] += d.Delta
			v.next[d.OpenID]++
		default:
			t.Errorf("delta %d of %s after %d", d.Index, d.OpenID, v.next[d.OpenID]-1)
		}
		v.whole[d.OpenID] = v.whole[d.OpenID] || d.IsComplete
	case *protocol.MessageRecord:
		v.noteFinished(t, d)
	}
	if e.MessageID != "" {
		seq, err := protocol.ParseMessageID(e.MessageID)
		if err != nil {
			t.Fatal(err)
		}
		if seq != v.seen+1 {
			t.Errorf("record %d after %d", seq, v.seen)
		}
		v.seen = seq
	}
}

// noteFinished compares a message with what was streamed of it: all of it, or
// its beginning for who fell behind.
func (v *viewer) noteFinished(t testing.TB, d *protocol.MessageRecord) {
	t.Helper()
	streamed, ok := v.text[d.OpenID]
	if !ok || d.Message.TextBlob != nil {
		return
	}
	if !strings.HasPrefix(d.Message.Text, streamed) || v.whole[d.OpenID] && streamed != d.Message.Text {
		t.Errorf("streamed %q, finished %q", streamed, d.Message.Text)
	}
}

func (v *viewer) ids() []string {
	var out []string
	for _, e := range v.frames {
		if e.MessageID != "" {
			out = append(out, e.MessageID+" "+string(e.Type))
		}
	}
	return out
}

func TestTurn(t *testing.T) {
	h := open(t, t.TempDir(), runner{say("hel", "lo ", "wor", "ld")})
	defer h.close(t)
	h.create(t, "s")
	v := h.attach(t, "s", "")
	defer v.sub.Close()
	h.send(t, "s", "hi", "")
	c := v.until(t, protocol.TypeComplete).(*protocol.Complete)
	if c.Response.Text != "hello world" {
		t.Errorf("answer %q", c.Response.Text)
	}
	state, err := h.State(context.Background(), "s")
	if err != nil || state.Status != protocol.StatusCompleted || len(state.OpenMessages) != 0 {
		t.Errorf("state %+v (%v)", state, err)
	}
	parts, err := h.store.Parts(context.Background(), "s")
	if err != nil || len(parts) != 0 {
		t.Errorf("%d parts are left (%v)", len(parts), err)
	}
}

func TestUnknownSession(t *testing.T) {
	h := open(t, t.TempDir(), runner{say()})
	defer h.close(t)
	for _, id := range []string{"nobody", "", "a/b", "..", strings.Repeat("x", 65)} {
		if _, err := h.State(context.Background(), id); protocol.AsError(err).Code != protocol.CodeSessionNotFound {
			t.Errorf("%q: %v, want 3001", id, err)
		}
	}
}

func TestRepeatedMessageActsOnce(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir, runner{say("ok")})
	h.create(t, "s")
	first := h.send(t, "s", "hi", "k1")
	again := h.send(t, "s", "hi", "k1")
	if !again.Repeated || again.First != first.First {
		t.Errorf("again: %+v, first %d", again, first.First)
	}
	v := h.attach(t, "s", "")
	v.until(t, protocol.TypeSessionState)
	v.sub.Close()
	h.close(t)

	h = open(t, dir, runner{say("ok")})
	defer h.close(t)
	if again := h.send(t, "s", "hi", "k1"); !again.Repeated || again.First != first.First {
		t.Errorf("after a restart: %+v, first %d", again, first.First)
	}
}

func TestResumeEqualsNeverLeft(t *testing.T) {
	h := open(t, t.TempDir(), runner{say("one ", "two ", "three")}, func(o *engine.Options) { o.QueueBytes = 4096 })
	defer h.close(t)
	h.create(t, "s")
	stayed := h.attach(t, "s", protocol.MessageID(0))
	defer stayed.sub.Close()
	for i := range 30 {
		h.send(t, "s", fmt.Sprintf("message %d", i), "")
		stayed.untilSeq(t, h)
	}
	want := strings.Join(stayed.ids(), "\n")
	for _, from := range []uint64{0, 1, 17, 100, stayed.seen - 1, stayed.seen} {
		v := h.attach(t, "s", protocol.MessageID(from))
		v.untilSeq(t, h)
		v.sub.Close()
		got := strings.Join(v.ids(), "\n")
		if !strings.HasSuffix(want, got) || len(v.ids()) != int(stayed.seen-from) {
			t.Errorf("from %d: %d records, want %d", from, len(v.ids()), stayed.seen-from)
		}
	}
	v := h.attach(t, "s", protocol.MessageID(1_000_000))
	defer v.sub.Close()
	if s := v.until(t, protocol.TypeSessionState).(*protocol.SessionState); !s.Resync {
		t.Error("a cursor of another world was taken")
	}
}

// untilSeq reads until the viewer has the session's last record, and the
// session rests.
func (v *viewer) untilSeq(t testing.TB, h *house) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		frames, err := v.sub.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range frames {
			e, data, err := protocol.DecodeFrame(f.JSON)
			if err != nil {
				t.Fatal(err)
			}
			v.note(t, e, data)
		}
		state, err := h.State(context.Background(), "s")
		if err != nil {
			t.Fatal(err)
		}
		if state.TaskState == protocol.TaskStateIdle && state.LastMessageID == protocol.MessageID(v.seen) {
			return
		}
		if len(frames) > 0 {
			continue
		}
		select {
		case <-v.wake:
		case <-deadline:
			t.Fatalf("record %s did not come, only %d", state.LastMessageID, v.seen)
		}
	}
}

// A client that does not read loses nothing and costs little.
func TestSlowClientCatchesUp(t *testing.T) {
	h := open(t, t.TempDir(), runner{say(strings.Repeat("x", 2000), strings.Repeat("y", 2000))},
		func(o *engine.Options) { o.QueueBytes = 8 << 10 })
	defer h.close(t)
	h.create(t, "s")
	slow := h.attach(t, "s", "")
	defer slow.sub.Close()
	fast := h.attach(t, "s", "")
	defer fast.sub.Close()
	for range 40 {
		h.send(t, "s", "go", "")
		fast.until(t, protocol.TypeComplete)
	}
	if h.Stats.Lagged.Load() == 0 {
		t.Fatal("nobody fell behind: the test shows nothing")
	}
	for slow.seen < fast.seen {
		slow.until(t, protocol.TypeComplete)
	}
	if got, want := strings.Join(slow.ids(), "\n"), strings.Join(fast.ids(), "\n"); got != want {
		t.Errorf("the slow client got %d records, the fast one %d", len(slow.ids()), len(fast.ids()))
	}
}

func TestTakenOver(t *testing.T) {
	h := open(t, t.TempDir(), runner{say()})
	defer h.close(t)
	h.create(t, "s")
	first, err := h.Attach(context.Background(), "s", engine.Attach{ClientID: "tab"})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := h.Attach(context.Background(), "s", engine.Attach{ClientID: "tab"})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if _, err := first.Next(context.Background()); err != nil {
		t.Fatal(err)
	}
	var closed *engine.Closed
	if _, err := first.Next(context.Background()); !asClosed(err, &closed) || closed.Code != protocol.CloseTakenOver {
		t.Errorf("the first connection got %v, want 4501", err)
	}
}

func asClosed(err error, c **engine.Closed) bool {
	closed, ok := err.(*engine.Closed)
	*c = closed
	return ok
}

// Work that a stop interrupts goes on after the restart, and what was on the
// screen is kept.
func TestWorkGoesOnAfterRestart(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir, runner{func(ctx context.Context, w *engine.Work, call uint64) error {
		_ = say("half of it")(ctx, w, call)
		<-ctx.Done()
		return ctx.Err()
	}})
	h.create(t, "s")
	v := h.attach(t, "s", "")
	h.send(t, "s", "hi", "")
	v.until(t, protocol.TypeAgentResponse)
	stopped := make(chan struct{})
	go func() { h.close(t); close(stopped) }()
	m := v.until(t, protocol.TypeMessage).(*protocol.MessageRecord)
	for m.Role != protocol.RoleAssistant {
		m = v.until(t, protocol.TypeMessage).(*protocol.MessageRecord)
	}
	if !m.Message.Partial || m.Message.Text != "half of it" {
		t.Errorf("kept %+v", m.Message)
	}
	for {
		if _, err := v.sub.Next(context.Background()); err != nil {
			var closed *engine.Closed
			if !asClosed(err, &closed) || closed.Code != protocol.CloseStopping {
				t.Errorf("the client got %v, want 4000", err)
			}
			break
		}
	}
	<-stopped
	v.sub.Close()

	h = open(t, dir, runner{say("all of it")})
	defer h.close(t)
	v = h.attach(t, "s", protocol.MessageID(0))
	defer v.sub.Close()
	c := v.until(t, protocol.TypeComplete).(*protocol.Complete)
	if c.Response.Text != "all of it" {
		t.Errorf("answer %q", c.Response.Text)
	}
}

func TestEviction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openOn(t, newMemory(), runner{say("x")}, func(o *engine.Options) { o.IdleAfter = time.Minute })
		defer h.close(t)
		h.create(t, "s")
		h.send(t, "s", "hi", "")
		time.Sleep(time.Minute - time.Second)
		if n := h.Stats.Live.Load(); n != 1 {
			t.Errorf("%d sessions are in memory before their time is over", n)
		}
		time.Sleep(2 * time.Second)
		if n := h.Stats.Live.Load(); n != 0 {
			t.Errorf("%d sessions stay in memory", n)
		}
		state, err := h.State(context.Background(), "s")
		if err != nil || state.Status != protocol.StatusCompleted {
			t.Errorf("opened again: %s (%v)", state.Status, err)
		}
		snaps, err := h.store.Snapshots(context.Background(), "s", session.FoldVersion, 0, 1)
		if err != nil || len(snaps) != 1 {
			t.Errorf("%d snapshots (%v)", len(snaps), err)
		}
	})
}

func TestDelete(t *testing.T) {
	h := open(t, t.TempDir(), runner{say("x")})
	defer h.close(t)
	h.create(t, "s")
	v := h.attach(t, "s", "")
	v.until(t, protocol.TypeSessionState)
	if err := h.Delete(context.Background(), "s"); err != nil {
		t.Fatal(err)
	}
	var closed *engine.Closed
	if _, err := v.sub.Next(context.Background()); !asClosed(err, &closed) || closed.Code != protocol.CloseDeleted {
		t.Errorf("the viewer got %v, want 4502", err)
	}
	v.sub.Close()
	_, err := h.Create(context.Background(), "s", protocol.SessionCreated{Owner: "ann"}, session.Actor{}, nil)
	if protocol.AsError(err).Code != protocol.CodeSessionExpired {
		t.Errorf("a deleted id gave %v, want 3002", err)
	}
}

func TestLongTextGoesOutOfLine(t *testing.T) {
	long := strings.Repeat("가나다 ", 20_000)
	h := open(t, t.TempDir(), runner{say(long)})
	defer h.close(t)
	h.create(t, "s")
	v := h.attach(t, "s", "")
	defer v.sub.Close()
	h.send(t, "s", long, "")
	v.until(t, protocol.TypeComplete)
	spilled := 0
	for _, d := range v.data {
		m, ok := d.(*protocol.MessageRecord)
		if !ok {
			continue
		}
		if m.Message.TextBlob == nil || string(h.blobs.data[m.Message.TextBlob.Hash]) != long {
			t.Errorf("%s: %d bytes inline, blob %v", m.Role, len(m.Message.Text), m.Message.TextBlob)
			continue
		}
		spilled++
		if has, err := h.HasBlob(context.Background(), "s", m.Message.TextBlob.Hash); err != nil || !has {
			t.Errorf("the session does not refer to its blob (%v)", err)
		}
	}
	if spilled != 2 {
		t.Errorf("%d messages were spilled, want 2", spilled)
	}
}

// A runner that panics harms its own turn alone, and that is tried again until
// it has failed often enough.
func TestPanicInAStep(t *testing.T) {
	h := open(t, t.TempDir(), runner{func(_ context.Context, w *engine.Work, call uint64) error {
		if w.Step.Attempt < 3 {
			panic("a model gone mad")
		}
		return say("well again")(context.Background(), w, call)
	}})
	defer h.close(t)
	h.create(t, "s")
	v := h.attach(t, "s", "")
	defer v.sub.Close()
	h.send(t, "s", "hi", "")
	if c := v.until(t, protocol.TypeComplete).(*protocol.Complete); c.Response.Text != "well again" {
		t.Errorf("answer %q", c.Response.Text)
	}
}
