package session

import (
	"reflect"
	"time"

	"github.com/parley-dev/parley/protocol"
)

// A decider adds records to the draft, or refuses with an error. The state it
// gets is a copy that follows the draft.
type decider func(s *State, c Command, d *draft) error

// on makes a decider of what takes the payload of its type. Another payload, or
// none, is refused.
func on[T any](decide func(s *State, data *T, c Command, d *draft) error) decider {
	return func(s *State, c Command, d *draft) error {
		data, ok := c.Data.(*T)
		if !ok || data == nil {
			return protocol.Errorf(protocol.CodeInvalidMessage, "%s came without the data that belongs to it", c.Type)
		}
		return decide(s, data, c, d)
	}
}

// deciders is the table of everything that can be asked of a session. A type
// of the protocol that is missing here is known but not built.
var deciders = map[protocol.Type]decider{
	CreateSession: on((*State).create),
	ModelBegin:    on((*State).modelBegin),
	ModelEnd:      on((*State).modelEnd),
	ToolBegin:     on((*State).toolBegin),
	ToolStep:      on((*State).toolStep),
	ToolEnd:       on((*State).toolEnd),
	Expire:        on((*State).expire),
	Tick:          (*State).tick,
	CondenseWant:  on((*State).condenseWant),
	CondenseBegin: on((*State).condenseBegin),
	CondenseEnd:   on((*State).condenseEnd),
	Truncate:      on((*State).truncate),
	BudgetReached: on((*State).overBudget),
	Checkpoint:    on((*State).checkpoint),
	Restored:      on((*State).filesRestored),
	MoveHead:      on((*State).moveHead),
	Suspend:       (*State).suspend,

	protocol.TypeHitlPlanResponse:          on((*State).answerPlan),
	protocol.TypeHitlClarificationResponse: on((*State).answerClarification),
	protocol.TypeHitlApprovalResponse:      on((*State).answerApproval),
	protocol.TypeHitlInputResponse:         on((*State).answerInput),
	protocol.TypeDialogFeedback:            on((*State).answerDialog),
	protocol.TypeUserPromptResponse:        on((*State).answerPrompt),
	protocol.TypeControlPause:              on((*State).pause),
	protocol.TypeControlResume:             on((*State).resume),
	protocol.TypeControlRetry:              on((*State).retryTodo),
	protocol.TypeControlSkip:               on((*State).skip),
	protocol.TypePlanEdit:                  on((*State).planEdit),

	protocol.TypeCondense:      on((*State).condense),
	protocol.TypeUserMessage:   on((*State).userMessage),
	protocol.TypeQueueEdit:     on((*State).queueEdit),
	protocol.TypeControlCancel: on((*State).cancel),
	protocol.TypeInterrupt:     on((*State).cancel),
	protocol.TypeUpdateSession: on((*State).updateSession),
	protocol.TypeSetProvider:   on((*State).setProvider),
}

// Decide says what a command comes to: the records to append, or an error and
// nothing. It does not change the state. A command that changes nothing gives
// no records.
func (s *State) Decide(c Command, now time.Time) ([]protocol.Record, error) {
	d, err := s.Weigh(c, now)
	return d.Records, err
}

// Decision is what a command comes to, with the state it leads to.
type Decision struct {
	Records []protocol.Record
	after   *State
	move    *Move // the head moves: see Head and Land
	draft   *draft
	landed  bool
}

// Weigh is Decide for whoever will store the records: the state that they lead
// to comes with them and need not be folded again.
func (s *State) Weigh(c Command, now time.Time) (Decision, error) {
	decide, ok := deciders[c.Type]
	if !ok {
		return Decision{}, protocol.Errorf(protocol.CodeInvalidMessage, "%q is known but not built in this version", c.Type)
	}
	if s.Exists() == (c.Type == CreateSession) {
		if s.Exists() {
			e := protocol.Errorf(protocol.CodeSessionInvalidState, "a session with this id exists already")
			e.Recoverable, e.SuggestedAction = false, "choose_another_id"
			return Decision{}, e
		}
		return Decision{}, protocol.Errorf(protocol.CodeSessionNotFound, "no such session")
	}
	work := s.clone()
	d := work.draft(c, now)
	if err := decide(work, c, d); err != nil {
		return Decision{}, err
	}
	work.settle(d)
	if len(d.records) > 0 {
		d.records[0].Cause = c.Cause
	}
	move, _ := c.Data.(*Move)
	return Decision{Records: d.records, after: work, move: move, draft: d}, nil
}

// Wake is when the session must be opened next, once the records are stored.
func (d Decision) Wake() time.Time { return d.after.Wake() }

// State is the session once the records are stored as they were decided. It
// takes the place of the state that the decision was made on.
func (d Decision) State() *State {
	if len(d.Records) > 0 && d.Records[0].Cause != nil {
		d.after.Ledger.remember(d.Records[0])
	}
	return d.after
}

func (s *State) create(with *protocol.SessionCreated, _ Command, d *draft) error {
	created := *with
	if created.Pipeline == "" {
		created.Pipeline = protocol.PipelineAuto
	}
	if err := spreadNew(&created); err != nil {
		return err
	}
	if err := checkSettings(&created.PlanReview, &created.Pipeline, &created.AutoApprove); err != nil {
		return err
	}
	created.Version = protocol.Version
	d.add(protocol.TypeSessionCreated, &created)
	return nil
}

func (s *State) updateSession(u *protocol.UpdateSession, c Command, d *draft) error {
	to, err := spread(*u)
	if err != nil {
		return err
	}
	if u = &to; reflect.ValueOf(to).IsZero() {
		return protocol.Errorf(protocol.CodeInvalidMessage, "update_session names nothing to change: set title, model, pipeline, mode, auto_approve, plan_review, pinned, keep_days or settings")
	}
	if err := checkSettings(u.PlanReview, u.Pipeline, u.AutoApprove); err != nil {
		return err
	}
	if u.KeepDays != nil && (*u.KeepDays < 0 || *u.KeepDays > 36_500) {
		return protocol.Errorf(protocol.CodeInvalidMessage, "keep_days must be between 0 and 36500, not %d", *u.KeepDays)
	}
	d.add(protocol.TypeSessionUpdated, &protocol.SessionUpdated{
		Title: u.Title, Model: u.Model, Pipeline: u.Pipeline, Mode: u.Mode, AutoApprove: u.AutoApprove, PlanReview: u.PlanReview, Pinned: u.Pinned, KeepDays: u.KeepDays, Settings: u.Settings, By: c.By.User,
	})
	return nil
}

func (s *State) setProvider(p *protocol.SetProvider, c Command, d *draft) error {
	model := p.Model
	if model == "" {
		model = p.Provider
	}
	d.add(protocol.TypeSessionUpdated, &protocol.SessionUpdated{Model: &model, By: c.By.User})
	return nil
}
