package mcp

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/parley-dev/parley/tool"
)

const maxSchema = 64 << 10

// fieldName is what vendors of models take for the name of a field. One that
// they do not take would have them refuse all tools of a request.
var fieldName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// choices are keywords that vendors refuse at the top of a schema. The server
// still holds an input to them; a model is not told.
var choices = []string{"anyOf", "oneOf", "allOf", "not", "enum"}

// inputSchema gives a tool's schema as it can be passed on, or says why it
// cannot be.
func inputSchema(given any) (schema json.RawMessage, why string) {
	raw, err := json.Marshal(given)
	if err != nil {
		return nil, "its schema is not JSON"
	}
	if len(raw) > maxSchema {
		return nil, fmt.Sprintf("its schema has more than %d KiB", maxSchema>>10)
	}
	var top map[string]any
	if err := json.Unmarshal(raw, &top); err != nil || top == nil {
		return nil, "its schema is not an object"
	}
	if top["type"] == nil {
		top["type"] = "object"
	}
	if top["type"] != "object" {
		return nil, "its schema is not one of an object"
	}
	for _, word := range choices {
		delete(top, word)
	}
	if properties, ok := top["properties"].(map[string]any); ok {
		for field := range properties {
			if !fieldName.MatchString(field) {
				return nil, fmt.Sprintf("no model takes a field called %q", clip(field, 80))
			}
		}
	}
	if schema, err = json.Marshal(top); err != nil {
		return nil, "its schema is not JSON"
	}
	if err := checkSchema(schema); err != nil {
		return nil, "its schema is damaged: " + err.Error()
	}
	return schema, ""
}

// checkSchema says whether a vendor would take the schema, and tool.Check.
func checkSchema(schema json.RawMessage) error {
	var whole jsonschema.Schema
	if err := json.Unmarshal(schema, &whole); err != nil {
		return err
	}
	if _, err := whole.Resolve(nil); err != nil {
		return err
	}
	if kind := unknownKind(&whole); kind != "" {
		return fmt.Errorf("there is no type %q", clip(kind, 80))
	}
	if err := tool.Check(tool.Info{Schema: schema}, json.RawMessage(`{}`)); tool.CodeOf(err) == tool.CodeUnavailable {
		return err
	}
	return nil
}

// kinds are the types that JSON Schema knows.
var kinds = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// unknownKind finds a type that is none, in the fields and items of a schema.
func unknownKind(s *jsonschema.Schema) string {
	if s == nil {
		return ""
	}
	for _, kind := range s.Types {
		if !slices.Contains(kinds, kind) {
			return kind
		}
	}
	if s.Type != "" && !slices.Contains(kinds, s.Type) {
		return s.Type
	}
	for _, field := range s.Properties {
		if kind := unknownKind(field); kind != "" {
			return kind
		}
	}
	return unknownKind(s.Items)
}
