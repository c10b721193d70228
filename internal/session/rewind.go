package session

import (
	"time"

	"github.com/parley-dev/parley/internal/branch"
	"github.com/parley-dev/parley/protocol"
)

// Move asks for the head to be moved. Whoever asks has found out which record
// is meant; the core says whether that can be.
type Move struct {
	// Head is the record that what comes next follows.
	Head uint64
	// Seen is a record that was visible when the caller looked; 0 if that does
	// not matter. If it is hidden by now, someone else was faster.
	Seen uint64
	// Undoes is the rewind that this one takes back.
	Undoes string
	// Files is what was done to the workspace: nil if it stays as it is.
	Files *FilesMoved
	// Again is what a person says instead of what goes.
	Again *protocol.UserMessage
}

// FilesMoved says what a move is going to do to the workspace.
type FilesMoved struct {
	Changes       []protocol.FileChange
	Before, After string // the workspace before it and after
}

// moveHead cancels what runs and moves the head. What follows from where the
// head is then is decided by Land.
func (s *State) moveHead(m *Move, c Command, d *draft) error {
	last := s.Ledger.Last
	before := s.Path()
	switch {
	case m.Head > last:
		return protocol.Errorf(protocol.CodeInvalidMessage, "the session has no record %s; its last one is %s", protocol.MessageID(m.Head), protocol.MessageID(last))
	case m.Seen > 0 && !before.Contains(m.Seen):
		return protocol.Errorf(protocol.CodeSessionInvalidState, "the session was rewound meanwhile, and message %s is hidden now; look again", protocol.MessageID(m.Seen))
	case m.Again == nil && m.Files == nil && same(before, s.Ledger.Moves.Path(m.Head)):
		return protocol.Errorf(protocol.CodeSessionInvalidState, "there is nothing after %s that could be taken back", protocol.MessageID(m.Head))
	}
	s.halt(c, d)
	d.of("", protocol.DefaultMonitor)
	moves := append(s.Ledger.Moves, branch.Move{Seq: d.next, Head: m.Head})
	hidden, shown := branch.Diff(s.Ledger.Moves.Path(d.next-1), moves.Path(d.next))
	rewound := &protocol.Rewound{
		RewindID: protocol.ID(protocol.RewindPrefix, d.next), Head: protocol.MessageID(m.Head), From: protocol.MessageID(last),
		Hidden: spans(hidden), Shown: spans(shown), Undoes: m.Undoes, By: c.By.name(),
	}
	if f := m.Files; f != nil {
		rewound.Files, rewound.FilesBefore, rewound.FilesAfter = f.Changes, f.Before, f.After
		rewound.Restoring = f.Before != f.After
	}
	d.add(protocol.TypeRewound, rewound)
	return nil
}

// same says whether the same records are on both paths.
func same(a, b branch.Path) bool {
	onlyA, onlyB := branch.Diff(a, b)
	return len(onlyA) == 0 && len(onlyB) == 0
}

// halt ends what runs, and takes back what people are asked. A turn that only
// rests is left as it is: undoing the move finds it so.
func (s *State) halt(c Command, d *draft) {
	const why = "the session was rewound"
	if t := s.Turns.Current; t != nil && (!s.Turns.Resting || s.InFlight()) {
		s.cancelTurn(t, c, why, d)
		return
	}
	d.breakOff("", anyText)
	s.dropCondense(why, d)
	for _, o := range s.Requests.Open {
		d.add(protocol.TypeHitlResolved, &protocol.HitlResolved{
			RequestID: o.RequestID, Action: protocol.ActionWithdraw, Reason: why, By: "server",
		})
	}
}

func spans(of []branch.Span) []protocol.Span {
	out := make([]protocol.Span, len(of))
	for i, s := range of {
		out[i] = protocol.Span{s.From, s.To}
	}
	return out
}

// Head says that the decision moves the head, and where to. Then it is not
// whole: the state as it was at that record, folded from the journal, has to be
// given to Land before anything is stored.
func (d Decision) Head() (seq uint64, moves bool) {
	if d.move == nil || len(d.Records) == 0 {
		return 0, false
	}
	return d.move.Head, true
}

// Land completes a decision that moves the head, from the state as it was at
// the record where the head is now. It is the caller's no more.
func (d Decision) Land(at *State) Decision {
	at.Ledger = d.after.Ledger
	draft := d.draft
	draft.state, draft.open = at, nil
	asked := at.Requests.Open
	at.Rest()
	at.reissue(asked, draft)
	if d.move.Again != nil {
		at.sayAgain(d.move.Again, draft)
	}
	at.settle(draft)
	return Decision{Records: draft.records, after: at, landed: true}
}

// Status and Todos are the session's once the records are stored.
func (d Decision) Status() protocol.Status { return d.after.Status() }
func (d Decision) Todos() []protocol.Todo  { return d.after.Todos() }

// Moved says that the records move the head.
func (d Decision) Moved() bool { return d.landed }

// sayAgain takes what a person says instead of what they said before: a turn
// starts with it, or the one that it belongs to goes on.
func (s *State) sayAgain(m *protocol.UserMessage, d *draft) {
	d.of(protocol.MainAgent(protocol.DefaultMonitor), protocol.DefaultMonitor)
	w := words{content: m.Content, images: m.Images, monitor: protocol.DefaultMonitor}
	c := Command{By: d.by}
	t := s.Turns.Current
	if t == nil {
		s.accept(w, c, d)
		return
	}
	d.add(protocol.TypeResumed, &protocol.Resumed{ResumedBy: c.By.name(), TurnID: t.ID})
	s.steer(w, c, d)
}

// Fork begins a session that shares its past with another: the state is the
// other's at the record up to which it was copied, and the caller's no more.
func (s *State) Fork(f protocol.Forked, c Command, now time.Time) Decision {
	d := s.draft(c, now)
	d.of("", protocol.DefaultMonitor)
	asked := s.Requests.Open
	d.add(protocol.TypeForked, &f)
	s.reissue(asked, d)
	return Decision{Records: d.records, after: s}
}
