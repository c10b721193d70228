package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/protocol"
)

const appendHow = "Each of 64 (1,000) sessions has a caller that gives it one command after the other and waits for each; " +
	"a command gives one record of 450 bytes, decided, encoded, appended, synced and applied. " +
	"The baseline is one writer that appends 450 bytes to a preallocated file and calls fdatasync after each. " +
	"The journal alone is shown beside it: what is left is the engine's own cost."

const recordSize = 450

func runAppend(ctx context.Context, h *house) ([]row, error) {
	dir, err := h.dir("append")
	if err != nil {
		return nil, err
	}
	c, err := openCore(dir)
	if err != nil {
		return nil, err
	}
	defer c.close()
	loads := []*appendLoad{
		{name: "durable append through the engine, 64 sessions", writers: 64, budget: 3.5},
		{name: "durable append through the engine, 1,000 sessions", writers: 1000, budget: 6},
		{name: "the journal alone, 64 sessions", writers: 64, alone: true},
		{name: "the journal alone, 1,000 sessions", writers: 1000, alone: true},
	}
	for i, l := range loads {
		if err := l.prepare(ctx, c, i); err != nil {
			return nil, err
		}
	}
	slice := time.Duration(h.pick(1500, 500)) * time.Millisecond
	rounds := h.pick(7, 3)
	before, err := oneByOne(dir, slice/3)
	if err != nil {
		return nil, err
	}
	for round := range rounds {
		for _, l := range loads {
			r, err := l.run(ctx, slice)
			if err != nil {
				return nil, err
			}
			after, err := oneByOne(dir, slice/3)
			if err != nil {
				return nil, err
			}
			l.rates = append(l.rates, r)
			l.base = append(l.base, (before+after)/2)
			before = after
		}
		h.logf("  round %d of %d", round+1, rounds)
	}
	var rows []row
	for _, l := range loads {
		rows = append(rows, l.row())
	}
	return rows, nil
}

// appendLoad is a number of sessions that are written to at once.
type appendLoad struct {
	name    string
	writers int
	alone   bool // the journal without the engine
	budget  float64

	once             []func(context.Context) error // one append to each session
	rates, base, cpu sample                        // cpu: seconds for each append, baseline not included
}

func (l *appendLoad) prepare(ctx context.Context, c *core, number int) error {
	for i := range l.writers {
		id := fmt.Sprintf("append_%d_%04d", number, i)
		if l.alone {
			l.once = append(l.once, appendAlone(c, id))
			continue
		}
		if _, err := c.Create(ctx, id, protocol.SessionCreated{Owner: me.User}, me, nil); err != nil {
			return err
		}
		pad, err := padding(ctx, c, id, recordSize)
		if err != nil {
			return err
		}
		l.once = append(l.once, func(ctx context.Context) error {
			_, err := c.Do(ctx, id, rename(pad))
			return err
		})
	}
	return nil
}

// padding is the title that makes a stored record of this size.
func padding(ctx context.Context, c *core, id string, size int) (string, error) {
	r, err := c.Do(ctx, id, rename("x"))
	if err != nil {
		return "", err
	}
	page, err := c.store.Read(ctx, id, r.First-1, 1)
	if err != nil || len(page) == 0 {
		return "", fmt.Errorf("read back record %d: %w", r.First, err)
	}
	return strings.Repeat("x", size-len(page[0].Frame)+1), nil
}

func appendAlone(c *core, id string) func(context.Context) error {
	frame := bytes.Repeat([]byte("x"), recordSize)
	last := uint64(0)
	return func(ctx context.Context) error {
		err := c.store.Append(ctx, journal.Append{Session: id, Expect: last, Records: []journal.Record{{Seq: last + 1, Frame: frame}}})
		last++
		return err
	}
}

// run appends for a while and gives the rate.
func (l *appendLoad) run(ctx context.Context, d time.Duration) (float64, error) {
	var count atomic.Int64
	var fault atomic.Pointer[error]
	var wg sync.WaitGroup
	begun, cpu := time.Now(), ownCPU()
	for _, once := range l.once {
		wg.Go(func() {
			n := int64(0)
			for time.Since(begun) < d && fault.Load() == nil {
				if err := once(ctx); err != nil {
					fault.Store(&err)
					break
				}
				n++
			}
			count.Add(n)
		})
	}
	wg.Wait()
	if err := fault.Load(); err != nil {
		return 0, *err
	}
	l.cpu = append(l.cpu, (ownCPU()-cpu)/float64(count.Load()))
	return float64(count.Load()) / time.Since(begun).Seconds(), nil
}

func (l *appendLoad) row() row {
	ratios := l.rates.over(l.base)
	r := row{
		What: l.name, Measured: rate(l.rates.median()), Baseline: rate(l.base.median()) + " one by one",
		Ratio: ratios.spread("%.1fx"), Verdict: info, Note: duration(l.cpu.median()) + " of processor time for each append",
	}
	if l.budget > 0 {
		r.Budget = fmt.Sprintf("≥ %gx", l.budget)
		r.Verdict = within(ratios.median() >= l.budget)
	}
	return r
}

// oneByOne is how many records a second reach the disk if each is synced for
// itself, in a file whose blocks are there already.
func oneByOne(dir string, d time.Duration) (float64, error) {
	path := filepath.Join(dir, "one-by-one")
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer os.Remove(path)
	defer f.Close()
	const size = 8 << 20
	if _, err := f.Write(make([]byte, size)); err != nil {
		return 0, err
	}
	if err := f.Sync(); err != nil {
		return 0, err
	}
	record := bytes.Repeat([]byte("x"), recordSize)
	begun, n := time.Now(), 0
	for ; time.Since(begun) < d; n++ {
		if _, err := f.WriteAt(record, int64(n*len(record)%(size-len(record)))); err != nil {
			return 0, err
		}
		if err := datasync(f); err != nil {
			return 0, err
		}
	}
	return float64(n) / time.Since(begun).Seconds(), nil
}
