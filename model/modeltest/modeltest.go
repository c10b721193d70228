// Package modeltest is the suite that every model passes. It holds an adapter
// to the contract in package model: the order of events, one Done, stopping
// when told to, typed failures, concurrent use, nothing left running.
//
// An adapter is tried as it is, against its real wire: a recorded or local
// server stands in for the vendor, never a stub inside the adapter.
package modeltest

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"github.com/parley-dev/parley/model"
)

// Subject is a model to be tried, with requests that bring it to each kind of
// answer. What is nil is not tried, and says so in the test's output.
type Subject struct {
	Model model.Model
	// Plain is answered with text, in at least two events before Done. If
	// nil, the model is greeted.
	Plain *model.Request
	// Tool is answered with at least one call of a tool that it offers.
	Tool *model.Request
	// Stall is answered with at least one event, and then with nothing until
	// the call is cancelled.
	Stall *model.Request
	// Fail is answered with an *model.Error.
	Fail *model.Request
}

// Greeting is a plain request whose text would break in many places if it were
// cut by bytes.
func Greeting() model.Request {
	return model.Request{
		System:    "You are being tested.",
		Messages:  []model.Message{model.Text(model.RoleUser, "Hello! 안녕하세요 👩‍👩‍👧 naïve café")},
		MaxTokens: 1000,
		Purpose:   "turn",
	}
}

// Run tries the model. It asks for a new subject for every check; what the
// subject needs to have closed it closes with t.Cleanup.
func Run(t *testing.T, newSubject func(t *testing.T) Subject) {
	t.Helper()
	for _, c := range checks() {
		t.Run(c.name, func(t *testing.T) {
			// Registered first, so that it looks after the subject's own
			// cleaning up.
			before := goleak.IgnoreCurrent()
			t.Cleanup(func() { goleak.VerifyNone(t, before) })
			s := newSubject(t)
			req := c.request(s)
			if req == nil {
				t.Skipf("this subject has no request for %s", c.name)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c.run(t, trial{ctx: ctx, cancel: cancel, model: s.Model, req: *req})
		})
	}
}

// check is one promise of the contract.
type check struct {
	name    string
	request func(Subject) *model.Request
	run     func(t *testing.T, tr trial)
}

type trial struct {
	ctx    context.Context
	cancel context.CancelFunc
	model  model.Model
	req    model.Request
}

func checks() []check {
	return []check{
		{"info", plain, checkInfo},
		{"order", plain, checkOrder},
		{"empty_user_text", emptyText, checkEmptyText},
		{"request_unchanged", plain, checkUnchanged},
		{"yield_error_stops", plain, checkYieldError},
		{"yield_error_at_done", plain, checkYieldErrorAtDone},
		{"cancelled_before", plain, checkCancelledBefore},
		{"cancelled_between", plain, checkCancelledBetween},
		{"cancelled_before_done", plain, checkCancelledBeforeDone},
		{"cancelled_while_waiting", stall, checkCancelledWaiting},
		{"deadline", stall, checkDeadline},
		{"concurrent", plain, checkConcurrent},
		{"tool", tool, checkTool},
		{"fail", fail, checkFail},
	}
}

func plain(s Subject) *model.Request {
	if s.Plain != nil {
		return s.Plain
	}
	req := Greeting()
	return &req
}

func emptyText(s Subject) *model.Request {
	req := *plain(s)
	req.Messages = []model.Message{model.Text(model.RoleUser, "")}
	return &req
}

func tool(s Subject) *model.Request  { return s.Tool }
func stall(s Subject) *model.Request { return s.Stall }
func fail(s Subject) *model.Request  { return s.Fail }
