package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/parley-dev/parley/tool"
)

//go:embed write_file.md
var writeFileText string

const writeFileSchema = `{
	"type": "object",
	"properties": {
		"path": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "File to write, relative to the workspace."},
		"content": {"type": "string", "description": "All that the file is to hold."}
	},
	"required": ["path", "content"],
	"additionalProperties": false
}`

// maxChanged is the largest file that can be replaced or edited.
const maxChanged = 16 << 20

// WriteFile writes a file of the workspace, whole or not at all.
type WriteFile struct {
	// Turn is held while a file is changed. Tools that share it do not undo
	// each other's changes; nil is for one that is used alone.
	Turn *sync.Mutex
}

type writeInput struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// Info says what the tool is.
func (WriteFile) Info() tool.Info {
	return tool.Info{
		Name:        "write_file",
		Description: writeFileText,
		Schema:      json.RawMessage(writeFileSchema),
		Class:       tool.ClassWrite,
		Effect:      tool.EffectIdempotent,
		Timeout:     30 * time.Second,
	}
}

// Weigh guards secrets, .git and .parleyignore.
func (w WriteFile) Weigh(_ context.Context, call tool.Call) (tool.Weight, error) {
	in, err := tool.Decode[writeInput](w.Info(), call.Input)
	if err != nil {
		return tool.Weight{}, err
	}
	return weigh(w.Info(), call, in.Path, writing)
}

// Preview shows what would change.
func (w WriteFile) Preview(_ context.Context, call tool.Call) (string, error) {
	call.Approved = true // to be shown is not to be done
	p, old, text, err := w.prepare(call)
	if err != nil {
		return "", err
	}
	defer p.Close()
	return diff(old, text), nil
}

// Run writes the file.
func (w WriteFile) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	defer hold(w.Turn)()
	p, old, text, err := w.prepare(call)
	if err != nil {
		return tool.Result{}, err
	}
	defer p.Close()
	if err := ctx.Err(); err != nil {
		return tool.Result{}, err
	}
	if err := p.replace(old, text); err != nil {
		return tool.Result{}, err
	}
	did := "replaced"
	if old.info == nil {
		did = "created"
	}
	return tool.Result{
		Text: fmt.Sprintf("%s %s, %d bytes\n", did, plain(old.name), len(text)),
		Summary: facts(struct {
			Path    string `json:"path"`
			Bytes   int    `json:"bytes"`
			Created bool   `json:"created"`
		}{brief(old.name), len(text), old.info == nil}),
	}, nil
}

// prepare finds the file and what is in it now. Whoever calls closes the place.
func (w WriteFile) prepare(call tool.Call) (*place, content, []byte, error) {
	in, err := tool.Decode[writeInput](w.Info(), call.Input)
	if err != nil {
		return nil, content{}, nil, err
	}
	p, err := openPlace(call)
	if err != nil {
		return nil, content{}, nil, err
	}
	name, err := p.find(in.Path, writing)
	var old content
	if err == nil {
		old, err = p.load(name, maxChanged)
	}
	if err != nil {
		p.Close()
		return nil, content{}, nil, err
	}
	return p, old, []byte(in.Content), nil
}

// hold takes a turn; the function gives it back.
func hold(turn *sync.Mutex) func() {
	if turn == nil {
		return func() {}
	}
	turn.Lock()
	return turn.Unlock
}
