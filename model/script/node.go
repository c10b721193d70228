package script

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// fault is a mistake in a script, and where it is.
func fault(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %s", n.Line, fmt.Sprintf(format, args...))
}

// field reads one named value of a mapping.
type field struct {
	name string
	read func(*yaml.Node) error
}

// fields reads a mapping by a table. What the table does not name is refused.
func fields(n *yaml.Node, what string, table []field) error {
	n = target(n)
	if n.Kind != yaml.MappingNode {
		return fault(n, "%s must be a mapping of %s; this is %s", what, fieldNames(table), kindName(n))
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := slices.IndexFunc(table, func(f field) bool { return f.name == key.Value })
		switch {
		case at < 0:
			return fault(key, "%s has no %q; it may have %s", what, key.Value, fieldNames(table))
		case seen[key.Value]:
			return fault(key, "%q stands twice in %s; remove one", key.Value, what)
		}
		seen[key.Value] = true
		if err := table[at].read(value); err != nil {
			return err
		}
	}
	return nil
}

func fieldNames(table []field) string {
	var names []string
	for _, f := range table {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}

// target follows an alias to what it stands for.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
		if n.ShortTag() == "!!null" {
			return "empty"
		}
		return strconv.Quote(n.Value)
	}
	return "something else"
}

func readText(n *yaml.Node, what string, into *string) error {
	n = target(n)
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		return fault(n, "%s must be a text; this is %s", what, kindName(n))
	}
	if !utf8.ValidString(n.Value) {
		return fault(n, "%s is not valid UTF-8", what)
	}
	*into = n.Value
	return nil
}

func readInt(n *yaml.Node, what string, low, high int64, into *int64) error {
	n = target(n)
	v, err := strconv.ParseInt(n.Value, 10, 64)
	if n.Kind != yaml.ScalarNode || err != nil || v < low || v > high {
		return fault(n, "%s must be a whole number from %d to %d; this is %s", what, low, high, kindName(n))
	}
	*into = v
	return nil
}

func readFloat(n *yaml.Node, what string, into *float64) error {
	n = target(n)
	v, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || err != nil || math.IsNaN(v) || v < 0 || v > 1e9 {
		return fault(n, "%s must be a number that is not negative; this is %s", what, kindName(n))
	}
	*into = v
	return nil
}

func readBool(n *yaml.Node, what string, into *bool) error {
	n = target(n)
	if n.Kind != yaml.ScalarNode || n.Value != "true" && n.Value != "false" {
		return fault(n, "%s must be true or false; this is %s", what, kindName(n))
	}
	*into = n.Value == "true"
	return nil
}

func readDuration(n *yaml.Node, what string, into *time.Duration) error {
	n = target(n)
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || d < 0 {
		return fault(n, "%s must be a time with its unit, such as 20ms or 1.5s; this is %s", what, kindName(n))
	}
	*into = d
	return nil
}

// readList reads each item of a list.
func readList(n *yaml.Node, what string, item func(*yaml.Node) error) error {
	n = target(n)
	if n.Kind != yaml.SequenceNode {
		return fault(n, "%s must be a list; this is %s", what, kindName(n))
	}
	for _, c := range n.Content {
		if err := item(c); err != nil {
			return err
		}
	}
	return nil
}
