package offline

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/modeltest"
	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/builtin"
)

// Every file in testdata/work is a conversation with tools. Its name ends in the
// pipeline. Lines that begin with ">>> " are what the person says, "<<< " what they
// answer: words, or to a plan or a command "approve", "reject" or "modify: …". The
// rest is what the model must say and call. The tools are the real ones, in a copy
// of testdata/shop.
func TestWork(t *testing.T) {
	files, err := filepath.Glob("testdata/work/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			d := newDriver(t, name)
			for line := range strings.Lines(string(want)) {
				if words, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "<<< "); ok {
					d.answers = append(d.answers, words)
				}
			}
			for _, words := range prompts(string(want)) {
				d.say(words)
			}
			if len(d.answers) > 0 {
				t.Errorf("nobody asked for %q", d.answers)
			}
			if *update {
				if err := os.WriteFile(name, []byte(d.out.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(want), d.out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// driver does what a server would: it calls the model, runs tools and asks the
// person.
type driver struct {
	t         *testing.T
	pipeline  string
	workspace string
	tools     []tool.Tool
	messages  []model.Message
	answers   []string
	out       strings.Builder
	intent    bool // it was recorded in this turn
	needsPlan bool
	planned   bool // the plan has ended
}

func newDriver(t *testing.T, name string) *driver {
	d := &driver{t: t, workspace: t.TempDir(), tools: []tool.Tool{builtin.ListFiles{}, builtin.RunCommand{}}}
	d.pipeline = strings.TrimPrefix(filepath.Ext(strings.TrimSuffix(filepath.Base(name), ".md")), ".")
	if err := os.CopyFS(d.workspace, os.DirFS("testdata/shop")); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *driver) say(words string) {
	d.t.Helper()
	d.intent, d.needsPlan, d.planned = false, false, false
	fmt.Fprintf(&d.out, ">>> %s\n\n", strings.ReplaceAll(words, "\n", "\n>>> "))
	d.messages = append(d.messages, model.Text(model.RoleUser, words))
	for range 20 {
		req := d.request()
		events := stream(d.t, req)
		if diff := cmp.Diff(events, stream(d.t, req)); diff != "" {
			d.t.Errorf("the same request gave different events:\n%s", diff)
		}
		for _, fault := range modeltest.Faults(events) {
			d.t.Error(fault)
		}
		var a model.Answer
		for _, e := range events {
			a.Add(e)
		}
		if text := a.Message().Text(); text != "" {
			fmt.Fprintf(&d.out, "%s\n\n", text)
		}
		d.messages = append(d.messages, a.Message())
		var results []model.Block
		for _, b := range a.Message().Blocks {
			if b.ToolUse != nil {
				results = append(results, model.Block{Kind: model.BlockToolResult, ToolResult: d.call(req, *b.ToolUse)})
			}
		}
		if len(results) == 0 {
			return
		}
		d.messages = append(d.messages, model.Message{Role: model.RoleUser, Blocks: results})
	}
	d.t.Fatal("the model does not come to an end")
}

func (d *driver) request() model.Request {
	schema := json.RawMessage(`{"type":"object"}`)
	req := model.Request{Messages: d.messages, Purpose: "turn", Tools: []model.Tool{{Name: askUser, Schema: schema}}}
	switch {
	case d.pipeline == "planned" && !d.intent:
		req.Purpose, req.ToolChoice, req.Tools = recordIntent, recordIntent, []model.Tool{{Name: recordIntent, Schema: schema}}
		return req
	case d.pipeline == "planned" && d.needsPlan && !d.planned:
		req.Purpose, req.ToolChoice, req.Tools = proposePlan, proposePlan, []model.Tool{{Name: proposePlan, Schema: schema}}
		return req
	case d.pipeline == "planned":
		req.Purpose, req.Tools = "respond", nil
		return req
	case d.pipeline == "auto":
		req.Tools = append(req.Tools, model.Tool{Name: proposePlan, Schema: schema})
	}
	for _, t := range d.tools {
		req.Tools = append(req.Tools, model.Tool{Name: t.Info().Name, Schema: t.Info().Schema})
	}
	return req
}

// answer takes the person's next answer.
func (d *driver) answer() string {
	d.t.Helper()
	if len(d.answers) == 0 {
		d.t.Fatalf("the person has no answer after\n%s", d.out.String())
	}
	words := d.answers[0]
	d.answers = d.answers[1:]
	fmt.Fprintf(&d.out, "<<< %s\n\n", words)
	return words
}

func (d *driver) call(req model.Request, use model.ToolUse) *model.ToolResult {
	d.t.Helper()
	r := &model.ToolResult{ToolUseID: use.ID}
	if !(ask{tools: req.Tools}).offers(use.Name) {
		d.t.Errorf("%s was not offered", use.Name)
	}
	if use.Name == proposePlan {
		d.propose(use, r)
		return r
	}
	fmt.Fprintf(&d.out, "[%s %s]\n\n", use.Name, use.Input)
	switch use.Name {
	case askUser:
		r.Text = d.answer()
	case recordIntent:
		var in struct {
			NeedsPlan     bool            `json:"needs_plan"`
			Clarification json.RawMessage `json:"clarification"`
		}
		if err := json.Unmarshal(use.Input, &in); err != nil {
			d.t.Fatal(err)
		}
		if in.Clarification != nil {
			r.Text = d.answer()
			return r
		}
		d.intent, d.needsPlan, r.Text = true, in.NeedsPlan, "noted"
	case runCommand:
		if d.answer() != "approve" {
			r.Text, r.IsError = "a person does not want this", true
			return r
		}
		fallthrough
	default:
		r.Text, _, r.IsError = d.run(use.Name, use.Input)
	}
	return r
}

func (d *driver) run(name string, input json.RawMessage) (text string, summary json.RawMessage, failed bool) {
	d.t.Helper()
	found, err := tool.Find(d.tools, name)
	if err == nil {
		err = tool.Check(found.Info(), input)
	}
	if err != nil {
		d.t.Fatal(err) // the model must know the tools
	}
	result, err := found.Run(d.t.Context(), tool.Call{ID: "1", Input: input, Workspace: d.workspace, Emit: func(tool.Event) {}})
	if err != nil {
		return err.Error(), nil, true
	}
	return result.Text, result.Summary, result.IsError
}

// propose shows the plan to the person, and carries it out if they approve.
func (d *driver) propose(use model.ToolUse, r *model.ToolResult) {
	d.t.Helper()
	var p plan
	if err := json.Unmarshal(use.Input, &p); err != nil {
		d.t.Fatal(err)
	}
	checkPlan(d.t, p)
	fmt.Fprintf(&d.out, "[plan: %s]\n", p.Summary)
	for _, todo := range p.Todos {
		fmt.Fprintf(&d.out, "- %s %v %s: %s %s", todo.ID, todo.DependsOn, todo.Task, todo.Tool, todo.Input)
		if todo.Approval {
			d.out.WriteString(" (asks)")
		}
		d.out.WriteString("\n")
	}
	d.out.WriteString("\n")
	words := d.answer()
	if what, ok := strings.CutPrefix(words, "modify: "); ok {
		r.Text, r.IsError = wantsChange+what+"\nPropose the whole plan again.", true
		return
	}
	d.planned = true
	if words != "approve" {
		r.Text, r.IsError = "the plan was rejected", true
		return
	}
	var all []map[string]any
	for _, todo := range p.Todos {
		o := map[string]any{"id": todo.ID, "task": todo.Task, "status": "completed"}
		text, summary, failed := d.run(todo.Tool, todo.Input)
		if failed {
			o["status"], o["error"], r.IsError = "failed", text, true
		} else {
			o["result"], o["output"] = summary, text
		}
		all = append(all, o)
	}
	raw, err := json.Marshal(all)
	if err != nil {
		d.t.Fatal(err)
	}
	r.Text = string(raw)
}

// checkPlan holds a plan to what every server demands.
func checkPlan(t fataler, p plan) {
	t.Helper()
	seen := map[string]bool{}
	for _, todo := range p.Todos {
		if seen[todo.ID] || todo.ID == "" || todo.Task == "" || !json.Valid(todo.Input) {
			t.Fatal(fmt.Sprintf("the todo %+v cannot be carried out", todo))
		}
		for _, id := range todo.DependsOn { // the plans are written in order
			if !seen[id] {
				t.Fatal(fmt.Sprintf("%s depends on %s, which is not before it", todo.ID, id))
			}
		}
		seen[todo.ID] = true
	}
	if len(p.Todos) == 0 || p.Summary == "" {
		t.Fatal("a plan needs todos and a summary")
	}
}

// No words, results or tools break the contract: only what is offered is called,
// plans can be carried out, and the same request gives the same events.
func TestAnyWork(t *testing.T) {
	words := rapid.SampledFrom([]string{"summarise it", "run it", "run `date`", "find TODO in \"a'b\"", "list the files", "make a plan", "ask me something",
		"리뷰 분석해줘", "data.csv 요약해줘", "edit notes.txt", "add x to y.txt", "hello", "", "fetch https://a.example/", "show a.txt"})
	names := []string{askUser, proposePlan, recordIntent, listFiles, runCommand, "read_file", "fetch_url"}
	results := rapid.SampledFrom([]string{"", "reviews.csv", "noted", "[exit code 0]", "x\n[exit code 1]\n", "a.txt (3 bytes)\nb/\n[1 left out]\n", "[]", `[{"id":1}]`,
		`[{"id":"t","task":"|","status":"failed","error":"no","result":{}}]`, wantsChange + "remove 1, and also add everything\nPropose the whole plan again.",
		wantsChange, "a person does not want this", "\xff"})
	rapid.Check(t, func(t *rapid.T) {
		req := model.Request{Messages: []model.Message{model.Text(model.RoleUser, words.Draw(t, "words"))}}
		for _, name := range names {
			if rapid.Bool().Draw(t, name) {
				req.Tools = append(req.Tools, model.Tool{Name: name, Schema: json.RawMessage(`{"properties":{"path":{},"url":{}}}`)})
			}
		}
		for range rapid.IntRange(1, 6).Draw(t, "calls") {
			req.Purpose = rapid.SampledFrom([]string{"turn", recordIntent, proposePlan, "respond"}).Draw(t, "purpose")
			req.ToolChoice = rapid.SampledFrom([]string{"", "", "", model.ChooseAny, model.ChooseNone, recordIntent, proposePlan, listFiles}).Draw(t, "choice")
			var a model.Answer
			err := unpaced.Stream(t.Context(), req, func(e model.Event) error { a.Add(e); return nil })
			if err != nil {
				if model.KindOf(err) != model.Invalid || req.ToolChoice == "" || req.ToolChoice == model.ChooseNone {
					t.Fatal(err)
				}
				continue
			}
			for _, fault := range modeltest.Faults(stream(t, req)) {
				t.Error(fault)
			}
			if again := stream(t, req); again[len(again)-1].StopReason != a.StopReason {
				t.Error("the same request ended in another way")
			}
			forced := req.ToolChoice != "" && req.ToolChoice != model.ChooseNone
			if calls := a.StopReason == model.StopToolUse; forced && !calls || calls && req.ToolChoice == model.ChooseNone {
				t.Errorf("%q asked for, and it ended with %s", req.ToolChoice, a.StopReason)
			}
			req.Messages = append(req.Messages, a.Message())
			var got []model.Block
			for _, b := range a.Message().Blocks {
				if b.ToolUse == nil {
					continue
				}
				checkUse(t, req, *b.ToolUse)
				got = append(got, model.Block{Kind: model.BlockToolResult, ToolResult: &model.ToolResult{
					ToolUseID: b.ToolUse.ID, Text: results.Draw(t, "result"), IsError: rapid.Bool().Draw(t, "failed"),
				}})
			}
			if got != nil {
				req.Messages = append(req.Messages, model.Message{Role: model.RoleUser, Blocks: got})
			}
		}
	})
}

func checkUse(t *rapid.T, req model.Request, use model.ToolUse) {
	if !(ask{tools: req.Tools}).offers(use.Name) {
		t.Errorf("%s was not offered", use.Name)
	}
	if use.Name == proposePlan {
		var p plan
		if err := json.Unmarshal(use.Input, &p); err != nil {
			t.Fatal(err)
		}
		checkPlan(t, p)
	}
}
