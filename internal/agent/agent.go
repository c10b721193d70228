// Package agent carries out what the core lists: it calls models, runs tools,
// and reports what came of it as commands.
//
// It decides nothing. Before each call it records that the call begins, and
// what it cannot report (the session wants it no more, the server stops) it
// leaves: the core knows what an interrupted call means.
package agent

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/internal/settings"
	"github.com/parley-dev/parley/internal/workspace"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
	"github.com/parley-dev/parley/tool"
)

// Blobs gives texts that were too long for a record.
type Blobs interface {
	Get(hash string) ([]byte, error)
}

// Agent runs steps.
type Agent struct {
	Models *Models
	Tools  []tool.Tool
	// More are tools of an owner's own, as they are now; nil gives none.
	More func(owner string) []tool.Tool
	// Always gives the tools that an owner has allowed for all their sessions;
	// nil allows none.
	Always func(ctx context.Context, owner string) ([]string, error)
	Blobs  Blobs
	Logger *slog.Logger
	// Settings is what owners have set.
	Settings *settings.Store
	// Files keeps workspaces; nil keeps none.
	Files *workspace.Store
	// Spent is what all sessions of an owner have cost; nil if nobody knows.
	Spent func(ctx context.Context, owner string) (protocol.Usage, error)

	// Hide takes secrets out of what a model is told of files and settings; nil
	// leaves texts as they are.
	Hide func(text string) string

	refused sync.Map // sessions that were told that their folder has no checkpoints
}

// Run carries out one step.
func (a *Agent) Run(ctx context.Context, w *engine.Work) {
	run, ok := map[session.StepKind]func(context.Context, *engine.Work) error{
		session.StepModel:    a.callModel,
		session.StepTool:     a.runTool,
		session.StepCondense: a.condense,
		session.StepExpire:   a.expire,
		session.StepTick:     a.tick,
	}[w.Step.Kind]
	if !ok {
		a.Logger.Error("a step of an unknown kind", "session_id", w.SessionID, "kind", w.Step.Kind)
		return
	}
	if err := run(ctx, w); err != nil && ctx.Err() == nil {
		a.Logger.Warn("a step failed", "session_id", w.SessionID, "step", w.Step.ID, "err", err)
	}
}

// report gives a result to the session. The work is done and must not be lost
// because a disk is full for a moment, so it is tried until the session does
// not want it any more.
func report(ctx context.Context, w *engine.Work, c session.Command) error {
	wait := 100 * time.Millisecond
	for {
		_, err := w.Do(ctx, c)
		if err == nil || !temporary(err) {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
		wait = min(2*wait, 5*time.Second)
	}
}

func temporary(err error) bool {
	var e *protocol.Error
	return !errors.As(err, &e) || e.Code == protocol.CodeExecutionFailed
}

// failure says in the core's words why a model failed.
func failure(err error) *session.CallError {
	var e *model.Error
	if !errors.As(err, &e) {
		return &session.CallError{Code: "MODEL_FAILED", Message: err.Error(), Retryable: true}
	}
	return &session.CallError{
		Code: codes[e.Kind], Message: e.Error(), Retryable: e.Retryable(), RetryAfter: e.RetryAfter,
	}
}

var codes = map[model.ErrorKind]string{
	model.RateLimited:     "MODEL_RATE_LIMITED",
	model.Overloaded:      "MODEL_OVERLOADED",
	model.ContextOverflow: "MODEL_CONTEXT_OVERFLOW",
	model.Auth:            "MODEL_AUTH_FAILED",
	model.Invalid:         "MODEL_REQUEST_INVALID",
	model.Unavailable:     "MODEL_UNAVAILABLE",
	model.Interrupted:     "MODEL_INTERRUPTED",
	model.Refused:         "MODEL_REFUSED",
}
