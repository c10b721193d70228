// Package offline is the model that is always there: fixed rules, no language
// model, no network, no key. It says so in the first sentence it writes in a
// conversation.
//
// What it can do is a table of intents, each a few patterns and a function; the
// first that fits the person's last message answers it, in English or Korean.
// It keeps nothing: the same request always gets the same answer, word by word,
// and what it knows of the conversation it read in the request. Token counts
// are estimated and said to be; nothing costs anything. It calls no tools, and
// refuses a request that demands one.
package offline

import (
	"context"
	"fmt"
	"iter"
	"regexp"
	"unicode"

	"github.com/parley-dev/parley/model"
)

// Name under which it is opened.
const Name = "offline"

// Model answers by rules.
type Model struct {
	pace    Pacer
	intents []intent
}

// New makes the model. It waits for pace before every word it writes.
func New(pace Pacer) *Model {
	table := intents()
	for i := range table {
		for _, p := range table[i].patterns {
			table[i].compiled = append(table[i].compiled, regexp.MustCompile(`(?is)`+p))
		}
	}
	return &Model{pace: pace, intents: table}
}

// Provider opens the model under its name: one for all, as it keeps nothing.
func Provider(pace Pacer) model.Provider {
	m := New(pace)
	return model.Provider{
		Prefix: Name,
		Open:   func(context.Context, string) (model.Model, error) { return m, nil },
	}
}

// Info says what the model is.
func (m *Model) Info() model.Info {
	return model.Info{Name: Name, ContextWindow: 200_000}
}

// Stream answers the last user message of the request.
func (m *Model) Stream(ctx context.Context, req model.Request, yield func(model.Event) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if req.ToolChoice != model.ChooseFreely && req.ToolChoice != model.ChooseNone {
		return &model.Error{Kind: model.Invalid, Message: fmt.Sprintf(
			"the offline model calls no tools, and the request demands %q; choose another model, or the pipeline `direct`", req.ToolChoice)}
	}
	var written int64
	stop := model.StopEndTurn
	for piece := range pieces(m.answer(req)) {
		if req.MaxTokens > 0 && (written+int64(len(piece))+3)/4 > req.MaxTokens {
			stop = model.StopMaxTokens
			break
		}
		if err := m.pace(ctx, piece); err != nil {
			return err
		}
		if err := give(ctx, yield, model.Event{Kind: model.EventTextDelta, Text: piece}); err != nil {
			return err
		}
		written += int64(len(piece))
	}
	return give(ctx, yield, model.Event{Kind: model.EventDone, StopReason: stop, Usage: model.Usage{
		InputTokens:  max(1, model.Estimate(req)),
		OutputTokens: max(1, (written+3)/4),
		Estimated:    true,
	}})
}

func give(ctx context.Context, yield func(model.Event) error, e model.Event) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return yield(e)
}

// pieces cuts a text after each run of white space.
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, space := 0, false
		for i, r := range text {
			if space && !unicode.IsSpace(r) {
				if !yield(text[start:i]) {
					return
				}
				start = i
			}
			space = unicode.IsSpace(r)
		}
		yield(text[start:])
	}
}
