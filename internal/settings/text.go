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
		err = t.accept(k, raw)
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
	if _, number := k.Default.(int); number && !json.Valid([]byte(trimmed)) {
		return nil, fmt.Errorf("must be %s", article(k.Type()))
	}
	if !json.Valid([]byte(trimmed)) {
		return nil, fmt.Errorf("must be %s in valid JSON", article(k.Type()))
	}
	return json.RawMessage(trimmed), nil
}

func unknownKey(name string) error {
	if near := nearestKey(strings.ReplaceAll(name, "-", "_")); near != "" {
		return fmt.Errorf("there is no setting %q; there is %s", clip(name), near)
	}
	return fmt.Errorf("there is no setting %q; `parley settings` lists them", clip(name))
}

func nearestKey(name string) string {
	var names []string
	for _, k := range Keys() {
		names = append(names, k.Name)
	}
	return nearest(name, names)
}

// nearest is the name that somebody probably meant: one that differs in a letter
// or two, or goes on where theirs ends; empty if there is none.
func nearest(name string, names []string) string {
	const most = 2
	best, at := "", most+1
	for _, n := range names {
		if d := distance(name, n, most); d < at {
			best, at = n, d
		}
		if len(name) >= 4 && strings.HasPrefix(n, name) && at > most {
			best, at = n, most
		}
	}
	return best
}

// distance counts the letters that have to be added, removed, changed or swapped
// with the next; more than most is most+1.
func distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			if i == 0 || j == 0 {
				rows[i][j] = i + j
				continue
			}
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return min(rows[len(a)][len(b)], most+1)
}
