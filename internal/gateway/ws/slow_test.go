package ws_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/gateway/ws"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// rename gives a session a long title, which makes a long record.
func (h *house) rename(t testing.TB, id, title string) {
	t.Helper()
	_, err := h.engine.Do(t.Context(), id, session.Command{
		Type: protocol.TypeUpdateSession, Data: &protocol.UpdateSession{Title: &title}, By: session.Actor{User: "local"},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// dialSlow connects with a small receive buffer, so that who does not read is
// noticed soon.
func (h *house) dialSlow(t testing.TB, session, query string) *client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	o := &websocket.DialOptions{HTTPClient: newNarrowClient(t)}
	conn, _, err := websocket.Dial(ctx, h.address(session, query), o)
	if err != nil {
		t.Fatal("dial:", err)
	}
	conn.SetReadLimit(64 << 20)
	t.Cleanup(func() { conn.CloseNow() })
	return &client{t, ctx, conn}
}

func TestSlowClientGetsEverythingInOrder(t *testing.T) {
	const records, size = 150, 60 << 10
	h := build(t, plan{queueBytes: 256 << 10})
	slow := h.dialSlow(t, "s1", "client_id=slow&resume_from=msg_0000000000")
	quick := h.dial(t, "s1", "client_id=quick&resume_from=msg_0000000000")
	var tr transcript
	for _, c := range []*client{slow, quick} {
		if f := c.next(); f.Type != protocol.TypeSessionState {
			t.Fatalf("got %s", f.raw)
		}
	}
	read := make(chan transcript, 1)
	go func() {
		var tr transcript
		for len(tr.records) < records+1 {
			f, err := quick.read()
			if err == nil {
				err = tr.add(f)
			}
			if err != nil {
				t.Error("the quick one:", err)
				break
			}
		}
		read <- tr
	}()
	before := heap()
	for i := range records {
		h.rename(t, "s1", fmt.Sprint(i, strings.Repeat("x", size)))
	}
	all := <-read
	if h.engine.Stats.Lagged.Load() == 0 {
		t.Fatal("nobody fell behind: the test shows nothing")
	}
	for i := range all.records {
		all.records[i] = strings.ReplaceAll(all.records[i], "x", "")
	}
	if grown := heap() - before; grown > records*size/2 {
		t.Errorf("%d KiB are held for a client that does not read", grown>>10)
	}
	states := 1
	for len(tr.records) < records+1 {
		f := slow.next()
		if err := tr.add(f); err != nil {
			t.Fatal(err)
		}
		if f.Type == protocol.TypeSessionState {
			states++
		}
	}
	if states < 2 {
		t.Errorf("%d states: one that fell behind gets a fresh one", states)
	}
	for i := range tr.records {
		if got := strings.ReplaceAll(tr.records[i], "x", ""); got != all.records[i] {
			t.Fatalf("record %d: %s, want %s", i+1, got, all.records[i])
		}
	}
	h.rename(t, "s1", "live again")
	if f := slow.until(protocol.TypeSessionUpdated); !strings.Contains(string(f.raw), "live again") {
		t.Errorf("got %.200s", f.raw)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestClientThatNeverReadsIsLetGo: nobody else may notice, and its connection
// does not last for ever.
func TestClientThatNeverReadsIsLetGo(t *testing.T) {
	h := build(t, plan{queueBytes: 64 << 10, door: ws.Options{WriteWait: 100 * time.Millisecond, CloseWait: 100 * time.Millisecond}})
	mute := h.dialSlow(t, "s1", "client_id=mute")
	want[protocol.SessionState](mute, protocol.TypeSessionState)
	watch := h.dial(t, "s1", "client_id=watch")
	want[protocol.SessionState](watch, protocol.TypeSessionState)
	for i := 0; h.door.Stats.Connections.Load() == 2; i++ {
		title := fmt.Sprint(i, strings.Repeat("x", 256<<10))
		h.rename(t, "s1", title)
		if f := watch.until(protocol.TypeSessionUpdated); *f.payload.(*protocol.SessionUpdated).Title != title {
			t.Fatal("the other client lost a record")
		}
	}
}

// TestAnswersNobodyReadsAreBounded: a client that asks and asks and reads
// nothing is let go before it costs much.
func TestAnswersNobodyReadsAreBounded(t *testing.T) {
	const most = 64 << 10
	h := build(t, plan{queueBytes: most})
	if _, err := h.engine.Create(t.Context(), "s1", protocol.SessionCreated{}, session.Actor{}, nil); err != nil {
		t.Fatal(err)
	}
	sub, err := h.engine.Attach(t.Context(), "s1", engine.Attach{})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	for range 1000 {
		f, err := engine.NewSignal("s1", protocol.TypeError, "", "", protocol.Errorf(protocol.CodeInvalidMessage, "%s", strings.Repeat("x", 1<<10)))
		if err != nil {
			t.Fatal(err)
		}
		sub.Send(f)
	}
	held := 0
	for {
		frames, err := sub.Next(t.Context())
		if err != nil {
			var closed *engine.Closed
			if !errors.As(err, &closed) || closed.Code != protocol.CloseTooSlow {
				t.Error(err)
			}
			break
		}
		if len(frames) == 0 {
			t.Fatalf("the subscription is still open after %d bytes", held)
		}
		for _, f := range frames {
			held += len(f.JSON)
		}
	}
	if held > 2*most {
		t.Errorf("%d bytes were held", held)
	}
}

// TestLongOpenTextsDoNotKeepAClientOut: what is being written may be longer
// than the queue, and who joins gets it once, and every later record once.
func TestLongOpenTextsDoNotKeepAClientOut(t *testing.T) {
	release := make(chan struct{})
	h := build(t, plan{queueBytes: 16 << 10, runner: func(ctx context.Context, w *engine.Work) {
		sayFrom(ctx, w, func(yield func(string) bool) {
			for range 40 {
				if !yield(strings.Repeat("y", 1<<10)) {
					return
				}
			}
			select {
			case <-release:
			case <-ctx.Done():
			}
		})
	}})
	first := h.dial(t, "s1", "client_id=first&resume_from=msg_0000000000")
	first.tell("", "write")
	var stayed transcript
	for len(stayed.texts) == 0 || len(stayed.texts[firstKey(stayed.texts)]) < 40<<10 {
		if err := stayed.add(first.next()); err != nil {
			t.Fatal(err)
		}
	}
	late := h.dial(t, "s1", "client_id=late&resume_from=msg_0000000000")
	var tr transcript
	for len(tr.texts) == 0 {
		if err := tr.add(late.next()); err != nil {
			t.Fatal(err)
		}
	}
	close(release)
	for {
		f := late.next()
		if err := tr.add(f); err != nil {
			t.Fatal(err)
		}
		if f.Type == protocol.TypeComplete {
			break
		}
	}
}

func firstKey(m map[string]string) string {
	for k := range m {
		return k
	}
	return ""
}
