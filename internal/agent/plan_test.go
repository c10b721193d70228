package agent_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-dev/parley/internal/agent"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/journal"
	"github.com/parley-dev/parley/internal/journal/sqlite"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/internal/settings"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/builtin"
)

// scripted is a model that gives one answer after the other, and then says that
// it is done.
type scripted struct {
	canned
	answers []canned
	n       atomic.Int64
}

func (s *scripted) Stream(ctx context.Context, r model.Request, yield func(model.Event) error) error {
	if i := int(s.n.Add(1)) - 1; i < len(s.answers) {
		return s.answers[i].Stream(ctx, r, yield)
	}
	return canned{{Kind: model.EventTextDelta, Text: "done"}, {Kind: model.EventDone, StopReason: model.StopEndTurn}}.Stream(ctx, r, yield)
}

// calls is an answer that asks for tools.
func calls(uses ...*model.ToolUse) canned {
	var c canned
	for _, u := range uses {
		c = append(c, model.Event{Kind: model.EventToolUse, ToolUse: u})
	}
	return append(c, model.Event{Kind: model.EventDone, StopReason: model.StopToolUse})
}

func use(name string, input any) *model.ToolUse {
	raw, _ := json.Marshal(input)
	return &model.ToolUse{ID: rand.Text(), Name: name, Input: raw}
}

// plan is the proposal of commands that do not depend on each other.
func plan(commands ...map[string]any) *model.ToolUse {
	var todos []map[string]any
	for i, c := range commands {
		todos = append(todos, map[string]any{"id": fmt.Sprintf("todo_%d", i+1), "task": "run", "tool": "run_command", "input": c})
	}
	return use("propose_plan", map[string]any{"summary": "commands", "todos": todos})
}

// watched tells when a call has really ended.
type watched struct {
	builtin.RunCommand
	ended chan struct{}
}

func (w watched) Run(ctx context.Context, c tool.Call) (tool.Result, error) {
	defer func() { w.ended <- struct{}{} }()
	c.Emit(tool.Event{Progress: &tool.Progress{Percent: 40, Step: "begun", Items: 2, Total: 5}})
	c.Emit(tool.Event{Progress: &tool.Progress{Percent: 41}}) // within the same second: not recorded
	return w.RunCommand.Run(ctx, c)
}

// stage is a session on a real journal, seen by a client that approves all.
type stage struct {
	*engine.Engine
	t         *testing.T
	workspace string
	commands  watched
	sub       *engine.Subscription
	wake      chan struct{}
	frames    []*engine.Frame
}

func newStage(t *testing.T, answers ...canned) *stage {
	t.Helper()
	s := &stage{t: t, workspace: t.TempDir(), wake: make(chan struct{}, 1), commands: watched{ended: make(chan struct{}, 100)}}
	s.Engine = start(t, t.TempDir(), &scripted{answers: answers}, nil, s.commands)
	if _, err := s.Create(t.Context(), "s", protocol.SessionCreated{Owner: "ann", Workspace: s.workspace}, session.Actor{}, nil); err != nil {
		t.Fatal(err)
	}
	var err error
	if s.sub, err = s.Attach(t.Context(), "s", engine.Attach{Notify: func() { poke(s.wake) }}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.sub.Close)
	s.do(protocol.TypeUserMessage, &protocol.UserMessage{Content: "work"})
	return s
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// start runs an engine on the journal in a folder until the test ends.
func start(t *testing.T, dir string, m model.Model, appended func(), tools ...tool.Tool) *engine.Engine {
	t.Helper()
	store, err := sqlite.Open(sqlite.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	models := agent.NewModels([]model.Provider{{Prefix: "m", Open: func(context.Context, string) (model.Model, error) { return m, nil }}}, "m")
	e := engine.New(engine.Options{
		Store: store, Blobs: lost{}, Appended: appended,
		Runner: &agent.Agent{Models: models, Tools: tools, Blobs: lost{}, Logger: slog.New(slog.DiscardHandler), Settings: settings.Open(settings.Options{Dir: t.TempDir()})},
	})
	e.Start()
	t.Cleanup(func() {
		_ = e.Close()
		_ = store.Close()
	})
	return e
}

func (s *stage) do(kind protocol.Type, data any) {
	s.t.Helper()
	if _, err := s.Do(s.t.Context(), "s", session.Command{Type: kind, Data: data, By: session.Actor{User: "ann"}}); err != nil {
		s.t.Fatalf("%s: %v", kind, err)
	}
}

// next gives what the client is sent next; plans and calls are approved on the
// way.
func (s *stage) next() any {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	for len(s.frames) == 0 {
		var err error
		if s.frames, err = s.sub.Next(ctx); err != nil {
			s.t.Fatal(err)
		}
		if len(s.frames) > 0 {
			break
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			s.t.Fatal("what is waited for does not come")
		}
	}
	_, data, err := protocol.DecodeFrame(s.frames[0].JSON)
	if err != nil {
		s.t.Fatal(err)
	}
	s.frames = s.frames[1:]
	switch d := data.(type) {
	case *protocol.HitlPlanReview:
		s.do(protocol.TypeHitlPlanResponse, &protocol.HitlPlanResponse{RequestID: d.RequestID, Action: protocol.ActionApprove})
	case *protocol.HitlApprovalRequest:
		s.do(protocol.TypeHitlApprovalResponse, &protocol.HitlApprovalResponse{RequestID: d.RequestID, Action: protocol.ActionApprove})
	}
	return data
}

// until gives the next payload of a type for which it holds.
func until[T any](s *stage, holds func(*T) bool) *T {
	s.t.Helper()
	for {
		if d, ok := s.next().(*T); ok && holds(d) {
			return d
		}
	}
}

func always[T any](*T) bool { return true }

// carrying gives the processes that have a word in their arguments or their
// environment.
func carrying(t *testing.T, word string) (pids []string) {
	t.Helper()
	for _, file := range []string{"cmdline", "environ"} {
		paths, err := filepath.Glob("/proc/[0-9]*/" + file)
		if err != nil || len(paths) == 0 {
			t.Fatalf("no processes to look at (%v)", err)
		}
		for _, path := range paths {
			if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte(word)) {
				pids = append(pids, path)
			}
		}
	}
	return pids
}

// Cancelling a plan stops every command of it with all that they started, though
// the server goes on.
func TestCancelLeavesNoProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	word := "mark" + rand.Text()
	// A child in the background, one in a session of its own, and one that does
	// not want to go.
	command := map[string]any{"command": "W=" + word + " sleep 600 & W=" + word + " setsid sleep 600 & W=" + word +
		` sh -c 'trap "" TERM; echo up; while :; do sleep 1; done'`}
	s := newStage(t, calls(plan(command, command, command, command)))
	up := map[string]bool{}
	for len(up) < 4 {
		p := until(s, func(p *protocol.ToolProgress) bool { return strings.Contains(p.Text, "up") })
		up[p.CallID] = true
	}
	if n := len(carrying(t, word)); n < 12 {
		t.Fatalf("only %d processes of the commands were found", n)
	}
	s.do(protocol.TypeControlCancel, &protocol.ControlCancel{})
	if f := until(s, always[protocol.Failed]); f.Status != protocol.StatusCancelled {
		t.Errorf("the turn ended as %s", f.Status)
	}
	for range 4 {
		select {
		case <-s.commands.ended:
		case <-time.After(time.Minute):
			t.Fatal("a command runs on")
		}
	}
	if left := carrying(t, word); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	state, err := s.State(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range state.Todos {
		if it.Status != protocol.TodoStatusCancelled {
			t.Errorf("%s is %s", it.ID, it.Status)
		}
	}
}

// A command that takes too long is stopped and says so, to the model and in the
// plan; the other todos do not mind.
func TestToolTimeout(t *testing.T) {
	s := newStage(t, calls(plan(map[string]any{"command": "sleep 600", "timeout_sec": 1}, map[string]any{"command": "echo fine"})))
	codes := map[string]string{}
	for len(codes) < 2 {
		d := until(s, always[protocol.ToolCompleted])
		codes[d.TodoID] = "ok"
		if d.Error != nil {
			codes[d.TodoID] = d.Error.Code
		}
	}
	if codes["todo_1"] != tool.CodeTimeout || codes["todo_2"] != "ok" {
		t.Errorf("the calls ended with %v", codes)
	}
	stuck := until(s, always[protocol.HitlInputRequest])
	state, err := s.State(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	if e := state.Todos[0].Error; e == nil || e.Code != tool.CodeTimeout {
		t.Errorf("the todo's error is %+v", e)
	}
	s.do(protocol.TypeHitlInputResponse, &protocol.HitlInputResponse{RequestID: stuck.RequestID, Value: []byte(`"end"`)})
	until(s, always[protocol.Complete])
}

// How far a todo is becomes a record, at most once a second.
func TestTodoProgress(t *testing.T) {
	s := newStage(t, calls(plan(map[string]any{"command": "echo fine"})))
	d := until(s, always[protocol.TodoProgress])
	if d.TodoID != "todo_1" || d.ProgressPercentage != 40 || d.CurrentStep != "begun" || d.ItemsProcessed != 2 || d.ItemsTotal != 5 {
		t.Errorf("progress %+v", d)
	}
	for {
		switch d := s.next().(type) {
		case *protocol.TodoProgress:
			t.Errorf("progress again: %+v", d)
		case *protocol.Complete:
			if d.Statistics.TotalTodos != 1 || d.Statistics.Completed != 1 {
				t.Errorf("statistics %+v", d.Statistics)
			}
			return
		}
	}
}

// What a command prints is seen while it runs, and in the end it is one message.
func TestOutputStreams(t *testing.T) {
	s := newStage(t, calls(use("run_command", map[string]any{"command": "echo one; until [ -e go ]; do sleep 0.02; done; echo two"})))
	p := until(s, func(p *protocol.ToolProgress) bool { return strings.Contains(p.Text, "one") })
	state, err := s.State(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	if len(state.OpenMessages) != 1 || state.OpenMessages[0].OpenID != p.OpenID {
		t.Errorf("open messages %+v, streamed %+v", state.OpenMessages, p)
	}
	if err := os.WriteFile(filepath.Join(s.workspace, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m := until(s, func(m *protocol.MessageRecord) bool { return m.Message.Say == protocol.SayCommandOutput })
	if m.Message.Text != "one\ntwo\n" || m.Message.Partial || m.OpenID != p.OpenID {
		t.Errorf("the message is %+v", m)
	}
	if d := until(s, always[protocol.ToolCompleted]); !d.OK || !strings.HasPrefix(d.Output, "one\ntwo\n") {
		t.Errorf("the call ended with %+v", d)
	}
	until(s, always[protocol.Complete])
}

// history plays a session at an hour that has passed, as a server did that was
// stopped since, and gives its journal.
func history(t *testing.T, dir string, pipeline protocol.Pipeline, u *model.ToolUse) {
	t.Helper()
	store, err := sqlite.Open(sqlite.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var state session.State
	now := time.Now().Add(-time.Hour)
	do := func(c session.Command) []protocol.Record {
		t.Helper()
		d, err := state.Weigh(c, now)
		if err != nil {
			t.Fatal(err)
		}
		a := journal.Append{Session: "s", Expect: state.Ledger.Last, Wake: d.Wake()}
		for _, r := range d.Records {
			frame, err := r.Encode()
			if err != nil {
				t.Fatal(err)
			}
			a.Records = append(a.Records, journal.Record{Seq: r.Seq, Frame: frame})
			state.Ledger.Apply(r)
			state.Apply(r)
		}
		if err := store.Append(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		return d.Records
	}
	do(session.Command{Type: session.CreateSession, Data: &protocol.SessionCreated{Owner: "ann", Pipeline: pipeline, Workspace: t.TempDir()}})
	do(session.Command{Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: "work"}})
	turn := state.Turns.Current.ID
	begun := do(session.Command{Type: session.ModelBegin, Data: &session.ModelBegun{TurnID: turn, Model: "m"}})
	run := builtin.RunCommand{}.Info()
	do(session.Command{Type: session.ModelEnd, Data: &session.ModelEnded{
		TurnID: turn, Call: begun[0].Seq, Catalog: []session.ToolSpec{{Name: run.Name, Class: protocol.ClassExecute, Effect: protocol.EffectEffect}},
		Uses: []session.ToolUse{{ID: u.ID, Tool: u.Name, Input: u.Input, Class: protocol.ClassExecute, Effect: protocol.EffectEffect}},
	}})
	if len(state.Requests.Open) != 1 {
		t.Fatalf("%d requests are open", len(state.Requests.Open))
	}
}

// A request whose time ran out while the server was down is resolved when it
// starts, though nobody connects; an answer then comes too late.
func TestDeadlineWhileDown(t *testing.T) {
	for name, c := range map[string]struct {
		pipeline protocol.Pipeline
		use      *model.ToolUse
		action   string
		end      protocol.Type
	}{
		"plan review":   {protocol.PipelineAuto, plan(map[string]any{"command": "touch ran"}), "reject", protocol.TypeComplete},
		"approval":      {protocol.PipelineAuto, use("run_command", map[string]any{"command": "touch ran"}), "skip", protocol.TypeComplete},
		"input":         {protocol.PipelineAuto, use("ask_user", map[string]any{"question": "which?"}), "expire", protocol.TypeFailed},
		"default":       {protocol.PipelineAuto, use("ask_user", map[string]any{"question": "which?", "default_value": "this"}), "answer", protocol.TypeComplete},
		"clarification": {protocol.PipelinePlanned, use("record_intent", map[string]any{"clarification": map[string]any{"question": "which?"}}), "expire", protocol.TypeFailed},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			history(t, dir, c.pipeline, c.use)
			appended := make(chan struct{}, 1)
			e := start(t, dir, &scripted{}, func() { poke(appended) }, builtin.RunCommand{})
			var resolved *protocol.HitlResolved
			var end protocol.Record
			for end.Seq == 0 {
				select {
				case <-appended:
				case <-time.After(time.Minute):
					t.Fatal("nothing happens")
				}
				records, err := e.Read(t.Context(), "s", 0, 1000)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range records {
					switch d := r.Data.(type) {
					case *protocol.HitlResolved:
						resolved = d
					case *protocol.Complete, *protocol.Failed:
						end = r
					case *protocol.ToolStarted:
						t.Errorf("%s ran without an approval", d.Tool)
					}
				}
			}
			if resolved == nil || resolved.By != session.Timeout || resolved.Action != c.action || end.Type != c.end {
				t.Fatalf("resolved as %+v, ended in %s", resolved, end.Type)
			}
			_, err := e.Do(t.Context(), "s", session.Command{Type: protocol.TypeHitlInputResponse, Data: &protocol.HitlInputResponse{RequestID: resolved.RequestID, Value: []byte(`"late"`)}})
			if protocol.AsError(err).Code != protocol.CodeRequestExpired {
				t.Errorf("a late answer got %v", err)
			}
		})
	}
}
