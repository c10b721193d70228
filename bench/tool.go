package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/tool"
)

const toolHow = "A turn in which the model asks 200 times for a tool that does nothing: what one call costs, from the model's wish to the next, with its " +
	"records on disk (four appends: the model's answer, the call's start and end, the next call of the model). The baseline is one fdatasync on the same disk; " +
	"a bare loop over the same model and tool, which keeps nothing, is told beside it."

// toolCalls is how many calls a turn has.
const toolCalls = 200

func runTool(ctx context.Context, h *house) ([]row, error) {
	var kept, bare, synced sample
	for round := range h.pick(5, 1) {
		dir, err := h.dir(fmt.Sprintf("tool-%d", round))
		if err != nil {
			return nil, err
		}
		took, err := playTurn(ctx, dir, caller{})
		if err != nil {
			return nil, err
		}
		kept = append(kept, took/toolCalls)
		if took, err = bareCalls(ctx); err != nil {
			return nil, err
		}
		bare = append(bare, took/toolCalls)
		if took, err = syncOnce(dir); err != nil {
			return nil, err
		}
		synced = append(synced, took)
	}
	return []row{{
		What: "one tool call of a session, all records on disk", Measured: kept.times(), Baseline: synced.times() + " for one fdatasync",
		Ratio: kept.over(synced).spread("%.1fx"), Verdict: info,
	}, {
		What: "the same model and tool in a bare loop", Measured: bare.times(), Baseline: "", Ratio: "", Verdict: info,
	}}, nil
}

// bareCalls asks the model and runs the tool, and keeps nothing.
func bareCalls(ctx context.Context) (float64, error) {
	begun := time.Now()
	messages := []model.Message{model.Text(model.RoleUser, "go")}
	for {
		var use *model.ToolUse
		err := caller{}.Stream(ctx, model.Request{Messages: messages}, func(e model.Event) error {
			if e.Kind == model.EventToolUse {
				use = e.ToolUse
			}
			return nil
		})
		if err != nil || use == nil {
			return time.Since(begun).Seconds(), err
		}
		result, err := nothing{}.Run(ctx, tool.Call{ID: use.ID, Input: use.Input})
		if err != nil {
			return 0, err
		}
		messages = append(messages,
			model.Message{Role: model.RoleAssistant, Blocks: []model.Block{{Kind: model.BlockToolUse, ToolUse: use}}},
			model.Message{Role: model.RoleUser, Blocks: []model.Block{{Kind: model.BlockToolResult, ToolResult: &model.ToolResult{ToolUseID: use.ID, Text: result.Text}}}})
	}
}

// caller is a model that asks for a tool so many times, and then says that it is
// done.
type caller struct{}

func (caller) Info() model.Info { return model.Info{Name: "caller", ContextWindow: 1_000_000} }

func (caller) Stream(_ context.Context, req model.Request, yield func(model.Event) error) error {
	calls := 0
	for _, m := range req.Messages {
		for _, b := range m.Blocks {
			if b.ToolUse != nil {
				calls++
			}
		}
	}
	if calls == toolCalls {
		if err := yield(model.Event{Kind: model.EventTextDelta, Text: "done"}); err != nil {
			return err
		}
		return yield(model.Event{Kind: model.EventDone, StopReason: model.StopEndTurn})
	}
	use := &model.ToolUse{ID: fmt.Sprintf("use-%d", calls), Name: "nothing", Input: []byte("{}")}
	if err := yield(model.Event{Kind: model.EventToolUse, ToolUse: use}); err != nil {
		return err
	}
	return yield(model.Event{Kind: model.EventDone, StopReason: model.StopToolUse})
}

// syncOnce gives the seconds that a small write with fdatasync takes here.
func syncOnce(dir string) (float64, error) {
	f, err := os.Create(filepath.Join(dir, "synced"))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	data := make([]byte, 450)
	begun := time.Now()
	for range toolCalls {
		if _, err := f.Write(data); err != nil {
			return 0, err
		}
		if err := datasync(f); err != nil {
			return 0, err
		}
	}
	return time.Since(begun).Seconds() / toolCalls, nil
}
