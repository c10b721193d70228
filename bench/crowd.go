package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// crowd is many viewers of the same thing.
type crowd struct {
	viewers []*socket
	// count says how many messages of the load a text holds.
	count func(text []byte) int
}

// gather lets n viewers join. They have taken what comes at first.
func gather(n int, count func([]byte) int, join func(i int) (*socket, error)) (*crowd, error) {
	c := &crowd{viewers: make([]*socket, n), count: count}
	errs := make([]error, 16)
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			for i := w; i < n && errs[w] == nil; i += len(errs) {
				c.viewers[i], errs[w] = join(i)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			c.close()
			return nil, err
		}
	}
	return c, nil
}

func (c *crowd) close() {
	for _, v := range c.viewers {
		if v != nil {
			v.close()
		}
	}
}

// watch is a crowd that reads until each has all messages of a load.
type watch struct {
	batch  int
	left   []atomic.Int64  // viewers that have not all messages of a batch
	landed []chan struct{} // closed when all have
	fault  chan error
}

// read starts to read: each viewer takes total messages, with one goroutine of
// its own.
func (c *crowd) read(total, batch int) *watch {
	batches := (total + batch - 1) / batch
	w := &watch{batch: batch, left: make([]atomic.Int64, batches), landed: make([]chan struct{}, batches), fault: make(chan error, len(c.viewers))}
	for k := range batches {
		w.left[k].Store(int64(len(c.viewers)))
		w.landed[k] = make(chan struct{})
	}
	for i, v := range c.viewers {
		go func() {
			if err := w.follow(v, c.count, total); err != nil {
				w.fault <- fmt.Errorf("viewer %d: %w", i, err)
			}
		}()
	}
	return w
}

func (w *watch) follow(v *socket, count func([]byte) int, total int) error {
	n, done := 0, 0
	for n < total {
		if err := v.batch(func(text []byte) { n += count(text) }); err != nil {
			return fmt.Errorf("after %d of %d messages: %w", n, total, err)
		}
		for done < len(w.left) && n >= min((done+1)*w.batch, total) {
			if w.left[done].Add(-1) == 0 {
				close(w.landed[done])
			}
			done++
		}
	}
	if n > total {
		return fmt.Errorf("%d messages came instead of %d", n, total)
	}
	return nil
}

// wait waits until a batch is with every viewer.
func (w *watch) wait(ctx context.Context, k int) error {
	select {
	case <-w.landed[k]:
		return nil
	case err := <-w.fault:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// last waits until everything is with every viewer.
func (w *watch) last(ctx context.Context) error { return w.wait(ctx, len(w.landed)-1) }
