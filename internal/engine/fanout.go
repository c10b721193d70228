package engine

import (
	"slices"

	"github.com/parley-dev/parley/protocol"
)

// send gives a frame to every subscriber that is up to date.
func (l *live) send(f *Frame) {
	if f.Seq > 0 {
		l.tail.add(f)
	}
	fell := false
	for _, s := range l.subs {
		s.push(f)
		fell = fell || s.behind
	}
	if fell {
		l.subs = slices.DeleteFunc(l.subs, func(s *Subscription) bool { return s.behind })
		l.crowd.Store(int64(len(l.subs)))
	}
}

// attach lets a client in: its state first, then what it has missed.
func (l *live) attach(a Attach) *Subscription {
	s := &Subscription{l: l, client: a.ClientID, notify: a.Notify, most: l.e.QueueBytes}
	if s.notify == nil {
		s.notify = func() {}
	}
	if a.ClientID != "" {
		for other := range l.attached {
			if other.client == a.ClientID {
				l.detach(other)
				other.close(&Closed{protocol.CloseTakenOver, "the same client_id connected again"})
			}
		}
	}
	last := l.state.Ledger.Last
	s.after = last
	resync := false
	if a.Resume != "" {
		seq, err := protocol.ParseMessageID(a.Resume)
		if resync = err != nil || seq > last; !resync {
			s.after = seq
		}
	}
	s.first = l.stateFrame(resync)
	l.attached[s] = struct{}{}
	l.join(s)
	return s
}

// join puts a subscriber among those that are up to date, if what it lacks is
// in memory; else it has to read on.
func (l *live) join(s *Subscription) {
	if _, ok := l.attached[s]; !ok {
		return
	}
	s.mu.Lock()
	frames, ok := l.tail.after(s.after, l.state.Ledger.Last)
	if !ok {
		s.behind = true
		s.rouse()
		s.mu.Unlock()
		return
	}
	s.behind = false
	answers := s.queue
	s.queue, s.bytes = nil, 0
	for _, f := range frames {
		s.enqueue(f)
		s.moved = s.moved || f.moves
	}
	if s.moved {
		s.moved = false
		s.enqueue(l.stateFrame(false))
	}
	for _, f := range answers { // none overtakes the record it speaks of
		s.enqueue(f)
	}
	s.mu.Unlock()
	l.subs = append(l.subs, s)
	l.crowd.Store(int64(len(l.subs)))
	for _, o := range l.open {
		if o.index > 0 {
			l.delta(o, string(o.text), false, s)
		}
	}
}

func (l *live) detach(s *Subscription) {
	delete(l.attached, s)
	l.subs = slices.DeleteFunc(l.subs, func(other *Subscription) bool { return other == s })
	l.crowd.Store(int64(len(l.subs)))
}

// dismiss sends every subscriber away.
func (l *live) dismiss(code protocol.CloseCode, reason string) {
	for s := range l.attached {
		s.close(&Closed{code, reason})
	}
	l.attached, l.subs = map[*Subscription]struct{}{}, nil
}

func (l *live) stateFrame(resync bool) *Frame {
	v := l.view()
	v.Resync = resync
	f, err := NewSignal(l.id, protocol.TypeSessionState, "", "", v)
	if err != nil {
		panic("engine: the session state cannot be encoded: " + err.Error()) // plain data: always can
	}
	return f
}

func (l *live) view() protocol.SessionState {
	v := l.state.View(l.id)
	if v.Model == "" {
		v.Model = l.e.Model
	}
	for _, o := range l.open {
		v.OpenMessages = append(v.OpenMessages, protocol.OpenMessage{
			OpenID: o.id, AgentID: o.Agent, Say: o.Say, Text: string(o.text), NextIndex: o.index,
		})
	}
	return v
}
