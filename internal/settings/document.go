package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Version is the version of files that are written now.
const Version = 1

// Problem is something in a file or the environment that is not used, or that
// should not be there.
type Problem struct {
	File string `json:"file" doc:"Where: a path, or environment."`
	Key  string `json:"key,omitempty"`
	Line int    `json:"line,omitempty"`
	Text string `json:"text" doc:"What is wrong, and what is used."`
}

func (p Problem) String() string {
	where := p.File
	if p.Line > 0 {
		where = fmt.Sprintf("%s:%d", where, p.Line)
	}
	if p.Key != "" {
		where += ": " + p.Key
	}
	return where + ": " + p.Text
}

// document is a file of stored settings, as it is: values that nobody knows are
// kept as they were written.
type document struct {
	path    string
	version int
	owner   string
	raw     map[string]json.RawMessage
	lines   map[string]int
	more    map[string]json.RawMessage // other fields of the file
	foreign bool                       // an editor extension wrote it
	unused  []string                   // what it holds that does nothing
	broken  *Problem                   // it cannot be read, so it must not be written
}

// readDocument reads a file; one that is not there is an empty document.
func readDocument(path string) *document {
	d := &document{path: path, version: Version, raw: map[string]json.RawMessage{}}
	data, err := readFile(path)
	switch {
	case err != nil:
		d.broken = &Problem{File: path, Text: fmt.Sprintf("cannot be read (%v); defaults are used", err)}
	case data != nil:
		d.parse(data)
	}
	return d
}

// parse reads a document of any version. One that is an object without a version
// is of version 0: its fields are settings.
func (d *document) parse(data []byte) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &fields); err != nil || fields == nil {
		d.broken = &Problem{File: d.path, Line: errorLine(data, err), Text: "this is not a JSON object; mend it or move it away. Until then defaults are used and nothing is written here"}
		return
	}
	d.lines = keyLines(data)
	version, versioned := fields["version"]
	inner, nested := fields["settings"]
	if !versioned && !nested {
		d.version, d.raw, d.foreign = 0, fields, true
		d.migrate()
		return
	}
	d.version = 0
	if versioned && (json.Unmarshal(version, &d.version) != nil || d.version < 0) {
		d.broken = &Problem{File: d.path, Key: "version", Line: d.lines["version"], Text: "must be a whole number; until then defaults are used and nothing is written here"}
		return
	}
	if nested && (json.Unmarshal(inner, &d.raw) != nil || d.raw == nil) {
		d.raw = map[string]json.RawMessage{}
		d.broken = &Problem{File: d.path, Key: "settings", Line: d.lines["settings"], Text: "must be an object; until then defaults are used and nothing is written here"}
		return
	}
	_ = json.Unmarshal(fields["owner"], &d.owner)
	for _, known := range []string{"version", "owner", "settings"} {
		delete(fields, known)
	}
	d.more = fields
	d.migrate()
}

// notOf reports that the file names somebody else as its owner.
func (d *document) notOf(owner string) Problem {
	whose := fmt.Sprintf("the account %q", clip(owner))
	if owner == server {
		whose = "the server"
	}
	return Problem{File: d.path, Key: "owner", Line: d.lines["owner"],
		Text: fmt.Sprintf("is %q, but the file is named after %s, for whom it is used; correct it, or move the file away", clip(d.owner), whose)}
}

// with gives a copy in which some settings are changed; null removes one.
func (d *document) with(changes map[string]json.RawMessage) *document {
	changed := *d
	changed.raw = maps.Clone(d.raw)
	for name, v := range changes {
		if isNull(v) {
			delete(changed.raw, name)
		} else {
			changed.raw[name] = v
		}
	}
	return &changed
}

// encode writes the document for people to read too. A file of a newer version
// keeps its number.
func (d *document) encode() ([]byte, error) {
	out := map[string]any{"version": max(d.version, Version), "settings": d.raw}
	if d.owner != "" {
		out["owner"] = d.owner
	}
	for name, v := range d.more {
		out[name] = v
	}
	return pretty(out)
}

func pretty(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

func isNull(v json.RawMessage) bool {
	return len(v) == 0 || bytes.Equal(bytes.TrimSpace(v), []byte("null"))
}

// changed are the settings in which two documents differ.
func (d *document) changed(o *document) (names []string) {
	for name, v := range o.raw {
		if !sameJSON(d.raw[name], v) {
			names = append(names, name)
		}
	}
	for name := range d.raw {
		if _, ok := o.raw[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// sameJSON compares without regard to spaces.
func sameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	if json.Compact(&x, a) != nil || json.Compact(&y, b) != nil {
		return bytes.Equal(a, b)
	}
	return bytes.Equal(x.Bytes(), y.Bytes())
}

// keyLines finds the line of each field, and of each field of "settings".
func keyLines(data []byte) map[string]int {
	lines := map[string]int{}
	d := json.NewDecoder(bytes.NewReader(data))
	var object func()
	object = func() {
		if t, err := d.Token(); err != nil || t != json.Delim('{') {
			return
		}
		for d.More() {
			t, err := d.Token()
			name, ok := t.(string)
			if err != nil || !ok {
				return
			}
			lines[name] = lineAt(data, d.InputOffset())
			if name == "settings" && objectFollows(data[d.InputOffset():]) {
				object()
				continue
			}
			var skip json.RawMessage
			if d.Decode(&skip) != nil {
				return
			}
		}
		_, _ = d.Token()
	}
	object()
	return lines
}

func objectFollows(rest []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n:"), []byte("{"))
}

func lineAt(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n"))
}

func errorLine(data []byte, err error) int {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return lineAt(data, syntax.Offset)
	}
	return 1
}
