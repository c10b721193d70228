package builtin

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/parley-dev/parley/tool"
)

//go:embed search_files.md
var searchFilesText string

const searchFilesSchema = `{
	"type": "object",
	"properties": {
		"pattern": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "Regular expression to look for in each line."},
		"path": {"type": "string", "maxLength": 4096, "description": "Folder or file to search, relative to the workspace. Default: the workspace."},
		"literal": {"type": "boolean", "description": "Take the pattern as it stands, not as a regular expression. Default: false."},
		"ignore_case": {"type": "boolean", "description": "Take upper and lower case as the same. Default: false."},
		"glob": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Search only files that match, such as *.go or src/**/*.ts."},
		"context": {"type": "integer", "minimum": 0, "maximum": 10, "description": "Lines to give before and after each match. Default: 0."},
		"limit": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "How many matching lines to give at most. Default: 200."}
	},
	"required": ["pattern"],
	"additionalProperties": false
}`

// SearchFiles searches the contents of files: with ripgrep where there is one,
// else by itself; what comes of it is the same. It gives no more than 64 KiB of
// text and 500 bytes of a line, and leaves out files of more than 64 MiB.
type SearchFiles struct {
	// Ripgrep is the program to search with; by itself if empty.
	Ripgrep string
}

const (
	searchDefault = 200
	searchText    = 64 << 10
	searchLine    = 500
	maxSearched   = 64 << 20
)

type searchInput struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path"`
	Literal    bool   `json:"literal"`
	IgnoreCase bool   `json:"ignore_case"`
	Glob       string `json:"glob"`
	Context    int    `json:"context"`
	Limit      int    `json:"limit"`
}

// Info says what the tool is.
func (SearchFiles) Info() tool.Info {
	return tool.Info{
		Name:        "search_files",
		Description: searchFilesText,
		Schema:      json.RawMessage(searchFilesSchema),
		Class:       tool.ClassRead,
		Effect:      tool.EffectRead,
		Timeout:     60 * time.Second,
	}
}

// Weigh guards secrets that are named as the file to search.
func (s SearchFiles) Weigh(_ context.Context, call tool.Call) (tool.Weight, error) {
	in, err := tool.Decode[searchInput](s.Info(), call.Input)
	if err != nil {
		return tool.Weight{}, err
	}
	return weigh(s.Info(), call, in.Path, reading)
}

// Run searches.
func (s SearchFiles) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	in, err := tool.Decode[searchInput](s.Info(), call.Input)
	if err != nil {
		return tool.Result{}, err
	}
	if err := goodPattern(in.Glob); err != nil {
		return tool.Result{}, err
	}
	h := &hunt{in: in, limit: cmp.Or(in.Limit, searchDefault)}
	if err := h.compile(); err != nil {
		return tool.Result{}, err
	}
	if h.place, err = openPlace(call); err != nil {
		return tool.Result{}, err
	}
	defer h.place.Close()
	if err := ctx.Err(); err != nil {
		return tool.Result{}, err
	}
	if h.folder, err = h.place.find(in.Path, reading); err != nil {
		return tool.Result{}, err
	}
	if err := h.run(ctx, s.Ripgrep); err != nil {
		return tool.Result{}, err
	}
	return h.result(), nil
}

// hunt is a search on its way.
type hunt struct {
	in      searchInput
	match   *regexp.Regexp
	literal bool // the pattern is none, and taken as it stands
	place   *place
	folder  string
	limit   int

	out     strings.Builder
	latest  string // the file of the last match
	last    string // file and line that were given last
	matches int
	files   int
	more    bool
	notes   []string
}

func (h *hunt) compile() error {
	if strings.ContainsAny(h.in.Pattern, "\n\x00") {
		return &tool.Error{Code: tool.CodeInputInvalid, Message: "the pattern holds a line break or a zero byte; files are searched line by line"}
	}
	h.literal = h.in.Literal
	if _, err := regexp.Compile(h.in.Pattern); err != nil && !h.literal {
		h.literal = true
		h.notes = append(h.notes, "the pattern is no regular expression and was looked for as it stands")
	}
	pattern := h.in.Pattern
	if h.literal {
		pattern = regexp.QuoteMeta(pattern)
	}
	if h.in.IgnoreCase {
		pattern = "(?i:" + pattern + ")"
	}
	match, err := regexp.Compile(pattern)
	if err != nil {
		return &tool.Error{Code: tool.CodeInputInvalid, Message: fmt.Sprintf("the pattern cannot be used: %v", err)}
	}
	h.match = match
	return nil
}

// run searches a file by itself, and a folder with what there is.
func (h *hunt) run(ctx context.Context, ripgrep string) error {
	if info, err := h.place.root.Lstat(h.folder); err == nil && !info.IsDir() {
		file := h.folder
		h.folder = path.Dir(h.folder)
		_, err := h.file(ctx, file)
		return err
	}
	if ripgrep != "" {
		if ok, err := h.ripgrep(ctx, ripgrep); ok || err != nil {
			return err
		}
	}
	return h.walk(ctx)
}

// wants says whether a file found on the way is to be searched.
func (h *hunt) wants(name string) bool {
	if isSecret(name) || inGit(name) || h.place.hides(name, false) {
		return false
	}
	below := strings.TrimPrefix(name, h.folder+"/")
	switch {
	case h.in.Glob == "":
		return true
	case !strings.Contains(h.in.Glob, "/"):
		below = path.Base(name)
	}
	ok, _ := doublestar.Match(h.in.Glob, below) // the pattern was checked
	return ok
}

// give takes a line of the answer; it gives false when there is no room for more.
func (h *hunt) give(name string, n int, text string, isMatch bool) bool {
	if isMatch && h.matches == h.limit {
		h.more = true
		return false
	}
	mark := "-"
	if isMatch {
		mark = ":"
	}
	text = strings.ToValidUTF8(strings.TrimSuffix(text, "\r"), "\uFFFD")
	if len(text) > searchLine {
		text = strings.ToValidUTF8(text[:searchLine], "") + " [… cut]"
	}
	line := fmt.Sprintf("%s%s%d%s%s\n", plain(name), mark, n, mark, text)
	if h.in.Context > 0 && h.last != "" && h.last != fmt.Sprintf("%s %d", name, n-1) {
		line = "--\n" + line
	}
	if h.out.Len()+len(line) > searchText {
		h.more = true
		return false
	}
	h.last = fmt.Sprintf("%s %d", name, n)
	h.out.WriteString(line)
	if isMatch {
		h.matches++
		if h.latest != name {
			h.latest, h.files = name, h.files+1
		}
	}
	return true
}

func (h *hunt) result() tool.Result {
	switch {
	case h.matches == 0:
		h.notes = append(h.notes, "nothing found")
	case h.more:
		h.notes = append(h.notes, fmt.Sprintf("there are more than these %d lines; narrow it down", h.matches))
	}
	text := h.out.String()
	if len(h.notes) > 0 {
		text += "[" + strings.Join(h.notes, "; ") + "]\n"
	}
	return tool.Result{Text: text, Summary: facts(struct {
		Path     string `json:"path"`
		Matches  int    `json:"matches"`
		Files    int    `json:"files"`
		Complete bool   `json:"complete"`
	}{brief(h.folder), h.matches, h.files, !h.more})}
}
