package session

import "github.com/parley-dev/parley/protocol"

// BudgetReached says that work has cost what it may (*OverBudget).
const BudgetReached protocol.Type = "effect.budget_reached"

// OverBudget says which bound was passed.
type OverBudget struct {
	TurnID string
	Hard   bool
	Text   string
}

// What a person is asked about, and has allowed.
const (
	fieldSoft = "budget_soft"
	fieldHard = "budget_hard"
)

// Allowance is what of its budgets a turn may pass, because a person said so.
type Allowance string

// Covers says whether a bound may be passed.
func (a Allowance) Covers(hard bool) bool { return a == fieldHard || a == fieldSoft && !hard }

// overBudget asks a person whether the work may go on. A hard bound that nobody
// lifts ends the turn.
func (s *State) overBudget(o *OverBudget, _ Command, d *draft) error {
	t := s.Turns.turn(o.TurnID)
	if t == nil || t.Loop.Call != nil || t.Allowed.Covers(o.Hard) || s.blocked(t.Loop.AgentID) {
		return errStale("a budget")
	}
	d.of(t.Loop.AgentID, t.MonitorID)
	field, question := fieldSoft, o.Text+" Go on?"
	if o.Hard {
		field, question = fieldHard, o.Text+" Go on in spite of it, for this turn?"
	}
	s.askOn(t, protocol.AskAutoApprovalMaxReached, field, question, d)
	return nil
}

// allow notes what a person has allowed.
func (a *Allowance) allow(d *protocol.HitlResolved) {
	if string(d.Value) != "true" {
		return
	}
	switch {
	case d.Field == fieldHard:
		*a = fieldHard
	case d.Field == fieldSoft && *a == "":
		*a = fieldSoft
	}
}
