package settings

import (
	"encoding/json"
	"testing"
)

// Whatever stands in a file, reading it is safe, and writing one key keeps all
// the others.
func FuzzDocument(f *testing.F) {
	for _, text := range []string{
		`{"version":1,"owner":"ann","settings":{"language":"ko","future":{"a":[1]}},"note":"mine"}`,
		`{"customInstructions":"x","alwaysAllowWrite":true,"apiProvider":"a","apiModelId":"b"}`,
		`{"version":7,"settings":{"settings":{"version":1}}}`, `{"version":1,"settings":{oops`, `null`, `[]`, ``,
	} {
		f.Add([]byte(text))
	}
	table := newTable()
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &document{path: "file", raw: map[string]json.RawMessage{}}
		if d.parse(data); d.broken != nil {
			return
		}
		table.fold(table.newSource(Owner, d.entries()))
		next := d.with(map[string]json.RawMessage{"language": []byte(`"ko"`)})
		out, err := next.encode()
		must(t, err)
		again := &document{path: "file", raw: map[string]json.RawMessage{}}
		if again.parse(out); again.broken != nil || len(next.changed(again)) != 0 || len(again.more) != len(d.more) {
			t.Fatalf("%q became %q: %v %v", data, out, again.broken, next.changed(again))
		}
	})
}
