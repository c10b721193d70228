package builtin

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/parley-dev/parley/tool"
)

//go:embed edit_file.md
var editFileText string

const editFileSchema = `{
	"type": "object",
	"properties": {
		"path": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "File to change, relative to the workspace."},
		"old_text": {"type": "string", "minLength": 1, "description": "Text to replace, as it stands in the file. For a single edit."},
		"new_text": {"type": "string", "description": "Text to put there."},
		"all": {"type": "boolean", "description": "Replace it wherever it stands. Default: false, it has to stand there once."},
		"edits": {
			"type": "array", "minItems": 1, "maxItems": 100,
			"description": "Several edits, instead of old_text and new_text.",
			"items": {
				"type": "object",
				"properties": {
					"old_text": {"type": "string", "minLength": 1, "description": "Text to replace."},
					"new_text": {"type": "string", "description": "Text to put there."},
					"all": {"type": "boolean", "description": "Replace it wherever it stands."}
				},
				"required": ["old_text", "new_text"],
				"additionalProperties": false
			}
		}
	},
	"required": ["path"],
	"additionalProperties": false
}`

// EditFile changes parts of a file of the workspace: all that it was asked to or
// nothing. The file keeps its mode, owner and line endings.
type EditFile struct {
	// Turn is as in WriteFile.
	Turn *sync.Mutex
}

type edit struct {
	Old string `json:"old_text"`
	New string `json:"new_text"`
	All bool   `json:"all"`
}

type editInput struct {
	Path  string  `json:"path"`
	Old   *string `json:"old_text"`
	New   *string `json:"new_text"`
	All   bool    `json:"all"`
	Edits []edit  `json:"edits"`
}

// Info says what the tool is.
func (EditFile) Info() tool.Info {
	return tool.Info{
		Name:        "edit_file",
		Description: editFileText,
		Schema:      json.RawMessage(editFileSchema),
		Class:       tool.ClassWrite,
		Effect:      tool.EffectEffect,
		Timeout:     30 * time.Second,
	}
}

// decode reads the input; its edits are all in one list afterwards.
func (e EditFile) decode(call tool.Call) (editInput, error) {
	in, err := tool.Decode[editInput](e.Info(), call.Input)
	if err != nil {
		return in, err
	}
	single := in.Old != nil || in.New != nil || in.All
	if single == (in.Edits != nil) || single && (in.Old == nil || in.New == nil) {
		return in, &tool.Error{Code: tool.CodeInputInvalid, Message: "give either old_text and new_text, or edits"}
	}
	if single {
		in.Edits = []edit{{*in.Old, *in.New, in.All}}
	}
	return in, nil
}

// Weigh guards secrets, .git and .parleyignore.
func (e EditFile) Weigh(_ context.Context, call tool.Call) (tool.Weight, error) {
	in, err := e.decode(call)
	if err != nil {
		return tool.Weight{}, err
	}
	return weigh(e.Info(), call, in.Path, writing)
}

// Preview shows what would change.
func (e EditFile) Preview(_ context.Context, call tool.Call) (string, error) {
	call.Approved = true // to be shown is not to be done
	c, err := e.prepare(call)
	if err != nil {
		return "", err
	}
	defer c.Close()
	return diff(c.old, c.text), nil
}

// Run changes the file.
func (e EditFile) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	defer hold(e.Turn)()
	c, err := e.prepare(call)
	if err != nil {
		return tool.Result{}, err
	}
	defer c.Close()
	if err := ctx.Err(); err != nil {
		return tool.Result{}, err
	}
	if err := c.replace(c.old, c.text); err != nil {
		return tool.Result{}, err
	}
	shown := diff(c.old, c.text)
	added, removed := changedLines(shown)
	return tool.Result{Text: shown, Summary: facts(struct {
		Path         string `json:"path"`
		Replacements int    `json:"replacements"`
		Added        int    `json:"added"`
		Removed      int    `json:"removed"`
	}{brief(c.old.name), c.count, added, removed})}, nil
}

// change is an edit that has been worked out and not yet made.
type change struct {
	*place
	old   content
	text  []byte
	count int
}

// prepare works out what the file would hold. Whoever calls closes the change.
func (e EditFile) prepare(call tool.Call) (*change, error) {
	in, err := e.decode(call)
	if err != nil {
		return nil, err
	}
	p, err := openPlace(call)
	if err != nil {
		return nil, err
	}
	c := &change{place: p}
	if err := c.apply(in); err != nil {
		p.Close()
		return nil, err
	}
	return c, nil
}

func (c *change) apply(in editInput) error {
	name, err := c.find(in.Path, writing)
	if err != nil {
		return err
	}
	if c.old, err = c.load(name, maxChanged); err != nil {
		return err
	}
	start := c.old.text[:min(len(c.old.text), sniffed)]
	switch {
	case c.old.info == nil:
		return &tool.Error{Code: tool.CodeExecutionFailed, Message: fmt.Sprintf("%q does not exist in the workspace; create it with write_file", brief(name))}
	case bytes.IndexByte(start, 0) >= 0:
		return &tool.Error{Code: tool.CodeExecutionFailed, Message: fmt.Sprintf("%q is not text in UTF-8; use run_command with a program made for it", brief(name))}
	}
	text := string(c.old.text)
	for i, one := range in.Edits {
		next, n, err := one.apply(text)
		if err != nil {
			which := ""
			if len(in.Edits) > 1 {
				which = fmt.Sprintf("edit %d of %d: ", i+1, len(in.Edits))
			}
			return &tool.Error{Code: tool.CodeExecutionFailed, Message: fmt.Sprintf("nothing was changed in %q: %s%v", brief(name), which, err), Err: err}
		}
		text, c.count = next, c.count+n
	}
	c.text = []byte(text)
	return nil
}
