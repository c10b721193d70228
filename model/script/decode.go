package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/parley-dev/parley/model"
)

// decode reads a whole file.
func (s *Script) decode(data []byte) error {
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0 {
		return errors.New("line 1: the file is empty; give it turns")
	} else if err != nil {
		return yamlFault(err)
	}
	if err := dec.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return errors.New("a script is one YAML document; remove what follows the second ---")
	}
	plainDates(&doc)
	root := doc.Content[0]
	var turns *yaml.Node
	err := fields(root, "a script", []field{
		{"model", s.readModel},
		{"turns", func(n *yaml.Node) error {
			turns = n
			return readList(n, "turns", s.readTurn)
		}},
	})
	if err != nil {
		return err
	}
	if turns == nil || len(s.rules)+len(s.sequence) == 0 {
		return fault(root, "there are no turns; a script needs at least one, such as `turns: [{text: Hello.}]`")
	}
	return nil
}

// yamlFault says what the YAML parser found in our form.
func yamlFault(err error) error {
	return errors.New(strings.TrimPrefix(err.Error(), "yaml: ") + "; this is not YAML: check the indentation, and quote texts that hold a colon")
}

// plainDates lets a date in a tool's input be the text that was written.
func plainDates(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, c := range n.Content {
		plainDates(c)
	}
}

func (s *Script) readModel(n *yaml.Node) error {
	const most = 1 << 40
	i := &s.info
	return fields(n, "model", []field{
		{"name", func(n *yaml.Node) error { return readText(n, "the model's name", &i.Name) }},
		{"context_window", func(n *yaml.Node) error { return readInt(n, "context_window", 1, most, &i.ContextWindow) }},
		{"max_output", func(n *yaml.Node) error { return readInt(n, "max_output", 1, most, &i.MaxOutput) }},
	})
}

func (s *Script) readTurn(n *yaml.Node) error {
	t, err := decodeTurn(n)
	if err != nil {
		return err
	}
	if t.when != nil {
		s.rules = append(s.rules, t)
	} else {
		s.sequence = append(s.sequence, t)
	}
	return nil
}

// draft is a turn while its fields are read, in whatever order they stand.
type draft struct {
	turn
	reasoning, text []delta
	split           bool
	delay           time.Duration
	repeated        bool
}

func decodeTurn(n *yaml.Node) (turn, error) {
	d := draft{turn: turn{repeat: 1}}
	if err := fields(n, "a turn", d.fields()); err != nil {
		return turn{}, err
	}
	return d.finish(n)
}

func (d *draft) fields() []field {
	return []field{
		{"when", d.readWhen},
		{"repeat", d.readRepeat},
		{"wait", func(n *yaml.Node) error { return readDuration(n, "wait", &d.wait) }},
		{"delay", func(n *yaml.Node) error { return readDuration(n, "delay", &d.delay) }},
		{"reasoning", func(n *yaml.Node) error { return readDeltas(n, model.EventReasoningDelta, &d.reasoning) }},
		{"text", func(n *yaml.Node) error { return readDeltas(n, model.EventTextDelta, &d.text) }},
		{"split", d.readSplit},
		{"generate", d.readGenerate},
		{"hang", func(n *yaml.Node) error { return readBool(n, "hang", &d.hang) }},
		{"error", d.readError},
		{"calls", func(n *yaml.Node) error { return readList(n, "calls", d.readCall) }},
		{"stop", func(n *yaml.Node) error { return readText(n, "stop", &d.stop) }},
		{"usage", d.readUsage},
	}
}

// finish checks what concerns several fields at once.
func (d *draft) finish(n *yaml.Node) (turn, error) {
	n = target(n)
	t := d.turn
	if d.split {
		d.reasoning, d.text = words(d.reasoning), words(d.text)
	}
	t.deltas = append(d.reasoning, d.text...)
	for i := range t.deltas {
		if t.deltas[i].delay < 0 {
			t.deltas[i].delay = d.delay
		}
	}
	switch {
	case len(n.Content) == 0:
		return t, fault(n, "the turn is empty; give it text, calls, an error or generate")
	case t.when != nil && d.repeated:
		return t, fault(n, "a turn with `when` is played whenever it fits; remove its repeat")
	case t.fail != nil && t.fail.after > t.count():
		return t, fault(n, "the error comes after %d deltas, but the turn has %d; make `after` smaller", t.fail.after, t.count())
	}
	if t.stop == "" {
		t.stop = model.StopEndTurn
		if len(t.calls) > 0 {
			t.stop = model.StopToolUse
		}
	}
	return t, nil
}

func (d *draft) readCall(n *yaml.Node) error {
	var c call
	err := fields(n, "a call", []field{
		{"id", func(n *yaml.Node) error { return readText(n, "the call's id", &c.id) }},
		{"name", func(n *yaml.Node) error { return readText(n, "the tool's name", &c.name) }},
		{"input", func(n *yaml.Node) error { return readInput(n, &c.input) }},
	})
	if err != nil {
		return err
	}
	if c.name == "" {
		return fault(n, "a call needs the name of its tool, such as `name: read_file`")
	}
	for _, other := range d.calls {
		if c.id != "" && other.id == c.id {
			return fault(n, "two calls have the id %q; remove the ids and they are made for you", c.id)
		}
	}
	d.calls = append(d.calls, c)
	return nil
}

func readInput(n *yaml.Node, into *map[string]any) error {
	n = target(n)
	if n.Kind != yaml.MappingNode {
		return fault(n, "a call's input must be a mapping, such as {path: README.md}; this is %s", kindName(n))
	}
	if err := n.Decode(into); err != nil {
		return fault(n, "the input cannot be read: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	raw, err := json.Marshal(*into)
	if err != nil {
		return fault(n, "the input cannot be JSON (%v); use text keys and plain values", err)
	}
	return checkPlaceholders(n, string(raw))
}

var placeholderForm = regexp.MustCompile(`\{\{\.([^{}]*)\}\}`)

// checkPlaceholders refuses a name that nobody would fill in.
func checkPlaceholders(n *yaml.Node, text string) error {
	for _, found := range placeholderForm.FindAllStringSubmatch(text, -1) {
		var names []string
		known := false
		for _, p := range placeholders() {
			names = append(names, "{{."+p.name+"}}")
			known = known || p.name == found[1]
		}
		if !known {
			return fault(n, "%s is unknown; there are %s", found[0], strings.Join(names, ", "))
		}
	}
	return nil
}
