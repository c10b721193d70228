package acp

import (
	"context"
	"slices"

	sdk "github.com/coder/acp-go-sdk"
)

// ask is something that the agent wants to do and has not been allowed yet.
type ask struct {
	number  int
	act     *act
	tool    string
	decided chan decision // holds one
}

type decision int

const (
	cancelled decision = iota
	allowed
	refused
)

// kinds are the options that a decision takes, the first that there is.
var kinds = map[decision][]sdk.PermissionOptionKind{
	allowed: {sdk.PermissionOptionKindAllowOnce, sdk.PermissionOptionKindAllowAlways},
	refused: {sdk.PermissionOptionKindRejectOnce, sdk.PermissionOptionKindRejectAlways},
}

// permission asks whether the agent may do something.
func (t *talk) permission(ctx context.Context, p sdk.RequestPermissionRequest) (any, error) {
	t.mu.Lock()
	var a *act
	if p.SessionId == t.at.session {
		a = t.act(p.ToolCall.ToolCallId)
		a.take(p.ToolCall)
	}
	t.mu.Unlock()
	d := cancelled
	if a != nil {
		d = t.decide(ctx, a)
	}
	for _, kind := range kinds[d] {
		if i := slices.IndexFunc(p.Options, func(o sdk.PermissionOption) bool { return o.Kind == kind }); i >= 0 {
			return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeSelected(p.Options[i].OptionId)}, nil
		}
	}
	return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeCancelled()}, nil
}

// decide waits until somebody decides.
func (t *talk) decide(ctx context.Context, a *act) decision {
	t.mu.Lock()
	if !t.prompted || t.over {
		t.mu.Unlock()
		return cancelled
	}
	t.number++
	q := &ask{number: t.number, act: a, tool: a.tool(t.folder), decided: make(chan decision, 1)}
	t.asks[q.number] = q
	t.push(item{ask: q})
	t.mu.Unlock()
	select {
	case d := <-q.decided:
		return d
	case <-ctx.Done(): // the agent wants it no more, or is gone
		t.mu.Lock()
		defer t.mu.Unlock()
		t.settle(q, cancelled)
		t.queue = slices.DeleteFunc(t.queue, func(it item) bool { return it.ask == q })
		return cancelled
	}
}

// settle decides an ask, once; t.mu is held.
func (t *talk) settle(q *ask, d decision) {
	if t.asks[q.number] != q {
		return
	}
	delete(t.asks, q.number)
	q.act.allowed, q.act.refused = d == allowed, d != allowed
	q.decided <- d
}

// decideAll decides all that are open; t.mu is held.
func (t *talk) decideAll(d decision) {
	for _, q := range t.asks {
		t.settle(q, d)
	}
	t.queue = slices.DeleteFunc(t.queue, func(it item) bool { return it.ask != nil })
}
