package builtin

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/parley-dev/parley/tool"
)

//go:embed read_file.md
var readFileText string

const readFileSchema = `{
	"type": "object",
	"properties": {
		"path": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "File to read, relative to the workspace."},
		"offset": {"type": "integer", "minimum": 1, "maximum": 1000000000, "description": "First line to give. Default: 1."},
		"limit": {"type": "integer", "minimum": 1, "maximum": 10000, "description": "How many lines to give at most. Default: 2000."},
		"numbered": {"type": "boolean", "description": "Put the line number before each line. Default: false."}
	},
	"required": ["path"],
	"additionalProperties": false
}`

// ReadFile reads a file of the workspace: text by lines, pictures as they are. It
// gives no more than 96 KiB of text and 4 KiB of a line.
type ReadFile struct{}

const (
	readLines = 2000
	readText  = 96 << 10
	readLine  = 4 << 10
	sniffed   = 8 << 10 // how much is looked at to tell text from anything else
)

type readInput struct {
	Path     string `json:"path"`
	Offset   int    `json:"offset"`
	Limit    int    `json:"limit"`
	Numbered bool   `json:"numbered"`
}

// Info says what the tool is.
func (ReadFile) Info() tool.Info {
	return tool.Info{
		Name:        "read_file",
		Description: readFileText,
		Schema:      json.RawMessage(readFileSchema),
		Class:       tool.ClassRead,
		Effect:      tool.EffectRead,
		Timeout:     30 * time.Second,
	}
}

// Weigh guards secrets.
func (r ReadFile) Weigh(_ context.Context, call tool.Call) (tool.Weight, error) {
	in, err := tool.Decode[readInput](r.Info(), call.Input)
	if err != nil {
		return tool.Weight{}, err
	}
	return weigh(r.Info(), call, in.Path, reading)
}

// Run reads the file.
func (r ReadFile) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	in, err := tool.Decode[readInput](r.Info(), call.Input)
	if err != nil {
		return tool.Result{}, err
	}
	p, err := openPlace(call)
	if err != nil {
		return tool.Result{}, err
	}
	defer p.Close()
	if err := ctx.Err(); err != nil {
		return tool.Result{}, err
	}
	name, err := p.find(in.Path, reading)
	if err != nil {
		return tool.Result{}, err
	}
	f, size, err := openFile(p.root, name)
	if err != nil {
		return tool.Result{}, err
	}
	defer f.Close()
	buf := bufio.NewReaderSize(untilDone{ctx, f}, 64<<10)
	start, err := buf.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return tool.Result{}, readFailed(ctx, p.root, name, err)
	}
	if kind := imageType(start); kind != "" {
		return readImage(ctx, p.root, name, kind, size, buf)
	}
	text, err := readPage(buf, start, size, in)
	if err != nil {
		return tool.Result{}, readFailed(ctx, p.root, name, err)
	}
	return text.result(name), nil
}

// openFile opens a regular file, without waiting for whoever writes to a FIFO.
func openFile(root *os.Root, name string) (f *os.File, size int64, err error) {
	f, err = root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, tool.PathError(root, name, err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		err = tool.PathError(root, name, err)
	case info.IsDir():
		err = &tool.Error{Code: tool.CodeExecutionFailed, Message: fmt.Sprintf("%q is a folder; use list_files", brief(name))}
	case !info.Mode().IsRegular():
		err = &tool.Error{Code: tool.CodeExecutionFailed, Message: fmt.Sprintf("%q is not a regular file", brief(name))}
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// untilDone stops reading when the context is done.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(b)
}

func readFailed(ctx context.Context, root *os.Root, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return tool.PathError(root, name, err)
}

// imageType is the kind of a picture that models take; "" of anything else.
func imageType(start []byte) string {
	kind := http.DetectContentType(start)
	if slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind) {
		return kind
	}
	return ""
}

func readImage(ctx context.Context, root *os.Root, name, kind string, size int64, r io.Reader) (tool.Result, error) {
	text := fmt.Sprintf("[%s, %s, %d bytes]\n", plain(name), kind, size)
	summary := facts(struct {
		Path  string `json:"path"`
		Bytes int64  `json:"bytes"`
		Type  string `json:"type"`
	}{brief(name), size, kind})
	if size > tool.MaxImage {
		text = fmt.Sprintf("[%s is a picture (%s) of %d bytes; at most %d can be shown: make it smaller]\n", plain(name), kind, size, tool.MaxImage)
		return tool.Result{Text: text, Summary: summary}, nil
	}
	data, err := io.ReadAll(io.LimitReader(r, tool.MaxImage))
	if err != nil {
		return tool.Result{}, readFailed(ctx, root, name, err)
	}
	return tool.Result{Text: text, Summary: summary, Images: []tool.Image{{MediaType: kind, Data: data}}}, nil
}

// result is what the model is told of a page.
func (p *page) result(name string) tool.Result {
	text := p.text.String()
	if len(p.notes) > 0 {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += "[" + strings.Join(p.notes, "; ") + "]\n"
	}
	return tool.Result{Text: text, Summary: facts(struct {
		Path     string `json:"path"`
		Bytes    int64  `json:"bytes"`
		Lines    int    `json:"lines"`
		Complete bool   `json:"complete"`
	}{brief(name), p.size, p.lines, p.complete})}
}

func (in readInput) first() int { return cmp.Or(in.Offset, 1) }
func (in readInput) most() int  { return cmp.Or(in.Limit, readLines) }

// isBinary says that the beginning of a file is not one of text.
func isBinary(start []byte) bool {
	return bytes.IndexByte(start, 0) >= 0 && !isUTF16(start)
}
