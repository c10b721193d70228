package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"github.com/parley-dev/parley/tool"
)

const sample = `{
	"type": "object",
	"properties": {
		"name": {"type": "string", "minLength": 1, "maxLength": 3},
		"count": {"type": "integer", "minimum": 1, "maximum": 10},
		"mode": {"enum": ["a", "b", 3]},
		"tags": {"type": "array", "items": {"type": ["string", "null"]}, "maxItems": 2},
		"inner": {"type": "object", "properties": {"x": {"type": "boolean"}}, "required": ["x"]}
	},
	"required": ["name"],
	"additionalProperties": false
}`

func TestCheck(t *testing.T) {
	info := tool.Info{Name: "sample", Schema: json.RawMessage(sample)}
	for _, c := range []struct{ input, says string }{ // "": it fits
		{`{"name":"a"}`, ""},
		{` {"name":"가나다","count":10,"mode":3.0,"tags":["x",null],"inner":{"x":true,"y":1}} `, ""},
		{`{"name":"a","count":1e0}`, ""},
		{`{}`, "name is missing"},
		{`{"name":""}`, "name has 0 characters; at least 1"},
		{`{"name":"abcd"}`, "name has 4 characters; at most 3"},
		{`{"name":1}`, "name must be string, not number"},
		{`{"name":null}`, "not null"},
		{`{"name":"a","count":0}`, "count must be at least 1"},
		{`{"name":"a","count":11}`, "count must be at most 10"},
		{`{"name":"a","count":1e99999999999999999999}`, "count must be"},
		{`{"name":"a","count":1e99999}`, "count must be at most 10"},
		{`{"name":"a","count":1.5}`, "count must be integer, not number"},
		{`{"name":"a","mode":"c"}`, `mode must be one of "a", "b", 3`},
		{`{"name":"a","tags":["x",1]}`, "tags[1] must be string or null, not number"},
		{`{"name":"a","tags":["x","y","z"]}`, "tags has 3 items"},
		{`{"name":"a","inner":{}}`, "inner.x is missing"},
		{`{"name":"a","Name":"b"}`, "Name is not known"},
		{`[]`, "must be an object, not array"},
		{`null`, "must be an object, not null"},
		{``, "empty"},
		{`{"name":"a"`, "not JSON"},
		{`{"name":"a"} {}`, "something follows"},
		{`{"name":"` + strings.Repeat("a", tool.MaxInput) + `"}`, "at most 1048576"},
	} {
		err := tool.Check(info, json.RawMessage(c.input))
		if c.says == "" {
			if err != nil {
				t.Errorf("%.80s: %v", c.input, err)
			}
			continue
		}
		if tool.CodeOf(err) != tool.CodeInputInvalid || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.80s: %v; want it to say %q", c.input, err, c.says)
		}
	}
}

func TestCheckBoundsItsMessage(t *testing.T) {
	info := tool.Info{Name: "sample", Schema: json.RawMessage(sample)}
	err := tool.Check(info, json.RawMessage(`{"name":"a","`+strings.Repeat("k", 100_000)+`":1}`))
	if err == nil || len(err.Error()) > 1000 {
		t.Errorf("a long name makes a message of %d bytes", len(err.Error()))
	}
}

func TestCheckDamagedSchema(t *testing.T) {
	for _, schema := range []string{``, `{"type":5}`, `{"properties":[]}`} {
		err := tool.Check(tool.Info{Name: "x", Schema: json.RawMessage(schema)}, json.RawMessage(`{}`))
		if tool.CodeOf(err) != tool.CodeUnavailable {
			t.Errorf("%q: %v", schema, err)
		}
	}
}

func TestDecode(t *testing.T) {
	type input struct {
		Name  string
		Count int
	}
	info := tool.Info{Name: "sample", Schema: json.RawMessage(sample)}
	in, err := tool.Decode[input](info, json.RawMessage(`{"name":"a","count":3}`))
	if err != nil || in != (input{"a", 3}) {
		t.Errorf("%+v, %v", in, err)
	}
	for _, bad := range []string{`{}`, `{"name":"a","count":3.0}`} { // 3.0 is an integer, but Go does not read it into an int
		if _, err := tool.Decode[input](info, json.RawMessage(bad)); tool.CodeOf(err) != tool.CodeInputInvalid {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// Check decides as a complete validator does, on whatever it claims to know.
func TestCheckAgreesWithLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema := map[string]any{"type": "object", "properties": map[string]any{
			"a": drawSchema(t, 2), "b": drawSchema(t, 2),
		}}
		if rapid.Bool().Draw(t, "closed") {
			schema["additionalProperties"] = false
		}
		if rapid.Bool().Draw(t, "required") {
			schema["required"] = []string{"a"}
		}
		raw, _ := json.Marshal(schema)
		input := map[string]any{}
		for _, name := range []string{"a", "b", "c"} {
			if rapid.Bool().Draw(t, "has "+name) {
				input[name] = drawValue(t, 2)
			}
		}
		instance, _ := json.Marshal(input)
		got := tool.Check(tool.Info{Name: "x", Schema: raw}, instance)
		want := validate(t, raw, instance)
		if (got == nil) != (want == nil) {
			t.Fatalf("schema %s\ninput %s\nCheck: %v\nlibrary: %v", raw, instance, got, want)
		}
	})
}

func validate(t *rapid.T, raw, instance []byte) error {
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(instance, &v); err != nil {
		t.Fatal(err)
	}
	return resolved.Validate(v)
}

func drawSchema(t *rapid.T, depth int) map[string]any {
	small := rapid.IntRange(0, 3)
	s := map[string]any{}
	switch kind := rapid.SampledFrom([]string{"string", "integer", "number", "boolean", "null", "array", "object", "enum", "either"}).Draw(t, "kind"); kind {
	case "enum":
		s["enum"] = []any{drawValue(t, 1), drawValue(t, 1)}
	case "either":
		s["type"] = []string{"string", "integer"}
	case "array":
		s["type"], s["maxItems"] = kind, small.Draw(t, "max")
		if depth > 0 {
			s["items"] = drawSchema(t, depth-1)
		}
	case "object":
		s["type"] = kind
		if depth > 0 {
			s["properties"] = map[string]any{"a": drawSchema(t, depth-1)}
			s["additionalProperties"] = drawSchema(t, depth-1)
		}
	case "string":
		s["type"], s["minLength"], s["maxLength"] = kind, small.Draw(t, "min"), 3
	default:
		s["type"], s["minimum"], s["maximum"] = kind, small.Draw(t, "min"), 3
	}
	return s
}

func drawValue(t *rapid.T, depth int) any {
	switch rapid.IntRange(0, 6+min(depth, 1)*2).Draw(t, "value") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2, 3:
		return rapid.IntRange(-1, 4).Draw(t, "int")
	case 4:
		return 1.5
	case 5, 6:
		return rapid.SampledFrom([]string{"", "a", "가나", "abcd"}).Draw(t, "string")
	case 7:
		return []any{drawValue(t, depth-1), drawValue(t, depth-1)}
	}
	return map[string]any{"a": drawValue(t, depth-1), "b": drawValue(t, depth-1)}
}

func FuzzCheck(f *testing.F) {
	f.Add(sample, `{"name":"a"}`)
	f.Add(`{"type":"object","additionalProperties":{"type":"number"}}`, `{"a":-1e-400}`)
	f.Fuzz(func(t *testing.T, schema, input string) {
		err := tool.Check(tool.Info{Name: "x", Schema: json.RawMessage(schema)}, json.RawMessage(input))
		if err != nil && tool.CodeOf(err) == "" {
			t.Errorf("%v has no code", err)
		}
	})
}
