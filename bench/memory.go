package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

const memoryHow = "Resident memory of the server's process (VmRSS). The first two rows are of the program as it runs, a while after it got ready, and with 50 sessions that " +
	"each have a client and an answer being written. The others are differences for each of 1,000 live and 3,000 evicted ones after the garbage collector has given back what is " +
	"unused, so that they are what a thing holds and not what making it left behind; for evicted sessions of the heap alone, because the page caches of SQLite, which have a bound, fill up meanwhile. The baseline of the first rows is a Go process with an HTTP server and nothing else."

func runMemory(ctx context.Context, h *house) ([]row, error) {
	whole, err := wholeServer(ctx, h)
	if err != nil {
		return whole, err
	}
	units, err := perUnit(ctx, h)
	return append(whole, units...), err
}

// wholeServer looks at the real program.
func wholeServer(ctx context.Context, h *house) ([]row, error) {
	model, err := h.script(fmt.Sprintf("turns:\n  - generate: {deltas: %d, text: \"steady words come one by one, \", interval: 20ms}\n    repeat: forever\n", h.pick(400, 150)))
	if err != nil {
		return nil, err
	}
	data, err := h.dir("memory")
	if err != nil {
		return nil, err
	}
	s, err := h.serve(ctx, data, model)
	if err != nil {
		return nil, err
	}
	defer s.kill()
	bare, err := startChild("bare")
	if err != nil {
		return nil, err
	}
	defer bare.kill()
	if err := wait(ctx, 2*time.Second); err != nil {
		return nil, err
	}
	base, err := bare.resident()
	if err != nil {
		return nil, err
	}
	idle, err := s.resident()
	if err != nil {
		return nil, err
	}
	busy, err := fifty(ctx, s)
	if err != nil {
		return nil, err
	}
	line := func(what string, budget, measured float64) row {
		return row{
			What: what, Budget: "≤ " + bytesOf(budget), Measured: bytesOf(measured), Baseline: bytesOf(base) + " bare",
			Ratio: fmt.Sprintf("%.1fx", measured/base), Verdict: within(measured <= budget),
		}
	}
	return []row{
		line("memory of an idle server", 40<<20, idle),
		line("memory with 50 live sessions, each streaming to a client", 60<<20, busy),
	}, nil
}

// fifty lets 50 sessions work, each with a client, and gives the most memory
// seen meanwhile.
func fifty(ctx context.Context, s *server) (float64, error) {
	c, err := gather(50, nil, func(i int) (*socket, error) { return s.join(fmt.Sprintf("live_%02d", i), 32<<10) })
	if err != nil {
		return 0, err
	}
	defer c.close()
	var wg sync.WaitGroup
	errs := make([]error, len(c.viewers))
	for i, v := range c.viewers {
		wg.Go(func() { errs[i] = hearOut(v, nil) })
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	most := 0.0
	for {
		now, err := s.resident()
		if err != nil {
			return 0, err
		}
		most = max(most, now)
		select {
		case <-done:
			return most, firstOf(errs)
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// perUnit looks at what one session and one connection hold.
func perUnit(ctx context.Context, h *house) ([]row, error) {
	const idleAfter = 5 * time.Second
	data, err := h.dir("memory")
	if err != nil {
		return nil, err
	}
	s, err := h.serveHere(serving{Data: data, Model: "offline", IdleAfter: idleAfter})
	if err != nil {
		return nil, err
	}
	defer s.kill()
	// held is the memory after something was done, once what it left behind is
	// given back: of the whole process, and of its heap and stacks alone.
	held := func(do func() error, settle time.Duration) (whole, heap float64, err error) {
		if err := do(); err != nil {
			return 0, 0, err
		}
		if err := wait(ctx, settle); err != nil {
			return 0, 0, err
		}
		answer, err := s.ask("free")
		if err != nil {
			return 0, 0, err
		}
		if heap, err = strconv.ParseFloat(strings.TrimSpace(string(answer)), 64); err != nil {
			return 0, 0, err
		}
		whole, err = s.resident()
		return whole, heap, err
	}
	const live, connections = 1000, 1000
	gone := h.pick(3000, 1500)
	const evicted = idleAfter + 2*time.Second
	_, before, err := held(func() error { return visit(s, "warm", gone) }, evicted)
	if err != nil {
		return nil, err
	}
	_, afterGone, err := held(func() error { return visit(s, "gone", gone) }, evicted)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	withLive, _, err := held(func() error { return visit(s, "live", live) }, 0)
	if err != nil {
		return nil, err
	}
	if took := time.Since(begun); took > idleAfter {
		return nil, fmt.Errorf("it took %s to visit %d sessions: some may be gone already", took, live)
	}
	afterLive, _, err := held(func() error { return nil }, evicted)
	if err != nil {
		return nil, err
	}
	var c *crowd
	withCrowd, _, err := held(func() (err error) {
		c, err = gather(connections, nil, func(int) (*socket, error) { return s.join("crowd", 16<<10) })
		return err
	}, 0)
	if err != nil {
		return nil, err
	}
	c.close()
	line := func(what, budget string, most, measured float64) row {
		return row{What: what, Budget: budget, Measured: bytesOf(measured), Verdict: within(measured < most)}
	}
	return []row{
		line("memory of an idle live session", "< 50 KiB", 50<<10, (withLive-afterLive)/live),
		line("memory of an idle connection", "< 20 KiB", 20<<10, (withCrowd-afterLive)/connections),
		line("memory of an evicted session", "0 (below 1 KiB is noise)", 1<<10, (afterGone-before)/float64(gone)),
	}, nil
}

// visit makes sessions, and a client joins and leaves each.
func visit(s *server, name string, n int) error {
	c, err := gather(n, nil, func(i int) (*socket, error) {
		v, err := s.join(fmt.Sprintf("%s_%05d", name, i), 4<<10)
		if err == nil {
			v.close()
		}
		return v, err
	})
	if err == nil {
		c.close()
	}
	return err
}

func firstOf(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
