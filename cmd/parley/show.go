package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-dev/parley/client"
	"github.com/parley-dev/parley/protocol"
)

// shown is a message as `sessions show` prints it.
type shown struct {
	client.UIMessage
	Hidden bool `json:"hidden,omitempty"`
}

func newSessionsShow(p *program) *cobra.Command {
	var all, ids bool
	cmd := &cobra.Command{
		Use:   "show SESSION",
		Short: "Print what was said in a session",
		Long: `Print the conversation as it is now: what people said (>), what they are asked
(?), what the server says (!), and the agent's answers. With --all also what it
thought, and what was rewound, marked as hidden. With --json a message is a line.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withServer(cmd.Context(), func(c *client.Client) error {
				messages, err := conversation(cmd.Context(), c, args[0], all)
				if err != nil {
					return err
				}
				for _, m := range messages {
					if err := p.printShown(m, all, ids); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also what is hidden, and what the agent thought")
	cmd.Flags().BoolVar(&ids, "ids", false, "with the id of each message")
	return cmd
}

// conversation gives the visible messages of a session; with all, those that
// were rewound too, in the order in which they were said.
func conversation(ctx context.Context, c *client.Client, session string, all bool) ([]shown, error) {
	var messages []shown
	visible := map[string]bool{}
	for m, err := range c.UIMessages(ctx, session) {
		if err != nil {
			return nil, err
		}
		messages = append(messages, shown{UIMessage: m})
		visible[m.MessageID] = true
	}
	if !all {
		return messages, nil
	}
	hidden := map[int64]int{} // by ts, so that the newest version is shown
	for event, err := range c.Events(ctx, session, client.FromStart) {
		if err != nil {
			return nil, err
		}
		d, ok := event.Data.(*protocol.MessageRecord)
		if !ok || visible[event.MessageID] {
			continue
		}
		if i, known := hidden[d.Message.Ts]; known {
			messages[i].Message = d.Message
		} else if d.Action == protocol.MessageCreated {
			hidden[d.Message.Ts] = len(messages)
			messages = append(messages, shown{Hidden: true, UIMessage: client.UIMessage{
				Message: d.Message, MessageID: event.MessageID, RequestID: d.RequestID, TurnID: d.TurnID, Role: d.Role, AgentID: event.AgentID,
			}})
		}
	}
	slices.SortFunc(messages, func(a, b shown) int { return strings.Compare(a.MessageID, b.MessageID) })
	return messages, nil
}

func (p *program) printShown(m shown, all, ids bool) error {
	if p.json {
		return p.printJSON(m)
	}
	if (m.Say == protocol.SayReasoning || m.Say == protocol.SayCheckpointSaved) && !all {
		return nil
	}
	line := markOf(m) + textOf(m.Message)
	if m.Hidden {
		line = "(hidden) " + line
	}
	if ids {
		line = m.MessageID + "  " + line
	}
	_, err := fmt.Fprintln(p.out, line)
	return err
}

// markOf says who speaks.
func markOf(m shown) string {
	switch {
	case m.Role == protocol.RoleUser:
		return "> "
	case m.Role == protocol.RoleSystem:
		return "! "
	case m.Type == protocol.KindAsk:
		return "? "
	case m.Say == protocol.SayReasoning:
		return "(thought) "
	}
	return ""
}

func textOf(m protocol.Message) string {
	text := strings.TrimRight(m.Text, "\n")
	switch {
	case m.ContextCondense != nil:
		text = "the past was summed up: " + m.ContextCondense.Summary
	case m.ContextTruncation != nil:
		text = fmt.Sprintf("%d older messages are not told to the model any more", m.ContextTruncation.MessagesRemoved)
	}
	if m.Partial {
		text += " … (interrupted)"
	}
	if m.TextBlob != nil {
		text += fmt.Sprintf("… (%d bytes in all)", m.TextBlob.Size)
	}
	if n := len(m.Images); n > 0 {
		text += fmt.Sprintf(" (%d pictures)", n)
	}
	return text
}
