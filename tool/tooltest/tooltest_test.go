//go:build unix

package tooltest_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/tooltest"
)

// sample is a tool that lists a folder, or waits. Each change breaks one promise.
type sample struct {
	info func(*tool.Info)
	run  func(ctx context.Context, s sample, call tool.Call) (tool.Result, error)
	open func(call tool.Call, folder string) ([]string, error)
	// weight is what a call weighs, however it fits; as it should if zero.
	weight tool.Weight
}

type sampleInput struct {
	Folder string
	Wait   bool
	Fifo   string
}

func (s sample) Info() tool.Info {
	info := tool.Info{
		Name: "sample", Description: "List a folder, or wait until it is stopped.", Class: tool.ClassRead, Effect: tool.EffectRead,
		Schema: json.RawMessage(`{"type":"object","properties":{
			"folder":{"type":"string","minLength":1,"maxLength":1000,"description":"where"},
			"wait":{"type":"boolean","description":"for ever"},
			"fifo":{"type":"string","description":"what to hold"}
		},"required":["folder"],"additionalProperties":false}`),
	}
	if s.info != nil {
		s.info(&info)
	}
	return info
}

func (s sample) Preview(_ context.Context, call tool.Call) (string, error) {
	in, err := tool.Decode[sampleInput](s.Info(), call.Input)
	return "list " + in.Folder, err
}

func (s sample) Weigh(_ context.Context, call tool.Call) (tool.Weight, error) {
	if s.weight != (tool.Weight{}) {
		return s.weight, nil
	}
	_, err := tool.Decode[sampleInput](s.Info(), call.Input)
	return tool.Weight{Class: tool.ClassRead, Effect: tool.EffectRead}, err
}

func (s sample) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	if s.run != nil {
		return s.run(ctx, s, call)
	}
	return s.good(ctx, call)
}

func (s sample) good(ctx context.Context, call tool.Call) (tool.Result, error) {
	in, err := tool.Decode[sampleInput](s.Info(), call.Input)
	if err != nil {
		return tool.Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return tool.Result{}, err
	}
	if call.Emit != nil {
		call.Emit(tool.Event{Output: "looking\n", Stream: tool.Stdout})
	}
	if in.Fifo != "" {
		f, err := os.OpenFile(in.Fifo, os.O_WRONLY, 0)
		if err != nil {
			return tool.Result{}, err
		}
		defer f.Close()
		_, _ = f.WriteString("held\n")
	}
	if in.Wait {
		<-ctx.Done()
		return tool.Result{}, ctx.Err()
	}
	open := s.open
	if open == nil {
		open = safely
	}
	names, err := open(call, in.Folder)
	return tool.Result{Text: strings.Join(names, "\n"), Summary: json.RawMessage(`{"ok":true}`)}, err
}

func safely(call tool.Call, folder string) ([]string, error) {
	folder, err := tool.Path(folder)
	if err != nil {
		return nil, err
	}
	root, err := call.Root()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	dir, err := root.Open(folder)
	if err != nil {
		return nil, tool.PathError(root, folder, err)
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}

func failed(err error) error {
	if err == nil {
		return nil
	}
	return &tool.Error{Code: tool.CodeExecutionFailed, Message: err.Error()}
}

func names(path string) ([]string, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, failed(err)
	}
	defer dir.Close()
	out, err := dir.Readdirnames(-1)
	return out, failed(err)
}

// checked looks where the path leads, and goes there by name afterwards: as late
// as to find a link changed.
func checked(call tool.Call, folder string) ([]string, error) {
	if _, err := safely(call, folder); err != nil {
		return nil, err
	}
	path := filepath.Join(call.Workspace, folder)
	for target, err := os.Readlink(path); err == nil && target == "in"; {
		target, err = os.Readlink(path)
	}
	return names(path)
}

// after does something, then what the sample does.
func after(do func(tool.Call)) sample {
	return sample{run: func(ctx context.Context, s sample, call tool.Call) (tool.Result, error) {
		do(call)
		return s.good(ctx, call)
	}}
}

// with does something after what succeeded, or changes its result.
func with(change func(tool.Call, *tool.Result)) sample {
	return sample{run: func(ctx context.Context, s sample, call tool.Call) (tool.Result, error) {
		result, err := s.good(ctx, call)
		if err == nil {
			change(call, &result)
		}
		return result, err
	}}
}

func emit(call tool.Call, e tool.Event) {
	if call.Emit != nil {
		call.Emit(e)
	}
}

// tools break one promise each; fails are the checks that must notice. The first
// breaks none.
var tools = map[string]struct {
	tool  sample
	fails []string
}{
	"good":        {sample{}, nil},
	"bad_name":    {sample{info: func(i *tool.Info) { i.Name = "no spaces" }}, []string{"info"}},
	"wordless":    {sample{info: func(i *tool.Info) { i.Description = "" }}, []string{"info"}},
	"classless":   {sample{info: func(i *tool.Info) { i.Class = "" }}, []string{"info"}},
	"effectless":  {sample{info: func(i *tool.Info) { i.Effect = "" }}, []string{"info"}},
	"not_a_read":  {sample{info: func(i *tool.Info) { i.Effect = tool.EffectEffect }}, []string{"info"}},
	"list_schema": {sample{info: func(i *tool.Info) { i.Schema = json.RawMessage(`{"type":"array"}`) }}, []string{"schema"}},
	"bad_schema":  {sample{info: func(i *tool.Info) { i.Schema = json.RawMessage(`{"type":"object","required":3}`) }}, []string{"schema", "good", "bad_input"}},
	"undescribed": {sample{info: func(i *tool.Info) {
		i.Schema = json.RawMessage(strings.Replace(string(i.Schema), `"description":"where"`, `"title":"x"`, 1))
	}}, []string{"schema"}},
	"credulous": {sample{run: func(ctx context.Context, s sample, call tool.Call) (tool.Result, error) {
		if tool.Check(s.Info(), call.Input) != nil {
			return tool.Result{Text: "whatever"}, nil
		}
		return s.good(ctx, call)
	}}, []string{"bad_input"}},
	"hasty":  {after(func(c tool.Call) { _ = os.WriteFile(filepath.Join(c.Workspace, "new"), nil, 0o600) }), []string{"good", "bad_input", "cancelled_before"}},
	"chatty": {after(func(c tool.Call) { emit(c, tool.Event{Output: "x", Stream: tool.Stdout}) }), []string{"bad_input", "cancelled_before"}},
	"cut_utf8": {after(func(c tool.Call) { emit(c, tool.Event{Output: "\xed\x95", Stream: tool.Stdout}) }),
		[]string{"good", "bad_input", "concurrent"}},
	"streamless": {after(func(c tool.Call) { emit(c, tool.Event{Output: "x"}) }), []string{"good"}},
	"greedy":     {after(func(c tool.Call) { clear(c.Input[:min(1, len(c.Input))]) }), []string{"good", "bad_input"}},
	"emits_at_once": {after(func(c tool.Call) {
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				for range 50 {
					emit(c, tool.Event{Output: "x", Stream: tool.Stdout})
				}
			})
		}
		wg.Wait()
	}), []string{"good"}},
	"emits_late": {with(func(c tool.Call, _ *tool.Result) {
		go func() {
			<-time.After(100 * time.Millisecond) // Run returns at once
			emit(c, tool.Event{Output: "x", Stream: tool.Stdout})
		}()
	}), []string{"good", "path_escapes"}},
	"needs_emit":   {after(func(c tool.Call) { c.Emit(tool.Event{Output: "x", Stream: tool.Stdout}) }), []string{"nobody_watches"}},
	"leaking":      {after(func(tool.Call) { go func() { select {} }() }), []string{"good", "nobody_watches", "bad_input"}},
	"endless_text": {with(func(_ tool.Call, r *tool.Result) { r.Text = strings.Repeat("x", tool.MaxText+1) }), []string{"good", "nobody_watches", "concurrent"}},
	"silent":       {with(func(_ tool.Call, r *tool.Result) { r.Text = "" }), []string{"good"}},
	"bytes":        {with(func(_ tool.Call, r *tool.Result) { r.Text = "\xff" }), []string{"good"}},
	"long_summary": {with(func(_ tool.Call, r *tool.Result) {
		r.Summary = json.RawMessage(`{"a":"` + strings.Repeat("x", tool.MaxSummary) + `"}`)
	}), []string{"good"}},
	"odd_image": {with(func(_ tool.Call, r *tool.Result) {
		r.Images = []tool.Image{{MediaType: "image/tiff", Data: []byte("x")}}
	}), []string{"good"}},
	"empty_image": {with(func(_ tool.Call, r *tool.Result) { r.Images = []tool.Image{{MediaType: "image/png"}} }), []string{"good"}},
	"many_images": {with(func(_ tool.Call, r *tool.Result) {
		r.Images = slices.Repeat([]tool.Image{{MediaType: "image/png", Data: []byte("x")}}, tool.MaxImages+1)
	}), []string{"good"}},
	"odd_weight":    {sample{weight: tool.Weight{Class: "heavy", Effect: tool.EffectRead}}, []string{"weight"}},
	"weighs_it_all": {sample{weight: tool.Weight{Class: tool.ClassRead, Effect: tool.EffectRead}}, []string{"weight"}},
	"list_summary":  {with(func(_ tool.Call, r *tool.Result) { r.Summary = json.RawMessage(`[]`) }), []string{"good"}},
	"deaf": {sample{run: func(_ context.Context, s sample, call tool.Call) (tool.Result, error) {
		return s.good(context.Background(), call)
	}}, []string{"cancelled_before"}},
	"untyped": {sample{open: func(tool.Call, string) ([]string, error) { return nil, os.ErrPermission }}, []string{"good", "no_workspace", "path_escapes"}},
	"anywhere": {sample{open: func(call tool.Call, folder string) ([]string, error) {
		return names(filepath.Join(call.Workspace, folder))
	}}, []string{"no_workspace", "path_escapes", "path_race"}},
	"look_then_go": {sample{open: checked}, []string{"path_race"}},
	"refuses_all": {sample{open: func(tool.Call, string) ([]string, error) {
		return nil, &tool.Error{Code: tool.CodePathRefused, Message: "no"}
	}}, []string{"good", "path_escapes"}},
	"one_at_a_time": {sample{run: func() func(context.Context, sample, tool.Call) (tool.Result, error) {
		var busy sync.Mutex
		var once sync.Once
		second := make(chan struct{})
		return func(ctx context.Context, s sample, call tool.Call) (tool.Result, error) {
			if !busy.TryLock() {
				once.Do(func() { close(second) })
				return tool.Result{}, &tool.Error{Code: tool.CodeUnavailable, Message: "busy"}
			}
			defer busy.Unlock()
			<-second
			return s.good(ctx, call)
		}
	}()}, []string{"concurrent"}},
	"holds_on": {after(func(c tool.Call) {
		var in sampleInput
		if json.Unmarshal(c.Input, &in) == nil && in.Fifo != "" {
			f, _ := os.OpenFile(in.Fifo, os.O_WRONLY, 0)
			kept = append(kept, f)
		}
	}), []string{"nothing_left"}},
}

// kept are files that nobody closes.
var kept []*os.File

const environment = "TOOLTEST_TOOL"

// TestTool runs the suite on the tool that the environment names.
func TestTool(t *testing.T) {
	name := os.Getenv(environment)
	if name == "" {
		t.Skip("runs inside TestSuiteNotices")
	}
	tooltest.Run(t, func(*testing.T) tooltest.Subject {
		s := tooltest.Subject{Tool: tools[name].tool, Good: `{"folder":"in"}`, Path: func(folder string) string {
			raw, _ := json.Marshal(sampleInput{Folder: folder})
			return strings.NewReplacer("Folder", "folder", `,"Wait":false,"Fifo":""`, "").Replace(string(raw))
		}}
		if name != "deaf" { // it would never end
			s.Stall = `{"folder":"in","wait":true}`
			s.Hold = func(fifo string) string { return `{"folder":"in","wait":true,"fifo":"` + fifo + `"}` }
		}
		return s
	})
}

// A suite that lets a broken tool pass proves nothing of the others.
func TestSuiteNotices(t *testing.T) {
	failed := regexp.MustCompile(`(?m)^ +--- FAIL: TestTool/(\S+)`)
	for name, c := range tools {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := "^TestTool$"
			if len(c.fails) > 0 { // the other checks are not asked
				run += "/^(" + strings.Join(c.fails, "|") + ")$"
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+run, "-test.v")
			cmd.Env = append(os.Environ(), environment+"="+name)
			out, err := cmd.CombinedOutput()
			var got []string
			for _, found := range failed.FindAllStringSubmatch(string(out), -1) {
				got = append(got, found[1])
			}
			for _, want := range c.fails {
				if !slices.Contains(got, want) {
					t.Errorf("%s passed; failed were %v\n%s", want, got, out)
				}
			}
			if len(c.fails) == 0 && err != nil {
				t.Errorf("a good tool failed: %v\n%s", err, out)
			}
		})
	}
}
