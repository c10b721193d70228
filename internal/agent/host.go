package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
	"github.com/parley-dev/parley/tool"
)

// weigh looks at a call before anyone is asked about it, also at one that only the
// model itself can carry out.
func (a *Agent) weigh(ctx context.Context, m model.Model, step session.Step, p policy, u *model.ToolUse) session.ToolUse {
	actor, ok := m.(model.Actor)
	if !ok {
		return a.use(ctx, step, p, u)
	}
	act, ok := actor.Act(*u)
	if !ok {
		return a.use(ctx, step, p, u)
	}
	out := session.ToolUse{
		ID: u.ID, Tool: u.Name, Input: u.Input, Preview: act.Preview, Class: protocol.ToolClass(act.Class), Effect: protocol.Effect(act.Effect),
	}
	var err error
	if !grants(p.mode, out.Class) {
		err = fmt.Errorf("the mode %s has no tools of the class %s; the person can switch the mode", p.Mode, out.Class)
	} else if out.Class == protocol.ClassExecute {
		out.Allowed, err = p.judge(u.Input)
	}
	if err != nil {
		out.Problem = err.Error()
	}
	return out
}

// perform carries out a call: with a tool, or with the model that asked for it.
func (a *Agent) perform(ctx context.Context, step session.Step, p policy, name string, call tool.Call) (tool.Result, error) {
	if _, err := tool.Find(p.tools, name); err == nil {
		return p.execute(ctx, name, call)
	}
	m, err := a.Models.Open(ctx, p.modelName(step))
	if err != nil {
		return tool.Result{}, err
	}
	use := model.ToolUse{ID: call.ID, Name: name, Input: call.Input}
	actor, ok := m.(model.Actor)
	if ok {
		_, ok = actor.Act(use)
	}
	if !ok { // such as after the session changed its model
		return p.execute(ctx, name, call)
	}
	result, err := actor.Carry(ctx, use, func(text string) {
		if call.Emit != nil {
			call.Emit(tool.Event{Output: text})
		}
	})
	return tool.Result{Text: result.Text, IsError: result.IsError}, err
}

// Close lets go of what the models hold, such as processes of agents.
func (m *Models) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for _, opened := range m.opened {
		errs = append(errs, model.Close(opened))
	}
	clear(m.opened)
	return errors.Join(errs...)
}
