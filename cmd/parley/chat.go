package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

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

In a terminal the arrow keys go through the line and through what you said
before. A pasted text is one message; Alt-Enter begins a new line in it.

In a pipe the next line is read when the answer to the one before is complete, or
something is asked. With --json every event is a line. The exit code is 1 if a
turn failed or was cancelled, and 3 if the agent waits for an answer.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, leave := context.WithCancel(cmd.Context())
			defer leave()
			at, giveBack, err := p.atTerminal(leave)
			if err != nil {
				return err
			}
			defer giveBack()
			err = at.withServer(ctx, func(c *client.Client) error { return at.chat(ctx, c, session) })
			if ctx.Err() != nil && cmd.Context().Err() == nil {
				return nil // the person has left
			}
			return err
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "session to talk to (made if there is none)")
	return cmd
}

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
	if p.person() {
		fmt.Fprintf(p.err, "session %s; leave with Ctrl-D; what was said before: parley sessions show %s\n", session, session)
	}
	events := make(chan client.Event)
	go func() { cancel(follow(ctx, conn, events)) }()
	return talk.run(ctx, events, lines)
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
			fmt.Fprintf(p.err, "the connection could not be restored: %s\n", explain(err))
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
