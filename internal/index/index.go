// Package index keeps the list of all sessions, finds words in what was said,
// and knows where each line of a conversation is: a fold of the whole journal,
// in a file of its own.
//
// What it promises:
//
//   - It is disposable. The file may be deleted at any time; one that is
//     missing, damaged, of another version or of another journal is thrown away
//     and folded again, and the log says so.
//   - It is written behind, and still a caller finds what was appended before
//     the call: List and Search catch up first. If that takes longer than
//     Options.Wait, as while the index is being rebuilt, or fails, they answer
//     with what there is and say that it is incomplete.
//   - A page of a conversation (Lines) costs what is on it, however long the
//     session is and however often it was rewound, and is what folding the
//     visible records gives. If the index cannot know that, it says ErrUnsure.
//   - The place in the feed is stored in one transaction with what was folded
//     up to there. A crash leaves an older index, never a wrong one.
//   - A record that this version cannot decode, or that is damaged, is logged
//     and left out. It stops nothing.
//   - Paging is stable. See List and Search for what it means while others write.
//   - Memory does not grow with the journal.
//
// What it refuses: it decides nothing about who may see what (the caller names
// the owners and the sessions shared with them), it removes nothing (Retention
// only chooses), and it does not read blobs: of
// a text too long for its record only the beginning, which the record holds,
// can be found.
package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/session"
)

const (
	defaultWait = 2 * time.Second
	// pokeDelay joins what many pokes announce. Nobody waits for it: whoever
	// asks catches up at once.
	pokeDelay = 200 * time.Millisecond
)

// ErrClosed says that the index was closed.
var ErrClosed = errors.New("the index is closed")

// Options says what to index, and where.
type Options struct {
	// Path is the file; its folder is made if it does not exist.
	Path string
	// Feed is what is indexed. Close the index before it.
	Feed journal.Feed
	// At folds a session as it was when a record was its newest, for what a list
	// shows of it after a rewind. Nil makes do with what the index knows: the
	// session rests.
	At func(ctx context.Context, session string, seq uint64) (*session.State, error)
	// Wait is how long List and Search wait for the index to catch up; the
	// default is 2 s.
	Wait time.Duration
	// Logger is for what no caller is told. The default discards.
	Logger *slog.Logger
}

// Index is an open index. It is safe for concurrent use.
type Index struct {
	path string
	feed journal.Feed
	wait time.Duration
	log  *slog.Logger
	at   func(ctx context.Context, session string, seq uint64) (*session.State, error)

	life  context.Context // ends with Close
	poked chan struct{}
	loop  sync.WaitGroup
	close func() error

	turn    chan struct{} // held by whoever writes: one at a time
	unknown bool          // a record that cannot be decoded was logged; under turn

	mu sync.RWMutex // held for reading while store is read, for writing while it is replaced
	*store
}

// Open opens the index, or makes a new one, and starts to catch up behind.
func Open(o Options) (*Index, error) {
	ix := &Index{
		path: o.Path, feed: o.Feed, wait: o.Wait, log: o.Logger, at: o.At,
		poked: make(chan struct{}, 1), turn: make(chan struct{}, 1),
	}
	if ix.wait <= 0 {
		ix.wait = defaultWait
	}
	if ix.log == nil {
		ix.log = slog.New(slog.DiscardHandler)
	}
	var stop context.CancelFunc
	ix.life, stop = context.WithCancel(context.Background())
	if err := ix.establish(); err != nil {
		stop()
		return nil, fmt.Errorf("open index %s: %w", o.Path, err)
	}
	ix.close = sync.OnceValue(func() error {
		stop()
		ix.loop.Wait()
		ix.turn <- struct{}{} // and keeps it
		ix.mu.Lock()
		defer ix.mu.Unlock()
		return ix.store.close()
	})
	ix.loop.Go(ix.run)
	ix.Poke()
	return ix, nil
}

// Close stops catching up and lets go of the file.
func (ix *Index) Close() error { return ix.close() }

// Poke says that something was appended or deleted. It never waits.
func (ix *Index) Poke() {
	select {
	case ix.poked <- struct{}{}:
	default:
	}
}

// run catches up whenever it is poked.
func (ix *Index) run() {
	for {
		select {
		case <-ix.poked:
		case <-ix.life.Done():
			return
		}
		if err := ix.CatchUp(ix.life); err != nil && ix.life.Err() == nil {
			ix.log.Warn("the index could not catch up; it will try again", "error", err)
		}
		select {
		case <-time.After(pokeDelay):
		case <-ix.life.Done():
			return
		}
	}
}
