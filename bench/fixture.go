package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/parley-dev/parley/internal/index"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/journal/sqlite"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// fixture is a data folder with one very long session, a short one, and many
// small ones: what a server has after years of use.
type fixture struct {
	dir     string
	long    string // id of the long session
	middle  string // of one with a thousand messages
	short   string
	records int // of the long session
	small   int // sessions of one turn each
	frames  int64
	indexed bool
}

const (
	shortRecords  = 1_000
	middleRecords = 6_000
	// behind is how many records come after the newest snapshot, as when the
	// server was killed.
	behind = 500
)

// fixture fills the folder once in a run.
func (h *house) fixture(ctx context.Context) (*fixture, error) {
	if h.large != nil {
		return h.large, nil
	}
	dir, err := h.dir("large")
	if err != nil {
		return nil, err
	}
	f := &fixture{dir: dir, long: "long", middle: "middle", short: "short", records: h.pick(1_000_000, 100_000), small: 10_000}
	h.logf("  filling a journal: a session of %d records, %d of one turn", f.records, f.small)
	j, err := sqlite.Open(sqlite.Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	err = f.fill(ctx, j)
	if err := errors.Join(err, j.Close()); err != nil {
		return nil, err
	}
	h.logf("  filled: %s of frames", bytesOf(float64(f.frames)))
	h.large = f
	return f, nil
}

// indexed is the fixture with its index folded, as it is once a server has
// run for a while.
func (h *house) indexed(ctx context.Context) (*fixture, error) {
	f, err := h.fixture(ctx)
	if err != nil || f.indexed {
		return f, err
	}
	h.logf("  folding the index")
	j, err := sqlite.Open(sqlite.Options{Dir: f.dir})
	if err != nil {
		return nil, err
	}
	defer j.Close()
	ix, err := index.Open(index.Options{Path: filepath.Join(f.dir, "index.db"), Feed: j})
	if err != nil {
		return nil, err
	}
	err = errors.Join(ix.CatchUp(ctx), ix.Close())
	f.indexed = err == nil
	h.logf("  folded")
	return f, err
}

func (f *fixture) fill(ctx context.Context, j *sqlite.Journal) error {
	for id, records := range map[string]int{f.long: f.records, f.middle: middleRecords, f.short: shortRecords} {
		n, err := write(ctx, j, id, records)
		if err != nil {
			return err
		}
		f.frames += n
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	var errs []error
	const writers = 64
	for w := range writers {
		wg.Go(func() {
			for i := w; i < f.small; i += writers {
				n, err := write(ctx, j, fmt.Sprintf("small_%06d", i), 1)
				mu.Lock()
				f.frames += n
				errs = append(errs, err)
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// write makes a session of so many records, up to a snapshot's interval more,
// and says how many bytes their frames have. The core decides them as it would for a client and its
// model, and snapshots are kept by the engine's rule; only the journal is given
// many records at once.
func write(ctx context.Context, j *sqlite.Journal, id string, records int) (frames int64, err error) {
	const snapshotEvery = 1000
	w := writer{id: id, now: time.Now().Add(-24 * time.Hour)}
	kept := uint64(0)
	store := func(snapshot bool) error {
		if len(w.pending) == 0 {
			return nil
		}
		a := journal.Append{Session: id, Expect: w.pending[0].Seq - 1, Records: w.pending}
		if err := j.Append(ctx, a); err != nil {
			return err
		}
		w.pending = nil
		if !snapshot {
			return nil
		}
		s, err := w.state.Snapshot()
		if err != nil {
			return err
		}
		kept = s.Seq
		return j.PutSnapshot(ctx, id, journal.Snapshot{Seq: s.Seq, Version: session.FoldVersion, Path: s.Path, State: s.State})
	}
	if err := w.do(session.Command{Type: session.CreateSession, Data: &protocol.SessionCreated{Owner: "local", Title: "Session " + id}}); err != nil {
		return 0, err
	}
	done := func() bool {
		last := w.state.Ledger.Last
		return int(last) >= records && (kept == 0 || last >= kept+behind && last < kept+behind+20)
	}
	for turn := 0; turn == 0 || !done(); turn++ {
		if err := w.turn(turn); err != nil {
			return 0, err
		}
		if w.state.Ledger.Last >= kept+snapshotEvery {
			if err := store(true); err != nil {
				return 0, err
			}
		}
	}
	return w.frames, store(false)
}

// writer plays a client, a model and the engine, in memory.
type writer struct {
	id      string
	state   session.State
	now     time.Time
	pending []journal.Record
	frames  int64
}

func (w *writer) do(c session.Command) error {
	w.now = w.now.Add(3 * time.Millisecond)
	c.By = me
	records, err := w.state.Decide(c, w.now)
	if err != nil {
		return err
	}
	for _, r := range records {
		frame, err := r.Encode()
		if err != nil {
			return err
		}
		w.state.Ledger.Apply(r)
		w.state.Apply(r)
		w.pending = append(w.pending, journal.Record{Seq: r.Seq, Frame: frame})
		w.frames += int64(len(frame))
	}
	return nil
}

var (
	question = strings.Repeat("What became of the third one? ", 5)
	answer   = strings.Repeat("It was looked at, put right and written down. ", 15)
)

// turn is a question and its answer.
func (w *writer) turn(number int) error {
	id := fmt.Sprintf("%s-%d", w.id, number)
	err := w.do(session.Command{
		Type:  protocol.TypeUserMessage,
		Data:  &protocol.UserMessage{Content: question + id},
		Cause: &protocol.Cause{Scope: "bench/" + w.id, MessageID: id, Digest: "0123456789abcdef0123456789abcdef"},
	})
	if err != nil {
		return err
	}
	turn := w.state.Turns.Current.ID
	if err := w.do(session.Command{Type: session.ModelBegin, Data: &session.ModelBegun{TurnID: turn, Model: "bench"}}); err != nil {
		return err
	}
	call := w.state.Turns.Current.Loop.Call.Seq
	return w.do(session.Command{
		Type: session.ModelEnd,
		Data: &session.ModelEnded{
			TurnID: turn, Call: call, StopReason: "end_turn", ContextWindow: 200_000,
			Usage: protocol.Usage{InputTokens: 1200, OutputTokens: 180},
		},
		Open: []session.OpenText{{
			OpenID: protocol.ID(protocol.OpenPrefix, call) + "_1", AgentID: protocol.MainAgent(protocol.DefaultMonitor),
			Say: protocol.SayText, Text: answer + id,
		}},
	})
}
