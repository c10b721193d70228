package protocol

import (
	"errors"
	"fmt"
	"slices"
)

// validator is a command payload with rules that its kinds do not tell. The
// rules need no session: what depends on a session's state is decided there.
// An *Error carries its own code, any other error is WS_INVALID_MESSAGE.
type validator interface{ Validate() error }

func invalid(t Type, err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return Errorf(CodeInvalidMessage, "%s: %s", t, sentence(err))
}

// needID asks for an id that is there and does no harm.
func needID(field, id string) error {
	if id == "" {
		return fmt.Errorf("%s is missing", field)
	}
	return plainID(field, id)
}

func plainID(field, id string) error { return checkID(field, id, maxMessageID) }

func oneOf[T ~string](field string, value T, words ...T) error {
	if slices.Contains(words, value) {
		return nil
	}
	return fmt.Errorf("%s must be one of %q, not %q", field, words, clip(string(value), 40))
}

// maybeOneOf is oneOf for a field that may be missing.
func maybeOneOf[T ~string](field string, value T, words ...T) error {
	if value == "" {
		return nil
	}
	return oneOf(field, value, words...)
}

func needWords(content string, images []string) error {
	if content == "" && len(images) == 0 {
		return errors.New("content is empty and there are no images")
	}
	return nil
}

func (m *UserMessage) Validate() error {
	return errors.Join(
		needWords(m.Content, m.Images),
		maybeOneOf("when", m.When, WhenSteer, WhenQueue, WhenInterrupt),
		plainID("monitor_id", m.MonitorID),
	)
}

// needTarget asks for one of several ways to name a message.
func needTarget(given ...bool) error {
	n := 0
	for _, g := range given {
		if g {
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("name the target in exactly one way, not %d", n)
	}
	return nil
}

func maybeMessageID(field, id string) error {
	if id == "" {
		return nil
	}
	if _, err := ParseMessageID(id); err != nil {
		return fmt.Errorf("%s: %w", field, err)
	}
	return nil
}

func (m *EditMessage) Validate() error {
	return errors.Join(
		needTarget(m.Ts != nil, m.MessageID != ""),
		maybeMessageID("message_id", m.MessageID),
		needWords(m.Content, m.Images),
	)
}

func (m *DeleteMessage) Validate() error {
	return errors.Join(
		needTarget(m.Ts != nil, m.MessageID != ""),
		maybeMessageID("message_id", m.MessageID),
	)
}

func (r *Rewind) Validate() error {
	if r.Index != nil && *r.Index < 0 {
		return errors.New("index counts from 0")
	}
	return errors.Join(
		needTarget(r.To != "", r.Ts != nil, r.Index != nil),
		maybeMessageID("to", r.To),
	)
}

func (r *RewindUndo) Validate() error { return plainID("rewind_id", r.RewindID) }

func (f *Fork) Validate() error {
	if f.SessionID != "" {
		if err := CheckSessionID(f.SessionID); err != nil {
			return err
		}
	}
	return maybeMessageID("at", f.At)
}

func (c *Condense) Validate() error { return plainID("agent_id", c.AgentID) }

func (c *CheckpointRestore) Validate() error { return needID("checkpoint_id", c.CheckpointID) }

func (q *QueueEdit) Validate() error {
	if len(q.Order) == 0 && len(q.Remove) == 0 {
		return errors.New("say a new order, or which messages to remove")
	}
	for _, id := range slices.Concat(q.Order, q.Remove) {
		if _, err := ParseMessageID(id); err != nil {
			return err
		}
	}
	return nil
}
