package engine_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// faulty breaks a journal now and then, until it is told to stop.
type faulty struct {
	*memory
	mu   sync.Mutex
	rand *rand.Rand
	off  bool
}

func newFaulty(seed uint64) *faulty {
	f := &faulty{memory: newMemory(), rand: rand.New(rand.NewPCG(seed, 0))}
	f.before = func(journal.Append) error { return f.fault(30) }
	f.beforeParts = func([]journal.Part) error { return f.fault(30) }
	return f
}

func (f *faulty) fault(percent int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch n := f.rand.IntN(300); {
	case f.off || n >= 3*percent:
		return nil
	case n < 2*percent:
		return journal.ErrFull
	}
	return journal.ErrConflict
}

// Append also fails after it was done: who asked cannot know.
func (f *faulty) Append(ctx context.Context, a journal.Append) error {
	if err := f.memory.Append(ctx, a); err != nil {
		return err
	}
	if f.fault(15) != nil {
		return errors.New("input/output error")
	}
	return nil
}

func (f *faulty) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.off = true
}

// follower stays with a session whatever happens, and keeps what it got.
type follower struct {
	frames []string
	seen   uint64
}

// follow reads until the session is over for good.
func (f *follower) follow(t *testing.T, h *house, quit <-chan struct{}) {
	for {
		v := &viewer{wake: make(chan struct{}, 1)}
		sub, err := h.Attach(context.Background(), "s", engine.Attach{Resume: protocol.MessageID(f.seen), Notify: func() {
			select {
			case v.wake <- struct{}{}:
			default:
			}
		}})
		if err == nil {
			f.read(t, sub, v.wake, quit)
			sub.Close()
		}
		select {
		case <-quit:
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (f *follower) read(t *testing.T, sub *engine.Subscription, wake, quit <-chan struct{}) {
	for {
		frames, err := sub.Next(context.Background())
		if err != nil {
			return
		}
		for _, frame := range frames {
			if frame.Seq == 0 {
				continue
			}
			if frame.Seq != f.seen+1 {
				t.Errorf("record %d came after %d", frame.Seq, f.seen)
			}
			f.seen = frame.Seq
			f.frames = append(f.frames, string(frame.JSON))
		}
		if len(frames) > 0 {
			continue
		}
		select {
		case <-wake:
		case <-quit:
			return
		}
	}
}

// Whatever the disk refuses: what anyone was sent is what is stored, in order
// and without a gap, and once the disk works again so does the session.
func TestFaultyJournal(t *testing.T) {
	for seed := range uint64(80) {
		synctest.Test(t, func(t *testing.T) {
			m := newFaulty(seed)
			h := openOn(t, m, moody, func(o *engine.Options) { o.QueueBytes, o.IdleAfter = 2000, 3*time.Second })
			for {
				_, err := h.Create(context.Background(), "s", protocol.SessionCreated{Owner: "ann"}, session.Actor{User: "ann"}, nil)
				if err == nil || protocol.AsError(err).Code == protocol.CodeSessionInvalidState {
					break
				}
			}
			quit := make(chan struct{})
			followers := make([]follower, 3)
			var wg sync.WaitGroup
			for i := range followers {
				wg.Go(func() { followers[i].follow(t, h, quit) })
			}
			ask := func(words string) error {
				_, err := h.Do(context.Background(), "s", session.Command{
					Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: words}, By: session.Actor{User: "ann"},
					Cause: &protocol.Cause{Scope: "ann", MessageID: words, Digest: words},
				})
				return err
			}
			asked := []string{"first", "second", "third"}
			for _, words := range asked {
				for ask(words) != nil {
					time.Sleep(time.Second)
				}
				time.Sleep(time.Duration(seed%7) * time.Second)
			}
			m.stop()
			// The longest that anything waits for its next try is far shorter.
			time.Sleep(time.Hour)
			if err := ask("last"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
			state, err := h.State(context.Background(), "s")
			if err != nil || state.Status != protocol.StatusCompleted {
				t.Errorf("seed %d: the session is %s (%v)", seed, state.Status, err)
			}
			close(quit)
			wg.Wait()
			h.close(t)
			s := tell(t, m.crash(), "s")
			if !slices.Equal(s.said, append(asked, "last")) {
				t.Errorf("seed %d: people said %q", seed, s.said)
			}
			for i, f := range followers {
				if !slices.Equal(f.frames, s.frames) {
					t.Errorf("seed %d: follower %d got %d records, %d are stored", seed, i, len(f.frames), len(s.frames))
				}
			}
		})
	}
}
