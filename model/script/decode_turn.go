package script

import (
	"fmt"
	"slices"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/parley-dev/parley/model"
)

func (d *draft) readWhen(n *yaml.Node) error {
	w := &when{step: -1}
	d.when = w
	number := func(name string, low int64, into *int) field {
		return field{name, func(n *yaml.Node) error {
			var v int64
			err := readInt(n, name, low, 1<<30, &v)
			*into = int(v)
			return err
		}}
	}
	text := func(name string, into *string) field {
		return field{name, func(n *yaml.Node) error { return readText(n, name, into) }}
	}
	return fields(n, "when", []field{
		text("purpose", &w.purpose),
		text("user_contains", &w.userContains),
		text("result_contains", &w.resultContains),
		text("result_of", &w.resultOf),
		number("exchange", 1, &w.exchange),
		number("step", 0, &w.step),
	})
}

func (d *draft) readRepeat(n *yaml.Node) error {
	d.repeated = true
	if target(n).Value == "forever" {
		d.repeat = forever
		return nil
	}
	var v int64
	if err := readInt(n, "repeat", 1, 1<<30, &v); err != nil {
		return fmt.Errorf("%w; or write forever", err)
	}
	d.repeat = int(v)
	return nil
}

func (d *draft) readSplit(n *yaml.Node) error {
	if target(n).Value != "words" {
		return fault(n, "split must be words, or be left out; this is %s", kindName(target(n)))
	}
	d.split = true
	return nil
}

func (d *draft) readGenerate(n *yaml.Node) error {
	const most = 10_000_000
	var deltas int64
	g := &d.generate
	g.text = "word "
	err := fields(n, "generate", []field{
		{"deltas", func(n *yaml.Node) error { return readInt(n, "deltas", 1, most, &deltas) }},
		{"text", func(n *yaml.Node) error { return readFilled(n, "the generated text", &g.text) }},
		{"interval", func(n *yaml.Node) error { return readDuration(n, "interval", &g.interval) }},
	})
	if err == nil && deltas == 0 {
		err = fault(n, "generate needs the number of deltas, such as {deltas: 1000}")
	}
	g.deltas = int(deltas)
	return err
}

func (d *draft) readError(n *yaml.Node) error {
	var kind string
	var after, times int64
	f := &failure{}
	d.fail = f
	err := fields(n, "error", []field{
		{"kind", func(n *yaml.Node) error { return readText(n, "the error's kind", &kind) }},
		{"message", func(n *yaml.Node) error { return readText(n, "the error's message", &f.Message) }},
		{"retry_after", func(n *yaml.Node) error { return readDuration(n, "retry_after", &f.RetryAfter) }},
		{"after", func(n *yaml.Node) error { return readInt(n, "after", 0, 1<<30, &after) }},
		{"times", func(n *yaml.Node) error { return readInt(n, "times", 1, 1<<30, &times) }},
	})
	if err != nil {
		return err
	}
	f.Kind, f.after, f.times = model.ErrorKind(kind), int(after), int(times)
	if !slices.Contains(model.ErrorKinds(), f.Kind) {
		return fault(n, "an error needs a kind, one of %v; this is %q", model.ErrorKinds(), kind)
	}
	if f.Message == "" {
		f.Message = "the script failed here: " + kind
	}
	return nil
}

func (d *draft) readUsage(n *yaml.Node) error {
	u := &model.Usage{}
	d.usage = u
	count := func(name string, into *int64) field {
		return field{name, func(n *yaml.Node) error { return readInt(n, name, 0, 1<<40, into) }}
	}
	return fields(n, "usage", []field{
		count("input_tokens", &u.InputTokens),
		count("output_tokens", &u.OutputTokens),
		count("cache_read_tokens", &u.CacheReadTokens),
		count("cache_write_tokens", &u.CacheWriteTokens),
		{"cost_usd", func(n *yaml.Node) error { return readFloat(n, "cost_usd", &u.CostUSD) }},
	})
}

// readDeltas reads a text, or a list of texts and of {text, delay}.
func readDeltas(n *yaml.Node, kind model.EventKind, into *[]delta) error {
	item := func(n *yaml.Node) error {
		d := delta{kind: kind, delay: -1} // negative: as the turn says
		defer func() { *into = append(*into, d) }()
		if target(n).Kind != yaml.MappingNode {
			return readFilled(n, "a delta", &d.text)
		}
		return fields(n, "a delta", []field{
			{"text", func(n *yaml.Node) error { return readFilled(n, "a delta", &d.text) }},
			{"delay", func(n *yaml.Node) error { return readDuration(n, "delay", &d.delay) }},
		})
	}
	if target(n).Kind == yaml.SequenceNode {
		return readList(n, "text", item)
	}
	return item(n)
}

// readFilled reads a text that may hold placeholders.
func readFilled(n *yaml.Node, what string, into *string) error {
	if err := readText(n, what, into); err != nil {
		return err
	}
	return checkPlaceholders(n, *into)
}

// words cuts every delta after each run of white space. A placeholder stays
// whole, since it holds none.
func words(deltas []delta) []delta {
	var out []delta
	for _, d := range deltas {
		start, space := 0, false
		for i, r := range d.text {
			if space && !unicode.IsSpace(r) {
				out = append(out, delta{d.kind, d.text[start:i], d.delay})
				start = i
			}
			space = unicode.IsSpace(r)
		}
		out = append(out, delta{d.kind, d.text[start:], d.delay})
	}
	return out
}
