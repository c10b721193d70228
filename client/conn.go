package client

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/parley-dev/parley/protocol"
)

const (
	userAgent    = "parley-client/" + protocol.Version
	writeTimeout = 30 * time.Second
	// closeTimeout is how long Close waits for the server's goodbye.
	closeTimeout = time.Second
)

// Conn is a session being followed. It outlives the connections under it. All
// methods may be called at the same time.
type Conn struct {
	client   *Client
	session  string
	clientID string
	create   bool
	onState  func(State, error)

	life   context.Context
	cancel context.CancelFunc
	done   chan struct{} // the goroutine that reads has ended
	closed sync.Once

	// These belong to Dial, then to that goroutine.
	cred    credential
	retries int
	cursor  uint64 // of the last record that was queued
	placed  bool   // cursor is known
	bad     *uint64

	wake chan struct{} // something may be written
	more chan struct{} // something is queued
	room chan struct{} // the queue may have become shorter

	mu      sync.Mutex
	state   State
	err     error // why it ended
	closing bool
	ws      *websocket.Conn
	queue   []Event
	queued  int // bytes
	pending []*command
	round   int // counts links, from 1
	pongs   int // owed
}

func newConn(c *Client, session string, o DialOptions) (*Conn, error) {
	conn := &Conn{
		client: c, session: session, create: o.Create, onState: o.OnState,
		clientID: c.options.ClientID,
		done:     make(chan struct{}),
		wake:     make(chan struct{}, 1),
		more:     make(chan struct{}, 1),
		room:     make(chan struct{}, 1),
		state:    Disconnected,
	}
	if conn.clientID == "" {
		conn.clientID = "go-" + rand.Text()
	}
	if o.After != "" {
		seq, err := protocol.ParseMessageID(o.After)
		if err != nil {
			return nil, err
		}
		conn.cursor, conn.placed = seq, true
	}
	conn.life, conn.cancel = context.WithCancel(context.Background())
	return conn, nil
}

// Session is the id of the session.
func (c *Conn) Session() string { return c.session }

// State says how far the connection is now.
func (c *Conn) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// Close leaves the session. What was not acknowledged yet fails with ErrClosed.
func (c *Conn) Close() error {
	c.closed.Do(func() {
		c.mu.Lock()
		c.closing = true
		ws := c.ws
		c.mu.Unlock()
		if ws != nil {
			timer := time.AfterFunc(closeTimeout, c.cancel)
			_ = ws.Close(websocket.StatusNormalClosure, "")
			timer.Stop()
		}
		c.cancel()
	})
	<-c.done
	return nil
}

// run is the life of a Conn: one link after the other, until there is none.
func (c *Conn) run(l *link) {
	defer close(c.done)
	for {
		err := c.serve(l)
		if c.isClosing() {
			c.end(ErrClosed)
			return
		}
		if l, err = c.connect(c.life, err); err != nil {
			c.end(err)
			return
		}
	}
}

// serve works on one link until it breaks.
func (c *Conn) serve(l *link) error {
	defer l.ws.CloseNow()
	if !c.open(l) {
		return ErrClosed
	}
	ctx, cancel := context.WithCancelCause(c.life)
	written := make(chan struct{})
	go func() {
		defer close(written)
		cancel(c.write(ctx, l))
	}()
	err := c.read(ctx, l)
	cancel(err)
	<-written
	c.mu.Lock()
	c.ws = nil
	c.mu.Unlock()
	return err
}

// open makes a link the current one: its state is the next event, and all that
// was not acknowledged is written again.
func (c *Conn) open(l *link) bool {
	c.mu.Lock()
	if c.closing {
		c.mu.Unlock()
		return false
	}
	c.round++
	l.first.Reconnected = c.round > 1
	c.ws = l.ws
	c.mu.Unlock()
	c.setState(Active, nil)
	c.take(l.first)
	return true
}

func (c *Conn) isClosing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closing || c.life.Err() != nil
}

// end closes the book: nothing more comes, and whoever waits learns why.
func (c *Conn) end(err error) {
	c.cancel()
	c.mu.Lock()
	if c.closing {
		err = ErrClosed
	}
	c.err = err
	for _, cmd := range c.pending {
		cmd.settle(protocol.Ack{}, err)
	}
	c.pending = nil
	c.mu.Unlock()
	if errors.Is(err, ErrClosed) {
		c.setState(Disconnected, nil)
	} else {
		c.setState(Failed, err)
	}
}

func (c *Conn) setState(s State, err error) {
	c.mu.Lock()
	changed := c.state != s
	c.state = s
	c.mu.Unlock()
	if changed && c.onState != nil {
		c.onState(s, err)
	}
}

func (c *Conn) log() *slog.Logger { return c.client.options.Logger.With("session_id", c.session) }

// signal leaves a mark that something changed; one is enough.
func signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}
