package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/parley-dev/parley/model"
)

// answer is one answer: what the agent says until it is done or wants something.
type answer struct {
	talk      *talk
	ctx       context.Context
	out       func(model.Event) error
	heard     []uint64 // once the agent is told what is new
	checklist bool     // update_todos is offered
	words     bool     // nothing but words is wanted

	usage   model.Usage
	counted bool // by the agent
}

// updateTodos is the session's tool that keeps a list of todos.
const updateTodos = "update_todos"

// yield gives an event, unless nobody wants one any more.
func (a *answer) yield(e model.Event) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	return a.out(e)
}

// give tells the agent what is new, and gives the answer.
func (a *answer) give(news []sdk.ContentBlock) error {
	t := a.talk
	if err := a.resume(&news); err != nil {
		return err
	}
	for {
		it, err := a.next()
		if err != nil {
			return err
		}
		switch {
		case it.text != "":
			a.usage.OutputTokens += model.EstimateText(it.text)
			err = a.yield(model.Event{Kind: model.EventTextDelta, Text: it.text})
		case it.thought != "":
			a.usage.OutputTokens += model.EstimateText(it.thought)
			err = a.yield(model.Event{Kind: model.EventReasoningDelta, Text: it.thought})
		case a.words && it.ask != nil:
			t.refuse(it.ask)
		case a.words && it.end == nil:
		case it.plan != nil && a.checklist:
			return a.want(checklist(t.key, t.count(), it.plan))
		case it.did > 0:
			return a.want(t.tell(it.did))
		case it.ask != nil:
			return a.want(t.offer(it.ask))
		case it.end != nil && it.end.err != nil:
			return t.conn.failure(it.end.err)
		case it.end != nil && len(news) > 0:
			a.tell(news)
			news = nil
		case it.end != nil && t.paused:
			a.tell([]sdk.ContentBlock{sdk.TextBlock(goOn)})
		case it.end != nil:
			a.count(it.end.result.Usage)
			return a.done(stopOf(it.end.result.StopReason))
		}
		if err != nil {
			return err
		}
	}
}

// resume goes on where the last answer ended. What the agent was not allowed it is
// told, and if a person spoke instead, it hears that alone. What was said while it
// worked waits until it is done.
func (a *answer) resume(news *[]sdk.ContentBlock) error {
	t := a.talk
	t.mu.Lock()
	working, q := t.prompted, t.given
	t.given = nil
	open := q != nil && t.asks[q.number] == q
	if open && len(*news) == 0 {
		t.settle(q, refused)
	}
	t.mu.Unlock()
	if open && len(*news) > 0 {
		if !t.stop(t.model.config.Grace) {
			return &model.Error{Kind: model.Interrupted, Message: t.conn.explain("did not stop when it was told to, and was ended")}
		}
		working = false
	}
	if working {
		return nil
	}
	if len(*news) == 0 {
		*news = []sdk.ContentBlock{sdk.TextBlock(goOn)}
	}
	a.tell(*news)
	*news = nil
	return nil
}

// tell gives the agent something to do.
func (a *answer) tell(blocks []sdk.ContentBlock) {
	for _, b := range blocks {
		a.usage.InputTokens += model.EstimateText(textOf(b))
	}
	a.talk.prompt(blocks, a.heard)
}

// next waits for what the agent says next.
func (a *answer) next() (item, error) {
	t := a.talk
	for {
		it, limit, err := t.pop()
		if err != nil {
			return item{}, err
		}
		if it != nil {
			return *it, nil
		}
		timer := time.NewTimer(limit)
		select {
		case <-t.wake:
		case <-a.ctx.Done():
			err = a.ctx.Err()
		case <-timer.C:
			err = &model.Error{Kind: model.Interrupted, Message: t.conn.explain(fmt.Sprintf("has said nothing for %s, and was ended", limit))}
		}
		timer.Stop()
		if err != nil {
			return item{}, err
		}
	}
}

// workLonger is how many times longer an agent may say nothing while a tool of
// its own runs.
const workLonger = 6

// pop takes the next thing that was said; if there is none, it says how long to
// wait for it.
func (t *talk) pop() (*item, time.Duration, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.queue) > 0 {
		it := t.queue[0]
		t.queue = t.queue[1:]
		t.size -= len(it.text) + len(it.thought)
		if it.end != nil {
			t.prompted = false
		}
		return &it, 0, nil
	}
	if t.flooded {
		return nil, 0, &model.Error{Kind: model.Interrupted, Message: "the agent said more than can be kept while nobody listened"}
	}
	limit := t.model.config.Silence
	for _, a := range t.calls {
		if !a.ended() {
			return nil, limit * workLonger, nil
		}
	}
	return nil, limit, nil
}

// want ends the answer in a call.
func (a *answer) want(use *model.ToolUse) error {
	if err := a.yield(model.Event{Kind: model.EventToolUse, ToolUse: use}); err != nil {
		return err
	}
	a.usage.OutputTokens += model.EstimateText(string(use.Input))
	return a.done(model.StopToolUse)
}

// done ends the answer. What it leaves in the history counts once it was taken.
func (a *answer) done(stop string) error {
	t := a.talk
	next := mark{Talk: t.key, Step: t.at.step + 1}
	if err := a.yield(model.Event{Kind: model.EventVendor, Vendor: next.vendor()}); err != nil {
		return err
	}
	t.mu.Lock()
	a.usage.CostUSD = max(0, t.cost-t.billed)
	t.billed = t.cost
	a.usage.Estimated = !a.counted
	a.usage.InputTokens, a.usage.OutputTokens = max(a.usage.InputTokens, 1), max(a.usage.OutputTokens, 1)
	t.mu.Unlock()
	if err := a.yield(model.Event{Kind: model.EventDone, StopReason: stop, Usage: a.usage}); err != nil {
		return err
	}
	t.mu.Lock()
	t.at.step = next.Step
	t.guessed.InputTokens += a.usage.InputTokens
	t.guessed.OutputTokens += a.usage.OutputTokens
	t.mu.Unlock()
	return nil
}

// count takes the agent's own count of its turn, less what was guessed of it in
// the answers before.
func (a *answer) count(u *sdk.Usage) {
	if u == nil {
		return
	}
	g := a.talk.guessed
	a.counted = true
	a.usage = model.Usage{InputTokens: max(0, int64(u.InputTokens)-g.InputTokens), OutputTokens: max(0, int64(u.OutputTokens)-g.OutputTokens)}
	if u.CachedReadTokens != nil {
		a.usage.CacheReadTokens = int64(*u.CachedReadTokens)
	}
	if u.CachedWriteTokens != nil {
		a.usage.CacheWriteTokens = int64(*u.CachedWriteTokens)
	}
}

// stops are the protocol's reasons that have a word of ours.
var stops = map[sdk.StopReason]string{
	sdk.StopReasonEndTurn: model.StopEndTurn, sdk.StopReasonMaxTokens: model.StopMaxTokens, sdk.StopReasonRefusal: model.StopRefusal,
}

func stopOf(r sdk.StopReason) string {
	if word, ok := stops[r]; ok {
		return word
	}
	if r == "" {
		return model.StopEndTurn
	}
	return string(r)
}

// checklist is the agent's plan as a call of update_todos.
func checklist(talk string, number int, plan []sdk.PlanEntry) *model.ToolUse {
	type todo struct {
		ID     string `json:"id"`
		Task   string `json:"task"`
		Status string `json:"status"`
	}
	todos := []todo{}
	for i, e := range plan {
		if e.Content != "" {
			todos = append(todos, todo{ID: fmt.Sprint(i + 1), Task: e.Content, Status: string(e.Status)})
		}
	}
	raw, err := json.Marshal(map[string]any{"todos": todos})
	if err != nil { // strings
		panic(err)
	}
	return &model.ToolUse{ID: fmt.Sprintf("%s_%d", talk, number), Name: updateTodos, Input: raw}
}

// tell is the call that tells of something done.
func (t *talk) tell(number int) *model.ToolUse {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.use(t.did[number], toolDid, number)
}

// offer is the call that asks.
func (t *talk) offer(q *ask) *model.ToolUse {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.given = q
	return t.use(q.act, q.tool, q.number)
}

func (t *talk) refuse(q *ask) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.settle(q, refused)
}

// count is the next number.
func (t *talk) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.number++
	return t.number
}
