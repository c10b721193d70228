package auth

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// reader walks a YAML file and collects everything that is wrong with it, each
// with its line, so that a person mends the file in one go.
type reader struct {
	path     string
	problems []problem
}

type problem struct {
	line int
	text string
}

func (r *reader) failf(line int, format string, args ...any) {
	r.problems = append(r.problems, problem{line, fmt.Sprintf(format, args...)})
}

// err gives all problems as one error, in the order of the file.
func (r *reader) err() error {
	slices.SortStableFunc(r.problems, func(a, b problem) int { return cmp.Compare(a.line, b.line) })
	var all []error
	for _, p := range r.problems {
		all = append(all, fmt.Errorf("%s:%d: %s", r.path, p.line, p.text))
	}
	return errors.Join(all...)
}

// document parses the one document of a file; nil after a problem.
func (r *reader) document(data []byte) *yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0:
		r.failf(1, "the file is empty; it needs jwt or api_keys")
		return nil
	case err != nil:
		line, text := yamlError(err)
		r.failf(line, "this is not YAML: %s", text)
		return nil
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		r.failf(max(more.Line, 1), "the file holds more than one document (---); keep one")
		return nil
	}
	return doc.Content[0]
}

// yamlError takes the line out of the parser's message, and replaces the one
// message that quotes the file: an unquoted secret may begin with a star.
func yamlError(err error) (line int, text string) {
	text = strings.TrimPrefix(err.Error(), "yaml: ")
	if strings.Contains(text, "anchor") {
		return 1, "a value that begins with * or & must stand in quotes"
	}
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		number, after, _ := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(number); err == nil {
			return n, after
		}
	}
	return 1, text
}

// fields reads a mapping by a table of its keys.
type fields map[string]func(*yaml.Node)

func (r *reader) mapping(n *yaml.Node, where string, known fields) {
	if n.Kind != yaml.MappingNode {
		r.failf(n.Line, "%s must be a mapping of names to values", where)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read, ok := known[key.Value]
		switch {
		case !ok:
			r.failf(key.Line, "%s has no key %q; it may hold %s", where, clip(key.Value),
				strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		case seen[key.Value]:
			r.failf(key.Line, "%s has %q twice; keep one", where, key.Value)
		case value.Kind == yaml.AliasNode:
			r.failf(value.Line, "YAML aliases are not read here; write the value out")
		default:
			seen[key.Value] = true
			read(value)
		}
	}
}

func (r *reader) list(n *yaml.Node, where string, item func(*yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		r.failf(n.Line, "%s must be a list", where)
		return
	}
	for _, c := range n.Content {
		if c.Kind == yaml.AliasNode {
			r.failf(c.Line, "YAML aliases are not read here; write the value out")
			continue
		}
		item(c)
	}
}

// text reads a string. Numbers and dates count as the text they were written as.
func (r *reader) text(where string, into *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.Value == "" || n.Tag == "!!null" {
			r.failf(n.Line, "%s must be a text that is not empty", where)
			return
		}
		*into = n.Value
	}
}

// texts reads a list of strings, or one string alone.
func (r *reader) texts(where string, into *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		add := func(n *yaml.Node) {
			var s string
			if r.text(where, &s)(n); s != "" {
				*into = append(*into, s)
			}
		}
		if n.Kind == yaml.ScalarNode {
			add(n)
			return
		}
		r.list(n, where, add)
	}
}

func (r *reader) boolean(where string, into *bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Tag != "!!bool" || n.Decode(into) != nil {
			r.failf(n.Line, "%s must be true or false", where)
		}
	}
}

func (r *reader) count(where string, into *int) func(*yaml.Node) {
	return func(n *yaml.Node) {
		v, err := strconv.Atoi(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || v < 0 || v > 1_000_000 {
			r.failf(n.Line, "%s must be a whole number from 0 (no limit) to 1000000", where)
			return
		}
		*into = v
	}
}

func (r *reader) duration(where string, into *time.Duration, most time.Duration) func(*yaml.Node) {
	return func(n *yaml.Node) {
		d, err := time.ParseDuration(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || d < 0 || d > most {
			r.failf(n.Line, "%s must be a duration such as 30s, from 0s to %s", where, most)
			return
		}
		*into = d
	}
}

// moment reads RFC 3339, or a date, which means its first moment in UTC.
func (r *reader) moment(where string, into *time.Time) func(*yaml.Node) {
	return func(n *yaml.Node) {
		for _, layout := range []string{time.RFC3339, time.DateOnly} {
			if t, err := time.Parse(layout, n.Value); err == nil {
				*into = t
				return
			}
		}
		r.failf(n.Line, "%s must be a moment such as 2027-01-31T00:00:00Z or a date such as 2027-01-31", where)
	}
}

func (r *reader) role(where string, into *Role, least, most Role) func(*yaml.Node) {
	return func(n *yaml.Node) {
		role, ok := ParseRole(n.Value)
		if !ok || role < least || role > most {
			var words []string
			for _, w := range Roles()[least : most+1] {
				words = append(words, w.String())
			}
			r.failf(n.Line, "%s must be one of %s", where, strings.Join(words, ", "))
			return
		}
		*into = role
	}
}

func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
