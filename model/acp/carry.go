package acp

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/parley-dev/parley/model"
)

// Carry lets the agent do what it asked for, or gives the outcome of what it did.
func (m *Model) Carry(ctx context.Context, call model.ToolUse, show func(string)) (model.ToolResult, error) {
	if err := ctx.Err(); err != nil {
		return model.ToolResult{}, err
	}
	var d deed
	if err := json.Unmarshal(call.Input, &d); err != nil {
		return model.ToolResult{}, &model.Error{Kind: model.Invalid, Message: "this is no call of an agent", Err: err}
	}
	key, last, _ := strings.Cut(d.Agent, "/")
	number, err := strconv.Atoi(last)
	m.mu.Lock()
	t := m.talks[key]
	m.mu.Unlock()
	if err != nil || t == nil {
		return gone(call), nil
	}
	if call.Name == toolDid {
		return t.fetch(number, call), nil
	}
	var q *ask
	if !t.hold(func() bool { q = t.asks[number]; return q != nil }) {
		return gone(call), nil
	}
	result, err := t.carry(ctx, q, call, show)
	if err == nil || t.stop(m.config.Grace) {
		t.release()
	} else {
		m.end(t, false)
	}
	return result, err
}

// gone is the result of a call whose agent does not wait for it any more.
func gone(call model.ToolUse) model.ToolResult {
	return model.ToolResult{ToolUseID: call.ID, IsError: true, Text: "The agent that asked for this does not wait for it any more: it was stopped or started anew. It was not done; the agent asks again if it is still wanted."}
}

// fetch gives what came of something that the agent did without asking.
func (t *talk) fetch(number int, call model.ToolUse) model.ToolResult {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.did[number]
	delete(t.did, number)
	if a == nil {
		return model.ToolResult{ToolUseID: call.ID, IsError: true, Text: "The agent did this; what came of it was lost when the agent was stopped."}
	}
	return a.result(call)
}

// carry allows an ask and waits for the outcome: until that is there, the agent
// wants something else first, or its turn ends.
func (t *talk) carry(ctx context.Context, q *ask, call model.ToolUse, show func(string)) (model.ToolResult, error) {
	t.mu.Lock()
	q.act.carried = true
	t.given = nil
	shown := q.act.outcome() // a person saw that when they were asked
	t.settle(q, allowed)
	t.mu.Unlock()
	for {
		t.mu.Lock()
		ended, asks, over, text := q.act.ended(), len(t.asks) > 0, t.over, q.act.outcome()
		if !ended && (asks || over) {
			q.act.carried = false // its outcome is told when it comes
		}
		result := q.act.result(call)
		t.mu.Unlock()
		if more, ok := strings.CutPrefix(text, shown); ok && more != "" && show != nil {
			show(more)
			shown = text
		}
		switch {
		case ended:
			return result, nil
		case over:
			result.Text = "It was allowed; the agent did not say what came of it."
			return result, nil
		case asks:
			result.Text = "It was allowed and has begun; the agent asks for something else meanwhile."
			return result, nil
		}
		select {
		case <-t.wake:
		case <-ctx.Done():
			return model.ToolResult{}, ctx.Err()
		}
	}
}
