package ws

import (
	"bufio"
	"errors"
	"io"
	"time"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/protocol"
)

// chunk is how much is written in one call: enough that calls do not count,
// and little enough that WriteWait is fair to a slow line.
const chunk = 64 << 10

// rouse makes sure that somebody looks at what is to be written. It never
// blocks: the session calls it.
func (c *conn) rouse() {
	c.mu.Lock()
	c.again = true
	start := !c.flushing && !c.gone
	var wait time.Duration
	if start {
		c.flushing = true
		c.work.Add(1)
		if !c.next.IsZero() {
			wait = time.Until(c.next)
		}
	}
	c.mu.Unlock()
	switch {
	case !start:
	case wait > 0:
		time.AfterFunc(wait, c.flush)
	default:
		go c.flush()
	}
}

const (
	// turnOf is a few times what it costs to write to one client, so that
	// most of the time is left for what is to be written.
	turnOf = 40 * time.Microsecond
	// crowdLeast and turnMost bound the time between two writes to one client.
	crowdLeast = 20
	turnMost   = 50 * time.Millisecond
)

// pace is how long a client of a crowd waits before it is written to again: a
// few times as long as it takes to write to all of them. What comes meanwhile goes out
// in one write; without the wait every record would cost a write for every
// client, and nothing would come meanwhile. A first frame after a pause never
// waits, and a few clients do not either.
func pace(crowd int) time.Duration {
	if crowd < crowdLeast {
		return 0
	}
	return min(time.Duration(crowd)*turnOf, turnMost)
}

// flush writes until nothing is left. One runs at a time: the one that ended
// the connection never lets another one begin.
func (c *conn) flush() {
	defer c.work.Done()
	defer c.survive(func() { c.net.Close() })
	w := c.d.writers.Get().(*bufio.Writer)
	w.Reset(c)
	defer func() {
		w.Reset(nil)
		c.d.writers.Put(w)
	}()
	for {
		ended, err := c.gather(w)
		if err == nil {
			err = w.Flush()
		}
		switch {
		case err != nil:
			c.net.Close()
			return
		case ended:
			c.sayGoodbye()
			return
		case c.rest():
			return
		}
	}
}

// rest gives up the right to write, unless there is more.
func (c *conn) rest() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	wait := time.Duration(0)
	if c.sub != nil {
		wait = pace(c.sub.Crowd())
	}
	if c.again && (wait == 0 || c.gone) {
		return false
	}
	if c.next = (time.Time{}); wait > 0 {
		c.next = time.Now().Add(wait)
	}
	if c.again { // the right to write goes to the one who comes then
		c.work.Add(1)
		time.AfterFunc(wait, c.flush)
		return true
	}
	c.flushing = false
	return true
}

// gather takes whatever there is to be written, until there is nothing.
func (c *conn) gather(w *bufio.Writer) (ended bool, err error) {
	for {
		c.mu.Lock()
		c.again = false
		ahead, pong, last, sub := c.ahead, c.pong, c.last, c.sub
		c.ahead, c.pong = nil, nil
		c.mu.Unlock()
		if err := writeAll(w, ahead, pong, last); err != nil || last != nil {
			return true, err
		}
		if sub == nil {
			return false, nil
		}
		frames, err := sub.Next(c.d.ctx)
		if err != nil {
			c.dismissed(err)
			continue
		}
		if len(frames) == 0 {
			return false, nil
		}
		for _, f := range frames {
			if _, err := w.Write(f.Wire(encodeText)); err != nil {
				return false, err
			}
		}
		c.d.Stats.FramesOut.Add(int64(len(frames)))
	}
}

func writeAll(w io.Writer, parts ...[]byte) error {
	for _, p := range parts {
		if len(p) == 0 {
			continue
		}
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// dismissed ends the connection because the session has nothing more for it.
func (c *conn) dismissed(err error) {
	var closed *engine.Closed
	if errors.As(err, &closed) {
		c.shut(ending{closed.Code, closed.Reason})
		return
	}
	c.report("a session could not be read for a client", err)
	e := protocol.AsError(err)
	c.shut(endingFor(e), c.signal(protocol.TypeError, e))
}

// sayGoodbye ends our half of the connection. If the client has ended its own
// before, that is all.
func (c *conn) sayGoodbye() {
	c.mu.Lock()
	c.parted = true
	answered := c.answered
	c.mu.Unlock()
	if half, ok := c.net.(interface{ CloseWrite() error }); ok && !answered {
		_ = half.CloseWrite()
		return
	}
	c.net.Close()
}

// Write writes to the client, which has to read on at a certain pace.
func (c *conn) Write(p []byte) (written int, err error) {
	for len(p) > 0 {
		c.mu.Lock()
		if c.last == nil { // else its end is fixed already
			_ = c.net.SetWriteDeadline(time.Now().Add(c.d.WriteWait))
		}
		c.mu.Unlock()
		n, err := c.net.Write(p[:min(len(p), chunk)])
		written += n
		c.d.Stats.BytesOut.Add(int64(n))
		if err != nil {
			return written, err
		}
		p = p[n:]
	}
	return written, nil
}
