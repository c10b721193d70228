package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/parley-dev/parley/protocol"
)

const root = "../../.."

func generated(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := generate(filepath.Join(root, "protocol"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestFilesAreUpToDate(t *testing.T) {
	for name, want := range generated(t) {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Errorf("%v: run make generate", err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s is not what package protocol gives: run make generate", name)
		}
	}
}

func TestSameSourceSameBytes(t *testing.T) {
	first := generated(t)
	for range 3 {
		if again := generated(t); !maps.EqualFunc(first, again, bytes.Equal) {
			t.Fatal("two runs differ")
		}
	}
}

func resolved(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(generated(t)[schemaFile], &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func goldenFrame(t *testing.T, s protocol.Spec) map[string]any {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, "protocol/testdata/golden", s.Family.String(), string(s.Type)+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var frame map[string]any
	if err := json.Unmarshal(b, &frame); err != nil {
		t.Fatal(err)
	}
	return frame
}

func TestGoldenFitsSchema(t *testing.T) {
	schema := resolved(t)
	for _, s := range protocol.Table() {
		if err := schema.Validate(goldenFrame(t, s)); err != nil {
			t.Errorf("%s does not fit: %v", s.Type, err)
		}
	}
}

// TestSchemaRefuses breaks each golden frame in ways that its definition must see.
func TestSchemaRefuses(t *testing.T) {
	var doc struct {
		Defs map[string]struct {
			Required   []string
			Properties map[string]json.RawMessage
		} `json:"$defs"`
	}
	if err := json.Unmarshal(generated(t)[schemaFile], &doc); err != nil {
		t.Fatal(err)
	}
	m, err := load(filepath.Join(root, "protocol"))
	if err != nil {
		t.Fatal(err)
	}
	schema := resolved(t)
	for _, s := range m.specs {
		frame := goldenFrame(t, s.Spec)
		frame["type"] = "something_else"
		if schema.Validate(frame) == nil {
			t.Errorf("%s: another type fits", s.Type)
		}
		for _, name := range doc.Defs[s.payload].Required {
			frame := goldenFrame(t, s.Spec)
			delete(frame["data"].(map[string]any), name)
			if schema.Validate(frame) == nil {
				t.Errorf("%s: fits without %s", s.Type, name)
			}
		}
		for name, property := range doc.Defs[s.payload].Properties {
			if !bytes.Contains(property, []byte(`"string"`)) {
				continue
			}
			frame := goldenFrame(t, s.Spec)
			frame["data"].(map[string]any)[name] = 7.5
			if schema.Validate(frame) == nil {
				t.Errorf("%s: fits with a number for %s", s.Type, name)
			}
		}
	}
}

func TestAsyncAPI(t *testing.T) {
	files := generated(t)
	var doc, schema map[string]any
	for name, into := range map[string]*map[string]any{asyncapiFile: &doc, schemaFile: &schema} {
		if err := json.Unmarshal(files[name], into); err != nil {
			t.Fatal(err)
		}
	}
	refs := 0
	walkRefs(doc, func(ref string) {
		refs++
		target, in := ref, doc
		if rest, ok := strings.CutPrefix(ref, "schema/parley.schema.json"); ok {
			target, in = rest, schema
		}
		if !resolves(in, target) {
			t.Errorf("nothing at %s", ref)
		}
	})
	types := len(protocol.Table())
	if want := 3*types + 2; refs != want { // in components, channel and operations; two operations
		t.Errorf("%d references, want %d", refs, want)
	}
	operations := doc["operations"].(map[string]any)
	for name, want := range map[string]string{"receive_commands": "receive", "send_records_and_signals": "send"} {
		if got := operations[name].(map[string]any)["action"]; got != want {
			t.Errorf("%s is %v", name, got)
		}
	}
	if doc["asyncapi"] != "3.0.0" {
		t.Errorf("version %v", doc["asyncapi"])
	}
}

func TestSchemaRefsResolve(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(generated(t)[schemaFile], &schema); err != nil {
		t.Fatal(err)
	}
	walkRefs(schema, func(ref string) {
		if !resolves(schema, ref) {
			t.Errorf("nothing at %s", ref)
		}
	})
}

func walkRefs(v any, visit func(string)) {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			if ref, ok := inner.(string); ok && key == "$ref" {
				visit(ref)
			}
			walkRefs(inner, visit)
		}
	case []any:
		for _, inner := range v {
			walkRefs(inner, visit)
		}
	}
}

func resolves(doc map[string]any, ref string) bool {
	var at any = doc
	for _, key := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		object, _ := at.(map[string]any)
		if at = object[key]; at == nil {
			return false
		}
	}
	return true
}

// TestReferenceLinks wants every link of the reference to lead somewhere.
func TestReferenceLinks(t *testing.T) {
	text := string(generated(t)[referenceFile])
	anchors := make(map[string]int)
	for _, h := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		anchors[strings.ReplaceAll(strings.ToLower(strings.ReplaceAll(h[1], ":", "")), " ", "-")]++
	}
	for _, l := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(text, -1) {
		if anchor, ok := strings.CutPrefix(l[1], "#"); ok {
			if anchors[anchor] != 1 {
				t.Errorf("%d headings for #%s", anchors[anchor], anchor)
			}
		} else if _, err := os.Stat(filepath.Join(root, "docs", l[1])); err != nil {
			t.Error(err)
		}
	}
	for _, s := range protocol.Table() {
		if anchors[string(s.Type)] != 1 {
			t.Errorf("%d headings for %s", anchors[string(s.Type)], s.Type)
		}
	}
}

// TestTypeScriptIsWhole wants every type, shape and code in the TypeScript file.
func TestTypeScriptIsWhole(t *testing.T) {
	text := string(generated(t)[typescriptFile])
	m, err := load(filepath.Join(root, "protocol"))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, s := range m.specs {
		want = append(want, "\n  "+string(s.Type)+": "+tsName(s.payload)+";\n")
	}
	for _, s := range m.shapes {
		if len(s.fields) > 0 {
			want = append(want, "\nexport interface "+tsName(s.name)+" {\n")
		}
	}
	for _, s := range m.words {
		want = append(want, "\nexport type "+tsName(s.name)+" =")
	}
	for _, e := range protocol.Errors() {
		want = append(want, "\n  "+e.Name+": ")
	}
	slices.Sort(want)
	for _, w := range slices.Compact(want) {
		if n := strings.Count(text, w); n != 1 {
			t.Errorf("%q is there %d times", w, n)
		}
	}
}
