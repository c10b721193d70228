// Package tooltest is the suite that every tool passes. It holds a tool to the
// contract in package tool: what it says of itself, refusing what does not fit,
// staying inside the workspace, stopping when told to, bounded output, concurrent
// use, nothing left running.
//
// A tool is tried as it is, in a real folder, with real programs and links.
package tooltest

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/parley-dev/parley/tool"
)

// Subject is a tool to be tried, with inputs that bring it to each kind of end.
// The workspace holds a.txt, and a folder "in" with note.txt in it. What is empty
// is not tried, and says so in the test's output.
type Subject struct {
	Tool tool.Tool
	// Good is an input that succeeds.
	Good string
	// Bad are inputs that do not fit, beside those that the suite makes by
	// bending Good against the schema.
	Bad []string
	// Path makes an input that has the tool work in a folder of the workspace:
	// list it, read or write the note.txt in it. Needed of every tool that
	// takes a path.
	Path func(folder string) string
	// Anywhere says that the tool needs no workspace.
	Anywhere bool
	// Stall is an input with which the tool emits at least one event, and then
	// runs until it is cancelled.
	Stall string
	// Hold makes an input with which all that the tool starts opens that FIFO
	// for writing, writes a line to it, and keeps it open until it is stopped.
	// Needed of every tool that starts programs.
	Hold func(fifo string) string
}

// Run tries the tool. It asks for a new subject for every check; what the subject
// needs to have closed it closes with t.Cleanup.
func Run(t *testing.T, newSubject func(t *testing.T) Subject) {
	t.Helper()
	for _, c := range checks() {
		t.Run(c.name, func(t *testing.T) {
			tr := &trial{}
			// Registered first, so that they look after everything has been
			// cleaned up: the last one first, the leaked goroutines, which may
			// emit until they have ended.
			t.Cleanup(func() { tr.watch.report(t) })
			before := goleak.IgnoreCurrent()
			t.Cleanup(func() { goleak.VerifyNone(t, before) })

			tr.Subject = newSubject(t)
			if !c.applies(tr.Subject) {
				t.Skipf("this subject has no input for %s", c.name)
			}
			tr.furnish(t)
			c.run(t, tr)
		})
	}
}

// check is one promise of the contract.
type check struct {
	name    string
	applies func(Subject) bool
	run     func(t *testing.T, tr *trial)
}

func checks() []check {
	return []check{
		{"info", always, checkInfo},
		{"schema", always, checkSchema},
		{"good", always, checkGood},
		{"nobody_watches", always, checkNobodyWatches},
		{"no_workspace", needsWorkspace, checkNoWorkspace},
		{"bad_input", always, checkBadInput},
		{"preview", previews, checkPreview},
		{"weight", weighs, checkWeight},
		{"concurrent", always, checkConcurrent},
		{"cancelled_before", always, checkCancelledBefore},
		{"cancelled_while_running", stalls, checkCancelledRunning},
		{"nothing_left", holds, checkNothingLeft},
		{"path_escapes", takesPath, checkPathEscapes},
		{"path_race", takesPath, checkPathRace},
	}
}

func always(Subject) bool           { return true }
func previews(s Subject) bool       { _, ok := s.Tool.(tool.Previewer); return ok }
func weighs(s Subject) bool         { _, ok := s.Tool.(tool.Weigher); return ok }
func stalls(s Subject) bool         { return s.Stall != "" }
func holds(s Subject) bool          { return s.Hold != nil }
func needsWorkspace(s Subject) bool { return !s.Anywhere }
func takesPath(s Subject) bool      { return s.Path != nil }

// trial is one subject in its workspace.
type trial struct {
	Subject
	base   string // around the workspace: what no tool may see
	work   string // the workspace
	secret string // in the name and the content of files around the workspace
	watch  watch
}

// furnish makes the workspace and what lies around it.
func (tr *trial) furnish(t *testing.T) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tr.base, tr.work, tr.secret = base, filepath.Join(base, "work"), "secret-"+rand.Text()
	write := func(path, content string) error {
		path = filepath.Join(base, path)
		return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o600))
	}
	if err := errors.Join(
		write("work/a.txt", "an a\n"),
		write("work/in/note.txt", "a note\n"),
		write("note.txt", tr.secret),
		write(tr.secret, tr.secret),
		write("other/note.txt", tr.secret),
		write("other/"+tr.secret, tr.secret),
	); err != nil {
		t.Fatal(err)
	}
}

func (tr *trial) call(input string) tool.Call {
	return tool.Call{ID: "call_1", Input: []byte(input), Workspace: tr.work, Emit: tr.watch.emit}
}

// run calls the tool and holds whatever comes of it to the contract.
func (tr *trial) run(ctx context.Context, t *testing.T, call tool.Call) (tool.Result, error) {
	t.Helper()
	before := string(call.Input)
	end := tr.watch.begin()
	result, err := tr.Tool.Run(ctx, call)
	end()
	if string(call.Input) != before {
		t.Errorf("the input was changed from %.200s to %.200s", before, call.Input)
	}
	for _, fault := range resultFaults(result) {
		t.Error(fault)
	}
	for _, fault := range errorFaults(ctx, err) {
		t.Error(fault)
	}
	return result, err
}
