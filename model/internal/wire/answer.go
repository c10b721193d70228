package wire

import (
	"context"

	"github.com/parley-dev/parley/model"
)

// Answer gives the events of one answer in the order of the contract: words as
// they come, then the calls, then what is kept, then Done. Calls wait for the end,
// because only then it is known whether the last was written to its end.
type Answer struct {
	Ctx   context.Context
	Yield func(model.Event) error
	Info  model.Info
	Keep  Keep

	calls []call
	bytes int
}

type call struct{ id, name, input string }

// Text gives the next words.
func (a *Answer) Text(text string) error {
	if text != "" {
		a.Keep.AddText()
	}
	return a.delta(model.EventTextDelta, text)
}

// Reasoning gives the next thoughts.
func (a *Answer) Reasoning(text string) error { return a.delta(model.EventReasoningDelta, text) }

func (a *Answer) delta(kind model.EventKind, text string) error {
	if text == "" {
		return nil
	}
	a.bytes += len(text)
	return a.give(model.Event{Kind: kind, Text: text})
}

// Call takes a call as the model wrote it.
func (a *Answer) Call(id, name, input string) {
	a.bytes += len(name) + len(input)
	a.calls = append(a.calls, call{id, name, input})
	a.Keep.AddCall(id)
}

// Calls counts them.
func (a *Answer) Calls() int { return len(a.calls) }

// Done ends the answer. Usage without tokens is estimated from the request.
func (a *Answer) Done(stop string, usage model.Usage, req model.Request) error {
	given := 0
	for _, c := range a.calls {
		if stop == model.StopMaxTokens && c.input != "" && !IsObject([]byte(c.input)) {
			continue // the model was stopped while writing it
		}
		given++
		use := &model.ToolUse{ID: c.id, Name: c.name, Input: Input(c.input)}
		if err := a.give(model.Event{Kind: model.EventToolUse, ToolUse: use}); err != nil {
			return err
		}
	}
	if kept, ok := a.Keep.Event(); ok {
		if err := a.give(kept); err != nil {
			return err
		}
	}
	if given > 0 && stop == model.StopEndTurn {
		stop = model.StopToolUse
	}
	if usage == (model.Usage{}) {
		usage = model.Usage{
			InputTokens: max(1, model.Estimate(req)), OutputTokens: max(1, int64(a.bytes+3)/4), Estimated: true,
		}
	}
	usage.CostUSD = a.Info.Cost(usage)
	return a.give(model.Event{Kind: model.EventDone, StopReason: stop, Usage: usage})
}

func (a *Answer) give(e model.Event) error {
	if err := a.Ctx.Err(); err != nil {
		return err
	}
	return a.Yield(e)
}
