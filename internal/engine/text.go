package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

const (
	flushEvery = 250 * time.Millisecond
	flushBytes = 32 << 10 // a part costs whole pages: few and large ones write less
	// flushAgain is how long text waits that the disk refused.
	flushAgain = 2 * time.Second
	// pendingMost is how much text may wait for the session's goroutine before
	// the writer has to.
	pendingMost = 256 << 10
	// inlineMost is how long a text may be in a record.
	inlineMost = 64 << 10
	// previewLen is how much of a longer one stays in it.
	previewLen = 4 << 10
)

// openText is a message that is being written.
type openText struct {
	id      string
	monitor string
	textMeta
	text    []byte // all of it, as far as it was sent
	index   int    // of the next delta
	parts   int    // index of the next part
	flushed int    // how much of text is on disk
	stream  *Stream
}

// textMeta is what is needed to close an open message after a crash.
type textMeta struct {
	Agent string       `json:"agent"`
	Say   protocol.Say `json:"say"`
	// Call and Tool are set for what a tool prints.
	Call string `json:"call,omitempty"`
	Tool string `json:"tool,omitempty"`
}

// Stream takes the text of an open message. It is safe for one writer.
type Stream struct {
	l       *live
	mu      sync.Mutex
	pending []byte
	ended   bool
	closed  bool
	room    chan struct{} // has an element when pending was taken
	filter  TextFilter    // of the writer; nil lets everything through
}

var errTextClosed = errors.New("the message is closed")

// Write adds text; each piece is valid UTF-8. It waits if the session cannot
// follow, and fails once the message is closed.
func (s *Stream) Write(ctx context.Context, text string) error {
	if s.filter != nil {
		if text = s.filter.Write(text); text == "" {
			return nil
		}
	}
	for {
		s.mu.Lock()
		if s.closed || s.ended {
			s.mu.Unlock()
			return errTextClosed
		}
		if len(s.pending) < pendingMost {
			s.pending = append(s.pending, text...)
			s.mu.Unlock()
			s.l.nudge()
			return nil
		}
		s.mu.Unlock()
		select {
		case <-s.room:
		case <-s.l.done:
			return errTextClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// End says that no more text comes.
func (s *Stream) End() {
	rest := ""
	if s.filter != nil {
		rest = s.filter.Close()
	}
	s.mu.Lock()
	if !s.closed && !s.ended {
		s.pending = append(s.pending, rest...)
	}
	s.ended = true
	s.mu.Unlock()
	s.l.nudge()
}

func (s *Stream) take() (text []byte, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, s.pending = s.pending, nil
	ended = s.ended && !s.closed
	if ended {
		s.closed = true
	}
	s.release()
	return text, ended
}

// close refuses what is written from now on.
func (s *Stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.pending = true, nil
	s.release()
}

// release lets a writer go on that waits for room.
func (s *Stream) release() {
	select {
	case s.room <- struct{}{}:
	default:
	}
}

// beginText opens a message on the session's goroutine.
func (l *live) beginText(id, monitor string, meta textMeta) (*Stream, error) {
	for _, o := range l.open {
		if o.id == id {
			return nil, fmt.Errorf("message %s is open already", id)
		}
	}
	s := &Stream{l: l, room: make(chan struct{}, 1)}
	if l.e.Redact != nil {
		s.filter = l.e.Redact.Stream()
	}
	l.open = append(l.open, &openText{id: id, monitor: monitor, textMeta: meta, stream: s})
	return s, nil
}

// pump sends what writers have left, joined into one delta for each message.
func (l *live) pump() {
	for _, o := range l.open {
		text, ended := o.stream.take()
		if len(text) == 0 && !ended {
			continue
		}
		l.delta(o, string(text), ended, nil)
		o.text = append(o.text, text...)
		switch waiting := len(o.text) - o.flushed; {
		case waiting >= flushBytes:
			l.flush()
		case waiting > 0 && l.flushAt.IsZero():
			l.flushAt = time.Now().Add(flushEvery)
		}
	}
}

func (l *live) delta(o *openText, text string, complete bool, to *Subscription) {
	d := protocol.Delta{OpenID: o.id, Index: o.index, Delta: text, IsComplete: complete}
	if to != nil {
		from := 0
		d.Index, d.FromIndex = o.index-1, &from
	}
	if to == nil && len(l.subs) == 0 {
		o.index++
		return
	}
	t, data := o.signal(d)
	f, err := NewSignal(l.id, t, o.Agent, o.monitor, data)
	if err != nil {
		l.e.Logger.Error("text could not be sent", "session_id", l.id, "err", err)
		return
	}
	if to != nil {
		to.greet(f)
		return
	}
	o.index++
	l.e.Stats.Deltas.Add(1)
	l.send(f)
}

// signal is how a delta of the message goes out: what a tool prints is the
// tool's progress, all else is an agent's words or thoughts.
func (o *openText) signal(d protocol.Delta) (protocol.Type, any) {
	switch {
	case o.Call != "":
		status := "running"
		if d.IsComplete {
			status = "complete"
		}
		return protocol.TypeToolProgress, protocol.ToolProgress{
			CallID: o.Call, Tool: o.Tool, Status: status, Text: d.Delta, OpenID: d.OpenID, Index: d.Index, FromIndex: d.FromIndex,
		}
	case o.Say == protocol.SayReasoning:
		return protocol.TypeAgentThinking, d
	}
	return protocol.TypeAgentResponse, d
}

// flush hands what is not on disk yet to the journal, and waits for nothing.
func (l *live) flush() {
	l.flushAt = time.Time{}
	parts := slices.DeleteFunc(l.unkept, func(p journal.Part) bool {
		return !slices.ContainsFunc(l.open, func(o *openText) bool { return o.id == p.Open })
	})
	l.unkept = nil
	for _, o := range l.open {
		if len(o.text) == o.flushed {
			continue
		}
		p := journal.Part{Open: o.id, Index: o.parts, Text: string(o.text[o.flushed:])}
		if o.parts == 0 {
			p.Meta, _ = json.Marshal(o.textMeta)
		}
		parts = append(parts, p)
		o.parts++
		o.flushed = len(o.text)
	}
	if len(parts) == 0 {
		return
	}
	l.e.Store.PutParts(l.id, parts, func(err error) {
		l.e.Logger.Warn("text in progress is not on disk", "session_id", l.id, "err", err)
		_ = l.call(context.Background(), func() { l.refused(parts) })
	})
}

// refused puts parts that the disk did not take in front of what is flushed
// next: else a crash would leave a text with a hole.
func (l *live) refused(parts []journal.Part) {
	l.unkept = append(l.unkept, parts...)
	if l.flushAt.IsZero() {
		l.flushAt = time.Now().Add(flushAgain)
	}
}

// reopen joins the parts that a crash has left. Where one is missing the text
// ends: short is better than wrong.
func (l *live) reopen(ctx context.Context) (open []session.OpenText, err error) {
	parts, err := l.e.Store.Parts(ctx, l.id)
	if err != nil || len(parts) == 0 {
		return nil, err
	}
	finished, err := l.finished(ctx)
	if err != nil {
		return nil, err
	}
	for len(parts) > 0 {
		id, n, text := parts[0].Open, 0, strings.Builder{}
		for ; n < len(parts) && parts[n].Open == id; n++ {
			if parts[n].Index == n {
				text.WriteString(parts[n].Text)
			}
		}
		if first := parts[0]; first.Index == 0 && !finished[id] {
			var m textMeta
			if err := json.Unmarshal(first.Meta, &m); err != nil {
				return nil, fmt.Errorf("decode open message %s: %w", id, err)
			}
			open = append(open, session.OpenText{OpenID: id, AgentID: m.Agent, Say: m.Say, Text: text.String()})
		} else {
			l.left = append(l.left, id)
		}
		parts = parts[n:]
	}
	return open, nil
}

// finished lists the open messages that the last append closed. Its writer may
// not have learned of that, and have put parts behind it.
func (l *live) finished(ctx context.Context) (map[string]bool, error) {
	const most = 64 // records of one append
	last := l.state.Ledger.Last
	records, err := l.e.Read(ctx, l.id, max(last, most)-most, most)
	if err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for _, r := range records {
		if m, ok := r.Data.(*protocol.MessageRecord); ok {
			ids[m.OpenID] = true
		}
	}
	return ids, nil
}

// texts gives what is being written, for the core. It is never nil.
func (l *live) texts() []session.OpenText {
	open := make([]session.OpenText, len(l.open))
	for i, o := range l.open {
		open[i] = session.OpenText{OpenID: o.id, AgentID: o.Agent, Say: o.Say, Text: string(o.text)}
	}
	return open
}

// closeTexts forgets messages that are finished.
func (l *live) closeTexts(ids []string) {
	for _, id := range ids {
		for i, o := range l.open {
			if o.id != id {
				continue
			}
			o.stream.close()
			l.open = append(l.open[:i:i], l.open[i+1:]...)
			break
		}
	}
}
