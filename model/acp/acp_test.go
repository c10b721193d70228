package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/acp"
	"github.com/parley-dev/parley/model/modeltest"
)

// open hosts a puppet.
func open(t *testing.T, kind string, change ...func(*acp.Config)) *acp.Model {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Programs that look for data races wait a second before they end.
	c := acp.Config{
		Command: fmt.Sprintf("$GORACE '%s' %s %s", self, agentFlag, kind),
		Getenv:  func(name string) string { return map[string]string{"GORACE": "atexit_sleep_ms=0"}[name] },
	}
	for _, f := range change {
		f(&c)
	}
	m, err := acp.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

// session is a conversation as a server keeps it: what was said, what the model
// answered, what came of calls.
type session struct {
	t      *testing.T
	m      *acp.Model
	folder string
	past   []model.Message
}

func begin(t *testing.T, m *acp.Model) *session {
	return &session{t: t, m: m, folder: t.TempDir()}
}

// request is what the model is asked after all that.
func (s *session) request() model.Request {
	return model.Request{Messages: s.past, Workspace: s.folder, Purpose: "turn", Tools: []model.Tool{{Name: "update_todos"}}}
}

func (s *session) say(text string) { s.past = append(s.past, model.Text(model.RoleUser, text)) }

// ask calls the model and takes its answer into the past.
func (s *session) ask() model.Answer {
	s.t.Helper()
	var a model.Answer
	if err := s.m.Stream(s.t.Context(), s.request(), func(e model.Event) error { a.Add(e); return nil }); err != nil {
		s.t.Fatalf("Stream: %v", err)
	}
	s.past = append(s.past, a.Message())
	return a
}

// hear says something and gives the answer.
func (s *session) hear(text string) model.Answer {
	s.t.Helper()
	s.say(text)
	return s.ask()
}

// call is the one call that an answer ends in.
func (s *session) call(a model.Answer) model.ToolUse {
	s.t.Helper()
	for _, b := range a.Blocks {
		if b.ToolUse != nil {
			if a.StopReason != model.StopToolUse {
				s.t.Errorf("the answer stopped with %q", a.StopReason)
			}
			return *b.ToolUse
		}
	}
	s.t.Fatalf("no call in %+v", a.Blocks)
	return model.ToolUse{}
}

// carry lets the agent do it.
func (s *session) carry(use model.ToolUse) model.ToolResult {
	s.t.Helper()
	r, err := s.m.Carry(s.t.Context(), use, func(string) {})
	if err != nil {
		s.t.Fatalf("Carry: %v", err)
	}
	s.result(use, r)
	return r
}

func (s *session) result(use model.ToolUse, r model.ToolResult) {
	r.ToolUseID = use.ID
	s.past = append(s.past, model.Message{Role: model.RoleUser, Blocks: []model.Block{{Kind: model.BlockToolResult, ToolResult: &r}}})
}

func text(a model.Answer) string {
	m := a.Message()
	return m.Text()
}

func TestConformance(t *testing.T) {
	modeltest.Run(t, func(t *testing.T) modeltest.Subject {
		folder := t.TempDir()
		request := func(text string) *model.Request {
			return &model.Request{Messages: []model.Message{model.Text(model.RoleUser, text)}, Workspace: folder, Purpose: "turn"}
		}
		return modeltest.Subject{
			Model: open(t, "plain"),
			Plain: request("hello 안녕 👩‍👩‍👧"), Text: "I heard: hello 안녕 👩‍👩‍👧",
			Stall: request("stall"), Fail: request("fail"), Break: request("die"),
		}
	})
}

func TestOneAgentKeepsTheConversation(t *testing.T) {
	s := begin(t, open(t, "plain"))
	s.hear("hello")
	// Only what is new is told.
	if got := text(s.hear("echo again")); got != "echo again" {
		t.Errorf("the agent was told %q", got)
	}
	// What was said while it answered stands before the answer in a history.
	last := s.past[len(s.past)-1]
	s.past = append(s.past[:len(s.past)-1], model.Text(model.RoleUser, "and this"), last)
	if got := text(s.hear("echo now")); got != "and this\necho now" {
		t.Errorf("the agent was told %q", got)
	}
}

func TestAnotherPastNeedsAFreshAgent(t *testing.T) {
	s := begin(t, open(t, "plain"))
	s.hear("first")
	two := len(s.past)
	s.hear("second")
	for name, past := range map[string][]model.Message{
		"rewound":       s.past[:two],
		"edited":        append([]model.Message{model.Text(model.RoleUser, "zeroth")}, s.past[1:]...),
		"another agent": {model.Text(model.RoleUser, "first"), model.Text(model.RoleAssistant, "I heard: first")},
	} {
		fork := *s
		fork.past = append([]model.Message(nil), past...)
		got := text(fork.hear("echo third"))
		if !strings.Contains(got, "Person: ") || !strings.Contains(got, "You: I heard: first") || !strings.HasSuffix(got, "echo third") {
			t.Errorf("%s: a fresh agent was told %q", name, got)
		}
	}
	if got := text(s.hear("echo third")); got != "echo third" {
		t.Errorf("the first agent was told %q", got)
	}
}

func TestAllowed(t *testing.T) {
	s := begin(t, open(t, "plain"))
	a := s.hear("edit notes.txt")
	use := s.call(a)
	if got := text(a); got != strings.Repeat(".", 300) {
		t.Errorf("before it asks the agent says %q", got)
	}
	act, ok := s.m.Act(use)
	if use.Name != "agent_write" || !ok || act.Class != "write" || act.Effect != "effect" || !strings.Contains(act.Preview, "-old\n+new") {
		t.Fatalf("%s %s: %+v", use.Name, use.Input, act)
	}
	if _, err := os.Stat(filepath.Join(s.folder, "notes.txt")); err == nil {
		t.Fatal("it was written before anybody allowed it")
	}
	if r := s.carry(use); r.IsError || r.Text != "edited notes.txt" {
		t.Errorf("the result is %+v", r)
	}
	if raw, err := os.ReadFile(filepath.Join(s.folder, "notes.txt")); err != nil || string(raw) != "new\n" {
		t.Errorf("notes.txt: %q, %v", raw, err)
	}
	if a := s.ask(); text(a) != "finished" || a.StopReason != model.StopEndTurn {
		t.Errorf("%q, %s", text(a), a.StopReason)
	}
}

func TestRefused(t *testing.T) {
	s := begin(t, open(t, "plain"))
	use := s.call(s.hear("edit notes.txt"))
	s.result(use, model.ToolResult{Text: "a person does not want this", IsError: true})
	if got := text(s.ask()); got != "told no finished" {
		t.Errorf("the agent says %q", got)
	}
	// A refused call cannot be carried out any more.
	if r, err := s.m.Carry(t.Context(), use, nil); err != nil || !r.IsError {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := os.Stat(filepath.Join(s.folder, "notes.txt")); err == nil {
		t.Error("it was written all the same")
	}
}

// A person who says something else instead is heard at once.
func TestRefusedWithOtherWords(t *testing.T) {
	s := begin(t, open(t, "plain"))
	use := s.call(s.hear("edit notes.txt"))
	s.result(use, model.ToolResult{Text: "the turn was cancelled", IsError: true})
	if got := text(s.hear("echo rather this")); got != "echo rather this" {
		t.Errorf("the agent says %q", got)
	}
}

func TestSeveralAsks(t *testing.T) {
	s := begin(t, open(t, "plain"))
	a := s.hear("both a.txt b.txt")
	for range 2 {
		s.carry(s.call(a))
		for a = s.ask(); a.StopReason == model.StopToolUse && s.call(a).Name == "agent_did"; a = s.ask() {
			s.carry(s.call(a)) // one that went on while another was asked about
		}
		if a.StopReason != model.StopToolUse {
			break
		}
	}
	if text(a) != "finished" {
		t.Errorf("the agent says %q", text(a))
	}
	for _, name := range []string{"a.txt", "b.txt"} {
		if _, err := os.Stat(filepath.Join(s.folder, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestDidByItself(t *testing.T) {
	s := begin(t, open(t, "plain"))
	a := s.hear("did")
	use := s.call(a)
	if act, ok := s.m.Act(use); use.Name != "agent_did" || !ok || act.Class != "read" || !strings.Contains(string(use.Input), `"command":"ls"`) || text(a) != "looking " {
		t.Errorf("%q, %s %s: %+v", text(a), use.Name, use.Input, act)
	}
	if r := s.carry(use); r.IsError || r.Text != "a.txt" {
		t.Errorf("the result is %+v", r)
	}
	if got := text(s.ask()); got != "done" {
		t.Errorf("the agent says %q", got)
	}
}

func TestPlan(t *testing.T) {
	s := begin(t, open(t, "plain"))
	use := s.call(s.hear("plan"))
	want := `{"todos":[{"id":"1","task":"look","status":"completed"},{"id":"2","task":"act","status":"in_progress"}]}`
	if use.Name != "update_todos" || string(use.Input) != want {
		t.Errorf("%s %s", use.Name, use.Input)
	}
	if _, ok := s.m.Act(use); ok {
		t.Error("the list of todos is the session's own")
	}
	s.result(use, model.ToolResult{Text: "noted"})
	if got := text(s.ask()); got != "planned" {
		t.Errorf("the agent says %q", got)
	}
}

func TestFiles(t *testing.T) {
	s := begin(t, open(t, "plain"))
	outside := filepath.Join(t.TempDir(), "secret.txt")
	for path, content := range map[string]string{outside: "secret", filepath.Join(s.folder, "a.txt"): "here"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(s.folder, "link.txt")); err != nil {
		t.Fatal(err)
	}
	if got := text(s.hear("read a.txt")); !strings.HasPrefix(got, "read: here") {
		t.Errorf("the agent says %q", got)
	}
	for _, path := range []string{outside, "../" + filepath.Base(filepath.Dir(outside)) + "/secret.txt", "link.txt"} {
		if got := text(s.hear("read " + path)); strings.Contains(got, "secret\"") || !strings.Contains(got, "error") || strings.HasPrefix(got, "read: secret") {
			t.Errorf("%s: the agent says %q", path, got)
		}
	}
	if got := text(s.hear("write " + outside)); !strings.Contains(got, "outside of the workspace") {
		t.Errorf("the agent says %q", got)
	}
	use := s.call(s.hear("write sub/new.txt"))
	if act, _ := s.m.Act(use); use.Name != "agent_write" || !strings.Contains(act.Preview, "+new") {
		t.Errorf("%s: %+v", use.Name, act)
	}
	if r := s.carry(use); r.IsError || r.Text != "written" {
		t.Errorf("the result is %+v", r)
	}
	if got := text(s.ask()); got != "wrote: <nil>" {
		t.Errorf("the agent says %q", got)
	}
	use = s.call(s.hear("write other.txt"))
	s.result(use, model.ToolResult{Text: "no", IsError: true})
	if got := text(s.ask()); !strings.Contains(got, "does not want") {
		t.Errorf("the agent says %q", got)
	}
	if got := text(s.hear("terminal")); !strings.Contains(got, "not found") {
		t.Errorf("the agent says %q", got)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("PARLEY_TOKEN", "ours")
	t.Setenv("OPENAI_API_KEY", "not for it")
	s := begin(t, open(t, "plain", func(c *acp.Config) {
		c.Command = "$PUPPET_KEY " + c.Command
		c.Getenv = func(name string) string { return map[string]string{"PUPPET_KEY": "for-the-agent"}[name] }
	}))
	got := text(s.hear("env"))
	if !strings.Contains(got, "PUPPET_KEY=for-the-agent") || !strings.Contains(got, "PATH=") || strings.Contains(got, "ours") || strings.Contains(got, "not for it") {
		t.Errorf("the agent sees:\n%s", got)
	}
	// What it was given in secret does not come out with its complaints.
	for _, end := range []string{"die", "fail"} {
		fork := begin(t, s.m)
		fork.say(end)
		err := s.m.Stream(t.Context(), fork.request(), func(model.Event) error { return nil })
		if err == nil || strings.Contains(err.Error(), "for-the-agent") || !strings.Contains(err.Error(), "$PUPPET_KEY") {
			t.Errorf("%s: %v", end, err)
		}
	}
}

func TestFailures(t *testing.T) {
	soon := func(c *acp.Config) {
		c.Start, c.Silence, c.Grace = 300*time.Millisecond, 300*time.Millisecond, 50*time.Millisecond
	}
	for _, tc := range []struct {
		kind, words string
		change      func(*acp.Config)
		want        model.ErrorKind
		says        string
	}{
		{"mute", "hello", soon, model.Unavailable, "did not answer"},
		{"old", "hello", func(*acp.Config) {}, model.Invalid, "version 7"},
		{"locked", "hello", func(*acp.Config) {}, model.Auth, "signed in"},
		{"plain", "die", func(*acp.Config) {}, model.Interrupted, "exit status 3; it said: out of luck"},
		{"plain", "fail", func(*acp.Config) {}, model.Interrupted, "no model"},
		{"plain", "stall", soon, model.Interrupted, "said nothing"},
	} {
		s := begin(t, open(t, tc.kind, func(c *acp.Config) { c.Start = 20 * time.Second }, tc.change))
		s.say(tc.words)
		err := s.m.Stream(t.Context(), s.request(), func(model.Event) error { return nil })
		if model.KindOf(err) != tc.want || !strings.Contains(fmt.Sprint(err), tc.says) {
			t.Errorf("%s %s: %q %v", tc.kind, tc.words, model.KindOf(err), err)
		}
	}
	for command, says := range map[string]string{
		"": "no agent is named", "no-such-program-here acp": "was not found", `sh "`: "not closed", "$A": "no agent is named",
	} {
		if _, err := acp.New(acp.Config{Command: command}); model.KindOf(err) != model.Invalid || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", command, err)
		}
	}
	s := begin(t, open(t, "plain"))
	s.say("hello")
	forced := s.request()
	forced.ToolChoice = "record_intent"
	if err := s.m.Stream(t.Context(), forced, nil); model.KindOf(err) != model.Invalid || !strings.Contains(err.Error(), "direct") {
		t.Errorf("%v", err)
	}
	_ = s.m.Close()
	if err := s.m.Stream(t.Context(), s.request(), nil); model.KindOf(err) != model.Unavailable {
		t.Errorf("after Close: %v", err)
	}
}

// A summary is asked of an agent of its own, which gets nothing else done.
func TestCondense(t *testing.T) {
	s := begin(t, open(t, "plain"))
	s.hear("hello")
	for _, words := range []string{"edit notes.txt", "did", "plan"} {
		r := s.request()
		r.Messages = append(r.Messages[:len(r.Messages):len(r.Messages)], model.Text(model.RoleUser, words))
		r.Purpose = "condense"
		var a model.Answer
		if err := s.m.Stream(t.Context(), r, func(e model.Event) error { a.Add(e); return nil }); err != nil || a.StopReason != model.StopEndTurn || text(a) == "" {
			t.Errorf("%s: %q %s, %v", words, text(a), a.StopReason, err)
		}
	}
	if got := text(s.hear("echo next")); got != "echo next" {
		t.Errorf("the agent was told %q", got)
	}
}

// A file that is not the one that was allowed is asked about on its own.
func TestAllowedIsNotEverything(t *testing.T) {
	s := begin(t, open(t, "plain"))
	use := s.call(s.hear("sneak notes.txt"))
	if r := s.carry(use); !strings.Contains(r.Text, "asks for something else") {
		t.Errorf("the result is %+v", r)
	}
	use = s.call(s.ask())
	if act, _ := s.m.Act(use); !strings.Contains(act.Preview, "other-notes.txt") {
		t.Errorf("%+v", act)
	}
	s.result(use, model.ToolResult{Text: "no", IsError: true})
	use = s.call(s.ask())
	if r := s.carry(use); use.Name != "agent_did" || !r.IsError {
		t.Errorf("%s: %+v", use.Name, r)
	}
	for _, name := range []string{"notes.txt", "other-notes.txt"} {
		if _, err := os.Stat(filepath.Join(s.folder, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

// What was announced is not allowed yet, and what has ended is not any more.
func TestAllowedAtItsTime(t *testing.T) {
	s := begin(t, open(t, "plain"))
	use := s.call(s.hear("announce notes.txt"))
	if !strings.Contains(string(use.Input), `"title":"Write notes.txt"`) {
		t.Errorf("%s %s", use.Name, use.Input)
	}
	s.result(use, model.ToolResult{Text: "no", IsError: true})
	s.ask()
	s.carry(s.call(s.hear("twice notes.txt")))
	if use = s.call(s.ask()); !strings.Contains(string(use.Input), `"title":"Write notes.txt"`) {
		t.Errorf("%s %s", use.Name, use.Input)
	}
}

// Going back to the midst of a turn is another past too.
func TestRewoundWithinATurn(t *testing.T) {
	s := begin(t, open(t, "plain"))
	s.carry(s.call(s.hear("did")))
	middle := len(s.past)
	s.ask()
	s.past = s.past[:middle]
	if got := text(s.hear("echo other")); !strings.Contains(got, "You used agent_did: List files\nls") || !strings.HasSuffix(got, "echo other") {
		t.Errorf("a fresh agent was told %q", got)
	}
}

func TestTrusted(t *testing.T) {
	p := acp.Provider(acp.Trusted("offline", "acp:sh -c true|offline", "script:x"), nil)
	for command, ok := range map[string]bool{"sh -c true": true, "sh -c false": false, "sh": false} {
		if m, err := p.Open(t.Context(), command); (err == nil) != ok || err == nil && m.Info().Name != "acp:"+command {
			t.Errorf("%q: %v", command, err)
		}
	}
}

func TestCancelKeepsTheConversation(t *testing.T) {
	s := begin(t, open(t, "plain"))
	s.hear("hello")
	s.say("stall")
	ctx, cancel := context.WithCancel(t.Context())
	err := s.m.Stream(ctx, s.request(), func(model.Event) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	if got := text(s.hear("echo go")); got != "echo go" {
		t.Errorf("the agent was told %q", got)
	}
}

func TestCarryCancelled(t *testing.T) {
	s := begin(t, open(t, "plain"))
	use := s.call(s.hear("both a.txt b.txt"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.m.Carry(ctx, use, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	var d struct{ Title string }
	if err := json.Unmarshal(use.Input, &d); err != nil || d.Title == "" {
		t.Errorf("%s: %v", use.Input, err)
	}
}
