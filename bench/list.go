package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

const listHow = "`GET /sessions` over REST, first page of 50, on the journal with 10,000 sessions, one call after the other on one connection. " +
	"The baseline is a bare HTTP server in this process that answers the same bytes from memory."

func runList(ctx context.Context, h *house) ([]row, error) {
	f, err := h.indexed(ctx)
	if err != nil {
		return nil, err
	}
	s, err := h.serve(ctx, f.dir, "offline")
	if err != nil {
		return nil, err
	}
	defer s.kill()
	const path = "/api/v1/sessions?limit=50"
	body, _, err := get(http.DefaultClient, s.URL+path)
	if err != nil {
		return nil, err
	}
	var page struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(body, &page); err != nil || len(page.Items) != 50 {
		return nil, fmt.Errorf("GET %s gave %d items: %w", path, len(page.Items), err)
	}
	bare, stop, err := echo(map[string][]byte{path: body})
	if err != nil {
		return nil, err
	}
	defer stop()
	var ours, base sample
	for range h.pick(300, 100) {
		_, b, err := get(http.DefaultClient, bare+path)
		if err != nil {
			return nil, err
		}
		_, o, err := get(http.DefaultClient, s.URL+path)
		if err != nil {
			return nil, err
		}
		base, ours = append(base, b), append(ours, o)
	}
	return []row{{
		What: fmt.Sprintf("list %s sessions, first page, p95", thousands(f.small)), Budget: "< 50 ms",
		Measured: fmt.Sprintf("%s (p50 %s)", duration(ours.at(0.95)), ours.times()), Baseline: duration(base.at(0.95)) + " bare",
		Ratio: fmt.Sprintf("%.1fx", ours.at(0.95)/base.at(0.95)), Verdict: within(ours.at(0.95) < 0.050),
	}}, nil
}
