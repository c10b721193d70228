package builtin

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/parley-dev/parley/tool"
)

//go:embed list_files.md
var listFilesText string

const listFilesSchema = `{
	"type": "object",
	"properties": {
		"path": {"type": "string", "maxLength": 4096, "description": "Folder to list, relative to the workspace. Default: the workspace."},
		"recursive": {"type": "boolean", "description": "Also list the folders below. Default: false."},
		"pattern": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Keep only what matches, such as *.go or src/**/*.ts."},
		"limit": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "How many entries to give at most. Default: 200."},
		"ignored": {"type": "boolean", "description": "Also list what .gitignore excludes. Default: false."}
	},
	"additionalProperties": false
}`

// ListFiles lists a folder of the workspace, sorted by path. It looks at no more
// than 100,000 entries and gives no more than 64 KiB of text.
type ListFiles struct{}

const (
	listDefault = 200
	listText    = 64 << 10
)

type listInput struct {
	Path      string `json:"path"`
	Recursive bool   `json:"recursive"`
	Pattern   string `json:"pattern"`
	Limit     int    `json:"limit"`
	Ignored   bool   `json:"ignored"`
}

// Info says what the tool is.
func (ListFiles) Info() tool.Info {
	return tool.Info{
		Name:        "list_files",
		Description: listFilesText,
		Schema:      json.RawMessage(listFilesSchema),
		Class:       tool.ClassRead,
		Effect:      tool.EffectRead,
		Timeout:     30 * time.Second,
	}
}

// Run lists the folder.
func (l ListFiles) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	in, err := tool.Decode[listInput](l.Info(), call.Input)
	if err != nil {
		return tool.Result{}, err
	}
	folder, err := tool.Path(in.Path)
	if err != nil {
		return tool.Result{}, err
	}
	if err := goodPattern(in.Pattern); err != nil {
		return tool.Result{}, err
	}
	p, err := openPlace(call)
	if err != nil {
		return tool.Result{}, err
	}
	defer p.Close()
	if _, err := p.find(folder, reading); err != nil {
		return tool.Result{}, err
	}

	out := listing{in: in, folder: folder, limit: cmp.Or(in.Limit, listDefault)}
	w := &walk{
		root: p.root,
		// A pattern with a slash is one for paths: it has to look below.
		deep:  in.Recursive || strings.Contains(in.Pattern, "/"),
		all:   in.Ignored,
		most:  maxEntries,
		hides: p.hides,
		visit: out.add,
	}
	if err := w.folder(ctx, folder); err != nil {
		return tool.Result{}, err
	}
	return out.result(w), nil
}

// goodPattern refuses what cannot be matched. Groups are limited since they
// multiply the work.
func goodPattern(pattern string) error {
	if pattern == "" || doublestar.ValidatePattern(pattern) && strings.Count(pattern, "{") <= 2 {
		return nil
	}
	return &tool.Error{Code: tool.CodeInputInvalid, Message: fmt.Sprintf(
		"the pattern %q cannot be used; write one like *.go or src/**/*.ts, with at most two {a,b} groups", pattern)}
}

// listing is what has been found.
type listing struct {
	in     listInput
	folder string
	limit  int

	text           strings.Builder
	files, folders int
	more           bool // there was at least one more than could be given
}

// add takes an entry; it gives false when there is no room for more.
func (l *listing) add(e entry) bool {
	if !l.matches(e.path) {
		return true
	}
	line := e.String() + "\n"
	if l.files+l.folders == l.limit || l.text.Len()+len(line) > listText {
		l.more = true
		return false
	}
	l.text.WriteString(line)
	if e.isDir() {
		l.folders++
	} else {
		l.files++
	}
	return true
}

func (l *listing) matches(name string) bool {
	switch {
	case l.in.Pattern == "":
		return true
	case strings.Contains(l.in.Pattern, "/"):
		name = strings.TrimPrefix(name, l.folder+"/")
	default:
		name = path.Base(name)
	}
	ok, _ := doublestar.Match(l.in.Pattern, name) // the pattern was checked
	return ok
}

func (l *listing) result(w *walk) tool.Result {
	var notes []string
	if l.files+l.folders == 0 {
		notes = append(notes, "nothing here matches")
		if l.in.Pattern == "" {
			notes = []string{"the folder is empty"}
		}
	}
	if l.more {
		notes = append(notes, fmt.Sprintf("there are more than these %d; list a folder below or use a pattern", l.files+l.folders))
	}
	if w.ignored > 0 {
		notes = append(notes, fmt.Sprintf("%d left out because of .gitignore", w.ignored))
	}
	if w.unreadable > 0 {
		notes = append(notes, fmt.Sprintf("%d folders could not be read", w.unreadable))
	}
	if w.full {
		notes = append(notes, fmt.Sprintf("only the first %d entries were looked at", w.most))
	}
	text := l.text.String()
	if len(notes) > 0 {
		text += "[" + strings.Join(notes, "; ") + "]\n"
	}
	return tool.Result{Text: text, Summary: facts(struct {
		Path     string `json:"path"`
		Files    int    `json:"files"`
		Folders  int    `json:"folders"`
		Complete bool   `json:"complete"`
	}{brief(l.folder), l.files, l.folders, !l.more && !w.full && w.unreadable == 0})}
}
