package agent

import (
	"context"
	"strings"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/history"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

// sumUp is what a model is asked for when the past gets too long.
const sumUp = `The conversation so far is about to be replaced by a summary that you write now; the newest messages stay.
Write it for yourself: you will go on working from it alone. Cover, as far as they came up:
- what the person wants, in their own words where the wording matters, and what they have ruled out;
- what was done, with names of files, commands and findings that will be needed again;
- what was tried and did not work;
- decisions that were made, and why;
- what is being worked on at this moment, and what is to be done next.
Leave out greetings and anything that does not matter any more. Answer with the summary only.`

// condense has the model sum up the past.
func (a *Agent) condense(ctx context.Context, w *engine.Work) error {
	ended := &session.CondenseEnded{ID: w.Step.Condense}
	p := a.policy(w.Step)
	name := p.modelName(w.Step)
	m, err := a.Models.Open(ctx, name)
	if m != nil {
		name = m.Info().Name
	}
	begun, berr := w.Do(ctx, session.Command{Type: session.CondenseBegin, Data: &session.CondenseBegun{ID: ended.ID, Model: name}})
	if berr != nil {
		return berr
	}
	ended.Call = begun[0].Seq
	if err == nil {
		err = a.summarize(ctx, w, p, m, ended)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		ended.StopReason, ended.Error = "error", failure(err)
	}
	return report(ctx, w, session.Command{Type: session.CondenseEnd, Data: ended})
}

func (a *Agent) summarize(ctx context.Context, w *engine.Work, p policy, m model.Model, ended *session.CondenseEnded) error {
	window := m.Info().ContextWindow
	if window <= 0 {
		window = defaultWindow
	}
	told, err := a.recall(ctx, w, window)
	if err != nil {
		return err
	}
	at := boundary(told, kept)
	if at == 0 {
		return &model.Error{Kind: model.Invalid, Message: "the history is too short to be condensed"}
	}
	step := w.Step
	step.Purpose = session.PurposeTurn // its history may hold calls of any tool
	var summary strings.Builder
	err = m.Stream(ctx, model.Request{
		System: a.system(step, p), Messages: append(history.Messages(told[:at]), model.Text(model.RoleUser, sumUp)),
		Tools: a.toolset(step, p), ToolChoice: model.ChooseNone, Purpose: session.PurposeCondense, Attempt: step.Attempt, Workspace: step.Workspace,
	}, func(e model.Event) error {
		switch e.Kind {
		case model.EventTextDelta:
			summary.WriteString(e.Text)
		case model.EventDone:
			ended.StopReason, ended.Usage = e.StopReason, usageOf(e)
		}
		return nil
	})
	ended.Summary, ended.KeepsFrom = summary.String(), told[at].Seq
	ended.PrevTokens = history.Tokens(told)
	ended.NewTokens = history.Tokens(told[at:]) + model.EstimateText(ended.Summary)
	return err
}

func usageOf(e model.Event) protocol.Usage {
	return protocol.Usage{
		InputTokens: e.Usage.InputTokens, OutputTokens: e.Usage.OutputTokens,
		CacheReadTokens: e.Usage.CacheReadTokens, CacheWriteTokens: e.Usage.CacheWriteTokens, CostUSD: e.Usage.CostUSD,
	}
}
