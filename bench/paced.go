package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const pacedHow = "A scripted model writes deltas of 500 bytes on the wire at a steady pace: 50 a second in one session with 100 followers, and 10 a second in each of 1,000 sessions with " +
	"one viewer each. Deltas are counted where they arrive (the server may join two that waited together), and the processor time is the server's for the whole answer: " +
	"timers, model, parts on disk and all. The baseline is centrifuge publishing at the same pace to the same viewers, in memory."

func runPaced(ctx context.Context, h *house) ([]row, error) {
	seconds := h.pick(12, 4)
	peer, missing := h.peer(ctx)
	if missing == nil {
		defer peer.kill()
	}
	followed, err := pacedFollowers(ctx, h, peer, seconds)
	if err != nil {
		return nil, err
	}
	many, err := pacedSessions(ctx, h, seconds)
	return append(followed, many...), err
}

func pacedScript(h *house, perSecond, seconds int) (string, error) {
	text := strings.Repeat("steady words ", 22) // with what is around it, 500 bytes
	return h.script(fmt.Sprintf("turns:\n  - generate: {deltas: %d, text: %q, interval: %s}\n    repeat: forever\n",
		perSecond*seconds, text, time.Second/time.Duration(perSecond)))
}

// pacedFollowers is one session with 100 followers.
func pacedFollowers(ctx context.Context, h *house, peer *process, seconds int) ([]row, error) {
	const followers, perSecond = 100, 50
	model, err := pacedScript(h, perSecond, seconds)
	if err != nil {
		return nil, err
	}
	data, err := h.dir("paced")
	if err != nil {
		return nil, err
	}
	s, err := h.serve(ctx, data, model)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	var ours, theirs sample
	for round := range h.pick(2, 1) {
		if peer != nil {
			cpu, err := peerPaced(peer, followers, perSecond*seconds, time.Second/perSecond)
			if err != nil {
				return nil, err
			}
			theirs = append(theirs, cpu)
		}
		id := fmt.Sprintf("followed_%d", round)
		cpu, err := hearAll(s, followers, func(int) string { return id }, func(i int) []byte {
			if i == 0 {
				return message("go")
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		ours = append(ours, cpu)
		h.logf("  %d followers, round %d", followers, round+1)
	}
	r := row{
		What: "processor time for a million deliveries to 100 followers, 50 deltas a second", Budget: "≤ 15 s",
		Measured: ours.spread("%.1f s"), Verdict: within(ours.median() <= 15),
	}
	if peer != nil {
		r.Baseline, r.Ratio = theirs.spread("%.1f s")+" centrifuge", ours.over(theirs).spread("%.2fx")
	}
	return []row{r}, nil
}

// pacedSessions is many sessions with one viewer each.
func pacedSessions(ctx context.Context, h *house, seconds int) ([]row, error) {
	const sessions, perSecond = 1000, 10
	model, err := pacedScript(h, perSecond, seconds)
	if err != nil {
		return nil, err
	}
	data, err := h.dir("paced")
	if err != nil {
		return nil, err
	}
	s, err := h.serve(ctx, data, model)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	cpu, err := hearAll(s, sessions, func(i int) string { return fmt.Sprintf("paced_%04d", i) }, func(int) []byte { return message("go") })
	if err != nil {
		return nil, err
	}
	return []row{{
		What:     "processor time for a million deliveries in 1,000 sessions with one viewer, 10 deltas a second each",
		Measured: fmt.Sprintf("%.1f s", cpu), Verdict: info,
	}}, nil
}

// hearAll lets viewers join, says what is to be said, and reads until each has
// its answer. It gives the server's processor seconds for a million deltas.
func hearAll(s *server, n int, session func(i int) string, say func(i int) []byte) (float64, error) {
	var count atomic.Int64
	c, err := gather(n, nil, func(i int) (*socket, error) { return s.join(session(i), 16<<10) })
	if err != nil {
		return 0, err
	}
	defer c.close()
	before, err := s.cpu()
	if err != nil {
		return 0, err
	}
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i, v := range c.viewers {
		wg.Go(func() {
			if text := say(i); text != nil {
				if errs[i] = v.send(text); errs[i] != nil {
					return
				}
			}
			errs[i] = untilComplete(v, func() { count.Add(1) })
		})
	}
	wg.Wait()
	after, err := s.cpu()
	if err != nil {
		return 0, err
	}
	return (after - before) / float64(count.Load()) * 1e6, firstOf(errs)
}

// hearOut asks for an answer and reads it.
func hearOut(v *socket, delta func()) error {
	if err := v.send(message("go")); err != nil {
		return err
	}
	return untilComplete(v, delta)
}

func untilComplete(v *socket, delta func()) error {
	for {
		text, err := v.next()
		if err != nil {
			return err
		}
		switch kind(text) {
		case "agent_response":
			if delta != nil {
				delta()
			}
		case "failed":
			return fmt.Errorf("the turn failed: %s", clip(string(text), 300))
		case "complete":
			return nil
		}
	}
}

// peerPaced lets the peer publish slowly.
func peerPaced(p *process, followers, total int, every time.Duration) (float64, error) {
	l, err := peerLoad(p, followers)
	if err != nil {
		return 0, err
	}
	defer l.crowd.close()
	before, err := p.cpu()
	if err != nil {
		return 0, err
	}
	w := l.read(total, total)
	resp, err := http.Post(fmt.Sprintf("http://%s/publish?n=%d&size=%d&every=%s", strings.TrimSpace(string(p.first)), total, wireSize, every), "", nil)
	if err != nil {
		return 0, err
	}
	resp.Body.Close()
	if err := w.last(context.Background()); err != nil {
		return 0, err
	}
	after, err := p.cpu()
	return (after - before) / float64(total*followers) * 1e6, err
}
