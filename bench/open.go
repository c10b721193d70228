package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/journal/sqlite"
)

const openHow = "A journal and an engine are opened anew (the system's file cache stays), then a client joins a session: from the call until its state is there. " +
	"First both sessions have 500 records after their newest snapshot, as if the server had been killed; then none, as when it was stopped in good order. " +
	"Their messages came with ids, so the long one remembers the most there are to remember (1,024). The records and snapshots were decided by the core and put into the journal many at once, not through an engine. The baseline is the short session."

func runOpen(ctx context.Context, h *house) ([]row, error) {
	f, err := h.fixture(ctx)
	if err != nil {
		return nil, err
	}
	crash, err := openInTurns(ctx, h, f, "after a crash")
	if err != nil {
		return nil, err
	}
	for _, id := range []string{f.short, f.long} { // a clean stop leaves a snapshot of the end
		c, err := openCore(f.dir)
		if err != nil {
			return crash, err
		}
		_, err = c.State(ctx, id)
		if err := errors.Join(err, c.close()); err != nil {
			return crash, err
		}
	}
	clean, err := openInTurns(ctx, h, f, "after a clean stop")
	return append(crash, clean...), err
}

func openInTurns(ctx context.Context, h *house, f *fixture, when string) ([]row, error) {
	var long, short sample
	for range h.pick(25, 11) {
		s, err := openOnce(ctx, f.dir, f.short)
		if err != nil {
			return nil, err
		}
		l, err := openOnce(ctx, f.dir, f.long)
		if err != nil {
			return nil, err
		}
		short, long = append(short, s), append(long, l)
	}
	ratios := long.over(short)
	return []row{{
		What: fmt.Sprintf("open a session of %s records, %s", thousands(f.records), when), Budget: "< 1.5x",
		Measured: long.times(), Baseline: fmt.Sprintf("%s for %s records", short.times(), thousands(shortRecords)),
		Ratio: ratios.spread("%.2fx"), Verdict: within(ratios.median() < 1.5),
	}}, nil
}

// killed is a journal whose server never stops in good order: it keeps no
// snapshot, so that every round finds the journal as the first one did.
type killed struct{ *sqlite.Journal }

func (killed) PutSnapshot(context.Context, string, journal.Snapshot) error { return nil }

func openOnce(ctx context.Context, dir, id string) (seconds float64, err error) {
	c, err := openCoreOn(dir, func(j *sqlite.Journal) engine.Store { return killed{j} })
	if err != nil {
		return 0, err
	}
	defer c.close()
	begun := time.Now()
	sub, err := c.Attach(ctx, id, engine.Attach{})
	if err != nil {
		return 0, err
	}
	frames, err := sub.Next(ctx)
	seconds = time.Since(begun).Seconds()
	sub.Close()
	if err == nil && len(frames) == 0 {
		err = fmt.Errorf("session %s gave no state", id)
	}
	return seconds, err
}

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
