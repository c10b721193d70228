package vendor

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// CheckAnthropic says why Anthropic would refuse this body of a call of the
// Messages API; nil if it would not.
func CheckAnthropic(body []byte) error {
	_, err := checkAnthropic(body)
	return err
}

// CheckOpenAI says why OpenAI would refuse this body, of a chat completion or of
// a response; nil if it would not.
func CheckOpenAI(body []byte) error {
	var kind struct {
		Messages json.RawMessage `json:"messages"`
	}
	check := checkResponses
	if json.Unmarshal(body, &kind) == nil && kind.Messages != nil {
		check = checkChat
	}
	_, err := check(body)
	return err
}

var (
	idForm    = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	imageKind = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}
)

// read decodes a JSON object strictly: no field that the vendor does not know, no
// second value.
func read(at string, raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("%s: more than one JSON value", at)
	}
	return nil
}

// typed decodes an object by its type, each of which has fields of its own.
func typed(at string, raw json.RawMessage, kinds map[string]func() any) (any, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	make, ok := kinds[head.Type]
	if !ok {
		return nil, fmt.Errorf("%s.type: there is no %q here", at, head.Type)
	}
	into := make()
	return into, read(at, raw, into)
}

// texts reads what may be a text or a list: a text is given as itself, a list as
// its parts.
func texts(at string, raw json.RawMessage) (text string, parts []json.RawMessage, err error) {
	if json.Unmarshal(raw, &text) == nil {
		return text, nil, nil
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", nil, fmt.Errorf("%s: neither a text nor a list", at)
	}
	if len(parts) == 0 {
		return "", nil, fmt.Errorf("%s: an empty list", at)
	}
	return "", parts, nil
}

// named checks a tool's name and that its schema is one of an object.
func named(at, name string, most int, schema json.RawMessage) error {
	if !idForm.MatchString(name) || len(name) > most {
		return fmt.Errorf("%s.name: %q must be 1 to %d letters, digits, _ or -", at, name, most)
	}
	var s struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(schema, &s); err != nil || s.Type != "object" {
		return fmt.Errorf("%s: the schema of %s must be of type object", at, name)
	}
	return nil
}

func unique(at string, names []string) error {
	for i, n := range names {
		if slices.Contains(names[:i], n) {
			return fmt.Errorf("%s: %q comes twice", at, n)
		}
	}
	return nil
}

func isObject(raw json.RawMessage) bool {
	return json.Valid(raw) && bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{"))
}

// dataURL checks a picture that is sent along.
func dataURL(at, address string) error {
	kind, data, ok := strings.Cut(strings.TrimPrefix(address, "data:"), ";base64,")
	if !ok || !strings.HasPrefix(address, "data:") {
		if strings.HasPrefix(address, "https://") {
			return nil
		}
		return fmt.Errorf("%s: a picture needs an https: or a data: address", at)
	}
	return picture(at, kind, data)
}

func picture(at, kind, data string) error {
	if !slices.Contains(imageKind, kind) {
		return fmt.Errorf("%s: a picture of type %q cannot be read; there are %v", at, kind, imageKind)
	}
	if raw, err := base64.StdEncoding.DecodeString(data); err != nil || len(raw) == 0 {
		return fmt.Errorf("%s: the picture's data is not base64, or empty", at)
	}
	return nil
}
