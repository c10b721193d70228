package session

import "github.com/parley-dev/parley/protocol"

// View is the session as clients see it. What is being written is not part of
// the state: the owner of the session adds it.
func (s *State) View(id string) protocol.SessionState {
	l := &s.Ledger
	v := protocol.SessionState{
		SessionID: id, Status: s.Status(), TaskState: s.Status().TaskState(),
		Todos: s.Todos(), Plan: s.plan(), HitlPending: s.Requests.pending(), HitlRequests: append([]protocol.Request{}, s.Requests.Open...), OpenMessages: []protocol.OpenMessage{},
		Agents:   []protocol.Agent{s.mainAgent()},
		Monitors: []protocol.Monitor{{MonitorID: protocol.DefaultMonitor}},
		Windows:  []protocol.Window{}, Queue: append([]protocol.QueueItem{}, s.Queue.Items...),
		LastMessageID: protocol.MessageID(l.Last),
		Usage:         l.Usage, Context: s.Contexts.Meter,
		Title: l.Title, Model: l.Model, Pipeline: l.Pipeline, Mode: l.Mode,
		AutoApprove: append([]string{}, l.AutoApprove...),
		Checkpoint:  l.Checkpoint,
		PlanReview:  l.PlanReview, Pinned: l.Pinned, KeepDays: l.KeepDays,
		Owner: l.Owner, Workspace: l.Workspace,
		CreatedAt: protocol.At(l.Created), UpdatedAt: protocol.At(l.LastTime),
		ParentID: l.ParentID, RootID: l.RootID, ForkedFrom: l.ForkedFrom,
		Settings: l.Own(),
	}
	if t := s.Turns.Current; t != nil {
		v.CurrentLayer = t.Layer
	}
	return v
}

func (s *State) mainAgent() protocol.Agent {
	status := "idle"
	if s.Turns.Current != nil {
		status = "active"
	}
	return protocol.Agent{
		AgentID: protocol.MainAgent(protocol.DefaultMonitor), Kind: "main",
		MonitorID: protocol.DefaultMonitor, Status: status,
	}
}

func (s *State) plan() *protocol.PlanState {
	if s.Plans.Current == nil {
		return nil
	}
	plan := s.Plans.Current.PlanState
	return &plan
}

// Todos gives the todos of the plan.
func (s *State) Todos() []protocol.Todo {
	if s.Plans.Current == nil {
		return []protocol.Todo{}
	}
	return append([]protocol.Todo{}, s.Plans.Current.Todos...)
}
