package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"
)

const answerHow = "A model's server, a process, sends 20,000 chunks as server-sent events, one at a time and as fast as it can. Direct is a client that reads and decodes " +
	"them. Ours is a client's message to Parley, which asks the same model with the same code, until the client has the finished answer on disk (`complete`), text checked. " +
	"A bare WebSocket proxy is shown beside it: it passes each chunk on in a frame and keeps nothing."

func runAnswer(ctx context.Context, h *house) ([]row, error) {
	const chunks = 20_000
	m, err := startChild("model")
	if err != nil {
		return nil, err
	}
	defer m.kill()
	bare, err := startChild("bare")
	if err != nil {
		return nil, err
	}
	defer bare.kill()
	address := fmt.Sprintf("%s?n=%d", strings.TrimSpace(string(m.first)), chunks)
	data, err := h.dir("answer")
	if err != nil {
		return nil, err
	}
	s, err := h.serveHere(serving{Data: data, Model: "sse:" + address})
	if err != nil {
		return nil, err
	}
	defer s.kill()
	var direct, proxied, ours sample
	for i := range h.pick(15, 4) {
		begun := time.Now()
		n := 0
		if err := readModel(ctx, address, func(text string) error { n += len(text); return nil }); err != nil {
			return nil, err
		}
		direct = append(direct, time.Since(begun).Seconds())
		if want := chunks * len(chunkText); n != want {
			return nil, fmt.Errorf("the model gave %d bytes instead of %d", n, want)
		}
		c, err := dial(strings.TrimSpace(string(bare.first)), "/proxy?url="+url.QueryEscape(address), 32<<10)
		if err != nil {
			return nil, err
		}
		took, err := listen(ctx, c, n)
		if err != nil {
			return nil, fmt.Errorf("the bare proxy: %w", err)
		}
		proxied = append(proxied, took)
		if c, err = s.join(fmt.Sprintf("answer_%d", i), 32<<10); err != nil {
			return nil, err
		}
		if took, err = listen(ctx, c, n); err != nil {
			return nil, err
		}
		ours = append(ours, took)
	}
	ratios := ours.over(direct)
	return []row{
		{
			What: "an answer of 20,000 unpaced chunks", Budget: "≤ 2.5x", Measured: ours.times(), Baseline: direct.times() + " direct",
			Ratio: ratios.spread("%.2fx"), Verdict: within(ratios.median() <= 2.5),
		},
		{
			What: "the same through a bare proxy", Measured: proxied.times(), Baseline: direct.times() + " direct",
			Ratio: proxied.over(direct).spread("%.2fx"), Verdict: info,
		},
	}, nil
}

// listen sends a message and reads until the answer is complete. It gives the
// time, if the text had so many bytes.
func listen(ctx context.Context, c *socket, want int) (float64, error) {
	defer c.close()
	begun := time.Now()
	if err := c.send(message("go")); err != nil {
		return 0, err
	}
	got := 0
	for ctx.Err() == nil {
		text, err := c.next()
		if err != nil {
			return 0, err
		}
		switch kind(text) {
		case "agent_response":
			got += len(deltaOf(text))
		case "failed":
			return 0, fmt.Errorf("the turn failed: %s", clip(string(text), 300))
		case "complete":
			if got != want {
				return 0, fmt.Errorf("%d bytes of text came instead of %d", got, want)
			}
			return time.Since(begun).Seconds(), nil
		}
	}
	return 0, ctx.Err()
}
