package ws

import (
	"context"
	"errors"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gobwas/ws"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/gateway"
	"github.com/parley-dev/parley/protocol"
)

// conn is one client's connection. Its own goroutine reads; what is to be
// written is written by a second one, which exists only while there is something.
type conn struct {
	d        *Door
	net      net.Conn
	id       string // of the session
	client   string
	in       reader
	messages auth.Bucket
	seen     atomic.Bool // the client was heard since the last beat

	mu       sync.Mutex
	who      gateway.Caller
	shown    auth.Credentials     // what proved it, to be looked at again
	proofs   int                  // how often the client has proved it
	sub      *engine.Subscription // nil until the client is let in
	ahead    []byte               // frames that go before the session's
	pong     []byte               // the answer to the newest ping
	last     []byte               // what ends the connection; nothing is written after it
	answered bool                 // the client has sent its close frame
	parted   bool                 // we have sent ours
	flushing bool                 // somebody writes
	again    bool                 // whoever writes must look once more
	next     time.Time            // when it may be written to again; see pace
	gone     bool                 // nobody may begin to write
	timer    *time.Timer          // the next beat
	pingAt   time.Time            // when the next ping is due
	missed   int                  // pings without a sign of life since
	work     sync.WaitGroup       // flusher and beat
}

// ending is why a connection is closed.
type ending struct {
	code   protocol.CloseCode
	reason string
}

var (
	stopping = ending{protocol.CloseStopping, "the server is stopping"}
	broken   = ending{closeInternal, "the server made a mistake; its log says more"}
)

// serve owns the connection from the upgrade to its end.
func (c *conn) serve(q request) {
	defer c.finish()
	defer c.survive(func() { c.shut(broken) })
	c.in.control = c.control
	if c.enter(q) {
		c.listen()
	}
}

// survive turns a mistake in the handling of one connection into its end.
func (c *conn) survive(end func()) {
	if p := recover(); p != nil {
		c.d.Logger.Error("a connection failed", "session_id", c.id, "panic", p, "stack", string(debug.Stack()))
		end()
	}
}

// Read reads from the client and takes note that it lives.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.net.Read(p)
	if n > 0 {
		c.seen.Store(true)
		c.d.Stats.BytesIn.Add(int64(n))
	}
	return n, err
}

// control answers a ping. Of several that came while the client did not read,
// the newest is answered.
func (c *conn) control(op ws.OpCode, payload []byte) {
	if op != ws.OpPing {
		return
	}
	c.mu.Lock()
	c.pong = appendFrame(nil, ws.OpPong, payload)
	c.mu.Unlock()
	c.rouse()
}

// shut ends the connection: the signals and a close frame are the last that is
// sent. Only the first call counts. It does not wait.
func (c *conn) shut(e ending, signals ...*engine.Frame) {
	c.mu.Lock()
	if c.last == nil {
		var last []byte
		for _, f := range signals {
			last = appendFrame(last, ws.OpText, f.JSON)
		}
		c.last = appendClose(last, e.code, e.reason)
		_ = c.net.SetDeadline(time.Now().Add(c.d.CloseWait))
	}
	c.mu.Unlock()
	c.rouse()
}

// readBy sets when the client must have been heard, unless the connection is
// ending: then its time is fixed already.
func (c *conn) readBy(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil {
		_ = c.net.SetReadDeadline(t)
	}
}

func (c *conn) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last != nil
}

// hangUp is what the reader does with the end of what it reads.
func (c *conn) hangUp(err error) {
	var v *violation
	var f *farewell
	switch {
	case errors.As(err, &f):
		c.mu.Lock()
		c.answered = true
		parted := c.parted
		c.mu.Unlock()
		if parted {
			c.net.Close()
			return
		}
		c.shut(ending{code: f.code})
	case errors.As(err, &v) && v.code == protocol.CloseTooBig:
		c.shut(ending{v.code, v.why}, c.signal(protocol.TypeError, protocol.Errorf(protocol.CodeMessageTooLarge,
			"%s; send attachments by REST", v.why)))
	case errors.As(err, &v):
		c.shut(ending{v.code, v.why})
	}
}

// drain reads on until the client has closed too, or its time is over. To close
// with bytes unread would make the system throw away what the client has not
// read yet: the reason, of all things.
func (c *conn) drain() {
	if !c.ended() {
		return
	}
	var skip [512]byte
	for {
		if _, err := c.net.Read(skip[:]); err != nil {
			return
		}
	}
}

// finish lets go of everything the connection holds.
func (c *conn) finish() {
	c.drain()
	c.mu.Lock()
	c.gone = true
	sub := c.sub
	if c.timer != nil {
		c.timer.Stop()
	}
	c.mu.Unlock()
	c.net.Close()
	c.work.Wait()
	if sub != nil {
		sub.Close()
	}
	c.d.forget(c)
}

// begin counts work in, unless the connection is over.
func (c *conn) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return false
	}
	c.work.Add(1)
	return true
}

// signal makes a frame for this client.
func (c *conn) signal(t protocol.Type, data any) *engine.Frame {
	f, err := engine.NewSignal(c.id, t, "", "", data)
	if err != nil {
		panic(err) // plain data: always can be encoded
	}
	return f
}

// report logs what a client is not told.
func (c *conn) report(what string, err error) {
	var e *protocol.Error
	if !errors.As(err, &e) && !errors.Is(err, context.Canceled) {
		c.d.Logger.Error(what, "session_id", c.id, "err", err)
	}
}
