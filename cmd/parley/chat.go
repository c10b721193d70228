package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/parley-dev/parley/client"
	"github.com/parley-dev/parley/protocol"
)

func newChat(p *program) *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Talk to a session: lines in, stream out",
		Long: `Talk to a session. Each line is a message; the answer is printed as it comes.
When the agent asks something, the next line is the answer. What you type while
it works is heard at its next step; the line /stop cancels what it does. Leaving
(Ctrl-C, Ctrl-D) stops nothing. Without --session a new one is made.

In a pipe the next line is read when the answer to the one before is complete, or
something is asked. With --json every event is a line. The exit code is 1 if a
turn failed or was cancelled, and 3 if the agent waits for an answer.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, done, err := p.connect(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			return p.chat(cmd.Context(), c, session)
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "session to talk to (made if there is none)")
	return cmd
}

// maxLine is the longest line that can be said; the server's frames are larger.
const maxLine = 768 << 10

func (p *program) chat(ctx context.Context, c *client.Client, session string) error {
	lines, prompt := p.lines(), p.prompt()
	var first *line
	if session == "" { // made when there is something to say
		fmt.Fprint(p.err, prompt)
		l, ok := <-lines
		if !ok {
			return nil
		}
		first = &l
		s, err := c.CreateSession(ctx, client.NewSession{})
		if err != nil {
			return err
		}
		session = s.SessionID
	}
	conn, err := c.Dial(ctx, session, client.DialOptions{Create: true, OnState: p.stateShower()})
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	talk := &talk{program: p, conn: conn, prompt: prompt, first: first, turns: map[string]string{}, printed: map[string]string{}}
	if prompt != "" {
		fmt.Fprintf(p.err, "session %s; leave with Ctrl-D; what was said before: parley sessions show %s\n", session, session)
	}
	events := make(chan client.Event)
	go func() { cancel(follow(ctx, conn, events)) }()
	return talk.run(ctx, events, lines)
}

// prompt is shown to a person only.
func (p *program) prompt() string {
	f, ok := p.in.(*os.File)
	if !ok || p.json || !term.IsTerminal(int(f.Fd())) {
		return ""
	}
	return "> "
}

// line is what somebody typed, or why no more comes.
type line struct {
	text string
	err  error
}

// lines reads line by line, no faster than they are taken. Its goroutine ends
// with the input, or with the program.
func (p *program) lines() <-chan line {
	out := make(chan line)
	go func() {
		defer close(out)
		in := bufio.NewScanner(p.in)
		in.Buffer(make([]byte, 0, 64<<10), maxLine)
		for in.Scan() {
			if strings.TrimSpace(in.Text()) != "" {
				out <- line{text: in.Text()}
			}
		}
		if errors.Is(in.Err(), bufio.ErrTooLong) {
			out <- line{err: fmt.Errorf("a line is longer than %d KiB; send long texts over REST", maxLine>>10)}
		} else if in.Err() != nil {
			out <- line{err: in.Err()}
		}
	}()
	return out
}

func follow(ctx context.Context, conn *client.Conn, events chan<- client.Event) error {
	for event, err := range conn.Follow(ctx) {
		if err != nil {
			return err
		}
		select {
		case events <- event:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return errors.New("the connection ended")
}

// stateShower tells of a connection that is lost, once there was one.
func (p *program) stateShower() func(client.State, error) {
	active, lost := false, false
	return func(s client.State, err error) {
		switch {
		case s == client.Active:
			if lost {
				fmt.Fprintln(p.err, "connected again")
			}
			active, lost = true, false
		case !active || err == nil:
		case s == client.Reconnecting && !lost:
			lost = true
			fmt.Fprintln(p.err, "\nthe connection is lost; trying again")
		case s == client.Failed:
			fmt.Fprintf(p.err, "the connection could not be restored: %v\n", err)
		}
	}
}

// printEvent writes an event as the server sent it.
func (p *program) printEvent(event client.Event) error { return p.printJSON(event.Envelope) }

// openRequests keeps the list of what is asked up to date.
func openRequests(open []protocol.Request, event client.Event) []protocol.Request {
	switch d := event.Data.(type) {
	case *protocol.SessionState:
		return d.HitlRequests
	case *protocol.HitlResolved:
		kept := open[:0:0]
		for _, r := range open {
			if r.RequestID != d.RequestID {
				kept = append(kept, r)
			}
		}
		return kept
	}
	if r, ok := requestOf(event); ok {
		return append(open, r)
	}
	return open
}
