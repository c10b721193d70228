package agent

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
	"github.com/parley-dev/parley/tool"
)

// toolset is what a model may call in a step. Answering and working out what
// is asked take no tools.
func (a *Agent) toolset(step session.Step, p policy) []model.Tool {
	var tools []model.Tool
	for _, s := range offered(step) {
		tools = append(tools, s.tool())
	}
	if step.Purpose != session.PurposeTurn {
		return tools
	}
	for _, t := range a.granted(p) {
		info := t.Info()
		tools = append(tools, model.Tool{Name: info.Name, Description: info.Description, Schema: info.Schema})
	}
	return tools
}

// granted is the tools that the mode has.
func (a *Agent) granted(p policy) []tool.Tool {
	return slices.DeleteFunc(slices.Clone(p.tools), func(t tool.Tool) bool { return !grants(p.mode, protocol.ToolClass(t.Info().Class)) })
}

// catalog is what the core has to know of the tools.
func (a *Agent) catalog(p policy) []session.ToolSpec {
	specs := []session.ToolSpec{{Name: delegate.name, Class: protocol.ClassExecute, Effect: protocol.EffectIdempotent}}
	for _, t := range a.granted(p) {
		info := t.Info()
		specs = append(specs, session.ToolSpec{Name: info.Name, Class: protocol.ToolClass(info.Class), Effect: protocol.Effect(info.Effect)})
	}
	return specs
}

// use looks at a call before anyone is asked about it: is there such a tool,
// does the input fit, what would it do?
func (a *Agent) use(ctx context.Context, step session.Step, p policy, u *model.ToolUse) session.ToolUse {
	out := session.ToolUse{ID: u.ID, Tool: u.Name, Input: u.Input}
	if u.Name == delegate.name && slices.ContainsFunc(offered(step), func(s schema) bool { return s.name == u.Name }) {
		out.Class, out.Effect = protocol.ClassExecute, protocol.EffectIdempotent
		return out
	}
	if slices.ContainsFunc(offered(step), func(s schema) bool { return s.name == u.Name }) {
		return out
	}
	if step.Purpose != session.PurposeTurn {
		out.Problem = fmt.Sprintf("%s cannot be used now: this call is for %s", u.Name, step.Purpose)
		return out
	}
	t, err := tool.Find(p.tools, u.Name)
	if err == nil {
		info := t.Info()
		out.Class, out.Effect = protocol.ToolClass(info.Class), protocol.Effect(info.Effect)
		err = tool.Check(info, u.Input)
	}
	if err == nil && !grants(p.mode, out.Class) {
		err = fmt.Errorf("the mode %s has no tools of the class %s; the person can switch the mode", p.Mode, out.Class)
	}
	if err == nil && out.Class == protocol.ClassExecute {
		out.Allowed, err = p.judge(u.Input)
	}
	if err != nil {
		out.Problem = err.Error()
		return out
	}
	// What cannot be weighed is weighed by its tool; running it will say why.
	if weight, err := tool.Weigh(ctx, t, tool.Call{ID: u.ID, Session: "", Input: u.Input, Workspace: step.Workspace}); err == nil {
		out.Class, out.Effect, out.Guard = protocol.ToolClass(weight.Class), protocol.Effect(weight.Effect), weight.Guard
	}
	if shows, ok := t.(tool.Previewer); ok {
		// A preview that fails is no reason not to ask.
		out.Preview, _ = shows.Preview(ctx, tool.Call{ID: u.ID, Input: u.Input, Workspace: step.Workspace})
	}
	return out
}

// runTool carries out a call that may run.
func (a *Agent) runTool(ctx context.Context, w *engine.Work) error {
	input, unready := a.input(ctx, w)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	call := w.Step.Tool
	begin := &session.ToolBegun{TurnID: w.Step.TurnID, CallID: call.ID}
	if call.Tool == delegate.name {
		begin.ChildID = childID(w.SessionID, call.ID)
	}
	begun, err := w.Do(ctx, session.Command{Type: session.ToolBegin, Data: begin})
	if err != nil {
		return err
	}
	out := output{w: w, open: protocol.ID(protocol.OpenPrefix, begun[len(begun)-1].Seq)}
	var result tool.Result
	emit := func(e tool.Event) { out.show(ctx, e) }
	switch err = unready; {
	case err != nil:
	case call.Tool == delegate.name:
		result, err = a.delegate(ctx, w, input, emit)
	default:
		p := a.policy(w.Step)
		if err = p.forbids(w.Step, input); err != nil {
			break
		}
		result, err = a.act(ctx, w, p, input, emit)
	}
	out.end()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return report(ctx, w, session.Command{Type: session.ToolEnd, Data: toolEnded(w.Step, result, err)})
}

// act runs a tool between two checkpoints. Also of one that panics it is kept what it
// did until then.
func (a *Agent) act(ctx context.Context, w *engine.Work, p policy, input json.RawMessage, emit func(tool.Event)) (tool.Result, error) {
	call := w.Step.Tool
	defer a.keep(ctx, w, p, input, emit).done(ctx)
	result, err := a.perform(ctx, w.Step, p, call.Tool, tool.Call{
		ID: call.ID, Session: w.SessionID, Input: p.bounded(call, input), Workspace: w.Step.Workspace, Emit: emit, Approved: call.Approved,
	})
	result.Text = p.shorten(call, result.Text)
	return result, err
}

func (p policy) execute(ctx context.Context, name string, call tool.Call) (tool.Result, error) {
	t, err := tool.Find(p.tools, name)
	if err != nil {
		return tool.Result{}, err
	}
	if err := tool.Check(t.Info(), call.Input); err != nil {
		return tool.Result{}, err
	}
	limit := t.Info().Timeout
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	result, err := t.Run(ctx, call)
	if errors.Is(err, context.DeadlineExceeded) {
		err = &tool.Error{Code: tool.CodeTimeout, Message: fmt.Sprintf("%s took longer than %s and was stopped", name, limit), Recoverable: true}
	}
	return result, err
}

func toolEnded(step session.Step, r tool.Result, err error) *session.ToolEnded {
	e := &session.ToolEnded{TurnID: step.TurnID, CallID: step.Tool.ID, OK: err == nil && !r.IsError, Output: r.Text, Summary: r.Summary}
	for _, image := range r.Images {
		e.Images = append(e.Images, "data:"+image.MediaType+";base64,"+base64.StdEncoding.EncodeToString(image.Data))
	}
	switch {
	case err != nil:
		e.Error = &protocol.TurnError{Code: tool.CodeExecutionFailed, Message: err.Error(), Recoverable: true}
		var failed *tool.Error
		if errors.As(err, &failed) {
			e.Error.Code, e.Error.Recoverable = failed.Code, failed.Recoverable
		}
		if e.Output == "" {
			e.Output = err.Error()
		}
	case r.IsError:
		e.Error = &protocol.TurnError{Code: tool.CodeExecutionFailed, Message: "the tool ran and reports a failure", Recoverable: true}
	}
	return e
}

// input finds what a call is given: in the todo that it is, or in the model's
// answer that asks for it.
func (a *Agent) input(ctx context.Context, w *engine.Work) ([]byte, error) {
	if w.Step.Tool.TodoID != "" {
		return a.weave(ctx, w)
	}
	records, err := w.Read(ctx, w.Step.Tool.Asked-1, 1)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		if d, ok := r.Data.(*protocol.ModelCompleted); ok {
			for _, c := range d.ToolCalls {
				if c.CallID == w.Step.Tool.ID {
					return c.Input, nil
				}
			}
		}
	}
	return nil, fmt.Errorf("the input of call %s is not where it should be", w.Step.Tool.ID)
}

// output streams what a tool prints into an open message.
type output struct {
	w      *engine.Work
	open   string
	stream *engine.Stream
	failed bool
	told   time.Time // when progress was last recorded
}

// progress records how far a tool is, at most once a second.
func (o *output) progress(ctx context.Context, p *tool.Progress) {
	if time.Since(o.told) < time.Second {
		return
	}
	o.told = time.Now()
	// What is lost here is told again by the next one.
	_, _ = o.w.Do(ctx, session.Command{Type: session.ToolStep, Data: &session.ToolStepped{
		TurnID: o.w.Step.TurnID, CallID: o.w.Step.Tool.ID,
		Progress: protocol.TodoProgress{
			ProgressPercentage: float64(p.Percent), CurrentStep: p.Step, ItemsProcessed: int64(p.Items), ItemsTotal: int64(p.Total),
		},
	}})
}

func (o *output) show(ctx context.Context, e tool.Event) {
	if e.Progress != nil {
		o.progress(ctx, e.Progress)
	}
	if e.Output == "" || o.failed {
		return
	}
	if o.stream == nil {
		s, err := o.w.Write(ctx, o.open, protocol.SayCommandOutput)
		if o.failed = err != nil; o.failed {
			return
		}
		o.stream = s
	}
	o.failed = o.stream.Write(ctx, e.Output) != nil
}

func (o *output) end() {
	if o.stream != nil {
		o.stream.End()
	}
}

// expire tells the session that the time of a request is over.
func (a *Agent) expire(ctx context.Context, w *engine.Work) error {
	return report(ctx, w, session.Command{Type: session.Expire, Data: &session.Expired{RequestID: w.Step.RequestID}})
}

// tick tells the session that the time for a retry has come.
func (a *Agent) tick(ctx context.Context, w *engine.Work) error {
	return report(ctx, w, session.Command{Type: session.Tick})
}
