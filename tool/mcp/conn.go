package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// connectTime is how long a server may take until it can be used: the
	// first start of one that is fetched from a registry takes its time.
	connectTime = time.Minute
	// askTime is how long it may take to say what it offers, and proveTime to
	// show that it is there at all.
	askTime   = 30 * time.Second
	proveTime = 5 * time.Second
	// leaveTime is how long it has to notice that it is left.
	leaveTime = 2 * time.Second
	// maxMessage bounds a single message of a server.
	maxMessage = 16 << 20
	// oldProtocol is the newest version that begins with a handshake.
	oldProtocol = "2025-11-25"
)

// carrier is what a connection runs over.
type carrier interface {
	transport() sdk.Transport
	// about is what is known of why it ended, after close; "" if nothing is.
	about() string
	// close ends it, by force if need be, and waits for that.
	close()
}

// conn is one connection to a server.
type conn struct {
	server  string
	session *sdk.ClientSession
	carrier carrier
	hide    func(string) string // takes out the server's secrets
	lost    chan struct{}       // closed when the session has ended
	ended   error               // why; to be read after lost
	mute    chan struct{}       // has an element when the server no longer answers

	ctx    context.Context // calls end with it
	cancel context.CancelFunc

	calls atomic.Int64
	mu    sync.Mutex
	sinks map[string]*sink // of the calls that run, by their progress token
}

// dial connects, and fails with words for people.
func (l *link) dial(ctx context.Context, old bool) (*conn, error) {
	k, hide, err := l.carry()
	if err != nil {
		return nil, errors.New(clip(hide(err.Error()), maxReason))
	}
	c := &conn{server: l.server.Name, carrier: k, hide: hide, lost: make(chan struct{}), mute: make(chan struct{}, 1), sinks: map[string]*sink{}}
	c.ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	client := sdk.NewClient(&sdk.Implementation{Name: "parley", Version: l.options.Version}, &sdk.ClientOptions{
		Capabilities:                &sdk.ClientCapabilities{},
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { l.poke() },
		PromptListChangedHandler:    func(context.Context, *sdk.PromptListChangedRequest) { l.poke() },
		ProgressNotificationHandler: c.progress,
	})
	var o sdk.ClientSessionOptions
	if old {
		o.ProtocolVersion = oldProtocol
	}
	ctx, done := context.WithTimeout(ctx, connectTime)
	defer done()
	if c.session, err = client.Connect(ctx, k.transport(), &o); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("it did not answer within %v: %w", connectTime, ctx.Err())
		}
		c.cancel()
		k.close()
		return nil, c.explain(err)
	}
	go func() {
		c.ended = c.session.Wait()
		close(c.lost)
	}()
	return c, nil
}

// why says how a connection that was lost came to its end.
func (c *conn) why() error {
	if c.ended == nil {
		return errors.New("the server ended the connection")
	}
	return c.ended
}

// explain adds what the carrier knows to an error, after close.
func (c *conn) explain(err error) error {
	text := c.reason(err.Error())
	if more := c.carrier.about(); more != "" {
		text += "; " + c.reason(more)
	}
	return &explained{text: text, err: err}
}

// explained keeps the cause of a text for whoever decides on it.
type explained struct {
	text string
	err  error
}

func (e *explained) Error() string { return e.text }
func (e *explained) Unwrap() error { return e.err }

// close ends the connection. Calls that run on it fail.
func (c *conn) close() {
	c.cancel()
	left := make(chan struct{})
	go func() {
		_ = c.session.Close() // it may wait for the server, which may not answer
		close(left)
	}()
	select {
	case <-left:
	case <-time.After(leaveTime):
	}
	c.carrier.close()
	<-left
	<-c.lost
}

// prove finds out whether a server that let a call run out of time still
// answers; if not, the connection is given up.
func (c *conn) prove() {
	ctx, done := context.WithTimeout(c.ctx, proveTime)
	defer done()
	if err := c.session.Ping(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
		return // also a refusal is an answer
	}
	select {
	case c.mute <- struct{}{}:
	default:
	}
}

// about gives what the server says of itself.
func (c *conn) about() (program, protocol string) {
	r := c.session.InitializeResult()
	if r == nil {
		return "", ""
	}
	if r.ServerInfo != nil {
		program = clip(strings.TrimSpace(c.reason(r.ServerInfo.Name+" "+r.ServerInfo.Version)), 200)
	}
	return program, r.ProtocolVersion
}

// within gives a context that also ends with the connection.
func (c *conn) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}
