package engine

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/parley-dev/parley/protocol"
)

const (
	// wakeMost is the longest the engine sleeps between two looks at what is due.
	wakeMost = time.Minute
	// wakeAgain is how soon it looks again after something went wrong, and
	// twice as long after each further time.
	wakeAgain = time.Second
	// openAtOnce is how many sessions are opened side by side: enough that
	// their appends share syncs.
	openAtOnce = 32
)

// wake opens sessions that are due: at first all with interrupted work or a
// missed deadline, which is the whole of recovery, then each in its time. A
// live session keeps its own deadlines. What could not be opened is tried again.
func (e *Engine) wake() {
	var after time.Time
	pause := wakeAgain
	for {
		now := time.Now()
		due, next, err := e.Store.Due(e.ctx, after, now)
		if err == nil {
			after = now
		}
		well := e.openAll(append(due, e.takeMissed()...)) && err == nil
		if e.ctx.Err() != nil {
			return
		}
		if err != nil {
			e.Logger.Error("cannot see which sessions are due", "err", err)
		}
		wait := wakeMost
		if !next.IsZero() {
			wait = min(wait, time.Until(next))
		}
		if well {
			pause = wakeAgain
		} else {
			wait = min(wait, pause)
			pause = min(2*pause, wakeMost)
		}
		timer := time.NewTimer(max(wait, time.Millisecond))
		select {
		case <-timer.C:
		case <-e.rewake:
		case <-e.ctx.Done():
			timer.Stop()
			return
		}
		timer.Stop()
	}
}

// openAll brings sessions to life, and says whether all are. The others are
// missed.
func (e *Engine) openAll(ids []string) bool {
	var wg sync.WaitGroup
	var failed atomic.Bool
	slots := make(chan struct{}, openAtOnce)
	for _, id := range ids {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if !e.open(id) {
				failed.Store(true)
			}
		})
	}
	wg.Wait()
	return !failed.Load()
}

// open brings a session to life; what it has to do keeps it there.
func (e *Engine) open(id string) bool {
	l, err := e.acquire(e.ctx, id)
	if err == nil {
		e.release(l)
		return true
	}
	if code := protocol.AsError(err).Code; e.Stopping() || code == protocol.CodeSessionNotFound || code == protocol.CodeSessionExpired {
		return true // there is nothing to do for it, or not by us
	}
	e.Logger.Error("a session that is due could not be opened", "session_id", id, "err", err)
	e.mu.Lock()
	e.missed[id] = true
	e.mu.Unlock()
	return false
}

// miss says that a session has ended though it may have work to do.
func (e *Engine) miss(id string) {
	e.mu.Lock()
	e.missed[id] = true
	e.mu.Unlock()
	e.replan()
}

func (e *Engine) takeMissed() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	ids := make([]string, 0, len(e.missed))
	for id := range e.missed {
		ids = append(ids, id)
	}
	clear(e.missed)
	return ids
}

// replan makes wake look again: a session has left memory, and its deadline may
// be the next.
func (e *Engine) replan() {
	select {
	case e.rewake <- struct{}{}:
	default:
	}
}
