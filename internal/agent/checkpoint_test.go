package agent_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/parley-dev/parley/internal/agent"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/journal/sqlite"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/internal/settings"
	"github.com/parley-dev/parley/internal/workspace"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/builtin"
)

// writer is a model that writes to the path that it is told.
type writer struct{}

func (writer) Info() model.Info { return model.Info{Name: "writer", ContextWindow: 100_000} }

func (writer) Stream(_ context.Context, req model.Request, yield func(model.Event) error) error {
	done := model.Event{Kind: model.EventDone, StopReason: model.StopEndTurn}
	last := req.Messages[len(req.Messages)-1]
	if last.Blocks[0].ToolResult != nil {
		if err := yield(model.Event{Kind: model.EventTextDelta, Text: last.Blocks[0].ToolResult.Text}); err != nil {
			return err
		}
		return yield(done)
	}
	done.StopReason = model.StopToolUse
	if err := yield(model.Event{Kind: model.EventToolUse, ToolUse: &model.ToolUse{ID: "u", Name: "write_file", Input: []byte(`{"path":"` + last.Text() + `","content":"new\n"}`)}}); err != nil {
		return err
	}
	return yield(done)
}

// The record of a checkpoint names some files that are not in it, and says how
// many more there are.
func TestNotCapturedIsCounted(t *testing.T) {
	for _, c := range []struct{ missing, named, more int }{{0, 0, 0}, {20, 20, 0}, {21, 20, 1}, {50, 20, 30}} {
		var after workspace.Checkpoint
		for i := range c.missing {
			after.NotCaptured = append(after.NotCaptured, workspace.Missing{Path: fmt.Sprint("file\xff", i)})
		}
		saved := agent.Saved("", after, workspace.Save{}, 0)
		if len(saved.NotCaptured) != c.named || saved.NotCapturedMore != c.more {
			t.Errorf("of %d, %d are named and %d more are said to be", c.missing, len(saved.NotCaptured), saved.NotCapturedMore)
		}
	}
}

// Whatever way a path takes to a file, what the call changed is kept.
func TestCheckpointsFollowLinks(t *testing.T) {
	for _, name := range []string{"real/a.txt", "./real//a.txt", "link/a.txt", "alias.txt", "link/new.txt"} {
		dir, store := t.TempDir(), t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "real"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "real/a.txt"), []byte("old\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		for link, to := range map[string]string{"link": "real", "alias.txt": "real/a.txt"} {
			if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
				t.Fatal(err)
			}
		}
		files, err := workspace.Open(workspace.Options{Dir: filepath.Join(store, "checkpoints")})
		if err != nil {
			t.Fatal(err)
		}
		j, err := sqlite.Open(sqlite.Options{Dir: store})
		if err != nil {
			t.Fatal(err)
		}
		models := agent.NewModels([]model.Provider{{Prefix: "m", Open: func(context.Context, string) (model.Model, error) { return writer{}, nil }}}, "m")
		e := engine.New(engine.Options{Store: j, Blobs: lost{}, Runner: &agent.Agent{
			Models: models, Tools: builtin.All(), Blobs: lost{}, Logger: slog.New(slog.DiscardHandler), Settings: settings.Open(settings.Options{Dir: t.TempDir()}), Files: files,
		}})
		e.Start()
		if _, err := e.Create(t.Context(), "s", protocol.SessionCreated{Owner: "ann", Workspace: dir, AutoApprove: []string{"write"}}, session.Actor{}, nil); err != nil {
			t.Fatal(err)
		}
		end := outcome(t, e, name)
		checkpoints, err := e.Checkpoints(t.Context(), "s", 0, mustLast(t, e))
		if err != nil || len(checkpoints) != 2 { // where it started, and what the call did
			t.Errorf("%s: %d checkpoints (%v), the turn ended as %+v", name, len(checkpoints), err, end)
		}
		e.Close()
		j.Close()
		files.Close()
	}
}

func mustLast(t *testing.T, e *engine.Engine) uint64 {
	t.Helper()
	last, err := e.Last(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	return last
}

// clumsy is the tool write_file that breaks when it has written.
type clumsy struct{ tool.Tool }

func (c clumsy) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	if _, err := c.Tool.Run(ctx, call); err != nil {
		return tool.Result{}, err
	}
	panic("it breaks")
}

// What a tool did before it broke is kept, so that it can go back.
func TestCheckpointOfAToolThatPanics(t *testing.T) {
	write, err := tool.Find(builtin.All(), "write_file")
	if err != nil {
		t.Fatal(err)
	}
	files, err := workspace.Open(workspace.Options{Dir: t.TempDir(), Home: "/nowhere"})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	j, err := sqlite.Open(sqlite.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	models := agent.NewModels([]model.Provider{{Prefix: "m", Open: func(context.Context, string) (model.Model, error) { return writer{}, nil }}}, "m")
	quiet := slog.New(slog.DiscardHandler)
	e := engine.New(engine.Options{Store: j, Blobs: lost{}, Logger: quiet, Runner: &agent.Agent{
		Models: models, Tools: []tool.Tool{clumsy{write}}, Blobs: lost{}, Logger: quiet, Settings: settings.Open(settings.Options{Dir: t.TempDir()}), Files: files,
	}})
	e.Start()
	defer e.Close()
	if _, err := e.Create(t.Context(), "s", protocol.SessionCreated{Owner: "ann", Workspace: t.TempDir(), AutoApprove: []string{"write"}}, session.Actor{}, nil); err != nil {
		t.Fatal(err)
	}
	wait := follow(t, e, "s")
	if _, err := e.Do(t.Context(), "s", session.Command{Type: protocol.TypeUserMessage, Data: &protocol.UserMessage{Content: "a.txt"}}); err != nil {
		t.Fatal(err)
	}
	wait(func(_ protocol.Envelope, data any) bool {
		c, ok := data.(*protocol.CheckpointSaved)
		return ok && c.FromHash != "" && c.FilesChanged == 1
	})
}
