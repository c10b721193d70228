package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// recovered opens what a crash has left and gives the messages of agents that
// were not finished.
func recovered(t *testing.T, left *memory) []string {
	t.Helper()
	h := openOn(t, left, runner{say("done")})
	defer h.close(t)
	v := h.attach(t, "s", protocol.MessageID(0))
	defer v.sub.Close()
	v.until(t, protocol.TypeComplete)
	parts, err := left.Parts(context.Background(), "s")
	if err != nil || len(parts) != 0 {
		t.Errorf("%d parts are left (%v)", len(parts), err)
	}
	var texts []string
	for _, d := range v.data {
		if m, ok := d.(*protocol.MessageRecord); ok && m.Message.Partial {
			texts = append(texts, m.Message.Text)
		}
	}
	return texts
}

// slowly writes pieces with time to flush each.
func slowly(pieces ...string) runner {
	return runner{func(ctx context.Context, w *engine.Work, call uint64) error {
		s, err := w.Write(ctx, protocol.ID(protocol.OpenPrefix, call), protocol.SayText)
		if err != nil {
			return err
		}
		for _, p := range pieces {
			if err := s.Write(ctx, p); err != nil {
				return err
			}
			time.Sleep(time.Second)
		}
		<-ctx.Done()
		return ctx.Err()
	}}
}

// crashed runs a turn for a while and gives what a crash would leave then.
func crashed(t *testing.T, m *memory, r engine.Runner) *memory {
	t.Helper()
	h := openOn(t, m, r)
	h.create(t, "s")
	h.send(t, "s", "hi", "")
	time.Sleep(time.Minute)
	left := m.crash()
	h.close(t)
	return left
}

// Text that the disk refused for a moment is put there later: what a crash
// leaves has no hole.
func TestPartsThatFailAreWrittenAgain(t *testing.T) {
	for _, bad := range [][]int{{0}, {1}, {0, 1}, {2}, {0, 2}, {0, 1, 2, 3, 4}} {
		synctest.Test(t, func(t *testing.T) {
			m := newMemory()
			n := -1
			m.beforeParts = func([]journal.Part) error {
				if n++; slices.Contains(bad, n) {
					return journal.ErrFull
				}
				return nil
			}
			left := crashed(t, m, slowly("one ", "two ", "three"))
			if got := recovered(t, left); !slices.Equal(got, []string{"one two three"}) {
				t.Errorf("after the failures %v: %q", bad, got)
			}
		})
	}
}

// What was lost in spite of that is not covered up: the text ends there.
func TestRecoveredTextHasNoHole(t *testing.T) {
	for lost, want := range [][]string{nil, {"one "}, {"one two "}} {
		synctest.Test(t, func(t *testing.T) {
			left := crashed(t, newMemory(), slowly("one ", "two ", "three"))
			s := left.sessions["s"]
			s.parts = slices.DeleteFunc(s.parts, func(p journal.Part) bool { return p.Index == lost })
			if got := recovered(t, left); !slices.Equal(got, want) {
				t.Errorf("without part %d: %q, want %q", lost, got, want)
			}
		})
	}
}

// A long text goes out of line when it is finished, not whenever something
// else happens meanwhile.
func TestOnlyTheEndOfATextStoresIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("long text ", 10_000)
		end := make(chan struct{})
		h := openOn(t, newMemory(), runner{func(ctx context.Context, w *engine.Work, call uint64) error {
			if err := say(long)(ctx, w, call); err != nil {
				return err
			}
			<-end
			return nil
		}})
		defer h.close(t)
		h.create(t, "s")
		v := h.attach(t, "s", "")
		defer v.sub.Close()
		h.send(t, "s", "hi", "")
		v.until(t, protocol.TypeAgentResponse)
		title := "changed meanwhile"
		if _, err := h.Do(context.Background(), "s", session.Command{Type: protocol.TypeUpdateSession, Data: &protocol.UpdateSession{Title: &title}}); err != nil {
			t.Fatal(err)
		}
		if n := len(h.blobs.data); n != 0 {
			t.Errorf("%d blobs were stored for a change of title", n)
		}
		close(end)
		c := v.until(t, protocol.TypeComplete).(*protocol.Complete)
		if !c.Response.Truncated || !strings.HasPrefix(long, c.Response.Text) {
			t.Errorf("a response of %d bytes, truncated: %v", len(c.Response.Text), c.Response.Truncated)
		}
	})
}

// A reference to a blob is the permission to read it, so nobody gets one by
// writing it down.
func TestNoReferenceToBlobsOfOthers(t *testing.T) {
	h := open(t, t.TempDir(), runner{say("x")})
	defer h.close(t)
	h.create(t, "theirs")
	h.create(t, "mine")
	send := func(id string, images ...string) (engine.Result, error) {
		return h.Do(context.Background(), id, session.Command{Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Images: images}})
	}
	r, err := send("theirs", "data:image/png;base64,"+strings.Repeat("secret", 1000))
	if err != nil {
		t.Fatal(err)
	}
	var stolen string
	for _, record := range r.Records {
		for _, hash := range record.Blobs() {
			stolen = hash
		}
	}
	if stolen == "" {
		t.Fatal("the image was not stored apart: the test shows nothing")
	}
	if _, err := send("mine", protocol.BlobURL+stolen); err == nil {
		t.Error("a blob of another session was taken as an image")
	}
	if has, err := h.HasBlob(context.Background(), "mine", stolen); err != nil || has {
		t.Errorf("may read it now: %v (%v)", has, err)
	}
	if _, err := send("theirs", protocol.BlobURL+stolen); err != nil {
		t.Errorf("the session's own image sent again: %v", err)
	}
}
