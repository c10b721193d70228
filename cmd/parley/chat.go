package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
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
Without --session a new one is made. Works in a pipe: the next line is sent when
the answer to the one before is complete. With --json every event is a line.`,
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
	if session == "" {
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
	prompt := p.prompt()
	if prompt != "" {
		fmt.Fprintf(p.err, "session %s; end with Ctrl-D\n", session)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	turns := make(chan string, 64)
	go func() { cancel(p.show(ctx, conn, turns)) }()
	lines := bufio.NewScanner(p.in)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for fmt.Fprint(p.err, prompt); lines.Scan(); fmt.Fprint(p.err, prompt) {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		if err := p.ask(ctx, conn, lines.Text(), turns); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a line is longer than %d KiB; send long texts over REST", maxLine>>10)
	}
	return lines.Err()
}

// prompt is shown to a person only.
func (p *program) prompt() string {
	f, ok := p.in.(*os.File)
	if !ok || p.json || !term.IsTerminal(int(f.Fd())) {
		return ""
	}
	return "> "
}

// ask sends one message and waits until the turn that it started has ended.
func (p *program) ask(ctx context.Context, conn *client.Conn, words string, turns <-chan string) error {
	accepted, err := conn.SendMessage(ctx, words)
	if err != nil {
		return err
	}
	for {
		select {
		case input := <-turns:
			if input == accepted {
				return nil
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// show prints what comes, and tells of each turn that ends by the message that
// started it.
func (p *program) show(ctx context.Context, conn *client.Conn, turns chan<- string) error {
	var texts client.Texts
	started := map[string]string{}
	for event, err := range conn.Follow(ctx) {
		if err != nil {
			return err
		}
		if p.json {
			if err := p.printJSON(event.Envelope); err != nil {
				return err
			}
		} else {
			for _, t := range texts.Apply(event) {
				p.showText(t)
			}
		}
		ended := ""
		switch d := event.Data.(type) {
		case *protocol.TurnStarted:
			started[d.TurnID] = d.Input
		case *protocol.Complete:
			ended = d.TurnID
		case *protocol.Failed:
			ended = d.TurnID
			if !p.json {
				fmt.Fprintf(p.err, "the turn %s: %s\n", d.Status, d.Error.Message)
			}
		}
		if input, ok := started[ended]; ok {
			delete(started, ended)
			select {
			case turns <- input:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return io.EOF
}

func (p *program) showText(t client.Text) {
	if t.Say == protocol.SayReasoning {
		return
	}
	if t.Replaced {
		fmt.Fprint(p.out, "\n")
	}
	fmt.Fprint(p.out, t.Added)
	if t.Done {
		fmt.Fprint(p.out, "\n")
	}
}

// stateShower tells of a connection that is lost, once there was one.
func (p *program) stateShower() func(client.State, error) {
	active := false
	return func(s client.State, err error) {
		switch {
		case s == client.Active:
			active = true
		case !active || err == nil:
		case s == client.Reconnecting:
			fmt.Fprintf(p.err, "connection lost (%v); trying again\n", err)
		case s == client.Failed:
			fmt.Fprintf(p.err, "the connection could not be restored: %v\n", err)
		}
	}
}
