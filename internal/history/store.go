package history

import (
	"maps"

	"github.com/parley-dev/parley/protocol"
)

// Store folds the message store: a session told in few words. Inputs and
// outputs of tools are cut for display; the journal keeps all.
type Store struct {
	page   Page
	items  []Entry
	total  int
	last   int64                     // ts of the newest message
	calls  map[string]int            // running calls by their id: which entry they are
	inputs map[string]map[string]any // see InputsOf
}

// NewStore makes a fold that keeps one page.
func NewStore(p Page) *Store {
	return &Store{page: p, items: []Entry{}, calls: map[string]int{}, inputs: map[string]map[string]any{}}
}

// Add folds the next visible record.
func (s *Store) Add(r protocol.Record) {
	maps.Copy(s.inputs, InputsOf(r))
	switch d := r.Data.(type) {
	case *protocol.MessageRecord:
		s.message(d)
	case *protocol.ToolStarted:
		s.started(r, d)
	case *protocol.ToolCompleted:
		s.completed(r, d)
	default:
		if e := ResultOf(r); e != nil {
			s.add(e)
		}
	}
}

// Items gives the page, oldest first.
func (s *Store) Items() []Entry { return s.items }

// Total is how many entries there are on all pages.
func (s *Store) Total() int { return s.total }

func (s *Store) add(e Entry) {
	if s.page.holds(s.total) {
		s.items = append(s.items, e)
	}
	s.total++
}

func (s *Store) message(d *protocol.MessageRecord) {
	ts := d.Message.Ts
	again := d.Action == protocol.MessageUpdated && ts <= s.last
	s.last = max(s.last, ts)
	text := TextOf(d)
	switch {
	case text == nil:
	case again:
		s.replace(text)
	default:
		s.add(text)
	}
}

// replace puts a new version in the place of the old one, if that is on the page.
func (s *Store) replace(text *Text) {
	for i := len(s.items) - 1; i >= 0; i-- {
		if old, ok := s.items[i].(*Text); ok && old.Timestamp == text.Timestamp {
			s.items[i] = text
			return
		}
	}
}

// started begins an entry, unless the call runs already and this is its next
// attempt. A call without an id is one of its own.
func (s *Store) started(r protocol.Record, d *protocol.ToolStarted) {
	if _, running := s.calls[d.CallID]; running {
		return
	}
	if d.CallID != "" {
		s.calls[d.CallID] = s.total
	}
	s.add(StartOf(r, d, s.input(d.CallID, d.TodoID)))
}

func (s *Store) completed(r protocol.Record, d *protocol.ToolCompleted) {
	if d.Retry {
		return // it is no end: the call runs again
	}
	i, running := s.calls[d.CallID]
	if !running {
		s.add(CompleteOf(r, d, nil, s.input(d.CallID, d.TodoID)))
		return
	}
	delete(s.calls, d.CallID)
	if !s.page.holds(i) {
		return
	}
	place := &s.items[i-s.page.Offset]
	start, _ := (*place).(*ToolStart)
	*place = CompleteOf(r, d, start, nil)
}

// input is what is known of the input of a call.
func (s *Store) input(call, todo string) map[string]any {
	for _, key := range InputKeys(call, todo) {
		if input, ok := s.inputs[key]; ok {
			return input
		}
	}
	return nil
}
