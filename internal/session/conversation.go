package session

import (
	"slices"

	"github.com/parley-dev/parley/protocol"
)

// words is what a person said, whether just now or while it waited.
type words struct {
	input   string // message_id of the record that brought them
	content string
	blob    *protocol.BlobRef
	images  []string
	monitor string
}

func (s *State) userMessage(m *protocol.UserMessage, c Command, d *draft) error {
	w := words{content: m.Content, images: m.Images, monitor: protocol.DefaultMonitor}
	if m.MonitorID != "" && m.MonitorID != protocol.DefaultMonitor {
		return protocol.Errorf(protocol.CodeInvalidMessage, "this session has no monitor %q, only %s", m.MonitorID, protocol.DefaultMonitor)
	}
	d.of(protocol.MainAgent(w.monitor), w.monitor)
	switch {
	case s.Turns.Current == nil:
		s.accept(w, c, d)
	case m.When == protocol.WhenInterrupt:
		s.cancelTurn(s.Turns.Current, c, "a new message interrupts", d)
		s.accept(w, c, d)
	case m.When == protocol.WhenQueue || s.Turns.Resting:
		return s.enqueue(w, c, d)
	default:
		s.steer(w, c, d)
	}
	return nil
}

// steer puts words into the running turn: the model hears them with its next
// call.
func (s *State) steer(w words, c Command, d *draft) {
	t := s.Turns.Current
	d.of(t.Loop.AgentID, t.MonitorID)
	d.add(protocol.TypeMessageAccepted, &protocol.MessageAccepted{AgentID: d.agent, TurnID: t.ID, Steered: true, By: c.By.User})
	d.message(protocol.MessageRecord{
		TurnID: t.ID, Role: protocol.RoleUser,
		Message: protocol.Message{Say: protocol.SayUserFeedback, Text: w.content, TextBlob: w.blob, Images: w.images},
	})
}

// accept starts a turn with these words.
func (s *State) accept(w words, c Command, d *draft) {
	turn := protocol.ID(protocol.TurnPrefix, d.next+1)
	w.input = protocol.MessageID(d.next)
	d.add(protocol.TypeMessageAccepted, &protocol.MessageAccepted{AgentID: d.agent, TurnID: turn, By: c.By.User})
	s.startTurn(w, d)
}

func (s *State) startTurn(w words, d *draft) {
	turn := protocol.ID(protocol.TurnPrefix, d.next)
	d.add(protocol.TypeTurnStarted, &protocol.TurnStarted{
		TurnID: turn, AgentID: d.agent, Pipeline: s.Ledger.Pipeline, Input: w.input,
	})
	say := protocol.SayText
	if s.Turns.Heard {
		say = protocol.SayUserFeedback
	}
	d.message(protocol.MessageRecord{
		TurnID: turn, Role: protocol.RoleUser,
		Message: protocol.Message{Say: say, Text: w.content, TextBlob: w.blob, Images: w.images},
	})
	d.add(protocol.TypeLayerStart, &protocol.LayerStart{
		Layer: firstLayer(s.Ledger.Pipeline), Description: "working out what is asked", TurnID: turn,
	})
}

func (s *State) enqueue(w words, c Command, d *draft) error {
	n := len(s.Queue.Items)
	if n >= QueueLimit {
		return protocol.Errorf(protocol.CodeSessionInvalidState,
			"%d messages are waiting already; wait for the agent, or take one out of the queue", n).With("queue", n)
	}
	d.add(protocol.TypeMessageQueued, &protocol.MessageQueued{
		Position: n + 1, Content: w.content, ContentBlob: w.blob, Images: w.images, By: c.By.User,
	})
	return nil
}

// startQueued starts the turn of the message that waits longest.
func (s *State) startQueued(d *draft) {
	if len(s.Queue.Items) == 0 {
		return
	}
	next := s.Queue.Items[0]
	d.of(protocol.MainAgent(next.MonitorID), next.MonitorID)
	d.add(protocol.TypeQueueChanged, &protocol.QueueChanged{Queue: s.Queue.ids()[1:], Reason: QueueStarted})
	s.startTurn(words{
		input: next.MessageID, content: next.Content, blob: next.ContentBlob, images: next.Images, monitor: next.MonitorID,
	}, d)
}

func (s *State) queueEdit(e *protocol.QueueEdit, c Command, d *draft) error {
	order := s.Queue.ids()
	for _, id := range e.Remove {
		i := slices.Index(order, id)
		if i < 0 {
			return protocol.Errorf(protocol.CodeInvalidMessage, "no message %q waits in the queue", id)
		}
		order = slices.Delete(order, i, i+1)
	}
	order, err := reorder(order, e.Order)
	if err != nil {
		return err
	}
	if !slices.Equal(order, s.Queue.ids()) {
		d.add(protocol.TypeQueueChanged, &protocol.QueueChanged{Queue: order, Reason: "edited", By: c.By.User})
	}
	return nil
}

// reorder puts the named ids first; the rest follow as they were.
func reorder(ids, first []string) ([]string, error) {
	out := make([]string, 0, len(ids))
	for _, id := range first {
		if !slices.Contains(ids, id) || slices.Contains(out, id) {
			return nil, protocol.Errorf(protocol.CodeInvalidMessage, "the new order may name each waiting message once; %q is not one, or named twice", id)
		}
		out = append(out, id)
	}
	for _, id := range ids {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out, nil
}
