package settings

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// What comes from outside the store: parley.yaml, the environment, the command
// line. None of it is ever written.

// readYAML reads the settings in parley.yaml. others are names that belong to
// the server's options and are not looked at.
func (t table) readYAML(path string, others []string) source {
	none := source{layer: File}
	if path == "" {
		return none
	}
	data, err := readFile(path)
	if err != nil {
		none.problems = []Problem{{File: path, Text: fmt.Sprintf("cannot be read (%v); its settings are not used", err)}}
		return none
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		none.problems = []Problem{{File: path, Text: fmt.Sprintf("this is not YAML (%v); its settings are not used", err)}}
		return none
	}
	if len(doc.Content) == 0 {
		return none
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		none.problems = []Problem{{File: path, Line: root.Line, Text: "must be a mapping of names to values; its settings are not used"}}
		return none
	}
	var entries []entry
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, node := root.Content[i], root.Content[i+1]
		if _, setting := t.key(key.Value); !setting && slices.Contains(others, key.Value) {
			continue
		}
		e := entry{name: key.Value, file: path, line: key.Line}
		e.raw, e.err = fromYAML(node)
		entries = append(entries, e)
	}
	return t.newSource(File, entries)
}

func fromYAML(n *yaml.Node) (json.RawMessage, error) {
	var v any
	if err := n.Decode(&v); err != nil {
		return nil, errors.New("cannot be read as YAML")
	}
	raw, err := json.Marshal(v)
	var endless *json.UnsupportedValueError
	if errors.As(err, &endless) {
		return nil, errors.New("has a number that is too large")
	}
	if err != nil {
		return nil, errors.New("has a name in it that is no text")
	}
	return raw, nil
}

// readTexts reads settings that are written as texts. An empty one is not set.
func (t table) readTexts(layer Layer, file string, get func(Key) (name, text string)) source {
	var entries []entry
	var bad []Problem
	for _, k := range t.keys {
		name, text := get(k)
		if text == "" {
			continue
		}
		raw, err := k.fromText(text)
		if err != nil {
			bad = append(bad, Problem{File: file, Key: name, Text: err.Error() + "; it is not used"})
			continue
		}
		entries = append(entries, entry{name: k.Name, raw: raw, file: file})
	}
	s := t.newSource(layer, entries)
	for i, p := range s.problems {
		if k, ok := t.key(p.Key); ok {
			s.problems[i].Key, _ = get(k)
		}
	}
	s.problems = append(bad, s.problems...)
	return s
}

// entries are a stored document's settings, in the order of their names.
func (d *document) entries() (all []entry) {
	for name, raw := range d.raw {
		all = append(all, entry{name: name, raw: raw, file: d.path, line: d.lines[name]})
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	return all
}
