package session

import "github.com/parley-dev/parley/protocol"

// pause lets what runs come to its end, and starts nothing else.
func (s *State) pause(p *protocol.ControlPause, c Command, d *draft) error {
	t := s.Turns.Current
	if t == nil || s.Turns.Resting {
		return protocol.Errorf(protocol.CodeSessionInvalidState, "nothing is running that could be paused")
	}
	d.of(t.Loop.AgentID, t.MonitorID)
	paused := &protocol.HitlPaused{PausedBy: c.By.name(), Reason: p.Reason, CompletedTodos: []string{}, CanResume: true, TurnID: t.ID}
	if plan := s.Plans.Current; plan != nil {
		paused.CompletedTodos = plan.ids(protocol.TodoStatusCompleted)
		if running := plan.ids(protocol.TodoStatusInProgress); len(running) > 0 {
			paused.CurrentTodo = running[0]
		}
	}
	d.add(protocol.TypeHitlPaused, paused)
	return nil
}

// resume goes on where pause, or a move of the head, has left off.
func (s *State) resume(r *protocol.ControlResume, c Command, d *draft) error {
	t := s.Turns.Current
	if t == nil || !s.Turns.Resting {
		return protocol.Errorf(protocol.CodeSessionInvalidState, "nothing is paused that could go on")
	}
	if len(r.Modifications) > 0 {
		_, p, err := s.openPlan()
		if err != nil {
			return err
		}
		if err := s.modify(t, p, r.Modifications, c, d); err != nil {
			return err
		}
	}
	d.of(t.Loop.AgentID, t.MonitorID)
	d.add(protocol.TypeResumed, &protocol.Resumed{ResumedBy: c.By.name(), TurnID: t.ID})
	return nil
}
