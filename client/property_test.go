package client

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/parley-dev/parley/protocol"
)

// plan is one random run: who says what, and where the line is cut.
type plan struct {
	cuts    []cut
	texts   []int // pieces of each
	pause   time.Duration
	sends   int
	history int // records before anybody joins
	after   string
}

func drawPlan(t *rapid.T) plan {
	p := plan{
		texts:   rapid.SliceOfN(rapid.IntRange(0, 12), 0, 4).Draw(t, "texts"),
		pause:   time.Duration(rapid.SampledFrom([]int{0, 50, 700, 2500}).Draw(t, "pause")) * time.Millisecond,
		sends:   rapid.IntRange(0, 8).Draw(t, "sends"),
		history: rapid.IntRange(0, 6).Draw(t, "history"),
	}
	for _, after := range rapid.SliceOfN(rapid.IntRange(0, 12), 0, 12).Draw(t, "cuts") {
		code := rapid.SampledFrom([]protocol.CloseCode{0, protocol.CloseStopping, protocol.CloseTooSlow, protocol.CloseHeartbeatLost, 1001}).Draw(t, "code")
		p.cuts = append(p.cuts, cut{after, code})
	}
	if rapid.Bool().Draw(t, "from start") {
		p.after = FromStart
	}
	return p
}

// TestWhateverIsCut is the promise of this package: however the line is cut,
// each record comes once and in order, each command is acted on once, and text
// that is shown as it comes is complete and never shown twice.
func TestWhateverIsCut(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlan(rt)
		var err error
		synctest.Test(t, func(t *testing.T) { err = p.run(t) })
		if err != nil {
			rt.Fatal(err)
		}
	})
}

func (p plan) run(t *testing.T) error {
	r := newRoom(p.cuts)
	for i := range p.history {
		r.say(fmt.Sprint("history ", i))
	}
	server := newPeer(t)
	server.http.Handler = r
	defer server.stop()
	defer r.stop()

	client := server.client(Options{Reconnect: Reconnect{MaxRetries: -1, RetryDial: true}})
	conn, err := client.Dial(t.Context(), "s1", DialOptions{After: p.after})
	if err != nil {
		return err
	}
	defer conn.Close()
	sent := make(chan error, 1)
	go func() { sent <- p.work(t, r, conn) }()
	if err := p.watch(t, r, conn); err != nil {
		return err
	}
	return <-sent
}

// work lets people and agents talk at the same time, then says the last word.
func (p plan) work(t *testing.T, r *room, conn *Conn) error {
	var all sync.WaitGroup
	errs := make([]error, p.sends)
	for i := range p.sends {
		all.Go(func() {
			time.Sleep(time.Duration(i/2) * p.pause)
			_, errs[i] = conn.SendMessage(t.Context(), fmt.Sprint("command ", i))
		})
	}
	for i, pieces := range p.texts {
		all.Go(func() { r.write(fmt.Sprint("open_", i), pieces, p.pause) })
	}
	all.Wait()
	r.say("the last word")
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range p.sends {
		if n := r.times[fmt.Sprint("command ", i)]; n != 1 {
			errs = append(errs, fmt.Errorf("command %d was acted on %d times", i, n))
		}
	}
	return errors.Join(errs...)
}

// watch follows to the last word, and checks what comes.
func (p plan) watch(t *testing.T, r *room, conn *Conn) error {
	shown := newScreen(t)
	next := uint64(0)
	for ev, err := range conn.Follow(t.Context()) {
		if err != nil {
			return err
		}
		if next == 0 { // the first event is the state
			next = 1
			if s, ok := ev.Data.(*protocol.SessionState); !ok {
				return fmt.Errorf("%s came first", ev.Type)
			} else if p.after == "" {
				last, _ := protocol.ParseMessageID(s.LastMessageID)
				next = last + 1
			}
		}
		shown.apply(ev)
		m, ok := ev.Data.(*protocol.MessageRecord)
		if !ok {
			continue
		}
		if ev.Seq != next {
			return fmt.Errorf("record %d came where %d was due", ev.Seq, next)
		}
		next++
		if m.OpenID != "" && shown.shown[m.OpenID] != m.Message.Text {
			return fmt.Errorf("%s shows %q, not %q", m.OpenID, shown.shown[m.OpenID], m.Message.Text)
		}
		if m.Message.Text == "the last word" {
			break
		}
	}
	if shown.anew > 0 {
		return fmt.Errorf("text was shown and taken back %d times", shown.anew)
	}
	return nil
}
