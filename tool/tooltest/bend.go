package tooltest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/parley-dev/parley/tool"
)

// bend makes inputs that do not fit out of one that does: each breaks the schema
// in one way.
func bend(t *testing.T, schema json.RawMessage, good string) map[string]string {
	t.Helper()
	var s struct {
		Properties map[string]property
		Required   []string
		Additional *json.RawMessage `json:"additionalProperties"`
	}
	var base map[string]json.RawMessage
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatalf("the schema: %v", err)
	}
	if err := json.Unmarshal([]byte(good), &base); err != nil {
		t.Fatalf("the good input: %v", err)
	}
	with := func(name, value string) string {
		bent := maps.Clone(base)
		bent[name] = json.RawMessage(value)
		return marshal(t, bent)
	}
	out := map[string]string{
		"nothing":          "",
		"not JSON":         "{",
		"half":             good[:len(good)-1],
		"two values":       good + " {}",
		"a list":           "[" + good + "]",
		"null":             "null",
		"text":             `"text"`,
		"huge":             strings.Repeat(" ", tool.MaxInput) + good,
		"bytes":            "\xff\xfe",
		"endlessly nested": strings.Repeat("[", 100_000),
	}
	for _, name := range s.Required {
		without := maps.Clone(base)
		delete(without, name)
		out["without "+name] = marshal(t, without)
	}
	if s.Additional != nil && string(*s.Additional) == "false" {
		out["unknown field"] = with("no_such_field", "1")
	}
	for name, p := range s.Properties {
		for kind, value := range p.wrong() {
			out[name+" is "+kind] = with(name, value)
		}
	}
	return out
}

// property is what the suite knows of one field of an input.
type property struct {
	Type             any
	Description      string
	Enum             []any
	Minimum, Maximum *int64
	MinLength        int
	MaxLength        *int
}

func (p property) kinds() []string {
	switch k := p.Type.(type) {
	case string:
		return []string{k}
	case []any:
		var out []string
		for _, one := range k {
			out = append(out, one.(string))
		}
		return out
	}
	return nil
}

// wrong gives values that do not fit, by what is wrong with them.
func (p property) wrong() map[string]string {
	out := map[string]string{}
	kinds := p.kinds()
	if len(kinds) > 0 {
		for kind, value := range map[string]string{
			"string": `"x"`, "number": "1.5", "boolean": "true", "null": "null", "array": "[]", "object": "{}",
		} {
			if !slices.Contains(kinds, kind) {
				out[kind] = value
			}
		}
	}
	number := func(n int64) string { raw, _ := json.Marshal(n); return string(raw) }
	if p.Enum != nil {
		out["not listed"] = `"no such value"`
	}
	if p.Minimum != nil {
		out["too small"] = number(*p.Minimum - 1)
	}
	if p.Maximum != nil {
		out["too large"] = number(*p.Maximum + 1)
	}
	if p.MinLength > 0 {
		out["too short"] = `""`
	}
	if p.MaxLength != nil {
		out["too long"] = `"` + strings.Repeat("x", *p.MaxLength+1) + `"`
	}
	return out
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
