package sqlite

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/parley-dev/parley/internal/journal"
)

const (
	// A group is cut off here, so that nobody waits behind a transaction
	// without end.
	maxGroupTasks = 4096
	maxGroupBytes = 8 << 20
	// Parts are queued without waiting. A disk that falls this far behind is
	// failing.
	maxQueuedParts = 64 << 20
)

// work is a change to the database. It is applied inside a group's
// transaction. An error refuses this work alone and must come before its first
// write; a failing write is reported through the group.
type work interface {
	apply(g *group) error
}

// task is work in the queue.
type task struct {
	work  work
	bytes int
	// taken is set by whoever decides the task's fate: the committer that
	// works on it, or the caller who gave up before.
	taken atomic.Bool
	// done is told the outcome, once, by the committer. It must not block.
	done func(error)
}

// queue holds tasks in order until the committer takes them.
type queue struct {
	mu     sync.Mutex
	tasks  []*task
	parts  int // bytes of parts among them
	closed bool
	// ready has a token if there may be something to take.
	ready chan struct{}
}

func newQueue() *queue { return &queue{ready: make(chan struct{}, 1)} }

func (q *queue) add(t *task) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return journal.ErrClosed
	}
	if _, ok := t.work.(*putParts); ok {
		if q.parts+t.bytes > maxQueuedParts {
			return fmt.Errorf("%d MiB of unfinished text wait for the disk; it does not keep up", q.parts>>20)
		}
		q.parts += t.bytes
	}
	q.tasks = append(q.tasks, t)
	q.signal()
	return nil
}

func (q *queue) signal() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// gather lets those who were answered with the last group come back before the
// next one is closed: a group costs one sync, however large it is. It gives way
// while the queue grows and is smaller than the last group, and never sleeps,
// so that nobody who is alone waits.
func (q *queue) gather(last int) {
	const patience = 3 // looks without anything new
	for seen, idle := 0, 0; idle < patience; {
		q.mu.Lock()
		n := len(q.tasks)
		q.mu.Unlock()
		if n >= last {
			return
		}
		if n > seen {
			seen, idle = n, 0
		} else {
			idle++
		}
		runtime.Gosched()
	}
}

// take removes up to one group of tasks and adds them to into. It says whether
// the queue was closed and nothing is left.
func (q *queue) take(into []*task) (_ []*task, over bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, bytes := 0, 0
	for n < len(q.tasks) && n < maxGroupTasks && bytes < maxGroupBytes {
		t := q.tasks[n]
		n++
		bytes += t.bytes
		if _, ok := t.work.(*putParts); ok {
			q.parts -= t.bytes
		}
		if t.taken.CompareAndSwap(false, true) {
			into = append(into, t)
		}
	}
	rest := copy(q.tasks, q.tasks[n:])
	clear(q.tasks[rest:])
	q.tasks = q.tasks[:rest]
	if rest > 0 || q.closed {
		q.signal() // there is more to take, or to find out that it is over
	}
	return into, q.closed && rest == 0 && len(into) == 0
}

// close refuses new tasks. What has queued is still done.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

// do queues work and waits for its outcome. A context that ends before the
// committer has taken the work withdraws it; after that the outcome is near
// and is waited for, because the work still uses the caller's memory.
func (j *Journal) do(ctx context.Context, w work, bytes int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	outcome := make(chan error, 1)
	t := &task{work: w, bytes: bytes, done: func(err error) { outcome <- err }}
	if err := j.queue.add(t); err != nil {
		return err
	}
	select {
	case err := <-outcome:
		return err
	case <-ctx.Done():
		if t.taken.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		return <-outcome
	}
}
