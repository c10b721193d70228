package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

const latencyHow = "A model inside the server yields chunks of 40 bytes that say when they were made, 200 a second; a client notes when it has read the frame each came in. " +
	"The baseline is a bare WebSocket loop that makes and sends the same chunks in frames of the same size. Both run as processes, in turns; " +
	"what is judged is the difference of their percentiles."

func runLatency(ctx context.Context, h *house) ([]row, error) {
	pace := fmt.Sprintf("%d/5ms", h.pick(800, 400))
	data, err := h.dir("latency")
	if err != nil {
		return nil, err
	}
	s, err := h.serveHere(serving{Data: data, Model: "stamp:" + pace})
	if err != nil {
		return nil, err
	}
	defer s.kill()
	bare, err := startChild("bare")
	if err != nil {
		return nil, err
	}
	defer bare.kill()
	var p50, p99, base50, base99, extra50, extra99 sample
	for range h.pick(5, 2) {
		c, err := dial(strings.TrimSpace(string(bare.first)), "/stamps?pace="+pace, 32<<10)
		if err != nil {
			return nil, err
		}
		theirs, err := ages(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("the bare loop: %w", err)
		}
		if c, err = s.join("latency", 32<<10); err != nil {
			return nil, err
		}
		ours, err := ages(ctx, c)
		if err != nil {
			return nil, err
		}
		base50, base99 = append(base50, theirs.at(0.5)), append(base99, theirs.at(0.99))
		p50, p99 = append(p50, ours.at(0.5)), append(p99, ours.at(0.99))
		extra50 = append(extra50, ours.at(0.5)-theirs.at(0.5))
		extra99 = append(extra99, ours.at(0.99)-theirs.at(0.99))
	}
	line := func(what, budget string, limit float64, ours, theirs, extra sample) row {
		return row{
			What: what, Budget: budget, Measured: ours.times(), Baseline: theirs.times() + " bare loop",
			Ratio: fmt.Sprintf("%s more (%s to %s)", extra.times(), duration(extra.at(0)), duration(extra.at(1))), Verdict: within(extra.median() < limit),
		}
	}
	return []row{
		line("model chunk to client, p50", "< +200 µs", 200e-6, p50, base50, extra50),
		line("model chunk to client, p99", "< +2 ms", 2e-3, p99, base99, extra99),
	}, nil
}

// ages lets the other side talk until it is complete, and says how old each
// chunk was when it came.
func ages(ctx context.Context, c *socket) (sample, error) {
	defer c.close()
	if err := c.send(message("go")); err != nil {
		return nil, err
	}
	var all sample
	for ctx.Err() == nil {
		text, err := c.next()
		if err != nil {
			return nil, err
		}
		now := time.Now()
		switch kind(text) {
		case "complete":
			if len(all) == 0 {
				return nil, errors.New("no chunk came")
			}
			return all, nil
		case "failed":
			return nil, fmt.Errorf("the turn failed: %s", clip(string(text), 300))
		case "agent_response":
			// What waited together comes together: several stamps in one delta.
			for delta := deltaOf(text); len(delta) >= stampSize; delta = delta[stampSize:] {
				a, err := age(delta, now)
				if err != nil {
					return nil, err
				}
				all = append(all, a)
			}
		}
	}
	return nil, ctx.Err()
}

// kind is a frame's type, which stands near its beginning.
func kind(frame []byte) string {
	_, rest, _ := bytes.Cut(frame[:min(len(frame), small)], []byte(`"type":"`))
	name, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(name)
}

// deltaOf is the text of a delta. The texts of these loads need no unescaping.
func deltaOf(frame []byte) []byte {
	_, rest, ok := bytes.Cut(frame, []byte(`"delta":"`))
	if !ok {
		return nil
	}
	delta, _, _ := bytes.Cut(rest, []byte(`"`))
	return delta
}
