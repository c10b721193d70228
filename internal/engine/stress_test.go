package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// crowd is many clients that do everything at once.
type crowd struct {
	*testing.T
	*house
	deleted sync.Map
}

// allowed fails the test at an error that none of the clients has earned.
func (c *crowd) allowed(what string, err error) {
	if err == nil {
		return
	}
	switch protocol.AsError(err).Code {
	case protocol.CodeSessionNotFound, protocol.CodeSessionExpired, protocol.CodeSessionInvalidState:
	default:
		c.Errorf("%s: %v", what, err)
	}
}

func (c *crowd) act(r *rand.Rand, id string) {
	ctx := context.Background()
	switch r.IntN(12) {
	case 0:
		_, err := c.Create(ctx, id, protocol.SessionCreated{Owner: "ann"}, session.Actor{User: "ann"}, nil)
		c.allowed("create", err)
	case 1, 2, 3:
		m := &protocol.UserMessage{Content: strings.Repeat("words ", r.IntN(50)+1)}
		if r.IntN(3) == 0 {
			m.When = protocol.WhenInterrupt
		}
		_, err := c.Do(ctx, id, session.Command{Type: protocol.TypeUserMessage, Data: m})
		c.allowed("say", err)
	case 4:
		_, err := c.Do(ctx, id, session.Command{Type: protocol.TypeControlCancel, Data: &protocol.ControlCancel{}})
		c.allowed("cancel", err)
	case 5:
		_, err := c.State(ctx, id)
		c.allowed("state", err)
	case 6:
		if r.IntN(8) == 0 {
			err := c.Delete(ctx, id)
			c.allowed("delete", err)
			if err == nil {
				c.deleted.Store(id, true)
			}
		}
	default:
		c.watch(r, id)
	}
}

// watch reads a while, with pauses or without, and leaves.
func (c *crowd) watch(r *rand.Rand, id string) {
	wake := make(chan struct{}, 1)
	v := &viewer{wake: wake, text: map[string]string{}, whole: map[string]bool{}, next: map[string]int{}, resume: true}
	attach := engine.Attach{Resume: protocol.MessageID(0), Notify: func() {
		select {
		case wake <- struct{}{}:
		default:
		}
	}}
	if r.IntN(4) == 0 {
		attach.ClientID = "the same"
	}
	sub, err := c.Attach(context.Background(), id, attach)
	if err != nil {
		c.allowed("attach", err)
		return
	}
	defer sub.Close()
	for range r.IntN(30) {
		frames, err := sub.Next(context.Background())
		if err != nil {
			var closed *engine.Closed
			if !asClosed(err, &closed) || closed.Code != protocol.CloseDeleted && closed.Code != protocol.CloseTakenOver {
				c.Errorf("%s: a viewer got %v", id, err)
			}
			return
		}
		for _, f := range frames {
			e, data, err := protocol.DecodeFrame(f.JSON)
			if err != nil {
				c.Errorf("%s: %v", id, err)
				return
			}
			v.note(c.T, e, data)
		}
		if len(frames) == 0 {
			if state, err := c.State(context.Background(), id); err != nil || state.TaskState == protocol.TaskStateIdle {
				return // nothing may ever come
			}
			<-wake
		}
	}
}

// settled waits until nothing runs in a session any more.
func (c *crowd) settled(id string) {
	v := c.attach(c.T, id, protocol.MessageID(0))
	defer v.sub.Close()
	for {
		state, err := c.State(context.Background(), id)
		if err != nil {
			c.Fatal(err)
		}
		if state.TaskState == protocol.TaskStateIdle && len(state.Queue) == 0 {
			return
		}
		frames, err := v.sub.Next(context.Background())
		if err != nil {
			c.Fatal(err)
		}
		if len(frames) == 0 {
			<-v.wake
		}
	}
}

// Many clients come, go, talk, cancel and delete at once, in sessions that leave
// memory whenever they can. Everyone gets what is stored, in order.
func TestCrowd(t *testing.T) {
	const clients, acts, sessions = 16, 60, 12
	m := newMemory()
	c := &crowd{T: t, house: openOn(t, m, runner{say("hel", strings.Repeat("lo ", 400), "world")}, func(o *engine.Options) {
		o.IdleAfter, o.QueueBytes = time.Millisecond, 4<<10
	})}
	id := func(n int) string { return fmt.Sprint("s", n) }
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(client), 1))
			for range acts {
				c.act(r, id(r.IntN(sessions)))
			}
		})
	}
	wg.Wait()
	for n := range sessions {
		if _, gone := c.deleted.Load(id(n)); gone {
			continue
		}
		if _, err := c.State(context.Background(), id(n)); err == nil {
			c.settled(id(n))
		}
	}
	t.Logf("%d records, %d opened, %d evicted, %d fell behind", c.Stats.Records.Load(), c.Stats.Opened.Load(), c.Stats.Evicted.Load(), c.Stats.Lagged.Load())
	if c.Stats.Evicted.Load() == 0 || c.Stats.Lagged.Load() == 0 {
		t.Error("nobody was evicted, or nobody fell behind: the test shows too little")
	}
	c.close(t)
	for n := range sessions {
		tell(t, m.crash(), id(n))
	}
	for what, n := range map[string]int64{
		"live": c.Stats.Live.Load(), "subscribers": c.Stats.Subscribers.Load(), "running": c.Stats.Running.Load(),
	} {
		if n != 0 {
			t.Errorf("%d %s in the end", n, what)
		}
	}
}
