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

	// Text is what the answer to Plain says, whole; empty if that is not known.
	Text string
	// Parallel is answered with two calls or more.
	Parallel *model.Request
	// Forced demands one tool, and gets a call of it.
	Forced *model.Request
	// Think is answered with thoughts, something of the vendor's own, and a call.
	Think *model.Request
	// BadInput is answered with a call whose input is no JSON.
	BadInput *model.Request
	// Break is answered with some text and then fails, in a way that is worth a
	// retry.
	Break *model.Request
	// Overflow is refused because it is too long.
	Overflow *model.Request
	// Slow is answered late.
	Slow *Slow
	// Gone gets a value when the vendor notices that the caller of Stall left.
	Gone <-chan struct{}
}

// Slow is a request whose first byte is held back.
type Slow struct {
	Request model.Request
	Arrived <-chan struct{} // is closed when the vendor has the request
	Release func()          // lets the answer come
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
			c.run(t, trial{ctx: ctx, cancel: cancel, subject: s, model: s.Model, req: *req})
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
	ctx     context.Context
	cancel  context.CancelFunc
	subject Subject
	model   model.Model
	req     model.Request
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
		{"whole_text", wholeText, checkWholeText},
		{"tool_results", tool, checkResults},
		{"parallel_tools", func(s Subject) *model.Request { return s.Parallel }, checkParallel},
		{"forced_tool", func(s Subject) *model.Request { return s.Forced }, checkForced},
		{"thinking", func(s Subject) *model.Request { return s.Think }, checkThinking},
		{"bad_input", func(s Subject) *model.Request { return s.BadInput }, checkBadInput},
		{"broken_off", func(s Subject) *model.Request { return s.Break }, checkBroken},
		{"overflow", func(s Subject) *model.Request { return s.Overflow }, checkOverflow},
		{"slow_first_byte", slow, checkSlow},
		{"cancel_hangs_up", hangUp, checkHangUp},
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

func wholeText(s Subject) *model.Request {
	if s.Text == "" {
		return nil
	}
	return plain(s)
}

func slow(s Subject) *model.Request {
	if s.Slow == nil {
		return nil
	}
	return &s.Slow.Request
}

func hangUp(s Subject) *model.Request {
	if s.Gone == nil {
		return nil
	}
	return s.Stall
}
