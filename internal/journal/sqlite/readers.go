package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/parley-dev/parley/internal/journal"
)

// maxReaders is how many reads run at once. More would only wait for the
// processors.
const maxReaders = 4

// readers lends connections that only read. They are made when needed.
type readers struct {
	path string
	idle chan *conn // a nil stands for one that is not made yet
	over chan struct{}
}

func newReaders(path string) *readers {
	r := &readers{path: path, idle: make(chan *conn, maxReaders), over: make(chan struct{})}
	for range maxReaders {
		r.idle <- nil
	}
	return r
}

// read lends do a connection. A read that failed costs the connection, so that
// the next one starts clean.
func (j *Journal) read(ctx context.Context, do func(*conn) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := j.readers
	var c *conn
	select {
	case <-r.over:
		return journal.ErrClosed
	default:
	}
	select {
	case c = <-r.idle:
	case <-r.over:
		return journal.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { r.idle <- c }()
	if c == nil {
		c, err = dial(r.path, fmt.Sprintf("busy_timeout = %d", busyTimeout), "query_only = 1", "cache_size = -4096")
		if err != nil {
			return explain(r.path, err)
		}
	}
	if err = do(c); err != nil {
		_ = c.close()
		c = nil
	}
	if ctx.Err() != nil && err != nil {
		return ctx.Err()
	}
	return explain(r.path, err)
}

// snapshot lets several statements see one moment.
func (c *conn) snapshot(do func() error) error {
	if _, err := c.exec("BEGIN"); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err // the connection is given up
	}
	_, err := c.exec("COMMIT")
	return err
}

// pause waits for the reads under way and holds up new ones until resume.
func (r *readers) pause() (resume func()) {
	held := make([]*conn, maxReaders)
	for i := range held {
		held[i] = <-r.idle
	}
	return func() {
		for _, c := range held {
			r.idle <- c
		}
	}
}

// close waits for the reads under way.
func (r *readers) close() error {
	close(r.over)
	var errs []error
	for range maxReaders {
		if c := <-r.idle; c != nil {
			errs = append(errs, c.close())
		}
	}
	return errors.Join(errs...)
}
