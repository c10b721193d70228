package script

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/parley-dev/parley/model"
)

// sleeper waits; it returns early with ctx's error when ctx is done.
type sleeper func(ctx context.Context, d time.Duration) error

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// player gives one turn as events.
type player struct {
	ctx   context.Context
	req   model.Request
	sleep sleeper
	yield func(model.Event) error
	fill  *strings.Replacer

	bytes int // of output so far
}

func (p *player) play(t *turn) error {
	if err := p.pause(t.wait); err != nil {
		return err
	}
	if err := p.deltas(t); err != nil {
		return err
	}
	if t.hang {
		<-p.ctx.Done()
		return p.ctx.Err()
	}
	if err := p.calls(t.calls); err != nil {
		return err
	}
	return p.give(model.Event{Kind: model.EventDone, StopReason: t.stop, Usage: p.usage(t)})
}

// deltas gives the turn's pieces, and fails where the turn says so.
func (p *player) deltas(t *turn) error {
	failing, given := t.failing(p.req.Attempt), 0
	for d := range t.all() {
		if failing && given == t.fail.after {
			break
		}
		if err := p.pause(d.delay); err != nil {
			return err
		}
		text := d.text
		if strings.Contains(text, "{{.") { // most have none, and there may be very many
			text = p.fill.Replace(text)
		}
		p.bytes += len(text)
		if err := p.give(model.Event{Kind: d.kind, Text: text}); err != nil {
			return err
		}
		given++
	}
	if !failing {
		return nil
	}
	if err := p.ctx.Err(); err != nil {
		return err
	}
	e := t.fail.Error
	return &e
}

func (p *player) calls(calls []call) error {
	if len(calls) == 0 {
		return nil
	}
	prefix := p.callPrefix()
	for i, c := range calls {
		input, err := json.Marshal(filled(c.input, p.fill))
		if err != nil {
			return &model.Error{Kind: model.Invalid, Message: "the input of " + c.name + " cannot be JSON", Err: err}
		}
		p.bytes += len(c.name) + len(input)
		id := c.id
		if id == "" {
			id = fmt.Sprintf("%s_%d", prefix, i+1)
		}
		use := &model.ToolUse{ID: id, Name: c.name, Input: input}
		if err := p.give(model.Event{Kind: model.EventToolUse, ToolUse: use}); err != nil {
			return err
		}
	}
	return nil
}

// callPrefix is the same for the same request and differs between requests, so
// that call ids are unique in a conversation without anything remembered.
func (p *player) callPrefix() string {
	h := sha256.New()
	fmt.Fprintln(h, p.req.Purpose, len(p.req.Messages))
	// A history that cannot be encoded counts by its length alone.
	_ = json.NewEncoder(h).Encode(p.req.Messages)
	return fmt.Sprintf("call_%x", h.Sum(nil)[:6])
}

func (p *player) usage(t *turn) model.Usage {
	if t.usage != nil {
		return *t.usage
	}
	return model.Usage{
		InputTokens:  max(1, model.Estimate(p.req)),
		OutputTokens: max(1, int64(p.bytes+3)/4),
		Estimated:    true,
	}
}

func (p *player) give(e model.Event) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	return p.yield(e)
}

func (p *player) pause(d time.Duration) error {
	if d <= 0 {
		return nil
	}
	return p.sleep(p.ctx, d)
}

// filled copies a decoded YAML value with its placeholders filled in.
func filled(v any, fill *strings.Replacer) any {
	switch v := v.(type) {
	case string:
		return fill.Replace(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = filled(v[i], fill)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = filled(v[k], fill)
		}
		return out
	}
	return v
}
