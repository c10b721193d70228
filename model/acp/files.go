package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"
)

// maxFile is the largest file that is read for an agent.
const maxFile = 8 << 20

// inside gives a path as it is called in the folder.
func inside(folder, path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	name, err := filepath.Rel(folder, path)
	if err != nil || !filepath.IsLocal(name) {
		return "", fmt.Errorf("%s lies outside of the workspace %s", path, folder)
	}
	return name, nil
}

// readFile reads a file of the workspace for the agent.
func (t *talk) readFile(_ context.Context, p sdk.ReadTextFileRequest) (any, error) {
	text, err := t.read(p.Path)
	if err != nil {
		return nil, err
	}
	if p.Line != nil || p.Limit != nil {
		lines := strings.SplitAfter(text, "\n")
		if p.Line != nil {
			lines = lines[min(max(*p.Line-1, 0), len(lines)):]
		}
		if p.Limit != nil {
			lines = lines[:min(max(*p.Limit, 0), len(lines))]
		}
		text = strings.Join(lines, "")
	}
	return sdk.ReadTextFileResponse{Content: text}, nil
}

func (t *talk) read(path string) (string, error) {
	name, err := inside(t.folder, path)
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(t.folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if info, err := root.Stat(name); err != nil {
		return "", err
	} else if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a file", path)
	}
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(raw) > maxFile {
		err = fmt.Errorf("%s is larger than %d MiB", path, maxFile>>20)
	}
	return string(raw), err
}

// errRefused is what an agent hears that may not write.
var errRefused = errors.New("a person does not want this file to be written")

// writeFile writes a file of the workspace for the agent, once that is allowed: as
// a part of what it was allowed to do with this file, or on its own.
func (t *talk) writeFile(ctx context.Context, p sdk.WriteTextFileRequest) (any, error) {
	name, err := inside(t.folder, p.Path)
	if err != nil {
		return nil, err
	}
	if p.SessionId != t.session() {
		return nil, fmt.Errorf("there is no session %q", p.SessionId)
	}
	if t.covered(name) {
		return sdk.WriteTextFileResponse{}, t.write(name, p.Content)
	}
	old, _ := t.read(p.Path) // a file that cannot be read is shown as new
	a := &act{
		title: "Write " + name, kind: sdk.ToolKindEdit, paths: []string{p.Path}, status: sdk.ToolCallStatusInProgress,
		shown: []sdk.ToolCallContent{sdk.ToolDiffContent(p.Path, p.Content, old)},
	}
	if t.decide(ctx, a) != allowed {
		return nil, errRefused
	}
	err = t.write(name, p.Content)
	t.mu.Lock()
	defer t.mu.Unlock()
	a.status, a.output, a.shown = sdk.ToolCallStatusCompleted, "written", nil
	if err != nil {
		a.status, a.output = sdk.ToolCallStatusFailed, err.Error()
	}
	t.changed()
	return sdk.WriteTextFileResponse{}, err
}

func (t *talk) session() sdk.SessionId {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.at.session
}

// covered says whether writing this file is part of something that was allowed
// and has not ended.
func (t *talk) covered(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.calls {
		if a.allowed && !a.ended() && toolOf[a.kind] == "agent_write" && slices.ContainsFunc(a.paths, func(path string) bool {
			allowed, err := inside(t.folder, path)
			return err == nil && allowed == name
		}) {
			return true
		}
	}
	return false
}

func (t *talk) write(name, text string) error {
	root, err := os.OpenRoot(t.folder)
	if err != nil {
		return err
	}
	defer root.Close()
	if dir := filepath.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	return root.WriteFile(name, []byte(text), 0o666)
}
