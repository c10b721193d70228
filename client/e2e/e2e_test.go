// Package e2e tries the client against the real server. It is apart from the
// client's own tests, which need nothing but the protocol.
package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-dev/parley"
	"github.com/parley-dev/parley/client"
	"github.com/parley-dev/parley/protocol"
)

// TestRealServer talks to the real server through a line that breaks after
// every few kilobytes, and through a restart of the server.
func TestRealServer(t *testing.T) {
	data := t.TempDir()
	options := parley.Options{Data: data, Model: "offline", NoRateLimits: true}
	s, err := parley.New(options)
	if err != nil {
		t.Fatal(err)
	}
	host := httptest.NewServer(s.Handler())
	line := newLine(t, host.Listener.Addr().String())
	c, err := client.New(client.Options{
		URL: "http://" + line.addr + "?token=" + s.Token(),
		Reconnect: client.Reconnect{
			InitialDelay: time.Millisecond, MaxDelay: 20 * time.Millisecond, MaxRetries: -1, RetryDial: true,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := c.Dial(t.Context(), "s1", client.DialOptions{After: client.FromStart})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	// One message after the other: the next when the turn of the last has ended.
	const turns = 4
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	say, said := make(chan int, turns), make(chan struct{})
	go func() {
		defer close(said)
		for i := range say {
			if _, err := conn.SendMessage(ctx, fmt.Sprintf("hello, this is message %d", i)); err != nil {
				cancel(err)
			}
		}
	}()
	say <- 0
	w := &watcher{shown: map[string]string{}}
	err = w.follow(ctx, conn, func(ended int) bool {
		if ended == turns {
			return false
		}
		say <- ended
		if ended == turns/2 {
			s, host = restart(t, s, host, options)
			line.to(host.Listener.Addr().String())
		}
		return true
	})
	close(say)
	<-said
	if err != nil {
		t.Fatal(err, context.Cause(ctx))
	}
	if n := line.cuts(); n < turns {
		t.Errorf("the line was cut %d times only", n)
	}
	direct, err := client.New(client.Options{URL: host.URL, Token: s.Token()})
	if err != nil {
		t.Fatal(err)
	}
	w.compare(t, direct, turns)
	_ = conn.Close()
	line.close()
	host.Close()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func restart(t *testing.T, s *parley.Server, host *httptest.Server, o parley.Options) (*parley.Server, *httptest.Server) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	host.Close()
	s, err := parley.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s, httptest.NewServer(s.Handler())
}

// watcher checks what comes.
type watcher struct {
	texts client.Texts
	shown map[string]string
	next  uint64
}

// follow calls ended after each turn, with their number, until it says no.
func (w *watcher) follow(ctx context.Context, conn *client.Conn, ended func(turns int) bool) error {
	turns := 0
	for ev, err := range conn.Follow(ctx) {
		if err != nil {
			return err
		}
		for _, x := range w.texts.Apply(ev) {
			if x.Replaced {
				w.shown[x.OpenID] = ""
			}
			if w.shown[x.OpenID] += x.Added; w.shown[x.OpenID] != x.Text {
				return fmt.Errorf("%s shows %q, not %q", x.OpenID, w.shown[x.OpenID], x.Text)
			}
		}
		if ev.Seq > 0 {
			if w.next++; ev.Seq != w.next {
				return fmt.Errorf("record %d came where %d was due", ev.Seq, w.next)
			}
		}
		switch ev.Data.(type) {
		case *protocol.Complete:
			if turns++; !ended(turns) {
				return nil
			}
		case *protocol.Failed:
			return fmt.Errorf("a turn failed: %s", ev.Envelope.Data)
		}
	}
	return errors.New("the loop ended early")
}

// compare holds what was shown against what the journal has.
func (w *watcher) compare(t *testing.T, c *client.Client, messages int) {
	t.Helper()
	said := 0
	for ev, err := range c.Events(t.Context(), "s1", client.FromStart) {
		if err != nil {
			t.Fatal(err)
		}
		m, ok := ev.Data.(*protocol.MessageRecord)
		if !ok {
			continue
		}
		if m.OpenID != "" && w.shown[m.OpenID] != m.Message.Text {
			t.Errorf("%s shows %q, not %q", m.OpenID, w.shown[m.OpenID], m.Message.Text)
		}
		if strings.HasPrefix(m.Message.Text, "hello, this is message") {
			said++
		}
	}
	if said != messages {
		t.Errorf("%d messages were said, not %d", said, messages)
	}
}

// line is a TCP proxy that cuts a connection after a few kilobytes.
type line struct {
	addr     string
	listener net.Listener
	work     sync.WaitGroup

	mu     sync.Mutex
	target string
	n      int
	open   map[net.Conn]struct{}
}

func newLine(t *testing.T, target string) *line {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{addr: listener.Addr().String(), listener: listener, target: target, open: map[net.Conn]struct{}{}}
	l.work.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			l.work.Go(func() { l.carry(c) })
		}
	})
	return l
}

func (l *line) carry(from net.Conn) {
	defer from.Close()
	l.mu.Lock()
	target := l.target
	l.n++
	most := int64(3000 + 1700*(l.n%5))
	l.open[from] = struct{}{}
	l.mu.Unlock()
	to, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	var up sync.WaitGroup
	up.Go(func() {
		_, _ = io.Copy(to, from)
		to.Close()
	})
	_, _ = io.CopyN(from, to, most)
	from.Close()
	to.Close()
	up.Wait()
}

func (l *line) to(target string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.target = target
}

func (l *line) cuts() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n - 1
}

func (l *line) close() {
	_ = l.listener.Close()
	l.mu.Lock()
	for c := range l.open {
		_ = c.Close()
	}
	l.mu.Unlock()
	l.work.Wait()
}
