package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/parley-dev/parley/internal/agent"
	"github.com/parley-dev/parley/internal/blob"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/journal/sqlite"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/internal/settings"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
	"github.com/parley-dev/parley/tool"
)

const planHow = "A plan of 1,000 todos, each depending on the one four before it, with a tool that does nothing: from the message to `complete`, " +
	"with every record on disk, divided by the number of todos. The baseline is the same with 20 todos: what is more is the cost of a long plan."

func runPlan(ctx context.Context, h *house) ([]row, error) {
	var long, short sample
	for round := range h.pick(3, 1) {
		for _, n := range []int{20, 1000} {
			dir, err := h.dir(fmt.Sprintf("plan-%d-%d", round, n))
			if err != nil {
				return nil, err
			}
			took, err := playPlan(ctx, dir, n)
			if err != nil {
				return nil, err
			}
			if n == 20 {
				short = append(short, took)
			} else {
				long = append(long, took)
			}
		}
	}
	return []row{{
		What: "a todo in a plan of 1,000, all records on disk", Measured: long.times(), Baseline: short.times() + " in a plan of 20",
		Ratio: long.over(short).spread("%.2fx"), Verdict: info,
	}}, nil
}

// playPlan runs a plan of n todos and gives the seconds for each.
func playPlan(ctx context.Context, dir string, n int) (float64, error) {
	took, err := playTurn(ctx, dir, planner{n})
	return took / float64(n), err
}

// playTurn runs one turn of a session with a model and a tool that does nothing,
// and gives how many seconds it took, every record on disk.
func playTurn(ctx context.Context, dir string, m model.Model) (float64, error) {
	store, err := sqlite.Open(sqlite.Options{Dir: dir})
	if err != nil {
		return 0, err
	}
	blobs, err := blob.New(filepath.Join(dir, "blobs"))
	if err != nil {
		return 0, err
	}
	only := model.Provider{Prefix: "only", Open: func(context.Context, string) (model.Model, error) { return m, nil }}
	log := slog.New(slog.DiscardHandler)
	e := engine.New(engine.Options{Store: store, Blobs: blobs, Logger: log, Runner: &agent.Agent{
		Models: agent.NewModels([]model.Provider{only}, "only"), Tools: []tool.Tool{nothing{}}, Blobs: blobs, Logger: log,
		Settings: settings.Open(settings.Options{Dir: filepath.Join(dir, "settings"), Flags: map[string]string{"auto_approval_max_requests": "0"}}),
	}})
	e.Start()
	defer func() { _ = errors.Join(e.Close(), store.Close()) }()
	if _, err := e.Create(ctx, "plan", protocol.SessionCreated{PlanReview: "never"}, me, nil); err != nil {
		return 0, err
	}
	wake := make(chan struct{}, 1)
	sub, err := e.Attach(ctx, "plan", engine.Attach{Notify: func() {
		select {
		case wake <- struct{}{}:
		default:
		}
	}})
	if err != nil {
		return 0, err
	}
	defer sub.Close()
	begun := time.Now()
	_, err = e.Do(ctx, "plan", session.Command{Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: "go"}, By: me})
	if err != nil {
		return 0, err
	}
	for {
		frames, err := sub.Next(ctx)
		if err != nil {
			return 0, err
		}
		for _, f := range frames {
			_, data, err := protocol.DecodeFrame(f.JSON)
			if err != nil {
				return 0, err
			}
			switch d := data.(type) {
			case *protocol.Failed:
				return 0, fmt.Errorf("the turn failed: %s", d.Error.Message)
			case *protocol.Complete:
				return time.Since(begun).Seconds(), nil
			}
		}
		if len(frames) > 0 {
			continue
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// planner proposes a plan of so many todos, and then says that it is done.
type planner struct{ todos int }

func (planner) Info() model.Info { return model.Info{Name: "planner", ContextWindow: 1_000_000} }

func (p planner) Stream(_ context.Context, req model.Request, yield func(model.Event) error) error {
	last := req.Messages[len(req.Messages)-1]
	if last.Text() == "" { // the plan's result
		if err := yield(model.Event{Kind: model.EventTextDelta, Text: "done"}); err != nil {
			return err
		}
		return yield(model.Event{Kind: model.EventDone, StopReason: model.StopEndTurn})
	}
	todos := make([]protocol.Todo, p.todos)
	for i := range todos {
		todos[i] = protocol.Todo{ID: fmt.Sprintf("t%d", i), Task: "nothing", Tool: "nothing"}
		if i >= 4 {
			todos[i].DependsOn = []string{fmt.Sprintf("t%d", i-4)}
		}
	}
	input, err := json.Marshal(map[string]any{"summary": "a long plan", "todos": todos})
	if err != nil {
		return err
	}
	if err := yield(model.Event{Kind: model.EventToolUse, ToolUse: &model.ToolUse{ID: "plan", Name: "propose_plan", Input: input}}); err != nil {
		return err
	}
	return yield(model.Event{Kind: model.EventDone, StopReason: model.StopToolUse})
}

// nothing is a tool that does nothing.
type nothing struct{}

func (nothing) Info() tool.Info {
	return tool.Info{
		Name: "nothing", Description: "Does nothing.", Schema: json.RawMessage(`{"type":"object"}`),
		Class: tool.ClassRead, Effect: tool.EffectRead,
	}
}

func (nothing) Run(context.Context, tool.Call) (tool.Result, error) {
	return tool.Result{Text: "ok"}, nil
}
