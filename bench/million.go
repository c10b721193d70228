package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/index"
	"github.com/parley-dev/parley/internal/journal/sqlite"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

const millionHow = "Two journals: 1,000,000 messages in 10,000 sessions, and a hundredth of both. The same things are asked of a server on each, over REST and in turns: " +
	"the first page of the list, a page of 50 messages, a word that stands in one message and one that stands in half of them, and the state of sessions that were not in memory. " +
	"The baseline is the small journal. Below: what one more message costs in a session that has 100,000 and in one that has 100, synced and applied. " +
	"The large journal stays in the system's temporary folder for the next run."

// hoard is a journal of many sessions with a hundred messages each.
type hoard struct {
	dir      string
	sessions int
	deep     int // messages of the session "deep"; "shallow" has a hundred
}

// recordsPerMessage is what a turn of the fixture comes to: six records for a
// question and its answer.
const recordsPerMessage = 3

func runMillion(ctx context.Context, h *house) ([]row, error) {
	large, err := h.hoard(ctx, h.pick(10_000, 1_000), h.pick(100_000, 10_000))
	if err != nil {
		return nil, err
	}
	small, err := h.hoard(ctx, h.pick(100, 50), 0)
	if err != nil {
		return nil, err
	}
	rows, err := askBoth(ctx, h, large, small)
	if err != nil {
		return rows, err
	}
	more, err := oneMore(ctx, h, large)
	return append(rows, more...), err
}

// hoard fills a journal and its index, unless an earlier run has.
func (h *house) hoard(ctx context.Context, sessions, deep int) (*hoard, error) {
	o := &hoard{dir: filepath.Join(os.TempDir(), fmt.Sprintf("parley-bench-hoard-%d-%d", sessions, deep)), sessions: sessions, deep: deep}
	done := filepath.Join(o.dir, "filled")
	if _, err := os.Stat(done); err != nil {
		h.logf("  filling a journal of %s messages in %s", thousands(100*sessions), o.dir)
		if err := os.RemoveAll(o.dir); err != nil {
			return nil, err
		}
		if err := o.fill(ctx); err != nil {
			return nil, err
		}
		if err := os.WriteFile(done, nil, 0o600); err != nil {
			return nil, err
		}
	}
	h.logf("  folding the index")
	j, err := sqlite.Open(sqlite.Options{Dir: o.dir})
	if err != nil {
		return nil, err
	}
	defer j.Close()
	ix, err := index.Open(index.Options{Path: filepath.Join(o.dir, "index.db"), Feed: j})
	if err != nil {
		return nil, err
	}
	return o, errors.Join(ix.CatchUp(ctx), ix.Close())
}

func (o *hoard) fill(ctx context.Context) error {
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return err
	}
	j, err := sqlite.Open(sqlite.Options{Dir: o.dir})
	if err != nil {
		return err
	}
	for i := 0; err == nil && i < o.sessions; i++ {
		_, err = write(ctx, j, o.id(i), 100*recordsPerMessage)
	}
	if err == nil && o.deep > 0 {
		_, err = write(ctx, j, "deep", o.deep*recordsPerMessage)
	}
	if err == nil {
		_, err = write(ctx, j, "shallow", 100*recordsPerMessage)
	}
	return errors.Join(err, j.Close())
}

func (o *hoard) id(i int) string { return fmt.Sprintf("hoard_%06d", i) }

// askBoth asks the same of a server on each journal, in turns.
func askBoth(ctx context.Context, h *house, large, small *hoard) ([]row, error) {
	a, err := h.serve(ctx, large.dir, "offline")
	if err != nil {
		return nil, err
	}
	defer a.kill()
	b, err := h.serve(ctx, small.dir, "offline")
	if err != nil {
		return nil, err
	}
	defer b.kill()
	var rows []row
	for _, ask := range []struct {
		what string
		path func(o *hoard, round int) string
	}{
		{"list, first page", func(*hoard, int) string { return "/sessions?limit=50" }},
		{"list by cost, first page", func(*hoard, int) string { return "/sessions?limit=50&sort=cost" }},
		{"read a page of 50 messages", func(o *hoard, i int) string {
			return "/sessions/" + o.id(i*37%o.sessions) + "/messages?limit=50&tail=true"
		}},
		{"search a word of one message", func(o *hoard, i int) string {
			return fmt.Sprintf("/search?q=%s-%d", o.id(i*41%o.sessions), i%40)
		}},
		{"search a word of half of them", func(*hoard, int) string { return "/search?q=became" }},
		{"open a session", func(o *hoard, i int) string { return "/sessions/" + o.id((i*43+7)%o.sessions) }},
	} {
		var ours, base sample
		for i := range h.pick(100, 30) {
			_, took, err := get(http.DefaultClient, a.URL+"/api/v1"+ask.path(large, i))
			if err != nil {
				return rows, err
			}
			ours = append(ours, took)
			if _, took, err = get(http.DefaultClient, b.URL+"/api/v1"+ask.path(small, i)); err != nil {
				return rows, err
			}
			base = append(base, took)
		}
		rows = append(rows, row{
			What:     fmt.Sprintf("%s, of %s messages in %s sessions", ask.what, thousands(100*large.sessions), thousands(large.sessions)),
			Measured: fmt.Sprintf("%s (p95 %s)", ours.times(), duration(ours.at(0.95))), Baseline: base.times() + " of a hundredth",
			Ratio: fmt.Sprintf("%.2fx", ours.median()/base.median()), Verdict: info,
		})
	}
	ours, err := a.resident()
	if err != nil {
		return rows, err
	}
	base, err := b.resident()
	return append(rows, row{
		What: "memory of the server after this", Measured: bytesOf(ours), Baseline: bytesOf(base) + " of a hundredth",
		Ratio: fmt.Sprintf("%.2fx", ours/base), Verdict: info,
	}), err
}

// oneMore says something in a long session and in a short one, in turns.
func oneMore(ctx context.Context, h *house, o *hoard) (rows []row, err error) {
	j, err := sqlite.Open(sqlite.Options{Dir: o.dir})
	if err != nil {
		return nil, err
	}
	e := engine.New(engine.Options{Store: j, Blobs: nowhere{}, Runner: patient{}})
	e.Start()
	defer func() { err = errors.Join(err, e.Close(), j.Close()) }()
	var deep, shallow sample
	for range h.pick(300, 100) {
		for id, s := range map[string]*sample{"deep": &deep, "shallow": &shallow} {
			begun := time.Now()
			if _, err := e.Do(ctx, id, session.Command{Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: question}, By: me}); err != nil {
				return nil, err
			}
			*s = append(*s, time.Since(begun).Seconds())
			if _, err := e.Do(ctx, id, session.Command{Type: protocol.TypeControlCancel, Data: &protocol.ControlCancel{}, By: me}); err != nil {
				return nil, err
			}
		}
	}
	return []row{{
		What: fmt.Sprintf("message number %s of a session", thousands(o.deep)), Measured: deep.times(),
		Baseline: shallow.times() + " for number 100", Ratio: fmt.Sprintf("%.2fx", deep.median()/shallow.median()), Verdict: info,
	}}, nil
}

// patient runs nothing, until it is told to stop.
type patient struct{}

func (patient) Run(ctx context.Context, _ *engine.Work) { <-ctx.Done() }
