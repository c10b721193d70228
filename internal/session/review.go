package session

import (
	"slices"

	"github.com/parley-dev/parley/protocol"
)

func (s *State) answerPlan(a *protocol.HitlPlanResponse, c Command, d *draft) error {
	o, t, err := s.request(a.RequestID, protocol.TypeHitlPlanReview)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(o.Options, func(opt protocol.Option) bool { return opt.Value == a.Action }) {
		return errAnswer("the answer must be one of approve, modify and reject, not %q", a.Action)
	}
	if a.Action == protocol.ActionModify && a.Instruction == "" {
		return errAnswer("say in `instruction` what should be changed")
	}
	s.resolve(t, o, protocol.HitlResolved{
		Action: a.Action, Instruction: a.Instruction, Comment: a.Comment, Reason: a.Reason, By: c.By.name(), ClientID: c.By.ClientID,
	}, d)
	return nil
}

// reviewed does what a person says of the plan.
func (s *State) reviewed(t *Turn, o protocol.Request, r protocol.HitlResolved, d *draft) {
	p := s.Plans.Current
	switch r.Action {
	case protocol.ActionApprove:
		d.add(protocol.TypePlanApproved, &protocol.PlanApproved{PlanID: p.ID, ApprovedBy: r.By, ExecutionStarting: true})
		t.enter(protocol.LayerExecution, describe[protocol.LayerExecution], d)
	case protocol.ActionModify:
		s.done(t, &t.Loop, &protocol.ToolCompleted{
			CallID: p.CallID, TurnID: t.ID, Tool: toolProposePlan,
			Output: "The person wants this changed: " + r.Instruction + "\nPropose the whole plan again.",
		}, d)
	default:
		s.rejectPlan(t, p, r, d)
	}
}

func (s *State) rejectPlan(t *Turn, p *Plan, r protocol.HitlResolved, d *draft) {
	d.add(protocol.TypePlanRejected, &protocol.PlanRejected{PlanID: p.ID, RejectedBy: r.By, Reason: r.Reason})
	why := "the plan was rejected"
	if r.Reason != "" {
		why += ": " + r.Reason
	}
	if t.Pipeline == protocol.PipelinePlanned {
		s.cancelTurn(t, Command{By: Actor{User: r.By}}, why, d)
		s.startQueued(d)
		return
	}
	s.done(t, &t.Loop, &protocol.ToolCompleted{
		CallID: p.CallID, TurnID: t.ID, Tool: toolProposePlan, Output: why,
		Error: &protocol.TurnError{Code: "REJECTED", Message: why},
	}, d)
}
