package mcp

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/parley-dev/parley/tool"
)

const (
	// firstPause is how long after its end a server is started again, and
	// longestPause how long after many.
	firstPause   = 500 * time.Millisecond
	longestPause = time.Minute
	// steady is how long a connection must have held for the pauses to begin
	// anew.
	steady = time.Minute
	// breath is how long a list is not asked for again, however often a server
	// says that it has changed.
	breath = 500 * time.Millisecond
)

// link is one server for as long as the host has it: connected, or to be
// connected again.
type link struct {
	server  Server
	options Options
	stop    context.CancelFunc
	done    chan struct{} // closed when all has ended
	tried   chan struct{} // closed when it was connected, or failed, once
	once    sync.Once     // of tried
	changed chan struct{} // has an element when a list may have changed

	mu     sync.Mutex
	conn   *conn         // nil while there is none
	trying chan struct{} // closed at the end of the try that runs; nil if none runs
	offer  offer         // what the server had to offer when it was last asked
	status Status
}

// newLink begins to connect, unless the server is disabled or its name is taken.
func newLink(ctx context.Context, s Server, o Options, taken bool) *link {
	ctx, stop := context.WithCancel(ctx)
	l := &link{
		server: s, options: o, stop: stop, done: make(chan struct{}), tried: make(chan struct{}), changed: make(chan struct{}, 1),
		status: Status{Server: s.Name, State: Connecting, Since: time.Now()},
	}
	if !s.Disabled && !taken {
		l.trying = make(chan struct{})
		go l.run(ctx)
		return l
	}
	stop()
	l.status.State = Disabled
	if taken {
		l.status.State, l.status.Error = Failed, "another MCP server has the same name; rename one of them"
	}
	close(l.done)
	close(l.tried)
	return l
}

// run connects again and again until the link ends.
func (l *link) run(ctx context.Context) {
	defer close(l.done)
	defer l.once.Do(func() { close(l.tried) })
	old := false // speak as before 2026-07-28 from the start
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		begun := time.Now()
		err := l.live(ctx, old)
		if ctx.Err() != nil {
			l.move(nil, Failed, "the host was closed")
			return
		}
		// A server that does not answer what it does not know hangs at the
		// first question of the new protocol.
		old = errors.Is(err, context.DeadlineExceeded) != old
		l.move(nil, Failed, err.Error())
		l.options.Logger.Warn("an MCP server is away", "server", l.server.Name, "err", err)
		if time.Since(begun) > steady {
			pause = firstPause
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
		l.move(nil, Connecting, err.Error())
	}
}

// live connects and keeps the connection until it ends, and says why it did.
func (l *link) live(ctx context.Context, old bool) error {
	c, err := l.dial(ctx, old)
	if err != nil {
		return err
	}
	err = l.serve(ctx, c)
	l.mu.Lock()
	l.conn = nil // no more calls
	l.mu.Unlock()
	c.close()
	return c.explain(err)
}

// serve keeps the lists of a connection up to date until it ends.
func (l *link) serve(ctx context.Context, c *conn) error {
	if err := l.ask(ctx, c); err != nil {
		return err
	}
	l.move(c, Connected, "")
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.lost:
			return c.why()
		case <-c.mute:
			return errors.New("it stopped answering")
		case <-l.changed:
		}
		if err := l.ask(ctx, c); err != nil {
			return err
		}
		l.options.Changed()
		select {
		case <-time.After(breath):
		case <-ctx.Done():
		}
	}
}

// move notes where the link stands.
func (l *link) move(c *conn, s State, why string) {
	l.mu.Lock()
	l.conn = c
	l.status.State, l.status.Since, l.status.Error = s, time.Now(), why
	if c != nil {
		l.status.Program, l.status.Protocol = c.about()
	}
	if s == Connecting {
		l.trying = make(chan struct{})
	} else if l.trying != nil {
		close(l.trying)
		l.trying = nil
	}
	l.mu.Unlock()
	if s != Connecting {
		l.once.Do(func() { close(l.tried) })
	}
	l.options.Changed()
}

// use gives the connection. It waits for the try that runs, not for a pause to
// end.
func (l *link) use(ctx context.Context) (*conn, error) {
	for {
		l.mu.Lock()
		c, trying, why := l.conn, l.trying, l.status.Error
		l.mu.Unlock()
		switch {
		case c != nil:
			return c, nil
		case trying == nil:
			if why == "" {
				why = "the connection was just lost"
			}
			return nil, failure(tool.CodeUnavailable, true, nil, "the MCP server %s is not there: %s", l.server.Name, why)
		}
		select {
		case <-trying:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (l *link) offered() offer {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.offer
}

// poke has the lists asked for again.
func (l *link) poke() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// end closes the connection for good and waits for that.
func (l *link) end() {
	l.stop()
	<-l.done
}
