package ws

import (
	"bufio"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parley-dev/parley/internal/gateway"
)

// Options is what a door is made of. Only the gateway is needed.
type Options struct {
	Gateway *gateway.Gateway
	Logger  *slog.Logger
	// Heartbeat is the time between two pings; 30 s.
	Heartbeat time.Duration
	// AuthWait is how long a client may take to say who it is; 10 s.
	AuthWait time.Duration
	// WriteWait is how long a client may take to read 64 KiB; 30 s.
	WriteWait time.Duration
	// CloseWait is how long a client may take to answer a close frame; 5 s.
	CloseWait time.Duration
}

// Stats counts what a door did and has.
type Stats struct {
	Connections atomic.Int64 // open now
	Accepted    atomic.Int64 // let in to a session, ever
	Refused     atomic.Int64 // not let in, before or after the upgrade
	FramesIn    atomic.Int64 // messages of clients
	FramesOut   atomic.Int64 // messages to clients
	BytesIn     atomic.Int64
	BytesOut    atomic.Int64
	Errors      atomic.Int64 // messages of clients that were answered with an error
}

// Door lets clients in over WebSocket. It is an http.Handler for a pattern with
// the wildcard {session_id}.
type Door struct {
	Options
	Stats Stats

	ctx     context.Context // done when waiting is over
	stop    context.CancelFunc
	writers sync.Pool // of *bufio.Writer, for those who write at this moment

	mu      sync.Mutex
	conns   map[*conn]struct{}
	closing bool
	wg      sync.WaitGroup // of conns
}

// New makes a door. Whoever makes it closes it.
func New(o Options) *Door {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	orDefault(&o.Heartbeat, 30*time.Second)
	orDefault(&o.AuthWait, 10*time.Second)
	orDefault(&o.WriteWait, 30*time.Second)
	orDefault(&o.CloseWait, 5*time.Second)
	d := &Door{Options: o, conns: map[*conn]struct{}{}}
	d.writers.New = func() any { return bufio.NewWriterSize(nil, chunk) }
	d.ctx, d.stop = context.WithCancel(context.Background())
	return d
}

func orDefault(d *time.Duration, or time.Duration) {
	if *d <= 0 {
		*d = or
	}
}

// Close lets nobody in any more, asks every client to reconnect, and waits until
// all have gone. When ctx is done it waits no more for their answers.
func (d *Door) Close(ctx context.Context) error {
	d.mu.Lock()
	d.closing = true
	all := make([]*conn, 0, len(d.conns))
	for c := range d.conns {
		all = append(all, c)
	}
	d.mu.Unlock()
	for _, c := range all {
		c.shut(stopping)
	}
	gone := make(chan struct{})
	go func() {
		d.wg.Wait()
		close(gone)
	}()
	var err error
	select {
	case <-gone:
	case <-ctx.Done():
		err = ctx.Err()
		d.stop()
		for _, c := range all {
			c.net.Close()
		}
		<-gone
	}
	d.stop()
	return err
}

// admit counts a connection in, unless the door is closing.
func (d *Door) admit(c *conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closing {
		return false
	}
	d.conns[c] = struct{}{}
	d.wg.Add(1)
	d.Stats.Connections.Add(1)
	return true
}

func (d *Door) forget(c *conn) {
	d.mu.Lock()
	delete(d.conns, c)
	d.mu.Unlock()
	d.Stats.Connections.Add(-1)
	d.wg.Done()
}
