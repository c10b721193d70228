package engine

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/protocol"
)

// Store is what the engine needs of a journal.
type Store interface {
	journal.Journal
	journal.Parts
	journal.Snapshots
}

// Blobs keeps what is too long for a record.
type Blobs interface {
	// Put stores and syncs, and gives the content's hash.
	Put(ctx context.Context, data []byte) (hash string, err error)
}

// Redactor takes secrets out of texts.
type Redactor interface {
	Redact(text string) string
	// Stream gives a filter for a text that comes in pieces.
	Stream() TextFilter
}

// TextFilter takes a text piece by piece. It may hold back the end of a piece
// until it knows what follows; Close gives what is left.
type TextFilter interface {
	Write(piece string) string
	Close() string
}

// Runner carries out the steps that a session lists. Run returns when the step
// is over or ctx is done; it reports through the work it is given.
type Runner interface {
	Run(ctx context.Context, w *Work)
}

// Options is what an engine is made of.
type Options struct {
	Store  Store
	Blobs  Blobs
	Runner Runner
	Logger *slog.Logger
	// IdleAfter is how long a session that nobody needs stays in memory.
	IdleAfter time.Duration
	// QueueBytes is how much may wait for one subscriber before it has to catch
	// up from the journal.
	QueueBytes int
	// Model is the model of sessions that name none, for those who look.
	Model string
	// Appended is called after each append; it must not block.
	Appended func()
	// Redact takes secrets out of what is stored and sent; nil if there are none.
	Redact Redactor
	// Files takes workspaces back; nil if they have no checkpoints.
	Files Files
	// Deleted is called after a session was deleted.
	Deleted func(id string)
}

// Engine keeps sessions alive. See the package comment.
type Engine struct {
	Options
	Stats Stats

	mu      sync.Mutex
	live    map[string]*live
	closing bool
	wg      sync.WaitGroup
	stop    context.CancelFunc
	ctx     context.Context // done when the engine stops
	rewake  chan struct{}
	missed  map[string]bool // sessions that have work to do and could not be opened
}

// Stats counts what an engine did and has.
type Stats struct {
	Records     atomic.Int64 // appended
	Appends     atomic.Int64
	AppendFails atomic.Int64
	Deltas      atomic.Int64
	Opened      atomic.Int64
	Evicted     atomic.Int64
	Lagged      atomic.Int64 // subscribers that had to catch up
	Live        atomic.Int64
	Subscribers atomic.Int64
	Running     atomic.Int64 // steps
}

// New makes an engine. Start lets it work.
func New(o Options) *Engine {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.IdleAfter <= 0 {
		o.IdleAfter = time.Minute
	}
	if o.QueueBytes <= 0 {
		o.QueueBytes = 1 << 20
	}
	if o.Appended == nil {
		o.Appended = func() {}
	}
	if o.Deleted == nil {
		o.Deleted = func(string) {}
	}
	e := &Engine{Options: o, live: map[string]*live{}, rewake: make(chan struct{}, 1), missed: map[string]bool{}}
	e.ctx, e.stop = context.WithCancel(context.Background())
	return e
}

var errStopping = protocol.Errorf(protocol.CodeConnectionFailed, "the server is stopping; reconnect in a moment")

// acquire gives the live session, opening it if need be, and keeps it in memory
// until release.
func (e *Engine) acquire(ctx context.Context, id string) (*live, error) {
	if err := protocol.CheckSessionID(id); err != nil {
		return nil, protocol.Errorf(protocol.CodeSessionNotFound, "%s", err.Error())
	}
	e.mu.Lock()
	if e.closing {
		e.mu.Unlock()
		return nil, errStopping
	}
	l, ok := e.live[id]
	if !ok {
		l = newLive(e, id)
		e.live[id] = l
		e.wg.Add(1)
		e.Stats.Live.Add(1)
		go func() {
			defer e.wg.Done()
			defer e.Stats.Live.Add(-1)
			l.run()
		}()
	}
	l.pins++
	e.mu.Unlock()
	select {
	case <-l.ready:
	case <-ctx.Done():
		e.release(l)
		return nil, ctx.Err()
	}
	if l.failed != nil {
		e.release(l)
		return nil, l.failed
	}
	return l, nil
}

func (e *Engine) release(l *live) {
	e.mu.Lock()
	l.pins--
	last := l.pins == 0
	e.mu.Unlock()
	// A session is let go when its time has come; only one that does not exist
	// goes at once.
	if last && l.absent.Load() {
		l.nudge()
	}
}

// forget takes a live session out of the list. It says no if somebody still
// holds it, unless the session ends in any case.
func (e *Engine) forget(l *live, force bool) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if l.pins > 0 && !force {
		return false
	}
	if e.live[l.id] == l {
		delete(e.live, l.id)
	}
	return true
}

// Start opens what has work to do, now and whenever it is due.
func (e *Engine) Start() {
	e.wg.Add(1)
	go func() {
		defer e.wg.Done()
		e.wake()
	}()
}

// Close stops all work, records how far it has come, tells subscribers to
// reconnect, and waits.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closing = true
	all := make([]*live, 0, len(e.live))
	for _, l := range e.live {
		all = append(all, l)
	}
	e.mu.Unlock()
	e.stop()
	for _, l := range all {
		l.nudge()
	}
	e.wg.Wait()
	return nil
}

// Stopping says that the engine takes no more work.
func (e *Engine) Stopping() bool { return e.ctx.Err() != nil }

// storeError says in a client's words what the store said.
func storeError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, journal.ErrDeleted):
		return protocol.Errorf(protocol.CodeSessionExpired, "this session was deleted; start a new one under another id")
	case errors.Is(err, journal.ErrNotFound):
		return protocol.Errorf(protocol.CodeSessionNotFound, "no such session")
	case errors.Is(err, journal.ErrConflict):
		return protocol.Errorf(protocol.CodeConnectionFailed, "another server has taken over this session; reconnect")
	case errors.Is(err, journal.ErrFull):
		return protocol.Errorf(protocol.CodeExecutionFailed, "the server's disk is full: nothing was changed; free some space and try again")
	case errors.Is(err, journal.ErrReadOnly):
		return protocol.Errorf(protocol.CodeExecutionFailed, "the server's data folder is read-only: nothing was changed")
	case errors.Is(err, journal.ErrClosed):
		return errStopping
	}
	var damage *journal.DamageError
	if errors.As(err, &damage) {
		return protocol.Errorf(protocol.CodeExecutionFailed, "%s", damage.Error())
	}
	return err
}
