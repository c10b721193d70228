package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

// callModel asks the model of a turn, and streams its answer to the session.
func (a *Agent) callModel(ctx context.Context, w *engine.Work) error {
	p := a.policy(w.Step)
	if wait, err := a.afford(ctx, w, p.Budget()); wait || err != nil {
		return err
	}
	m, messages, wait, unready := a.prepare(ctx, w, p)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if wait {
		return unready
	}
	name, window := w.Step.Model, int64(0)
	if m != nil {
		name, window = m.Info().Name, m.Info().ContextWindow
	}
	begun, err := w.Do(ctx, session.Command{Type: session.ModelBegin, Data: &session.ModelBegun{
		TurnID: w.Step.TurnID, Model: name, Purpose: w.Step.Purpose,
	}})
	if err != nil {
		return err
	}
	call := begun[0].Seq
	ended := &session.ModelEnded{TurnID: w.Step.TurnID, Call: call, ContextWindow: window, Catalog: a.catalog(p), Limits: p.limits()}
	if err = unready; err == nil {
		t := transcript{w: w, call: call}
		err = m.Stream(ctx, model.Request{
			System: a.system(w.Step, p), Messages: messages, Tools: a.toolset(w.Step, p), ToolChoice: forced(w.Step.Purpose), MaxTokens: int64(p.profile.MaxTokens),
			Purpose: w.Step.Purpose, Attempt: w.Step.Attempt, Workspace: w.Step.Workspace,
		}, func(e model.Event) error { return t.add(ctx, e) })
		t.end()
		ended.StopReason, ended.Usage, ended.Vendor = t.stop, t.usage, t.vendor
		for _, u := range t.uses {
			ended.Uses = append(ended.Uses, a.weigh(ctx, m, w.Step, p, u))
		}
		if len(t.uses) > 0 && a.Always != nil {
			allowed, err := a.Always(ctx, w.Step.Owner)
			if err != nil { // then a person is asked once more
				a.Logger.Warn("remembered choices could not be read", "session_id", w.SessionID, "err", err)
			}
			ended.Always = allowed
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		ended.StopReason, ended.Error = "error", failure(err)
	}
	return report(ctx, w, session.Command{Type: session.ModelEnd, Data: ended})
}

// prepare finds the model and what to tell it; with wait the past has to be
// summed up before. What goes wrong here is the call's failure: a person is
// told, and it is tried again.
func (a *Agent) prepare(ctx context.Context, w *engine.Work, p policy) (m model.Model, messages []model.Message, wait bool, err error) {
	m, err = a.Models.Open(ctx, p.modelName(w.Step))
	if err != nil {
		return nil, nil, false, err
	}
	besides := model.Estimate(model.Request{System: a.system(w.Step, p), Tools: a.toolset(w.Step, p)})
	messages, wait, err = a.fit(ctx, w, p, m.Info().ContextWindow, besides)
	return m, messages, wait, err
}

// transcript writes a model's answer as open messages: one for each run of text
// or of reasoning.
type transcript struct {
	w      *engine.Work
	call   uint64
	blocks int
	kind   model.EventKind
	open   *engine.Stream
	stop   string
	uses   []*model.ToolUse
	vendor []json.RawMessage
	usage  protocol.Usage
}

var sayOf = map[model.EventKind]protocol.Say{
	model.EventTextDelta:      protocol.SayText,
	model.EventReasoningDelta: protocol.SayReasoning,
}

func (t *transcript) add(ctx context.Context, e model.Event) error {
	if e.Kind == model.EventDone {
		t.stop = e.StopReason
		t.usage = usageOf(e)
		return nil
	}
	if e.Kind == model.EventToolUse {
		t.end()
		t.uses = append(t.uses, e.ToolUse)
		return nil
	}
	if e.Kind == model.EventVendor {
		t.vendor = append(t.vendor, e.Vendor)
		return nil
	}
	say, ok := sayOf[e.Kind]
	if !ok || e.Text == "" {
		return nil
	}
	if t.open == nil || t.kind != e.Kind {
		t.end()
		t.blocks++
		id := fmt.Sprintf("%s_%d", protocol.ID(protocol.OpenPrefix, t.call), t.blocks)
		s, err := t.w.Write(ctx, id, say)
		if err != nil {
			return err
		}
		t.open, t.kind = s, e.Kind
	}
	return t.open.Write(ctx, e.Text)
}

func (t *transcript) end() {
	if t.open != nil {
		t.open.End()
		t.open = nil
	}
}

// system tells the model what it is and where it works.
func (a *Agent) system(step session.Step, p policy) string {
	told := "You are an agent in a session that a person can watch, steer and undo. Work in the folder " + step.Workspace +
		". Use the tools you are given; say plainly what you did and what you could not do.\n\n" + p.mode.Prompt
	if p.CustomInstructions != "" {
		told += "\n\nThe person wants this in general:\n\n" + p.CustomInstructions
	}
	told += instructions(step.Workspace)
	if slices.ContainsFunc(offered(step), func(s schema) bool { return s.name == proposePlan.name }) {
		told += "\n\nThe todos of a plan may use these tools, and {{todos.ID}} in an input stands for the result of a todo it depends on:"
		for _, t := range a.granted(p) {
			info := t.Info()
			told += fmt.Sprintf("\n\n%s %s\n%s", info.Name, info.Schema, info.Description)
		}
	}
	if a.Hide != nil {
		told = a.Hide(told)
	}
	return told
}

// fill puts back texts that were moved out of line.
func (a *Agent) fill(records []protocol.Record) error {
	for _, r := range records {
		var err error
		switch d := r.Data.(type) {
		case *protocol.MessageRecord:
			if err = a.whole(&d.Message.Text, d.Message.TextBlob); err == nil {
				err = a.images(d.Message.Images)
			}
		case *protocol.ToolCompleted:
			if err = a.whole(&d.Output, d.OutputBlob); err == nil {
				err = a.images(d.Images)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// images puts back pictures that were moved out of line.
func (a *Agent) images(images []string) error {
	for i := range images {
		hash, ok := strings.CutPrefix(images[i], protocol.BlobURL)
		if !ok {
			continue
		}
		raw, err := a.Blobs.Get(hash)
		if err != nil {
			return err
		}
		images[i] = string(raw)
	}
	return nil
}

func (a *Agent) whole(text *string, blob *protocol.BlobRef) error {
	if blob == nil {
		return nil
	}
	raw, err := a.Blobs.Get(blob.Hash)
	if err != nil {
		return err
	}
	*text = string(raw)
	return nil
}
