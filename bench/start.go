package main

import (
	"context"
	"fmt"
)

const startHow = "From the start of the program's process until it has printed that it is ready, in turns on the large journal and on a folder with nothing in it. " +
	"It stops in good order each time, and the system's file cache stays."

func runStart(ctx context.Context, h *house) ([]row, error) {
	f, err := h.indexed(ctx)
	if err != nil {
		return nil, err
	}
	empty, err := h.dir("empty")
	if err != nil {
		return nil, err
	}
	once := func(dir string) (float64, error) {
		s, err := h.serve(ctx, dir, "offline")
		if err != nil {
			return 0, err
		}
		return s.ready.Seconds(), s.stop()
	}
	for _, dir := range []string{empty, f.dir} { // the first start makes files
		if _, err := once(dir); err != nil {
			return nil, err
		}
	}
	var large, none sample
	for range h.pick(15, 5) {
		n, err := once(empty)
		if err != nil {
			return nil, err
		}
		l, err := once(f.dir)
		if err != nil {
			return nil, err
		}
		none, large = append(none, n), append(large, l)
	}
	return []row{{
		What: fmt.Sprintf("start with %s records on disk", thousands(f.records)), Budget: "≤ 60 ms",
		Measured: large.times(), Baseline: none.times() + " empty", Ratio: large.over(none).spread("%.2fx"),
		Verdict: within(large.median() <= 0.060),
	}}, nil
}
