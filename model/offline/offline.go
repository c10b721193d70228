// Package offline is the model that is always there: fixed rules, no language
// model, no network, no key. It says so in the first sentence it writes in a
// conversation.
//
// What it can do is a table of intents, each a few patterns and a function; the
// first that fits the person's last message answers it, in English or Korean.
// Where tools are offered it works with them: it asks back when something is not
// said, proposes plans and changes them, calls the tools, and tells what they
// gave, never anything else. What a person wrote goes into a shell command as one
// quoted word, unless it is the command that they asked to run.
//
// It keeps nothing: the same request always gets the same answer, word by word,
// and what it knows of the conversation it read in the request. Token counts
// are estimated and said to be; nothing costs anything. It refuses a request that
// demands a tool which none of its rules call.
package offline

import (
	"context"
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
	return model.Info{Name: Name, ContextWindow: 200_000, Tools: true}
}

// Stream answers the last user message of the request.
func (m *Model) Stream(ctx context.Context, req model.Request, yield func(model.Event) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r, err := m.reply(req)
	if err != nil {
		return err
	}
	w := writer{ctx: ctx, yield: yield, pace: m.pace, most: req.MaxTokens}
	stop := model.StopEndTurn
	for piece := range pieces(r.text) {
		if err := w.write(piece, int64(len(piece)), model.Event{Kind: model.EventTextDelta, Text: piece}); err != nil {
			return err
		}
	}
	for _, use := range r.uses(req) {
		stop = model.StopToolUse
		if err := w.write(use.Name, int64(len(use.Name)+len(use.Input)), model.Event{Kind: model.EventToolUse, ToolUse: use}); err != nil {
			return err
		}
	}
	if w.full {
		stop = model.StopMaxTokens
	}
	return give(ctx, yield, model.Event{Kind: model.EventDone, StopReason: stop, Usage: model.Usage{
		InputTokens:  max(1, model.Estimate(req)),
		OutputTokens: max(1, (w.written+3)/4),
		Estimated:    true,
	}})
}

// writer gives pieces of an answer until it is as long as it may be.
type writer struct {
	ctx     context.Context
	yield   func(model.Event) error
	pace    Pacer
	most    int64 // tokens; zero for any number
	written int64 // bytes
	full    bool
}

func (w *writer) write(piece string, size int64, e model.Event) error {
	if w.full = w.full || w.most > 0 && (w.written+size+3)/4 > w.most; w.full {
		return nil
	}
	if err := w.pace(w.ctx, piece); err != nil {
		return err
	}
	w.written += size
	return give(w.ctx, w.yield, e)
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
		if start < len(text) {
			yield(text[start:])
		}
	}
}
