package exchange

import (
	"context"
	"time"

	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

// turnOf is one message of the model history, hidden by a mark or not.
type turnOf struct {
	seq     uint64 // of the record it begins with
	at      time.Time
	message model.Message
}

// told visits the model history of the main agent as it goes. The fold is that
// of package history; it is given so much at a time that no call is parted from
// its result.
func (e *export) told(ctx context.Context, visit func(turnOf) error) error {
	s := segments{agent: protocol.MainAgent(protocol.DefaultMonitor), visit: visit}
	if err := e.visible(ctx, s.add); err != nil {
		return err
	}
	return s.flush()
}

type segments struct {
	agent  string
	buffer []protocol.Record
	open   map[string]bool // calls in the buffer that have no result yet
	visit  func(turnOf) error
}

func (s *segments) add(r protocol.Record) error {
	switch d := r.Data.(type) {
	case *protocol.MessageRecord:
		if d.Message.ContextCondense != nil || d.Message.ContextTruncation != nil {
			return nil
		}
		s.buffer = append(s.buffer, r)
	case *protocol.ModelCompleted:
		if r.AgentID != s.agent || d.Error != nil {
			return nil
		}
		if err := s.flush(); err != nil {
			return err
		}
		s.buffer, s.open = append(s.buffer, r), map[string]bool{}
		for _, c := range d.ToolCalls {
			s.open[c.CallID] = true
		}
	case *protocol.ToolCompleted:
		if len(s.open) == 0 {
			return nil
		}
		s.buffer = append(s.buffer, r)
		if r.AgentID == s.agent && !d.Retry {
			delete(s.open, d.CallID)
		}
	default:
		return nil
	}
	if len(s.open) > 0 {
		return nil
	}
	return s.flush()
}

func (s *segments) flush() error {
	buffer := s.buffer
	s.buffer, s.open = nil, nil
	if len(buffer) == 0 {
		return nil
	}
	for _, m := range history.Model(buffer, s.agent) {
		if err := s.visit(turnOf{buffer[0].Seq, buffer[0].Time, m}); err != nil {
			return err
		}
	}
	return nil
}
