package settings

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// ParseText reads a value as people write it on a command line or in the
// environment: a text as it is, a list with commas or as JSON, an object as JSON.
func ParseText(name, text string) (json.RawMessage, error) {
	return newTable().parseText(name, text)
}

func (t table) parseText(name, text string) (json.RawMessage, error) {
	k, ok := t.key(name)
	if !ok {
		return nil, unknownKey(name)
	}
	raw, err := k.fromText(text)
	if err == nil {
		_, err = t.decode(k, raw)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %w", k.Name, err)
	}
	return raw, nil
}

func (k Key) fromText(text string) (json.RawMessage, error) {
	trimmed := strings.TrimSpace(text)
	switch k.Default.(type) {
	case string:
		return json.Marshal(text)
	case bool:
		b, err := strconv.ParseBool(trimmed)
		if err != nil {
			return nil, fmt.Errorf("must be true or false")
		}
		return json.Marshal(b)
	case []string:
		if strings.HasPrefix(trimmed, "[") {
			break
		}
		list := []string{}
		for _, item := range strings.Split(trimmed, ",") {
			if item = strings.TrimSpace(item); item != "" {
				list = append(list, item)
			}
		}
		return json.Marshal(list)
	}
	if !json.Valid([]byte(trimmed)) {
		return nil, fmt.Errorf("must be %s in valid JSON", article(k.Type()))
	}
	return json.RawMessage(trimmed), nil
}

func unknownKey(name string) error {
	return fmt.Errorf("there is no setting %q; `parley settings` lists them", clip(name))
}
