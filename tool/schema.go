package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// schema is what Check knows of a JSON Schema.
type schema struct {
	never bool // the schema false: nothing fits

	Type       kinds              `json:"type"`
	Enum       []any              `json:"enum"`
	Const      any                `json:"const"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Additional *schema            `json:"additionalProperties"`
	Items      *schema            `json:"items"`
	MinItems   *int               `json:"minItems"`
	MaxItems   *int               `json:"maxItems"`
	MinLength  *int               `json:"minLength"`
	MaxLength  *int               `json:"maxLength"`
	Minimum    *json.Number       `json:"minimum"`
	Maximum    *json.Number       `json:"maximum"`
}

// kinds is one kind, or a list of those allowed.
type kinds []string

func (k *kinds) UnmarshalJSON(raw []byte) error {
	if raw[0] == '"' {
		*k = kinds{""}
		return json.Unmarshal(raw, &(*k)[0])
	}
	return json.Unmarshal(raw, (*[]string)(k))
}

func (s *schema) UnmarshalJSON(raw []byte) error {
	switch string(raw) {
	case "true":
		return nil
	case "false":
		s.never = true
		return nil
	}
	type plain schema // without this method
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode((*plain)(s))
}

func parseSchema(raw json.RawMessage) (*schema, error) {
	s := new(schema)
	return s, json.Unmarshal(raw, s)
}

// fault says where and why the value does not fit; "" if it does.
func (s *schema) fault(at string, v any) string {
	kind := kindOf(v)
	switch {
	case s == nil:
		return ""
	case s.never:
		return say(at, "is not known; leave it out")
	case len(s.Type) > 0 && !s.Type.allow(kind, v):
		return say(at, "must be %s, not %s", strings.Join(s.Type, " or "), kind)
	case s.Enum != nil && !slices.ContainsFunc(s.Enum, func(e any) bool { return equal(e, v) }):
		return say(at, "must be one of %s", list(s.Enum))
	case s.Const != nil && !equal(s.Const, v):
		return say(at, "must be %s", list([]any{s.Const}))
	}
	switch v := v.(type) {
	case map[string]any:
		return s.objectFault(at, v)
	case []any:
		return s.arrayFault(at, v)
	case string:
		return boundsFault(at, "characters", utf8.RuneCountInString(v), s.MinLength, s.MaxLength)
	case json.Number:
		return s.numberFault(at, v)
	}
	return ""
}

func (s *schema) objectFault(at string, v map[string]any) string {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			return say(join(at, name), "is missing")
		}
	}
	// Sorted, so that the same input always gives the same words.
	for _, name := range slices.Sorted(maps.Keys(v)) {
		rule, known := s.Properties[name]
		if !known {
			rule = s.Additional
		}
		if fault := rule.fault(join(at, name), v[name]); fault != "" {
			return fault
		}
	}
	return ""
}

func (s *schema) arrayFault(at string, v []any) string {
	if fault := boundsFault(at, "items", len(v), s.MinItems, s.MaxItems); fault != "" {
		return fault
	}
	for i, item := range v {
		if fault := s.Items.fault(fmt.Sprintf("%s[%d]", at, i), item); fault != "" {
			return fault
		}
	}
	return ""
}

func (s *schema) numberFault(at string, v json.Number) string {
	switch {
	case s.Minimum != nil && compare(v, *s.Minimum) < 0:
		return say(at, "must be at least %s", *s.Minimum)
	case s.Maximum != nil && compare(v, *s.Maximum) > 0:
		return say(at, "must be at most %s", *s.Maximum)
	}
	return ""
}

func boundsFault(at, what string, n int, least, most *int) string {
	switch {
	case least != nil && n < *least:
		return say(at, "has %d %s; at least %d are needed", n, what, *least)
	case most != nil && n > *most:
		return say(at, "has %d %s; at most %d are allowed", n, what, *most)
	}
	return ""
}

func (k kinds) allow(kind string, v any) bool {
	if slices.Contains(k, kind) {
		return true
	}
	n, ok := v.(json.Number)
	return ok && slices.Contains(k, "integer") && isInteger(n)
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// number reads what JSON calls a number. Its exponent costs nothing, however
// large; one that fits no machine word makes it infinite.
func number(n json.Number) *big.Float {
	f, _, err := big.ParseFloat(n.String(), 10, 256, big.ToNearestEven)
	if err != nil {
		return new(big.Float).SetInf(strings.HasPrefix(n.String(), "-"))
	}
	return f
}

func isInteger(n json.Number) bool { return number(n).IsInt() }
func compare(a, b json.Number) int { return number(a).Cmp(number(b)) }

func say(at, why string, args ...any) string {
	if at == "" {
		at = "the input"
	}
	return short(at) + " " + fmt.Sprintf(why, args...)
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

// equal compares as JSON does: 1 and 1.0 are the same number.
func equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && compare(a, b) == 0
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equal)
	}
	return reflect.DeepEqual(a, b)
}

func list(values []any) string {
	var out []string
	for _, v := range values {
		raw, _ := json.Marshal(v)
		out = append(out, string(raw))
	}
	return strings.Join(out, ", ")
}
